package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"veridice": main})
}

// The example of docs/spec/tavli.md and its share link.
const (
	exampleSeed = "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300"
	exampleSeal = "76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63"
	exampleA    = "f24279610d6b8b1362d85c3ddec7f24e"
	exampleB    = "d60062c1d2fe5d3f376829416b34be90"
	exampleLink = "/el/check/#v=1&s=" + exampleSeed + "&c=" + exampleSeal + "&p=" + exampleA + "," + exampleB + "&r=213216213333262333341666&g=7,5"
)

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SEED", exampleSeed)
			env.Setenv("SEAL", exampleSeal)
			env.Setenv("A", exampleA)
			env.Setenv("B", exampleB)
			env.Setenv("LINK", exampleLink)
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "traces" {
				return false, errors.New("unknown condition")
			}
			// Some containers have strace and may not use it.
			return exec.Command("strace", "-o", os.DevNull, "true").Run() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"sub":    sub,
			"recode": recode,
			"sparse": sparse,
		},
	})
}

// exits runs a command that must end with this code: exits CODE COMMAND ...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ...")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// sub writes a file again with one text in it, which must stand there once,
// exchanged, \n in them for a line end: sub FILE OLD NEW TO
func sub(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: sub FILE OLD NEW TO")
	}
	text := ts.ReadFile(args[0])
	for i := range args[1:3] {
		args[1+i] = strings.ReplaceAll(args[1+i], `\n`, "\n")
	}
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%q stands in %s %d times", args[1], args[0], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o666))
}

// recode does to a file what an editor, a shell or a mail program does:
// recode HOW FILE TO
func recode(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: recode HOW FILE TO")
	}
	text := ts.ReadFile(args[1])
	switch args[0] {
	case "crlf":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case "cr":
		text = strings.ReplaceAll(text, "\n", "\r")
	case "bom":
		text = "\ufeff" + text
	case "unended":
		text = strings.TrimSuffix(text, "\n")
	case "utf-16": // little-endian with a mark, as an old PowerShell writes it
		var b bytes.Buffer
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			ts.Check(binary.Write(&b, binary.LittleEndian, unit))
		}
		text = b.String()
	default:
		ts.Fatalf("unknown: %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(text), 0o666))
}

// sparse makes a file that is large and takes no room: sparse BYTES FILE
func sparse(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	name := ts.MkAbs(args[1])
	ts.Check(os.WriteFile(name, nil, 0o666))
	ts.Check(os.Truncate(name, size))
}
