package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/textfmt"
)

// Replay plays a recorded game again and verifies it: every move is legal and in short notation, and result, reason and
// plies are those the game came to. A game lost by a fault must have been undecided until then. The error names the
// move, counted from 1.
func Replay(g *Record) (*rules.Game, error) {
	return ReplayEach(g, func(*rules.Game, rules.Move) {})
}

// ReplayEach is [Replay] that calls before ahead of each move, which is known to be legal then, unlike the
// rest of the record. before must not change the game.
func ReplayEach(g *Record, before func(game *rules.Game, m rules.Move)) (*rules.Game, error) {
	return replay(g, g.check(), before)
}

// VerifyPlaying verifies a game that is over as [Replay] does, or one under way, which has no result
// and no reason: that its moves are legal and haven't ended it.
func VerifyPlaying(g *Record) error {
	err := g.checkMoves()
	if g.Result != "" || g.Reason != "" || g.Fault != nil {
		err = g.check()
	}
	_, err = replay(g, err, func(*rules.Game, rules.Move) {})
	return err
}

// replay plays a game again, unless it has been checked with an error.
func replay(g *Record, err error, before func(game *rules.Game, m rules.Move)) (*rules.Game, error) {
	var game *rules.Game
	if err == nil {
		game, err = Play(g, before)
	}
	if err == nil {
		err = checkEnd(g, game)
	}
	if err != nil {
		return nil, fmt.Errorf("game %d: %w", g.Game, err)
	}
	return game, nil
}

// Play is [ReplayEach] that checks the moves alone. After an error the game is that before it; nil: it can't begin.
func Play(g *Record, before func(game *rules.Game, m rules.Move)) (*rules.Game, error) {
	if g.OnlyResult() {
		return nil, errors.New("expected moves, found a game imported without")
	}
	r, err := rules.Parse(g.Rules)
	if err != nil {
		return nil, err
	}
	opening, err := r.ParsePosition(g.Opening)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	game := rules.NewGame(r, opening)
	for i, text := range g.Moves {
		m, err := nextMove(game, text, g.OnRepetition == "allow")
		if err != nil {
			return game, fmt.Errorf("move %d: %w", i+1, err)
		}
		if len(g.Best) > 0 && g.Best[i] != "" {
			if _, err := nextMove(game, g.Best[i], g.OnRepetition == "allow"); err != nil {
				return nil, fmt.Errorf("move %d: best: %w", i+1, err)
			}
		}
		before(game, m)
		game.PlayLegal(m)
	}
	return game, nil
}

// nextMove reads a move and checks it. Those that only repeat may be allowed.
func nextMove(game *rules.Game, text string, repeats bool) (rules.Move, error) {
	m, err := game.Rules().ParseMove(game.Position(), text)
	if err != nil {
		return m, err
	}
	if short := m.String(); short != text {
		return m, fmt.Errorf("expected the short notation %s, found %.60q", short, text)
	}
	if repeats && game.OnlyRepeats(m) {
		return m, nil
	}
	return m, game.Check(m)
}

func checkEnd(g *Record, game *rules.Game) error {
	outcome, reason := game.Outcome()
	switch {
	case g.Plies != game.Ply():
		return fmt.Errorf("expected plies %d, found %d", game.Ply(), g.Plies)
	case g.Fault != nil && outcome != rules.Undecided:
		return fmt.Errorf("expected %v by %s, found a fault after the end of the game", outcome, reason)
	case g.Fault != nil:
		return nil // result and reason have been checked against the fault
	case outcome == rules.Undecided:
		adjudicated := g.Adjudication != "" && strings.HasPrefix(g.Reason, Adjudicated)
		if adjudicated || slices.Contains([]string{"", Resignation, Imported}, g.Reason) { // "": it is under way
			return nil
		}
		return fmt.Errorf("expected a finished game, found %s by %.60s while it goes on", g.Result, g.Reason)
	case g.Result != outcome.String() || g.Reason != string(reason):
		return fmt.Errorf("expected %v by %s, found %s by %.60s", outcome, reason, g.Result, g.Reason)
	}
	return nil
}

// Turn is a move of a replayed game, with what its player reported of the search.
type Turn struct {
	agents.Decision
	Ply           int // from 1; 0 for a placement
	Before, After rules.Position
	MS            *float64 // milliseconds the decision took; nil: unknown
	More          []string // what else the record says of it, for people
}

// Turns returns the moves of the game that [Replay] returned for g.
func (g *Record) Turns(game *rules.Game) []Turn {
	turns := make([]Turn, 0, len(g.Moves))
	p, ply := game.Start(), 0
	for i, m := range game.Moves() {
		t := Turn{Decision: agents.Decision{Move: m}, Before: p, After: game.Rules().Apply(p, m)}
		for list, value := range g.Said(i) {
			switch list.Each {
			case "best":
				t.Best, _ = game.Rules().ParseMove(p, g.Best[i]) // Replay has read it
			case "score":
				t.Scored, t.Score = true, agents.Score(g.Scores[i])
			case "depth":
				t.Depth = g.Depths[i]
			case "nodes":
				t.Nodes = g.Nodes[i]
			case "ms":
				t.MS = &g.Timing.MoveMS[i]
			default:
				if list.Text != "" {
					t.More = append(t.More, textfmt.Escape(fmt.Sprintf(list.Text, value)))
				}
			}
		}
		if !m.IsPlacement() {
			ply++
			t.Ply = ply
		}
		turns, p = append(turns, t), t.After
	}
	return turns
}
