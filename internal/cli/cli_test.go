package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain, ελληνικά, 🎲\nand a second line", "plain, ελληνικά, 🎲\nand a second line"},
		{"\x1b]0;title\x07", `\u001b]0;title\u0007`},
		{"a\rb\tc\x00\x7f", `a\u000db\u0009c\u0000\u007f`},
		{"\u0085\u009b31m", `\u0085\u009b31m`},
		{"\u202eevil\u2066x\u200f\u061c", `\u202eevil\u2066x\u200f\u061c`},
		{"\u2028\u2029", `\u2028\u2029`},
		{"bad \xff byte", "bad \ufffd byte"},
		{"\x1b\xff", "\\u001b\ufffd"},
	} {
		if got := Visible(c.text); got != c.want {
			t.Errorf("Visible(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// echo is a program with one verb that prints what it was given.
func echo(out, err *bytes.Buffer) *Program {
	return &Program{
		Output: Output{Name: "echo", Out: out, Err: err},
		Getenv: func(string) string { return "" },
		Commands: []*Command{{
			Verb: "say", Arguments: "WORD...",
			Flags: []Flag{{Name: "loud"}, {Name: "to", Value: "NAME", Repeated: true}, {Name: "n", Value: "N"}},
			Run: func(c *Call) int {
				c.Answer(strings.Join(c.Values("to"), "+") + "|" + c.Value("n") + "|" + strings.Join(c.Operands, " "))
				if c.Given("loud") { // else stderr must be silent
					c.Warning("loud")
				}
				c.Answer("end")
				return Proven
			},
		}},
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"say", "||"},
		{"say a b", "||a b"},
		{"say --to x a", "x||a"},
		{"say a -to x b --to=y c", "x+y||a b c"},
		{"say -n -1 a", "|-1|a"},
		{"say --n -- a", "|--|a"}, // the value of a flag, whatever it looks like
		{"say -- --to x", "||--to x"},
		{"say a -- -b -- c", "||a -b -- c"},
		{"say - a", "||- a"},
		{"say --to= a", "||a"},
		{"say --loud=false a", "||a"},
	} {
		var out, errs bytes.Buffer
		if code := echo(&out, &errs).Main(strings.Fields(c.args)); code != Proven || errs.Len() > 0 {
			t.Errorf("%s: exit %d, %s", c.args, code, errs.Bytes())
		}
		if got := strings.TrimSuffix(out.String(), "\nend\n"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.args, got, c.want)
		}
	}
	for _, args := range []string{"", "shout", "say --nothing", "say --to", "say -n 1 -n 2", "say --loud=yes", "say ---to x"} {
		var out, errs bytes.Buffer
		if code := echo(&out, &errs).Main(strings.Fields(args)); code != Usage || out.Len() > 0 || !strings.HasPrefix(errs.String(), "echo: error: ") {
			t.Errorf("%q: exit %d, out %q, errors %q", args, code, out.Bytes(), errs.Bytes())
		}
	}
}

// TestOrder: in one window a warning stands between the answers before and after it.
func TestOrder(t *testing.T) {
	var both bytes.Buffer
	p := echo(&both, &both)
	p.Main([]string{"say", "--loud", "a"})
	if got, want := both.String(), "||a\necho: warning: loud\nend\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestAnswerThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"say", "a"}, {"say", "--loud", "a"}, {"help"}} {
		var errs bytes.Buffer
		p := echo(nil, &errs)
		p.Out = full{}
		if code := p.Main(args); code != Unknown || !strings.HasSuffix(errs.String(), "echo: error: standard output: no room\n") {
			t.Errorf("%v: exit %d, %q", args, code, errs.Bytes())
		}
	}
}

// TestCompletionIsWhole wants every verb and flag in every shell's script.
func TestCompletionIsWhole(t *testing.T) {
	p := echo(nil, nil)
	for _, shell := range Shells() {
		script := p.Completion(shell)
		for _, word := range []string{"say", "loud", "to", "n", "help"} {
			if !strings.Contains(script, word) {
				t.Errorf("%s: no %s", shell, word)
			}
		}
	}
	if p.Completion("tcsh") != "" {
		t.Error("a script for tcsh")
	}
}
