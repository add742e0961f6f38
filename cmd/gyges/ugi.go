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

func (ugiCmd) Help() string {
	return "Reads commands from standard input and answers on standard output, line by line, as UGI engines do: ugi, " +
		"isready, setoption NAME VALUE, setpos start|data ROWS|pos POSITION [moves MOVE…], go [movetime MS] " +
		"[depth N] [nodes N] [wtime MS btime MS winc MS binc MS] [infinite], stop, quit; and showpos, eval, perft " +
		"N. 'ugi' lists the options. Without limits a search runs until 'stop'."
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
