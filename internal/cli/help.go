package cli

import (
	"fmt"
	"strings"
)

// help answers "help", "help VERB" and every --help.
func (p *Program) help(args []string) int {
	var b strings.Builder
	if len(args) == 0 {
		fmt.Fprintf(&b, "%s: %s\n\n", p.Name, p.Summary)
		for _, c := range p.Commands {
			fmt.Fprintf(&b, "  %s %-11s %s\n", p.Name, c.Verb, c.Summary)
		}
		fmt.Fprintf(&b, "\n%s help COMMAND says more, with examples.\n", p.Name)
		fmt.Fprint(&b, "Exit codes: 0 proven or done, 1 broken, 2 wrong command line, 3 could not check.")
		p.Answer(b.String())
		return Proven
	}
	c := p.command(args[0])
	if c == nil {
		return p.noVerb(args[0])
	}
	fmt.Fprintf(&b, "usage: %s %s", p.Name, c.Verb)
	if len(c.Flags) > 0 {
		b.WriteString(" [flags]")
	}
	if c.Arguments != "" {
		b.WriteString(" " + c.Arguments)
	}
	b.WriteString("\n\n" + strings.TrimSpace(c.Details) + "\n")
	if len(c.Flags) > 0 {
		b.WriteString("\nflags:\n")
	}
	for _, f := range c.Flags {
		name := f.written()
		if f.Value != "" {
			name += " " + f.Value
		}
		fmt.Fprintf(&b, "  %-21s %s\n", name, f.Usage)
	}
	p.Answer(strings.TrimRight(b.String(), "\n"))
	return Proven
}
