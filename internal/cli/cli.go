// Package cli is how the command-line programs talk: the few functions that
// print, the exit codes, and one table of commands from which dispatch, help and
// the completions of bash, zsh and fish come.
//
// The output policy is this. What was asked for, the answer, goes to standard
// output. All else goes to standard error, one line each, in lower case and
// without a full stop:
//
//	veridice: what is going on
//	veridice: warning: what may be wrong, though it goes on
//	veridice: error: why there is no answer
//	veridice: hint: what to do about it
//
// Control characters and those that change the direction of text come out as
// \u001b wherever they come from, so that data cannot drive the terminal and
// JSON stays the same JSON. Nothing else prints.
package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"veridice/internal/locale"
)

// Exit codes of every verb. Of several inputs the worst counts: 1, then 3, then 0.
const (
	Proven  = 0 // everything that was asked for is done, or proven
	Broken  = 1 // what was checked does not fit together
	Usage   = 2 // a wrong command line
	Unknown = 3 // could not check, or could not do it
)

// Output is where a program prints. Name stands in front of all but the answers.
type Output struct {
	Name     string
	Out, Err io.Writer
}

// Answer prints what was asked for, a line or several.
func (o *Output) Answer(text string) { fmt.Fprintln(o.Out, Visible(text)) }

// Note says what is going on.
func (o *Output) Note(text string) { o.say("", text) }

// Warning says what may be wrong.
func (o *Output) Warning(text string) { o.say("warning: ", text) }

// Error says why there is no answer.
func (o *Output) Error(text string) { o.say("error: ", text) }

// Hint says what to do.
func (o *Output) Hint(text string) { o.say("hint: ", text) }

func (o *Output) say(kind, text string) {
	text = Visible(strings.ReplaceAll(text, "\n", " "))
	fmt.Fprintf(o.Err, "%s: %s%s\n", o.Name, kind, text)
}

// Visible shows the characters that a terminal obeys as \u and four hex digits:
// controls other than the line end, what changes the direction of text, and
// bytes that are not UTF-8 as U+FFFD.
func Visible(text string) string {
	hidden := func(r rune) bool {
		return r != '\n' && unicode.IsControl(r) || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r)
	}
	if strings.IndexFunc(text, hidden) < 0 {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Language chooses the language of verdicts and hints: the flag if it was given,
// else the first of LC_ALL, LC_MESSAGES and LANG that is set.
func Language(flag string, getenv func(string) string) string {
	for _, value := range []string{flag, getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG")} {
		if value != "" {
			return locale.Match(value)
		}
	}
	return locale.Source
}

// A Program has verbs. In, the environment and the files are all that it reads.
type Program struct {
	Output
	Summary  string // one line
	In       io.Reader
	Getenv   func(string) string
	Commands []*Command
}

// Main runs one command line, without the program's own name, and returns the
// exit code. Answers are buffered; one that could not be written is an error.
func (p *Program) Main(args []string) int {
	buffered := bufio.NewWriterSize(p.Out, 64<<10)
	run := *p
	run.Out, run.Err = buffered, after{buffered, p.Err}
	code := run.dispatch(args)
	if err := buffered.Flush(); err != nil {
		p.Error("standard output: " + Reason(err))
		return Unknown
	}
	return code
}

// after is standard error behind the answers so far: who reads both in one window
// sees the verdict before its hint.
type after struct {
	answers *bufio.Writer
	w       io.Writer
}

func (a after) Write(text []byte) (int, error) {
	a.answers.Flush() // its error stays with the writer, for the last Flush to report
	return a.w.Write(text)
}

// Reason is the plain reason of an error of package os, without the operation and
// the name that it repeats.
func Reason(err error) string {
	if e, ok := err.(*os.PathError); ok {
		err = e.Err
	}
	return err.Error()
}
