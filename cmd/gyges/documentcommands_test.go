package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"gyges/configs"
)

// badCommands returns what is wrong with the commands of sh blocks.
func (d *markdown) badCommands() []string {
	var problems []string
	for _, b := range d.blocks {
		if b.language != "sh" {
			continue
		}
		logicalLines(strings.Split(b.text, "\n"), func(text string, first, _ int) {
			if !strings.Contains(text, "gyges") {
				return
			}
			commands, err := splitShell(text)
			for _, c := range commands {
				if args, ok := gygesArgs(c.words); ok {
					err = errors.Join(err, missingFile(args), checkArgs(args))
				}
			}
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %v", d.path, b.line+first, text, err))
			}
		})
	}
	return problems
}

// inRepository matches paths of committed files in an argument.
var inRepository = regexp.MustCompile(`(^|[=:,; ])(\./)?((agents|cmd|configs|ratings|rules|tournament|results/reference|results/studies)/[^=:,; ]+)`)

// missingFile returns an error if arguments name a file of the repository that doesn't
// exist.
func missingFile(args []string) error {
	for _, arg := range args {
		for _, m := range inRepository.FindAllStringSubmatch(arg, -1) {
			if _, err := os.Stat(filepath.FromSlash(m[3])); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkArgs parses arguments as the program does. The config of a run is loaded and
// checked, as --dry-run does before it plays.
func checkArgs(args []string) error {
	var c cli
	e := newEnv(strings.NewReader(""), io.Discard, io.Discard)
	parser, err := newParser(&c, e)
	if err != nil {
		return err
	}
	chosen, err := parse(parser, args)
	if errors.Is(err, errHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	switch node := chosen.Selected().Target.Addr().Interface().(type) {
	case *tournamentCmd:
		_, err = node.config(e.registry)
	case *helpCmd:
		err = node.Run(context.Background(), e, chosen)
	case *matchCmd:
		_, err = node.config(e)
	case *selfplayCmd:
		_, err = node.config(e.registry)
	case *trainCmd:
		_, err = node.config(e)
	case *tuneTexelCmd:
		_, err = configs.LoadTexel(node.Config)
	case *tuneSPSACmd:
		_, err = configs.LoadSPSA(node.Config, e.registry)
	}
	missing := err != nil && strings.HasSuffix(err.Error(), syscall.ENOENT.Error()) // configs keep the text alone
	if missing || errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return nil // the reader's file: missingFile reports those of the repository
	}
	return err
}

// badCode returns what is wrong with inline code that begins with gyges: commands and flags
// that don't exist. Arguments may be omitted, and placeholders stand for anything.
func (d *markdown) badCode() []string {
	var problems []string
	for _, code := range d.code {
		if words := strings.Fields(code.text); len(words) > 1 && words[0] == "gyges" {
			if err := checkFlags(words[1:]); err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: `%s`: %v", d.path, code.line, code.text, err))
			}
		}
	}
	return problems
}

var commandName = regexp.MustCompile(`^[a-z][a-z-]*$`)

func checkFlags(words []string) error {
	var c cli
	parser, err := newParser(&c, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	if err != nil {
		return err
	}
	node := parser.Model.Node
	for _, word := range words {
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
		switch {
		case i >= 0:
			node = node.Children[i]
		case word == "help":
			return nil
		case len(node.Children) > 0 && node.DefaultCmd == nil && commandName.MatchString(word):
			return fmt.Errorf("there is no command %s", word)
		}
		if i < 0 {
			break
		}
	}
	var flags []string
	for _, level := range append(node.AllFlags(false), flagsBelow(node)) {
		for _, f := range level {
			flags = append(flags, "--"+f.Name)
			if f.Tag.Negatable != "" {
				flags = append(flags, "--no-"+f.Name)
			}
		}
	}
	for _, word := range words {
		flag, _, _ := strings.Cut(word, "=")
		flag = strings.Trim(flag, "[](),.;…")
		if strings.HasPrefix(flag, "--") && flag != "--" && flag != "--version" && !slices.Contains(flags, flag) {
			return fmt.Errorf("the command has no flag %s", flag)
		}
	}
	return nil
}

// flagsBelow returns the flags of a command's subcommands.
func flagsBelow(n *kong.Node) []*kong.Flag {
	var list []*kong.Flag
	for _, child := range n.Children {
		list = slices.Concat(list, child.Flags, flagsBelow(child))
	}
	return list
}
