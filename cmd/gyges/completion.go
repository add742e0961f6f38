package main

import (
	"cmp"
	"embed"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gyges/ratings/table"
	"gyges/rules"
	"gyges/tournament"
)

// completionCmd prints a script that makes a shell complete gyges' commands,
// flags and their values. The script runs the same command with the line that has
// been typed, and gets the words that it may end in.
type completionCmd struct {
	Shell string  `arg:"" what:"bash, zsh or fish" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
	Line  *string `hidden:"" help:"Print the words that a command line may end in."`
}

// completionScripts has the script of each shell. Where no word is found they complete
// file names. Bash breaks words at '=' and ':' too, and replaces the last part only.
//
//go:embed completion.bash completion.zsh completion.fish
var completionScripts embed.FS

// Run prints the script, or the words that complete a line, each with its help
// where the shell shows it.
func (c *completionCmd) Run(e *env, ctx *kong.Context) error {
	if c.Line == nil {
		script, err := completionScripts.ReadFile("completion." + c.Shell)
		_, _ = e.out.Write(script)
		return err
	}
	for _, w := range e.complete(ctx.Model.Node, *c.Line) {
		switch {
		case c.Shell == "bash" || w.help == "":
			e.out.printf("%s\n", w.text)
		case c.Shell == "zsh":
			e.out.printf("%s:%s\n", strings.ReplaceAll(w.text, ":", `\:`), w.help)
		default:
			e.out.printf("%s\t%s\n", w.text, w.help)
		}
	}
	return nil
}

// word is a command, a flag or a value.
type word struct{ text, help string }

// complete returns the words that a line may end in, in place of its last one.
func (e *env) complete(root *kong.Node, line string) []word {
	words := append(strings.Fields(line), "")
	if !strings.HasSuffix(line, " ") {
		words = words[:len(words)-1]
	}
	if len(words) < 2 {
		return nil
	}
	last := len(words) - 1
	n, help := commandOf(root, words[1:last])
	nodes := []*kong.Node{n}
	switch {
	case help != nil:
		nodes = []*kong.Node{help}
	case n.DefaultCmd != nil: // whose words need no name before them
		nodes = append(nodes, n.DefaultCmd)
	}
	var found []word
	add := func(text, help string) { // those that end the line, each once, with the beginning of their help
		help, _, _ = strings.Cut(help, ".")
		known := slices.ContainsFunc(found, func(w word) bool { return w.text == text })
		if strings.HasPrefix(text, words[last]) && !known {
			found = append(found, word{text, help})
		}
	}
	if e.addFlagValues(add, nodes, words[last], words[last-1]) {
		return found
	}
	if help != nil && n == root {
		for _, t := range topics {
			title, _ := t.summary()
			add(t.name, "Manual: "+title)
		}
	}
	for _, child := range n.Children {
		if !child.Hidden {
			add(child.Name, child.Help)
		}
	}
	for _, n := range nodes {
		for _, p := range n.Positional {
			for _, v := range e.valuesOf(p) {
				add(v, "")
			}
		}
		for _, f := range slices.Concat(n.AllFlags(true)...) {
			add("--"+f.Name, f.Help)
		}
	}
	return found
}

// commandOf returns the command that words name so far. help is the command help if they begin with it:
// topics, commands and its own flags follow it.
func commandOf(n *kong.Node, words []string) (command, help *kong.Node) {
	for i, w := range words {
		at := slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == w })
		switch {
		case at < 0:
		case i == 0 && w == "help":
			help = n.Children[at]
		default:
			n = n.Children[at]
		}
	}
	return n, help
}

// addFlagValues adds the values of a flag of the nodes, if the line's last word has one, like --flag=value, or the
// word before it is one. It reports whether that is so.
func (e *env) addFlagValues(add func(text, help string), nodes []*kong.Node, last, before string) bool {
	flag, _, assigned := strings.Cut(last, "=")
	head := flag + "="
	if !assigned || !strings.HasPrefix(flag, "--") {
		flag, head = before, ""
	}
	for _, n := range nodes {
		for _, f := range slices.Concat(n.AllFlags(true)...) {
			if "--"+f.Name == flag && !f.IsBool() {
				for _, v := range e.valuesOf(f.Value) {
					add(head+v, "")
				}
				return true
			}
		}
	}
	return false
}

// valuesOf lists the words that a value may be or begin with, by its tag complete or enum; none if it may
// be anything, such as a file.
func (e *env) valuesOf(v *kong.Value) (list []string) {
	switch v.Tag.Get("complete") {
	case "rules":
		for _, p := range rules.Presets() {
			list = append(list, p.Name)
		}
	case "options":
		for _, opt := range rules.OptionList() {
			if opt.Choices == nil { // a number
				list = append(list, opt.Name+"=")
			}
			for _, choice := range opt.Choices {
				list = append(list, opt.Name+"="+choice)
			}
		}
	case "openings":
		random := string(tournament.RandomOpenings)
		list = []string{
			random, random + ":plies=", string(tournament.SetupOpenings),
			string(tournament.AgentOpenings), string(tournament.FileOpenings) + ":",
		}
	case "agents":
		for _, k := range e.registry.Kinds() {
			list = append(list, k.Name)
		}
	case "columns":
		list = table.ColumnKeys()
	default: // the words themselves
		list = strings.Split(cmp.Or(v.Enum, v.Tag.Get("complete")), ",")
	}
	return slices.DeleteFunc(list, func(word string) bool { return word == "" })
}
