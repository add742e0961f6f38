package agents

import "context"

// Program is an external program that an agent is, as it was found when it started.
type Program struct {
	Name    string   `json:"name,omitempty"`    // what it calls itself
	Files   []File   `json:"files,omitempty"`   // the program, and files among its arguments
	Options []string `json:"options,omitempty"` // that it announces, one a line of text
}

// OptionPrefix begins the names of the parameters that set options of a program.
const OptionPrefix = "opt."

// Announced returns the parameters that the external program of a spec announces, which is started
// for that; none if the agent is no program, or one that announces nothing.
func (r *Registry) Announced(ctx context.Context, s Spec) ([]ParamDef, error) {
	c, err := r.Config(s)
	if err != nil {
		return nil, err
	}
	announce := r.kinds[s.Kind].Announce
	if announce == nil {
		return nil, nil
	}
	params, err := announce(ctx, c)
	if err != nil {
		return nil, s.inAgent(err)
	}
	return params, nil
}
