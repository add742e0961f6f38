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

type initCmd struct {
	Kind   string `arg:"" enum:"tournament,match,train,tune" what:"what the file is for: tournament, match, train or tune" help:"What the file is for: tournament, match (a tournament of two agents with a sequential test), train or tune."`
	Rules  string `arg:"" what:"a rule set" help:"Rule set: a preset (see gyges rules) or PRESET:OPTION=VALUE,…."`
	Method string `enum:",spsa,texel" default:"" placeholder:"METHOD" help:"How to tune: spsa (by matches; default) or texel (a fit to training positions)."`
	Out    string `short:"o" placeholder:"FILE" help:"New file to write. Default: the standard output."`
}

func (c *initCmd) Run(e *env) error {
	if c.Out == "-" { // the standard output, too
		c.Out = ""
	}
	r, errRules := rules.Parse(c.Rules)
	_, err := formatOf("", "--out", c.Out, "yaml", "yml")
	kind, command := c.Kind, c.Kind
	switch {
	case c.Kind == "tune":
		kind = cmp.Or(c.Method, "spsa")
		command = "tune " + kind
	case c.Method != "":
		err = errors.Join(err, fmt.Errorf("--method is of tune; expected none with %s", c.Kind))
	case c.Kind == "match":
		command = "tournament"
	}
	if err := errors.Join(errRules, err); err != nil {
		return err
	}
	if _, err := os.Lstat(c.Out); c.Out != "" && err == nil {
		return fmt.Errorf("--out: %s is there already; expected a new file", c.Out)
	}
	command = textfmt.Visible(commandLine(command, cmp.Or(c.Out, "FILE.yaml")))
	toFile, err := writeOut(e, c.Out, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# %s\n#\n%s", command, configs.Template(kind, r))
		return asFailure(err)
	})
	if err == nil && toFile {
		e.out.printf("%s is written. Change it, then: %s\n", textfmt.Visible(c.Out), command)
	}
	return err
}
