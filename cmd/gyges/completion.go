package main

import (
	"cmp"
	"embed"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gyges/tournament/game"
)

// completionCmd prints a script that lets a shell complete command lines. The script runs the same
// command with --line.
type completionCmd struct {
	Shell string  `arg:"" what:"bash, zsh or fish" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
	Line  *string `hidden:"" help:"Print the words that a command line may end in."`
}

// completionScripts complete file names where no word is found. Bash replaces only what follows the
// last '=' or ':'.
//
//go:embed completion.bash completion.zsh completion.fish
var completionScripts embed.FS

// Run prints the script, or the words that may stand in place of the line's last one, which may be
// empty.
func (c *completionCmd) Run(e *env, ctx *kong.Context) error {
	if c.Line == nil {
		script, err := completionScripts.ReadFile("completion." + c.Shell)
		_, _ = e.out.Write(script)
		return err
	}
	// The mark keeps an empty last word.
	const mark = "\x00"
	typed := strings.Fields(*c.Line + mark)
	end := len(typed) - 1
	last := strings.TrimSuffix(typed[end], mark)
	for _, word := range completions(ctx.Model.Node, typed[:end]) {
		if word != "" && strings.HasPrefix(word, last) {
			e.out.printf("%s\n", word)
		}
	}
	return nil
}

// completions returns the words that may follow those that were typed, which begin with the name of
// the program: commands, flags and values.
func completions(n *kong.Node, typed []string) (words []string) {
	// The words before the last one lead to a command, or to a group of commands.
	before := ""
	for _, before = range typed {
		named := func(c *kong.Node) bool { return c.Name == before }
		i := slices.IndexFunc(n.Children, named)
		if i >= 0 && before != "help" { // whose words are commands
			n = n.Children[i]
		}
	}
	command := cmp.Or(n.DefaultCmd, n) // whose name may be left out
	for _, child := range n.Children {
		words = append(words, child.Name)
	}
	// Behind a flag that takes a value only its values are of use.
	for _, f := range slices.Concat(command.AllFlags(true)...) {
		if before == "--"+f.Name && !f.IsBool() {
			return valuesOf(f.Value)
		}
		words = append(words, "--"+f.Name)
	}
	for _, argument := range command.Positional {
		words = append(words, valuesOf(argument)...)
	}
	return words
}

// valuesOf returns the values of a flag or an argument, if they are known.
func valuesOf(v *kong.Value) []string {
	list := cmp.Or(v.Enum, v.Tag.Get("complete"))
	values := strings.Split(list, ",")
	if v.Name == "reason" {
		for _, ending := range game.Endings() {
			values = append(values, ending.Name)
		}
	}
	return values
}
