package main

import (
	"context"
	"fmt"

	"gyges/agents/ugi"
)

type ugiCmd struct {
	Agent string `default:"alphabeta" placeholder:"AGENT" help:"The agent that chooses the moves. Default: alphabeta."`
	rulesFlags
}

// Run answers until quit or the end of input.
func (c *ugiCmd) Run(ctx context.Context, e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	spec, _, err := programSpec(e.registry, c.Agent)
	if err != nil {
		return fmt.Errorf("--agent: %w", err)
	}
	return ugi.Serve(ctx, e.in, e.out, ugi.ServerConfig{
		Name: version(), Author: "the gyges authors", Spec: spec, Registry: e.registry, Rules: r,
	})
}
