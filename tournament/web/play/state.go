package play

import (
	"time"

	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/game"
	"gyges/tournament/record"
)

type boardState struct {
	Rules    string   `json:"rules"`
	Position string   `json:"position"`
	Turn     string   `json:"turn"`
	Placing  bool     `json:"placing"` // pieces are being placed
	Moves    []string `json:"moves"`   // before it, in long notation
	Sources  []source `json:"sources"`
	Result   string   `json:"result,omitempty"` // of a game that is over
	Reason   string   `json:"reason,omitempty"`
}

// stateOf returns the state of a game's position but for what the lists hold, and the result.
func stateOf(g *rules.Game) boardState {
	r, p := g.Rules(), g.Position()
	return boardState{
		Rules: r.String(), Position: r.FormatPosition(p), Turn: p.Side().Name(), Placing: r.SettingUp(p),
		Moves: []string{}, Sources: []source{},
	}
}

type state struct {
	boardState
	ID      string   `json:"id"`
	Version int64    `json:"version"`
	Agent   string   `json:"agent"`
	You     string   `json:"you"` // "south" or "north"; "": both, two persons at one screen
	Opening string   `json:"opening"`
	Info    []string `json:"info"` // score, depth and nodes of each move
	CanUndo bool     `json:"undo"`
	Winner  string   `json:"winner,omitempty"` // "you", "agent" or "none"; of two persons ""
	Kept    string   `json:"kept,omitempty"`   // where the record is, below /game/
	Problem string   `json:"problem,omitempty"`
	Waiting bool     `json:"waiting"` // for the agent, or for the record at the end
	Clock   *clocks  `json:"clock,omitempty"`

	People map[string]string `json:"people,omitempty"` // names of two persons by side
}

// clocks are the times of a game with a clock, in milliseconds.
type clocks struct {
	Control string `json:"control"` // base and increment, like "3m0s+2s"
	Left    int64  `json:"left"`    // of the person
	Used    int64  `json:"used"`    // by the agent, which has no clock
	Running string `json:"running"` // "you", "agent" or ""
}

// source is a piece that can be moved, and its landings.
type source struct {
	From string    `json:"from"` // its square; of one in hand "+2", and "2@" while pieces are placed
	Ends []landing `json:"ends"`
}

type landing struct {
	To     string   `json:"to"`              // a square or "goal"
	Course string   `json:"course"`          // the move in long notation, with the first of the drops
	Drops  []string `json:"drops,omitempty"` // squares for the piece displaced; empty: none is
}

// snapshot returns the state of the game, and a channel that is closed at the next change.
func (g *session) snapshot() (state, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := state{
		boardState: stateOf(g.board), ID: g.id, Version: g.version, Agent: g.agent.Label(), You: g.human.Name(),
		Opening: g.rules.FormatPosition(g.start), Info: []string{}, Problem: g.problem, Kept: g.kept,
	}
	for _, m := range g.made {
		s.Moves, s.Info = append(s.Moves, m.text), append(s.Info, m.Info(textfmt.Thousands))
	}
	outcome, _ := g.board.Outcome()
	over := g.end != nil || g.problem != "" || outcome != rules.Undecided
	s.CanUndo = !over && g.lastMove() >= 0 && g.clock == (game.Clock{})
	switch {
	case g.end != nil:
		s.Result, s.Reason = g.end.Result, g.end.Reason
		s.Winner = [...]string{"agent", "none", "you"}[record.HalfPoints(g.end.Result, g.human)]
		if f := g.end.Fault; f != nil {
			s.Reason = f.Detail
			if f.Kind == record.FaultTimeout && f.Side == s.You {
				s.Reason = "time"
			}
		}
	case g.problem != "":
	case !over && !g.resigned && g.personal(g.board.Position().Side()) && !g.board.Legal().Contains(rules.Pass):
		s.Sources = sources(g.board)
	default:
		s.Waiting = true
	}
	if s.Clock = g.clocks(over); g.shared() {
		s.You, s.Winner = "", ""
		s.People = map[string]string{g.human.Name(): g.name, g.human.Other().Name(): g.other}
	}
	return s, g.changed
}

// clocks returns the times of the game; nil: it has no clock. The caller holds the lock.
func (g *session) clocks(over bool) *clocks {
	if g.clock == (game.Clock{}) {
		return nil
	}
	c := &clocks{Control: g.clock.String(), Left: g.remaining().Milliseconds()}
	used := 0.0
	for _, m := range g.made {
		if m.side != g.human {
			used += m.ms
		}
	}
	switch {
	case over:
	case g.board.Position().Side() != g.human:
		c.Running, used = "agent", used+float64(time.Since(g.since).Milliseconds())
	default:
		c.Running = "you"
	}
	c.Used = int64(used)
	return c
}

func sources(g *rules.Game) []source {
	list := []source{}
	p := g.Position()
	for m := range g.Legal().All() {
		from, to := fromText(m), m.To().String()
		if len(list) == 0 || list[len(list)-1].From != from {
			list = append(list, source{From: from})
		}
		s := &list[len(list)-1]
		if n := len(s.Ends); n == 0 || s.Ends[n-1].To != to {
			s.Ends = append(s.Ends, landing{To: to, Course: g.Rules().LongText(p, m)})
		}
		if m.Drop() != rules.NoSquare {
			end := &s.Ends[len(s.Ends)-1]
			end.Drops = append(end.Drops, m.Drop().String())
		}
	}
	return list
}

func fromText(m rules.Move) string {
	if m.IsPlacement() || m.FromHand() > 0 {
		return m.String()[:2]
	}
	return m.From().String()
}
