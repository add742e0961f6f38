package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gyges/rules"
	"gyges/tournament"
)

// completionCmd prints a script that makes a shell complete gyges' commands,
// flags and their values.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (completionCmd) examples() []example {
	return []example{
		{"source <(gyges completion bash)", "for the running bash; in ~/.bashrc for every one"},
		{`gyges completion zsh > "${fpath[1]}/_gyges"`, ""},
		{"gyges completion fish > ~/.config/fish/completions/gyges.fish", ""},
	}
}

// Run prints the script.
func (c *completionCmd) Run(e *env, ctx *kong.Context) error {
	commands := e.completions(ctx.Model.Node)
	switch c.Shell {
	case "bash":
		return writeBash(e.out, commands)
	case "zsh":
		return writeZsh(e.out, commands)
	default:
		return writeFish(e.out, commands)
	}
}

// command is what a completion script has to know of one command.
type command struct {
	name, help string
	flags      []word
	args       []string // words that its arguments may be
}

// word is a flag, with its two dashes.
type word struct {
	name, help string
	takesValue bool
	values     []string // what the value may be; empty: anything, such as a file
}

// completions reads the commands out of kong's model.
func (e *env) completions(app *kong.Node) []command {
	var list []command
	for _, n := range app.Children {
		if n.Hidden {
			continue
		}
		c := command{name: n.Name, help: n.Help}
		e.complete(&c, n)
		for _, sub := range n.Children { // their words come behind the command's name
			c.args = append(c.args, sub.Name)
			e.complete(&c, sub)
		}
		list = append(list, c)
	}
	return list
}

// complete adds a node's flags and arguments to what is known of a command.
func (e *env) complete(c *command, n *kong.Node) {
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			w := word{"--" + f.Name, firstSentence(f.Help), !f.IsBool(), e.valuesOf(f.Value)}
			if !slices.Contains(names(c.flags), w.name) {
				c.flags = append(c.flags, w)
			}
		}
	}
	for _, p := range n.Positional {
		c.args = append(c.args, e.valuesOf(p)...)
	}
}

// valuesOf lists the words that a value may be, if they are few.
func (e *env) valuesOf(v *kong.Value) []string {
	switch v.Tag.Get("complete") {
	case "rules":
		var names []string
		for _, p := range rules.Presets() {
			names = append(names, p.Name)
		}
		return names
	case "options":
		return optionWords()
	case "openings":
		return []string{string(tournament.RandomOpenings), string(tournament.RandomOpenings) + ":plies=", string(tournament.AgentOpenings), string(tournament.FileOpenings) + ":"}
	case "agents":
		var names []string
		for _, k := range e.registry.Kinds() {
			names = append(names, k.Name)
		}
		return names
	}
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

// optionWords lists "option=value" for every option with named values.
func optionWords() []string {
	var list []string
	for _, opt := range rules.OptionList() {
		if opt.Choices == nil { // a number
			list = append(list, opt.Name+"=")
		}
		for _, v := range opt.Choices {
			list = append(list, opt.Name+"="+v)
		}
	}
	return list
}

func firstSentence(s string) string {
	if i := strings.IndexAny(s, ".:;("); i > 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

func names(words []word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.name
	}
	return list
}

func writeBash(w io.Writer, commands []command) error {
	var all []string
	var perValue, perCommand strings.Builder
	for _, c := range commands {
		all = append(all, c.name)
		for _, f := range c.flags {
			if f.takesValue {
				fmt.Fprintf(&perValue, "    '%s %s') words='%s' ;;\n", c.name, f.name, strings.Join(f.values, " "))
			}
		}
		fmt.Fprintf(&perCommand, "    %s) words='%s' ;;\n", c.name, strings.Join(append(names(c.flags), c.args...), " "))
	}
	_, err := fmt.Fprintf(w, `# bash completion for gyges
_gyges() {
  local i=$((COMP_CWORD - 1)) cur="${COMP_WORDS[COMP_CWORD]}" words= head=
  # bash breaks words at '=': put --flag=value and --set option=value together.
  if [[ $cur == "=" ]]; then cur=; ((i++)); fi
  if [[ ${COMP_WORDS[i]} == "=" && ${COMP_WORDS[i-1]} != --* ]]; then head="${COMP_WORDS[i-1]}="; ((i -= 2)); fi
  if [[ ${COMP_WORDS[i]} == "=" ]]; then ((i--)); fi
  local prev="${COMP_WORDS[i]}"
  if ((COMP_CWORD == 1)); then
    words='%s help'
  else
    case "${COMP_WORDS[1]} $prev" in
%s    *) case "${COMP_WORDS[1]}" in
%s    esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$head$cur"))
  COMPREPLY=("${COMPREPLY[@]#"$head"}")
}
complete -o default -o bashdefault -F _gyges gyges
`, strings.Join(all, " "), perValue.String(), perCommand.String())
	return err
}

func writeZsh(w io.Writer, commands []command) error {
	var b strings.Builder
	b.WriteString("#compdef gyges\n# zsh completion for gyges\n_gyges() {\n  if ((CURRENT == 2)); then\n    local -a commands=(\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "      '%s:%s'\n", c.name, zshText(c.help))
	}
	b.WriteString("      'help:Show help'\n    )\n    _describe command commands\n    return\n  fi\n")
	b.WriteString("  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "    %s) _arguments \\\n", c.name)
		for _, f := range c.flags {
			value := ""
			if f.takesValue {
				value = "=:value:" + zshValues(f.values)
			}
			name, action, _ := strings.Cut(value, ":")
			if action != "" {
				action = ":" + action
			}
			fmt.Fprintf(&b, "      '*%s%s[%s]%s' \\\n", f.name, name, zshText(f.help), action)
		}
		fmt.Fprintf(&b, "      '*:argument:%s' ;;\n", zshValues(c.args))
	}
	b.WriteString("  esac\n}\n" +
		"if [[ $funcstack[1] == _gyges ]]; then _gyges \"$@\"; else compdef _gyges gyges; fi\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func zshValues(values []string) string {
	if len(values) == 0 {
		return "_files"
	}
	return "(" + strings.Join(values, " ") + ")"
}

// zshText makes a text fit for the inside of a quoted spec.
func zshText(s string) string {
	return strings.NewReplacer("'", `'\''`, ":", `\:`, "[", `\[`, "]", `\]`).Replace(s)
}

func writeFish(w io.Writer, commands []command) error {
	var b strings.Builder
	b.WriteString("# fish completion for gyges\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c gyges -n __fish_use_subcommand -f -a %s -d %s\n", c.name, fishText(c.help))
	}
	for _, c := range commands {
		begin := "complete -c gyges -n '__fish_seen_subcommand_from " + c.name + "'"
		for _, f := range c.flags {
			b.WriteString(begin + " -l " + strings.TrimPrefix(f.name, "--") + " -d " + fishText(f.help))
			if f.takesValue {
				b.WriteString(" -r")
			}
			if len(f.values) > 0 {
				b.WriteString(" -f -a " + fishText(strings.Join(f.values, " ")))
			}
			b.WriteString("\n")
		}
		if len(c.args) > 0 {
			b.WriteString(begin + " -f -a " + fishText(strings.Join(c.args, " ")) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func fishText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
