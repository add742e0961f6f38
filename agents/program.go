package agents

import (
	"context"
	"errors"
	"io"

	"gyges/rules"
)

// Program is an external program that an agent is, as it was found when it started.
type Program struct {
	Name    string   `json:"name,omitempty"`    // what it calls itself
	Files   []File   `json:"files,omitempty"`   // the program, and files among its arguments
	Options []string `json:"options,omitempty"` // that it announces, one a line of text
}

// OptionPrefix begins the names of the parameters that set options of a program.
const OptionPrefix = "opt."

// Announced starts the agent that a spec names, for games under rule sets, and returns the
// parameters that its external program announces; none if it is no program, or one that announces
// nothing.
func (r *Registry) Announced(
	ctx context.Context, s Spec, sets ...*rules.Rules,
) ([]ParamDef, error) {
	a, err := r.Start(ctx, s, sets...)
	if err != nil {
		return nil, err
	}
	return a.Announced(), s.inAgent(a.Close())
}

// maxIdle is how many programs are kept at most: two for each game at a time.
const maxIdle = 2048

// Keeping returns the registry with agents whose external programs aren't ended with them, but go
// on as the next agents, until [Registry.End]. It is for a run whose agents differ in the values of
// parameters alone.
func (r *Registry) Keeping() *Registry {
	return &Registry{r.kinds, r.read, make(chan io.Closer, maxIdle)}
}

// End ends the programs that are kept. All agents must have been closed.
func (r *Registry) End() (err error) {
	for len(r.idle) > 0 {
		program := <-r.idle
		err = errors.Join(err, program.Close())
	}
	return err
}
