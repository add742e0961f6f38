package agents

import (
	"context"
	"errors"
	"fmt"

	"gyges/rules"
)

// Wrapped is the agent inside another one, which embeds it.
type Wrapped struct{ Agent }

// Wrap makes the agent of a spec to be put inside another one. It must not be interactive.
func (r *Registry) Wrap(text string) (Wrapped, error) {
	if text == "" {
		return Wrapped{}, errors.New("expected agent=SPEC, the agent to play like")
	}
	spec, err := ParseSpec(text)
	if err != nil {
		return Wrapped{}, err
	}
	if kind, err := r.Kind(spec); err == nil && kind.Interactive {
		return Wrapped{}, fmt.Errorf("expected an agent that plays by itself, found %.60q", spec)
	}
	a, err := r.New(spec)
	return Wrapped{a}, err
}

// Inner returns the agent.
func (w Wrapped) Inner() Agent { return w.Agent }

// Suits implements [Suiter].
func (w Wrapped) Suits(r *rules.Rules) error { return Suits(w.Agent, r) }

// Start implements [Starter].
func (w Wrapped) Start(ctx context.Context, sets ...*rules.Rules) error {
	return Start(ctx, w.Agent, sets...)
}

// Close implements [io.Closer].
func (w Wrapped) Close() error { return Close(w.Agent) }

// Trace implements [Tracer].
func (w Wrapped) Trace() []string {
	if t, ok := w.Agent.(Tracer); ok {
		return t.Trace()
	}
	return nil
}
