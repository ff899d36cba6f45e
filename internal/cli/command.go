package cli

import (
	"errors"
	"flag"
	"io"
	"strconv"
	"strings"

	"veridice/internal/locale"
)

// A Command is a verb. Everything that help and completion say about it stands
// here.
type Command struct {
	Verb      string
	Arguments string // such as "INPUT..." or ""
	Summary   string // one line, lower case
	Flags     []Flag
	Details   string // of help: paragraphs and examples
	Run       func(*Call) int
}

// A Flag of a command. It may stand before or after the operands, with one dash
// or two.
type Flag struct {
	Name     string
	Value    string // what the value is called, such as HEX; "" for a flag without one
	Usage    string // one line, lower case
	Choices  []string
	File     bool // the value names a file
	Repeated bool // may be given more than once
}

// LangFlag chooses the language that [Call.Words] speaks.
var LangFlag = Flag{Name: "lang", Value: "TAG", Usage: "language of verdicts and hints; by default that of LC_ALL, LC_MESSAGES or LANG", Choices: tags()}

// written is the flag as help and completion show it.
func (f Flag) written() string {
	if len(f.Name) == 1 {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// A Call is one use of a command: its flags and operands.
type Call struct {
	*Program
	Operands []string
	command  *Command
	values   map[string][]string
}

// Given reports whether a flag was given, with whatever value.
func (c *Call) Given(name string) bool { return len(c.Values(name)) > 0 }

// Value is the value of a flag, "" if it was not given.
func (c *Call) Value(name string) string {
	if v := c.Values(name); len(v) > 0 {
		return v[0]
	}
	return ""
}

// Values lists the values of a flag in the order given.
func (c *Call) Values(name string) []string {
	for _, f := range c.command.Flags {
		if f.Name == name {
			return c.values[name]
		}
	}
	panic("veridice: internal error: " + c.command.Verb + " has no flag " + name)
}

// Words is the printer of the call's language: see [Language].
func (c *Call) Words() *locale.Printer {
	return locale.For(Language(strings.Join(c.values["lang"], ""), c.Getenv))
}

// Misuse reports a wrong command line and returns the exit code for it.
func (c *Call) Misuse(text string) int {
	c.Error(text)
	c.Hint("see: " + c.Name + " help " + c.command.Verb)
	return Usage
}

// Fail reports that there is no answer and returns the exit code for it.
func (c *Call) Fail(text string) int {
	c.Error(text)
	return Unknown
}

func (p *Program) dispatch(args []string) int {
	if len(args) == 0 {
		p.Error("no command given")
		p.Hint("see: " + p.Name + " help")
		return Usage
	}
	verb, args := args[0], args[1:]
	switch verb {
	case "-h", "-help", "--help":
		verb = "help"
	case "-version", "--version":
		verb = "version"
	}
	if verb == "help" {
		return p.help(args)
	}
	c := p.command(verb)
	if c == nil {
		return p.noVerb(verb)
	}
	call := &Call{Program: p, command: c, values: map[string][]string{}}
	if err := call.parse(args); errors.Is(err, flag.ErrHelp) {
		return p.help([]string{verb})
	} else if err != nil {
		return call.Misuse(err.Error())
	}
	if c.Arguments == "" && len(call.Operands) > 0 {
		return call.Misuse(verb + " takes no argument: " + call.Operands[0])
	}
	if lang := call.values["lang"]; len(lang) > 0 && !locale.Has(lang[0]) {
		return call.Misuse("--lang: no language " + lang[0] + "; there are " + strings.Join(tags(), " "))
	}
	return c.Run(call)
}

func tags() []string {
	var tags []string
	for _, l := range locale.Languages() {
		tags = append(tags, l.Tag)
	}
	return tags
}

func (p *Program) command(verb string) *Command {
	for _, c := range p.Commands {
		if c.Verb == verb {
			return c
		}
	}
	return nil
}

func (p *Program) noVerb(verb string) int {
	p.Error("there is no command " + verb)
	p.Hint("see: " + p.Name + " help")
	return Usage
}

// parse gives package flag one flag at a time, so that operands may stand between
// them and "--" ends them wherever it stands.
func (c *Call) parse(args []string) error {
	set := flag.NewFlagSet(c.command.Verb, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range c.command.Flags {
		take := func(value string) error {
			if len(c.values[f.Name]) > 0 && !f.Repeated {
				return errors.New("given twice")
			}
			c.values[f.Name] = append(c.values[f.Name], value)
			return nil
		}
		if f.Value == "" {
			set.BoolFunc(f.Name, f.Usage, func(value string) error {
				if on, err := strconv.ParseBool(value); err != nil || !on {
					return err // --json=false is the same as no --json
				}
				return take(value)
			})
		} else {
			set.Func(f.Name, f.Usage, take)
		}
	}
	for len(args) > 0 {
		arg, n := args[0], 1
		switch {
		case arg == "--":
			c.Operands = append(c.Operands, args[1:]...)
			return nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			c.Operands = append(c.Operands, arg)
			args = args[1:]
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		switch f := set.Lookup(name); {
		case f != nil && !strings.Contains(arg, "="):
			if _, single := f.Value.(interface{ IsBoolFlag() bool }); !single {
				n = 2
			}
			if n > len(args) {
				return errors.New("--" + name + " needs a value")
			}
		case f == nil && name != "help" && name != "h":
			return errors.New("there is no flag --" + name)
		}
		if err := set.Parse(args[:n]); err != nil {
			return err
		}
		args = args[n:]
	}
	return nil
}
