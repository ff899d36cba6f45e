// Tests against another implementation of the formats of C2SP, in a module of its own so
// that the product does not depend on it. torchwood v0.9.0 is the last version for the
// product's Go toolchain; it has log proofs, policies, cosignatures and a tile client.
module veridice/test/interop

go 1.26.4

require (
	filippo.io/torchwood v0.9.0
	golang.org/x/mod v0.43.0
	veridice v0.0.0
)

require (
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
)

replace veridice => ../..
