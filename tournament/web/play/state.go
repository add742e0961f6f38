package play

import (
	"time"

	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// boardState is a position as pages show it.
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
		Rules:    r.String(),
		Position: r.FormatPosition(p),
		Turn:     p.Side().Name(),
		Placing:  r.SettingUp(p),
		Moves:    []string{},
		Sources:  []source{},
	}
}

// state is a game as its page shows it.
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
		boardState: stateOf(g.board),
		ID:         g.id,
		Version:    g.version,
		Agent:      g.agent.Label(),
		You:        g.human.Name(),
		Opening:    g.rules.FormatPosition(g.start),
		Info:       []string{},
		Problem:    g.problem,
		Kept:       g.kept,
	}
	for _, m := range g.made {
		s.Moves = append(s.Moves, m.text)
		s.Info = append(s.Info, m.Info(textfmt.Thousands))
	}
	// The moves can have ended the game before its record is made.
	outcome, _ := g.board.Outcome()
	isOver := g.end != nil || g.problem != "" || outcome != rules.Undecided
	s.CanUndo = !isOver && g.lastMove() >= 0 && !g.hasClock()
	// What the person can do now, or what came of the game.
	switch {
	case g.end != nil:
		g.showEnd(&s)
	case g.problem != "":
	case !isOver && g.canMove():
		s.Sources = sources(g.board)
	default:
		s.Waiting = true
	}
	if g.hasClock() {
		s.Clock = g.clocks(isOver)
	}
	if g.isShared() {
		s.You, s.Winner = "", ""
		s.People = map[string]string{g.human.Name(): g.name, g.human.Other().Name(): g.other}
	}
	return s, g.changed
}

// showEnd adds the result to the state of a game that has ended.
func (g *session) showEnd(s *state) {
	s.Result, s.Reason = g.end.Result, g.end.Reason
	switch record.HalfPoints(g.end.Result, g.human) {
	case 0:
		s.Winner = "agent"
	case 1:
		s.Winner = "none"
	default:
		s.Winner = "you"
	}
	if f := g.end.Fault; f != nil {
		s.Reason = f.Detail
		if f.Kind == record.FaultTimeout && f.Side == s.You {
			s.Reason = "time"
		}
	}
}

// canMove reports whether a person is to move and has a choice. The caller holds the lock.
func (g *session) canMove() bool {
	if g.resigned || !g.isPersonal(g.board.Position().Side()) {
		return false
	}
	return !g.board.Legal().Contains(rules.Pass)
}

// clocks returns the times of a game with a clock. The caller holds the lock.
func (g *session) clocks(isOver bool) *clocks {
	// The opponent has no clock, but its time is shown.
	used := 0.0
	for _, m := range g.made {
		if m.side != g.human {
			used += m.ms
		}
	}
	running := ""
	if !isOver {
		running = "you"
		if g.board.Position().Side() != g.human {
			running = "agent"
			used += float64(time.Since(g.since).Milliseconds())
		}
	}
	return &clocks{
		Control: g.clock.String(),
		Left:    g.remaining().Milliseconds(),
		Used:    int64(used),
		Running: running,
	}
}

// sources lists the legal moves, which come in the order of their sources and landings.
func sources(g *rules.Game) []source {
	list := []source{}
	p := g.Position()
	for m := range g.Legal().All() {
		from := fromText(m)
		to := m.To().String()
		// Moves of the same piece, and then those to the same square, follow each other.
		if len(list) == 0 || list[len(list)-1].From != from {
			list = append(list, source{From: from})
		}
		s := &list[len(list)-1]
		if len(s.Ends) == 0 || s.Ends[len(s.Ends)-1].To != to {
			course := g.Rules().LongText(p, m)
			s.Ends = append(s.Ends, landing{To: to, Course: course})
		}
		end := &s.Ends[len(s.Ends)-1]
		if m.Drop() != rules.NoSquare {
			end.Drops = append(end.Drops, m.Drop().String())
		}
	}
	return list
}

// fromText names the square or the hand that a move begins at, as [source] does.
func fromText(m rules.Move) string {
	if m.IsPlacement() || m.FromHand() > 0 {
		return m.String()[:2]
	}
	return m.From().String()
}
