package agents

import "context"

// Program is an external program that an agent is, as it was found when it started.
type Program struct {
	Name    string   `json:"name,omitempty"`    // what it calls itself
	Files   []File   `json:"files,omitempty"`   // the program, and files among its arguments
	Options []string `json:"options,omitempty"` // that it announces, one a line of text
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
