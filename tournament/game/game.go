// Package game plays one game and returns its record.
//
// A [Task] says what is to be played: rules, opening, the two seats with their agents, limits and
// clock. A [Referee] asks the agents in turn, checks every move and the time it took, and ends the
// game for one of the reasons that [Endings] lists: by the rules, by an adjudication, or by a fault
// of an agent. A watchdog beside it cancels the game if an agent doesn't answer.
//
//	Game → Referee.Play → record.Record
package game

import (
	"cmp"
	"context"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// Task is a game to be played.
type Task struct {
	Number, Pair int64 // for the record
	Rules        *rules.Rules
	Opening      rules.Position
	Seats        [2]Seat // by side
	Settings             // its openings are where the opening came from

	// TimeScale multiplies the times of all limits and clocks while the game is played; the record
	// holds them as they are here. 0: 1.
	TimeScale float64

	// OnMove is called after each move; it may be nil. It must not change the game.
	OnMove func(g *rules.Game, d agents.Decision)
}

// Seat is one side's player in a game.
type Seat struct {
	Name  string // the agent's spec
	Seed  uint64
	Agent agents.Agent

	Clock    Clock         // zero: as in the game
	MoveTime time.Duration // the agent's own bound of each decision; 0: none
	Person   bool          // it is waited for without end
}

// Blank returns the record of the game before it is played.
func (g *Task) Blank() *record.Record {
	south, north := g.Seats[rules.South], g.Seats[rules.North]
	r := &record.Record{
		Game:         g.Number,
		Pair:         g.Pair,
		Rules:        g.Rules.String(),
		Opening:      g.Rules.FormatPosition(g.Opening),
		Policy:       g.Openings.String(),
		South:        record.Player{Agent: south.Name, Seed: south.Seed},
		North:        record.Player{Agent: north.Name, Seed: north.Seed},
		Limits:       record.Limits{Depth: g.Limits.Depth, Nodes: g.Limits.Nodes},
		Adjudication: g.Adjudication.String(),
	}
	if g.Limits.MoveTime > 0 {
		r.Limits.MoveTime = g.Limits.MoveTime.String()
	}
	if g.Clock.Base > 0 {
		r.Limits.Clock = g.Clock.String()
	}
	if g.OnRepetition != agents.Forfeit {
		r.OnRepetition = string(g.OnRepetition)
	}
	return r
}

func (g *Task) clock(side rules.Side) Clock { return cmp.Or(g.Seats[side].Clock, g.Clock) }

// moveTime returns how long a side may think over a move, 0: as long as it likes.
func (g *Task) moveTime(side rules.Side) time.Duration {
	return g.Limits.Tighter(agents.Limits{MoveTime: g.Seats[side].MoveTime}).MoveTime
}

// Play plays a game to its end and returns the record. An agent that chooses an illegal move,
// returns an error, panics or doesn't answer loses the game; the record says how. When ctx is
// cancelled the game is dropped and the context's error returned, and so it is when the host lacks
// something that an agent needs, with an [agents.HostFailure]; any other error means that no game
// can begin in the opening.
func Play(ctx context.Context, g *Task) (*record.Record, error) {
	r, _, err := new(Referee).Play(ctx, g)
	return r, err
}
