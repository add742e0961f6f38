package ugi

import "gyges/agents"

// kept is a program that runs on without an agent: see [agents.Registry.Keeping].
type kept struct{ *host }

// Close ends the program.
func (k kept) Close() error { return k.client.Close() }

// newOrKept returns the agent of a configuration. If a program is kept, it is told the options of
// this agent; otherwise the agent starts one as that of newHost does.
func newOrKept(c agents.Config, n *notes) (agents.Agent, error) {
	h, err := newHost(c, n)
	if err != nil {
		return nil, err
	}
	select {
	case program := <-c.Idle:
		other := program.(kept).host
		other.config = h.config
		other.given = h.given
		other.rules = h.rules
		other.untold = true
		h = other
	default: // there is none
	}
	h.idle = c.Idle
	return h, nil
}

// Close ends the program, or keeps it, unless games begin with a new one or it owes an answer.
func (h *host) Close() error {
	owes := h.pending.ready || h.pending.move
	if h.proc != nil && !owes && h.config.Restart != everyGame {
		select {
		case h.idle <- kept{h}:
			return nil
		default: // none are kept, or there are enough
		}
	}
	return h.client.Close()
}
