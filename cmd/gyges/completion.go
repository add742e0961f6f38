package main

import (
	"cmp"
	"embed"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gyges/rules/base/lists"
	"gyges/tournament/game"
)

// completionCmd prints a script that lets a shell complete command lines. It runs the same command with --line.
type completionCmd struct {
	Shell string  `arg:"" what:"bash, zsh or fish" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
	Line  *string `hidden:"" help:"Print the words that a command line may end in."`
}

// completionScripts complete file names where no word is found. Bash replaces only what follows the last '=' or ':'.
//
//go:embed completion.bash completion.zsh completion.fish
var completionScripts embed.FS

// Run prints the script, or the words that may stand in place of the line's last one, which may be empty.
func (c *completionCmd) Run(e *env, ctx *kong.Context) error {
	if c.Line == nil {
		script, err := completionScripts.ReadFile("completion." + c.Shell)
		_, _ = e.out.Write(script)
		return err
	}
	n, typed := ctx.Model.Node, strings.Fields(*c.Line+"\x00")
	before, last := "", strings.TrimSuffix(typed[len(typed)-1], "\x00")
	for _, before = range typed[:len(typed)-1] {
		i := slices.IndexFunc(n.Children, func(c *kong.Node) bool { return c.Name == before })
		if i >= 0 && before != "help" { // whose words are commands
			n = n.Children[i]
		}
	}
	command := cmp.Or(n.DefaultCmd, n) // whose name may be left out
	values, words := command.Positional, lists.Map(n.Children, func(c *kong.Node) string { return c.Name })
	for _, f := range slices.Concat(command.AllFlags(true)...) {
		if words = append(words, "--"+f.Name); before == "--"+f.Name && !f.IsBool() {
			words, values = nil, []*kong.Value{f.Value}
			break
		}
	}
	for _, v := range values {
		words = append(words, strings.Split(cmp.Or(v.Enum, v.Tag.Get("complete")), ",")...)
		if v.Name == "reason" {
			words = append(words, lists.Map(game.Endings(), func(ending game.Ending) string { return ending.Name })...)
		}
	}
	for _, w := range words {
		if w != "" && strings.HasPrefix(w, last) {
			e.out.printf("%s\n", w)
		}
	}
	return nil
}
