package tournament

import (
	"fmt"

	"gyges/agents"
	"gyges/rules/base/problems"
)

// checkMemory returns an error if the tables of all agents, which every worker has
// for itself, exceed the machine's memory. Such a run is refused: it would be
// killed in the middle, or swap.
func (c *Config) checkMemory(registry *agents.Registry, machine int64) error {
	var each int64
	for _, spec := range c.Agents {
		agent, err := registry.New(spec)
		if err != nil {
			return err
		}
		if s, ok := agent.(agents.Sized); ok {
			each += s.TableBytes()
		}
		_ = agents.Close(agent) // it has played nothing
	}
	if c.Schedule == SelfPlay { // an agent that plays itself is there twice
		each *= 2
	}
	const mb = 1 << 20
	if all := int64(c.Workers) * each; machine > 0 && all > machine {
		return &problems.FieldError{Field: "workers",
			Err: fmt.Errorf("expected tables of at most %d MB in all, the memory of this machine, found %d MB: "+
				"%d workers with %d MB each; lower workers or the agents' hash", machine/mb, all/mb, c.Workers, each/mb)}
	}
	return nil
}
