// Command veridice makes and checks dice that nobody can rig: seal a seed, roll
// from seeds, verify a match from its share link or record, and explain a roll
// down to its bytes. It reads files and standard input, and never opens a socket.
//
// Exit codes: 0 proven or done, 1 broken, 2 a wrong command line, 3 could not
// check. What prints where stands in internal/cli; docs/json.md has the JSON.
package main

import (
	"io"
	"os"

	"veridice/internal/cli"
)

// version is that of the next entry of NEWS.md.
const version = "0.1.0"

func main() {
	os.Exit(program(os.Stdin, os.Stdout, os.Stderr, os.Getenv).Main(os.Args[1:]))
}

func program(in io.Reader, out, err io.Writer, getenv func(string) string) *cli.Program {
	return &cli.Program{
		Output:   cli.Output{Name: "veridice", Out: out, Err: err},
		Summary:  "dice that nobody can rig and anybody can check",
		In:       in,
		Getenv:   getenv,
		Commands: commands,
	}
}
