package main

import (
	"context"
	"fmt"
	"os"

	"gyges/agents"
	"gyges/agents/ugi"
	"gyges/rules/base/textfmt"
)

// ugiCmd lets other programs use an agent as an engine, by the UGI protocol.
type ugiCmd struct {
	Agent agents.Spec `default:"alphabeta" placeholder:"AGENT" help:"The agent that chooses the moves. Default: alphabeta."`
	rulesFlags
}

// Run answers the commands on the standard input until it ends.
func (c *ugiCmd) Run(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	if err := checkProgram(e, c.Agent); err != nil {
		return err
	}
	return ugi.Serve(ctx, e.in, e.out, ugi.ServerConfig{
		Name: version(), Author: "the gyges authors",
		Spec: c.Agent, Registry: e.registry, Rules: r,
	})
}

// engineCheckCmd tests whether an engine follows the UGI protocol.
type engineCheckCmd struct {
	Dir     string    `placeholder:"DIR" help:"Folder to run it in."`
	Rules   rulesList `placeholder:"RULES,…" sep:"none" help:"Rule sets by which it is checked. Default: those that it claims."`
	Command []string  `arg:"" name:"cmd" what:"a program" sep:"none" passthrough:"" help:"The program and its arguments."`
}

// Run prints each point as it is tested. The answer is no if one fails.
func (c *engineCheckCmd) Run(ctx context.Context, e *env) error {
	if c.Dir != "" {
		if _, err := os.ReadDir(c.Dir); err != nil {
			return fileError("--dir", err)
		}
	}
	// A point is printed as soon as it is tested, as some take seconds.
	passed, points, err := e.engines.Check(ctx, c.Command, c.Dir, c.Rules, func(r ugi.CheckResult) {
		point := fmt.Sprintf("%-5s %-34s ", r.Verdict, r.Name)
		e.out.print(textfmt.Hang(point, r.Detail, tableWidth(e.out)))
	})
	if err != nil {
		return err
	}
	e.out.printf("result %d of %d points without failure\n", passed, points)
	return answer(passed == points)
}
