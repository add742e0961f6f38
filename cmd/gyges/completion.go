package main

import (
	"cmp"
	"embed"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gyges/agents"
	"gyges/ratings/table"
	"gyges/rules"
)

// completionCmd prints a script that lets a shell complete commands, flags and their values. The script runs the same
// command with the line that has been typed, and gets the words that may stand at its end.
type completionCmd struct {
	Shell string  `arg:"" what:"bash, zsh or fish" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
	Line  *string `hidden:"" help:"Print the words that a command line may end in."`
}

// completionScripts has the script of each shell. Where no word is found they complete
// file names. Bash breaks words at '=' and ':' too, and replaces the last part only.
//
//go:embed completion.bash completion.zsh completion.fish
var completionScripts embed.FS

// Run prints the script, or the words.
func (c *completionCmd) Run(e *env, ctx *kong.Context) error {
	if c.Line == nil {
		script, err := completionScripts.ReadFile("completion." + c.Shell)
		_, _ = e.out.Write(script)
		return err
	}
	for _, w := range e.complete(ctx.Model.Node, *c.Line) {
		e.out.printf("%s\n", w)
	}
	return nil
}

// complete returns the words that may stand in place of a line's last one.
func (e *env) complete(n *kong.Node, line string) (words []string) {
	typed := strings.Fields(line + "\x00") // the last word may be empty
	before, prefix, last := "", "", strings.TrimSuffix(typed[len(typed)-1], "\x00")
	for _, before = range typed[:len(typed)-1] {
		if i := slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == before }); i >= 0 {
			n = n.Children[i]
		}
	}
	if flag, _, assigned := strings.Cut(last, "="); assigned && strings.HasPrefix(flag, "--") {
		before, prefix = flag, flag+"="
	}
	nodes := []*kong.Node{n, cmp.Or(n.DefaultCmd, n)} // a default command's words need no name before them
	if n.Name == "help" {
		nodes = append(nodes, n.Parent)
	}
	for _, n := range nodes {
		flags := slices.Concat(n.AllFlags(true)...)
		isBefore := func(f *kong.Flag) bool { return "--"+f.Name == before && !f.IsBool() }
		if i := slices.IndexFunc(flags, isBefore); i >= 0 {
			words = nil
			for _, v := range e.valuesOf(flags[i].Value) {
				words = append(words, prefix+v)
			}
			break
		}
		for _, f := range flags {
			words = append(words, "--"+f.Name)
		}
		for _, c := range n.Children {
			words = append(words, c.Name)
		}
		for _, p := range n.Positional {
			words = append(words, e.valuesOf(p)...)
		}
	}
	slices.Sort(words)
	words = slices.DeleteFunc(words, func(w string) bool { return w == prefix || !strings.HasPrefix(w, last) })
	return slices.Compact(words)
}

// valuesOf returns the words that a value may be, by its tag complete or enum; "" if it may be anything.
func (e *env) valuesOf(v *kong.Value) []string {
	switch words := cmp.Or(v.Enum, v.Tag.Get("complete")); words {
	case "rules":
		return namesOf(rules.Presets(), func(p rules.Preset) string { return p.Name })
	case "agents":
		return namesOf(e.registry.Kinds(), func(k agents.Kind) string { return k.Name })
	case "topics":
		return namesOf(topics, func(t topic) string { return t.name })
	case "columns":
		return table.ColumnKeys()
	default: // the words themselves
		return strings.Split(words, ",")
	}
}

func namesOf[T any](list []T, name func(T) string) (names []string) {
	for _, x := range list {
		names = append(names, name(x))
	}
	return names
}
