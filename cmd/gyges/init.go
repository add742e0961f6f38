package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"gyges/configs"
	"gyges/rules"
	"gyges/rules/base/textfmt"
)

// initCmd writes a config file that has every key with its default and what it means.
type initCmd struct {
	Kind   string `arg:"" enum:"tournament,match,train,tune" what:"what the file is for: tournament, match, train or tune" help:"What the file is for: tournament, match (a tournament of two agents with a sequential test), train or tune."`
	Rules  string `arg:"" what:"a rule set" help:"Rule set: a preset (see gyges rules) or PRESET:OPTION=VALUE,…."`
	Method string `enum:",spsa,texel" default:"" placeholder:"METHOD" help:"How to tune: spsa (by matches; default) or texel (a fit to training positions)."`
	Out    string `short:"o" placeholder:"FILE" help:"New file to write. Default: the standard output."`
}

// Run checks all arguments before it writes the file, which is to be a new one.
func (c *initCmd) Run(e *env) error {
	if c.Out == "-" { // the standard output, too
		c.Out = ""
	}
	r, errRules := rules.Parse(c.Rules)
	_, err := formatOf("", "--out", c.Out, "yaml", "yml")
	kind, command := c.Kind, c.Kind
	// The file begins with the command that reads it.
	if c.Kind == "match" {
		command = "tournament"
	}
	if c.Kind == "tune" {
		kind = cmp.Or(c.Method, "spsa")
		command = "tune " + kind
	} else if c.Method != "" {
		err = errors.Join(err, fmt.Errorf("--method is of tune; expected none with %s", c.Kind))
	}
	if err := errors.Join(errRules, err); err != nil {
		return err
	}
	// A file that was changed by hand is not to be lost.
	if _, err := os.Lstat(c.Out); c.Out != "" && err == nil {
		return fmt.Errorf("--out: %s is there already; expected a new file", c.Out)
	}
	command = textfmt.Visible(commandLine(command, cmp.Or(c.Out, "FILE.yaml")))
	// The template is made of the tags of the config, which have its defaults.
	toFile, err := writeOut(e, c.Out, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# %s\n#\n%s", command, configs.Template(kind, r))
		return err
	})
	if err == nil && toFile {
		e.out.printf("%s is written. Change it, then: %s\n", c.Out, command)
	}
	return err
}
