.PHONY: run test wasm checker generate screenshots bench bench-server bench-protocol exhaustive faults

# Builds everything and starts the server on http://localhost:8080.
run: checker
	go build -o bin/ ./cmd/veridice ./cmd/veridiced && exec bin/veridiced

# Runs all that this machine can run, and ends with what it left out and why.
test: checker
	.ci/test

# The Go core for the pages; two builds are byte-identical.
wasm:
	.ci/wasm web/dist

# The check page as one file, with and without the Go core; two builds are byte-identical.
checker: wasm
	cd tools && go run ./checker ../web/dist

# Makes again what is generated and committed.
generate:
	python3 vectors/gen/gen.py
	python3 vectors/gen/games.py
	python3 vectors/gen/odds.py
	cd tools && go run ./lanesgen -pkg lanes -out ../internal/lanes/compress_amd64.s -stubs ../internal/lanes/compress_amd64.go

# Pictures of every page in every language, width and look, to be looked at: minutes.
SHOTS ?= $(CURDIR)/screenshots
screenshots: checker
	mkdir -p $(SHOTS)
	SHOTS=$(SHOTS) go test -count=1 -timeout 60m -run 'InEveryLook|CheckerFile' ./internal/server

# Ratios of one run; "go test -bench . ./..." has the single benchmarks.
bench:
	go run ./cmd/veridice-bench

# Durable rolls on both stores beside a raw log and an endpoint without a store, and 10,000
# idle event streams: some minutes. The tables' ratios count.
bench-server:
	go test -run '^$$' -bench 'Load|Streams' -benchtime 1x -timeout 30m ./cmd/veridiced

# Rolls and chains of veridice/1, in Go, in Go as WebAssembly, and in JavaScript.
bench-protocol:
	go test -run '^$$' -bench 'Roll|Phone|Chain' ./protocol
	GOOS=js GOARCH=wasm go test -run '^$$' -bench 'Roll|Phone|Chain' -exec "$$PWD/.ci/wasm-exec" ./protocol
	node web/test/bench.mjs

# Runs formulas of games through all 2^32 words: some minutes, outside the gate.
exhaustive:
	go test -tags exhaustive -run TestEveryWord ./game/...

# A minute of load on each store with a node killed every second, with a connection that hangs,
# and a failover, one after the other; "make test" has a short form of it.
faults:
	VERIDICE_FAULTS=1m go test -count=1 -v -parallel 1 -timeout 30m -run 'TestFaults|TestFailover' ./cmd/veridiced
