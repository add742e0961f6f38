package agents

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Program is an external program that an agent is, as it was found when it started.
type Program struct {
	Name    string            `json:"name,omitempty"`    // what it calls itself
	Files   map[string]string `json:"files,omitempty"`   // SHA-256 of the program, and of files among its arguments
	Options []string          `json:"options,omitempty"` // that it announces, one a line of text
}

// Difference says in what the program differs from the one that it was; "" if nothing is known to
// differ. Either may be nil, which is unknown.
func (p *Program) Difference(was *Program) string {
	if p == nil || was == nil {
		return ""
	}
	if p.Name != was.Name {
		return fmt.Sprintf("its id name was %.60q, now %.60q", was.Name, p.Name)
	}
	for _, file := range slices.Sorted(maps.Keys(was.Files)) {
		sum, now := was.Files[file], p.Files[file]
		if now != sum {
			return fmt.Sprintf("the SHA-256 of %.60s was %.16q, now %.16q", file, sum, now)
		}
	}
	if !slices.Equal(p.Options, was.Options) {
		return "it announces other options"
	}
	return ""
}

// Announced returns the parameters that the external program of a spec announces, which is started
// for that; none if the agent is no program, or one that announces nothing.
func (r *Registry) Announced(ctx context.Context, s Spec) ([]ParamDef, error) {
	a, err := r.Start(ctx, s)
	if err != nil {
		return nil, err
	}
	return a.Announced(), s.inAgent(a.Close())
}
