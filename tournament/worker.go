package tournament

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// worker plays pairs of a schedule with agents of its own. It belongs to one
// goroutine.
type worker struct {
	schedule  *schedule // without pairings
	newAgent  func(agents.Spec) (agents.Agent, error)
	timeScale float64        // of all times
	agents    []agents.Agent // by index of their spec, then those that play against themselves; nil until needed
	opener    *opener
	referee   *referee
	grace     time.Duration // that agents have to notice a cancellation
}

func newWorker(s *schedule, newAgent func(agents.Spec) (agents.Agent, error)) *worker {
	return &worker{
		schedule:  s,
		newAgent:  newAgent,
		timeScale: 1,
		agents:    make([]agents.Agent, 2*len(s.config.Agents)),
		opener:    newOpener(s.config.Openings, s.config.Seed),
		referee:   new(referee),
		grace:     cancelGrace,
	}
}

// play plays the wanted games of a pair. On an error it returns the games finished
// before it.
func (w *worker) play(ctx context.Context, p pair, wanted [2]bool) ([]*record.Game, error) {
	position, err := w.opener.opening(p.rules, w.schedule.rulesHash[p.rulesNum], p.round)
	if err != nil {
		return nil, err
	}
	games := make([]*record.Game, 0, 2)
	for n := range 2 {
		if !wanted[n] {
			continue
		}
		g, err := w.playOne(ctx, p, n, position)
		if err != nil {
			return games, err
		}
		games = append(games, g)
	}
	return games, nil
}

// playOne plays game n, 0 or 1, of a pair.
func (w *worker) playOne(ctx context.Context, p pair, n int, position rules.Position) (*record.Game, error) {
	config := w.schedule.config
	m := w.schedule.game(p, n, position)
	m.Limits, m.Clock = scaledLimits(m.Limits, w.timeScale), m.Clock.scaled(w.timeScale)
	var seated [2]int
	for side := range m.Seats {
		seat := &m.Seats[side]
		seated[side], _ = w.schedule.seat(p, n, rules.Side(side))
		if p.agents[0] == p.agents[1] && rules.Side(side) == rules.North {
			seated[side] += len(config.Agents)
		}
		agent, err := w.agent(seated[side])
		if err != nil {
			return nil, err
		}
		seat.Agent, seat.Clock, seat.MoveTime = agent, seat.Clock.scaled(w.timeScale), scaleTime(seat.MoveTime, w.timeScale)
	}
	r := w.referee
	g, hung, err := w.playWatched(ctx, &m, config.StallTimeout)
	switch {
	case hung: // it can't even be closed
		w.agents[seated[r.side]] = nil
	case err == nil && g.Fault != nil && g.Fault.Kind != record.FaultIllegal:
		w.drop(seated[sideOf(g.Fault)])
	}
	if g != nil {
		g.Limits = recordLimits(config.Limits, config.Clock)
	}
	return g, err
}

// agent returns agent i, made if need be.
func (w *worker) agent(i int) (agents.Agent, error) {
	if w.agents[i] == nil {
		a, err := w.newAgent(w.schedule.config.Agents[i%len(w.schedule.config.Agents)])
		if err != nil {
			return nil, err
		}
		w.agents[i] = a
	}
	return w.agents[i], nil
}

// drop throws an agent away that failed in a way that leaves it in doubt. Its
// failure is in the record; what else goes wrong now says nothing new.
func (w *worker) drop(i int) {
	_ = closeSafely(w.agents[i])
	w.agents[i] = nil
}

// close closes the agents.
func (w *worker) close() error {
	var errs []error
	for i, a := range w.agents {
		if a == nil {
			continue
		}
		if err := closeSafely(a); err != nil {
			errs = append(errs, fmt.Errorf("closing agent %.60q: %w", w.schedule.agentNames[i%len(w.schedule.agentNames)], err))
		}
	}
	return errors.Join(errs...)
}

// closeSafely closes an agent and turns a panic into an error, and a hang too.
func closeSafely(a agents.Agent) error {
	if _, ok := a.(io.Closer); !ok {
		return nil
	}
	done := make(chan error, 1)
	go func() {
		err := errGoexit
		defer func() {
			if p := recover(); p != nil {
				err = errors.New("panic: " + describePanic(p))
			}
			done <- err
		}()
		err = closeAgent(a)
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(closingTime):
		return fmt.Errorf("not done within %v", closingTime)
	}
}

// closingTime bounds the closing of an agent. Ending an external program takes
// up to several seconds.
const closingTime = 30 * time.Second
