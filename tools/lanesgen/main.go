// Command lanesgen writes the AVX-512 compression of internal/lanes: SHA-256 of
// sixteen blocks at once, one in each 32-bit lane. Run it by "make generate".
package main

import (
	"math/big"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	constants := GLOBL("k256", RODATA|NOPTR)
	for i, k := range cubeRoots() {
		DATA(4*i, U32(k))
	}

	TEXT("compress16", NOSPLIT, "func(state *[8][16]uint32, block *[16][16]uint32)")
	Doc("compress16 adds the compression of one block a lane to the state of that lane.")
	state := Load(Param("state"), GP64())
	block := Load(Param("block"), GP64())
	k := GP64()
	LEAQ(constants, k)

	// a to h, the sixteen words of the schedule, and three registers to work in.
	v := []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7}
	w := []VecPhysical{Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23}
	x, y, z := Z24, Z25, Z26
	for i := range v {
		VMOVDQU32(Mem{Base: state, Disp: 64 * i}, v[i])
	}
	for i := range w {
		VMOVDQU32(Mem{Base: block, Disp: 64 * i}, w[i])
	}

	// sigma leaves in x the exclusive or of from turned right by a and b, and
	// turned, or in the schedule shifted, by c.
	sigma := func(from VecPhysical, a, b, c uint64, shift bool) {
		VPRORD(U8(a), from, x)
		VPRORD(U8(b), from, y)
		if shift {
			VPSRLD(U8(c), from, z)
		} else {
			VPRORD(U8(c), from, z)
		}
		VPTERNLOGD(U8(0x96), z, y, x)
	}
	for i := range 64 {
		a, b, c, d := v[0], v[1], v[2], v[3]
		e, f, g, h := v[4], v[5], v[6], v[7]
		word := w[i%16]
		if i >= 16 {
			sigma(w[(i+1)%16], 7, 18, 3, true)
			VPADDD(x, word, word)
			VPADDD(w[(i+9)%16], word, word)
			sigma(w[(i+14)%16], 17, 19, 10, true)
			VPADDD(x, word, word)
		}
		VPADDD(word, h, h)
		VPADDD_BCST(Mem{Base: k, Disp: 4 * i}, h, h)
		sigma(e, 6, 11, 25, false)
		VPADDD(x, h, h)
		VMOVDQA32(e, y)
		VPTERNLOGD(U8(0xca), g, f, y) // e chooses f or g
		VPADDD(y, h, h)
		VPADDD(h, d, d)
		sigma(a, 2, 13, 22, false)
		VPADDD(x, h, h)
		VMOVDQA32(a, y)
		VPTERNLOGD(U8(0xe8), c, b, y) // the majority of a, b, c
		VPADDD(y, h, h)
		v = []VecPhysical{h, a, b, c, d, e, f, g}
	}
	for i := range v {
		VPADDD(Mem{Base: state, Disp: 64 * i}, v[i], v[i])
		VMOVDQU32(v[i], Mem{Base: state, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
	Generate()
}

// cubeRoots gives the round constants of FIPS 180-4: the first 32 bits of the
// fractional parts of the cube roots of the first 64 primes.
func cubeRoots() (k [64]uint32) {
	n := 0
	for p := int64(2); n < len(k); p++ {
		if !big.NewInt(p).ProbablyPrime(0) {
			continue
		}
		// floor(cbrt(p) × 2^32) is the integer cube root of p × 2^96.
		cube := new(big.Int).Lsh(big.NewInt(p), 96)
		root := new(big.Int)
		for bit := 36; bit >= 0; bit-- {
			try := new(big.Int).SetBit(root, bit, 1)
			if new(big.Int).Exp(try, big.NewInt(3), nil).Cmp(cube) <= 0 {
				root = try
			}
		}
		k[n] = uint32(root.Uint64())
		n++
	}
	return k
}
