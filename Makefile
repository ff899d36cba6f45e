.PHONY: run test wasm generate bench exhaustive

# Builds everything and starts the server on http://localhost:8080.
run: wasm
	go build -o bin/ ./cmd/veridice ./cmd/veridiced && exec bin/veridiced

# Runs all that this machine can run, and ends with what it left out and why.
test: wasm
	.ci/test

# The Go core for the pages; two builds are byte-identical.
wasm:
	.ci/wasm web/dist

# Makes again what is generated and committed.
generate:
	python3 vectors/gen/gen.py
	python3 vectors/gen/games.py
	python3 vectors/gen/odds.py
	cd tools && go run ./lanesgen -pkg lanes -out ../internal/lanes/compress_amd64.s -stubs ../internal/lanes/compress_amd64.go

# Ratios of one run; "go test -bench . ./..." has the single benchmarks.
bench:
	go run ./cmd/veridice-bench

# Runs formulas of games through all 2^32 words: some minutes, outside the gate.
exhaustive:
	go test -tags exhaustive -run TestEveryWord ./game/...
