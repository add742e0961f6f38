package ugi

import "gyges/agents"

// newOrKept returns the agent of a configuration, as newHost does. If a program is kept, it is the
// agent's, and is told its options before the next game; see [agents.Registry.Keeping].
func newOrKept(c agents.Config, n *notes) (agents.Agent, error) {
	h, err := newHost(c, n)
	if err != nil {
		return nil, err
	}
	h.idle = c.Idle
	select {
	case program := <-c.Idle:
		h.client = program.(*client)
		h.untold = true
	default: // there is none
	}
	return h, nil
}

// Close ends the program, or keeps it, unless games begin with a new one or it owes an answer.
func (h *host) Close() error {
	owes := h.pending.ready || h.pending.move
	if !owes && h.config.Restart != everyGame {
		select {
		case h.idle <- h.client:
			return nil
		default: // none are kept, or there are enough
		}
	}
	return h.client.Close()
}
