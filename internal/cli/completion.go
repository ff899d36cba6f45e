package cli

import (
	"fmt"
	"strings"
)

// Shells lists those that [Program.Completion] writes for.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Completion is the script that teaches a shell the verbs, flags and values, or
// "" for another shell than those of [Shells].
func (p *Program) Completion(shell string) string {
	switch shell {
	case "bash":
		return p.bash()
	case "zsh":
		return p.zsh()
	case "fish":
		return p.fish()
	}
	return ""
}

// verbs are those of the table and help, which dispatch adds.
func (p *Program) verbs() []string {
	verbs := []string{"help"}
	for _, c := range p.Commands {
		verbs = append(verbs, c.Verb)
	}
	return verbs
}

func (c *Command) flags() []string {
	flags := []string{"--help"}
	for _, f := range c.Flags {
		flags = append(flags, f.written())
	}
	return flags
}

func (p *Program) bash() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# bash completion of %[1]s: %[1]s completion bash > /etc/bash_completion.d/%[1]s\n", p.Name)
	fmt.Fprintf(&b, "_%s() {\n", p.Name)
	b.WriteString("  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n  COMPREPLY=()\n")
	fmt.Fprintf(&b, "  if [ \"$COMP_CWORD\" = 1 ] || [ \"${COMP_WORDS[1]}\" = help ]; then\n    COMPREPLY=($(compgen -W '%s' -- \"$word\"))\n    return\n  fi\n", strings.Join(p.verbs(), " "))
	b.WriteString("  case ${COMP_WORDS[1]}:${before#-} in\n")
	for _, c := range p.Commands {
		for _, f := range c.Flags {
			switch {
			case len(f.Choices) > 0:
				fmt.Fprintf(&b, "  %[1]s:-%[2]s|%[1]s:%[2]s) COMPREPLY=($(compgen -W '%[3]s' -- \"$word\")); return ;;\n", c.Verb, f.Name, strings.Join(f.Choices, " "))
			case f.File:
				fmt.Fprintf(&b, "  %[1]s:-%[2]s|%[1]s:%[2]s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", c.Verb, f.Name)
			case f.Value != "":
				fmt.Fprintf(&b, "  %[1]s:-%[2]s|%[1]s:%[2]s) return ;;\n", c.Verb, f.Name)
			}
		}
	}
	b.WriteString("  esac\n  case ${COMP_WORDS[1]}:$word in\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "  %s:-*) COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n", c.Verb, strings.Join(c.flags(), " "))
	}
	for _, c := range p.Commands {
		switch {
		case len(c.choices()) > 0:
			fmt.Fprintf(&b, "  %s:*) COMPREPLY=($(compgen -W '%s' -- \"$word\")) ;;\n", c.Verb, strings.Join(c.choices(), " "))
		case strings.Contains(c.Arguments, "INPUT"):
			fmt.Fprintf(&b, "  %s:*) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n", c.Verb)
		}
	}
	fmt.Fprintf(&b, "  esac\n}\ncomplete -o filenames -F _%[1]s %[1]s", p.Name)
	return b.String()
}

// choices are the operands of a command that takes one of a few words, written
// as bash|zsh|fish in its arguments.
func (c *Command) choices() []string {
	if !strings.Contains(c.Arguments, "|") {
		return nil
	}
	return strings.Split(c.Arguments, "|")
}

func (p *Program) zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %[1]s\n# zsh completion of %[1]s: %[1]s completion zsh > \"${fpath[1]}/_%[1]s\"\n", p.Name)
	fmt.Fprintf(&b, "_%s() {\n  local -a verbs\n  verbs=(\n    'help:says how to use a command'\n", p.Name)
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "    %s\n", zshQuote(c.Verb+":"+c.Summary))
	}
	b.WriteString("  )\n  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n    _describe verb verbs\n    return\n  fi\n")
	b.WriteString("  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "  %s)\n    _arguments -s '--help[says how to use it]'", c.Verb)
		for _, f := range c.Flags {
			star, action := "", ""
			if f.Repeated {
				star = "*"
			}
			switch {
			case len(f.Choices) > 0:
				action = ":" + f.Value + ":(" + strings.Join(f.Choices, " ") + ")"
			case f.File:
				action = ":" + f.Value + ":_files"
			case f.Value != "":
				action = ":" + f.Value + ": "
			}
			usage := strings.NewReplacer("[", "(", "]", ")", ":", " -").Replace(f.Usage)
			b.WriteString(" \\\n      " + zshQuote(star+f.written()+"["+usage+"]"+action))
		}
		switch {
		case len(c.choices()) > 0:
			b.WriteString(" \\\n      " + zshQuote("1:shell:("+strings.Join(c.choices(), " ")+")"))
		case strings.Contains(c.Arguments, "INPUT"):
			b.WriteString(" \\\n      '*:input:_files'")
		}
		b.WriteString("\n    ;;\n")
	}
	fmt.Fprintf(&b, "  esac\n}\nif [[ $funcstack[1] == _%[1]s ]]; then\n  _%[1]s \"$@\"\nelse\n  compdef _%[1]s %[1]s\nfi", p.Name)
	return b.String()
}

func zshQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (p *Program) fish() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion of %[1]s: %[1]s completion fish > ~/.config/fish/completions/%[1]s.fish\n", p.Name)
	fmt.Fprintf(&b, "complete -c %s -f\n", p.Name)
	fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a help -d 'says how to use a command'\n", p.Name)
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", p.Name, c.Verb, fishQuote(c.Summary))
	}
	fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from help' -a '%s'\n", p.Name, strings.Join(p.verbs()[1:], " "))
	for _, c := range p.Commands {
		seen := fmt.Sprintf("complete -c %s -n '__fish_seen_subcommand_from %s'", p.Name, c.Verb)
		for _, f := range c.Flags {
			action := ""
			switch {
			case len(f.Choices) > 0:
				action = " -x -a '" + strings.Join(f.Choices, " ") + "'"
			case f.File:
				action = " -r -F"
			case f.Value != "":
				action = " -x"
			}
			fmt.Fprintf(&b, "%s %s %s%s -d %s\n", seen, map[bool]string{true: "-s", false: "-l"}[len(f.Name) == 1], f.Name, action, fishQuote(f.Usage))
		}
		switch {
		case len(c.choices()) > 0:
			fmt.Fprintf(&b, "%s -a '%s'\n", seen, strings.Join(c.choices(), " "))
		case strings.Contains(c.Arguments, "INPUT"):
			fmt.Fprintf(&b, "%s -F\n", seen)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
