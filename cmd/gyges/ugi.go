package main

import (
	"context"
	"fmt"

	"gyges/agents/ugi"
)

// author is what the engine answers as id author.
const author = "the gyges authors"

// ugiCmd makes an agent a UGI engine.
type ugiCmd struct {
	Agent string `default:"alphabeta" placeholder:"AGENT" complete:"agents" help:"The agent that chooses the moves. Default: alphabeta."`
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
		Name: version(), Author: author, Spec: spec, Registry: e.registry, Rules: r,
	})
}
