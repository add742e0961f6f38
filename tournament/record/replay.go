package record

import (
	"errors"
	"fmt"
	"strings"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/textfmt"
)

// Replay plays a recorded game again and verifies it: every move is legal and in short notation,
// and result, reason and plies are those the game came to. A game lost by a fault must have been
// undecided until then. The error names the move, counted from 1.
func Replay(g *Record) (*rules.Game, error) { return ReplayEach(g, nil) }

// ReplayEach is [Replay] that calls before, unless it is nil, ahead of each move, which is known to
// be legal then, unlike the rest of the record. before must not change the game.
func ReplayEach(g *Record, before func(game *rules.Game, m rules.Move)) (*rules.Game, error) {
	return replay(g, false, before)
}

// VerifyPlaying verifies a game that is over as [Replay] does, or one under way, which has no
// result and no reason: that its moves are legal and haven't ended it.
func VerifyPlaying(g *Record) error {
	underWay := g.Result == "" && g.Reason == "" && g.Fault == nil
	_, err := replay(g, underWay, nil)
	return err
}

// replay checks a record, which may be one of a game under way, and plays it.
func replay(
	g *Record, underWay bool, before func(game *rules.Game, m rules.Move),
) (game *rules.Game, err error) {
	if underWay {
		err = g.checkMoves()
	} else {
		err = g.check()
	}
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

// Play is [ReplayEach] that checks the moves alone. After an error it returns the game before the
// move at fault; nil if the game can't begin or a best move is at fault.
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
	mayRepeat := g.OnRepetition == "allow"
	for i, text := range g.Moves {
		m, err := nextMove(game, text, mayRepeat)
		if err != nil {
			return game, fmt.Errorf("move %d: %w", i+1, err)
		}
		if len(g.Best) > 0 && g.Best[i] != "" {
			if _, err := nextMove(game, g.Best[i], mayRepeat); err != nil {
				return nil, fmt.Errorf("move %d: best: %w", i+1, err)
			}
		}
		if before != nil {
			before(game, m)
		}
		game.PlayLegal(m)
	}
	return game, nil
}

// nextMove reads a move and checks it. Those that only repeat may be allowed.
func nextMove(game *rules.Game, text string, mayRepeat bool) (rules.Move, error) {
	m, err := game.Rules().ParseMove(game.Position(), text)
	if err != nil {
		return m, err
	}
	if short := m.String(); short != text {
		return m, fmt.Errorf("expected the short notation %s, found %.60q", short, text)
	}
	if mayRepeat && game.OnlyRepeats(m) {
		return m, nil
	}
	return m, game.Check(m)
}

// checkEnd verifies what a record says of the end of its game, which has been played
// to its last move.
func checkEnd(g *Record, game *rules.Game) error {
	outcome, reason := game.Outcome()
	over := outcome != rules.Undecided
	if g.Plies != game.Ply() {
		return fmt.Errorf("expected plies %d, found %d", game.Ply(), g.Plies)
	}
	if g.Fault != nil { // result and reason have been checked against it
		if over {
			return fmt.Errorf("expected %v by %s, found a fault after the end of the game",
				outcome, reason)
		}
		return nil
	}
	if over {
		if g.Result != outcome.String() || g.Reason != string(reason) {
			return fmt.Errorf("expected %v by %s, found %s by %.60s",
				outcome, reason, g.Result, g.Reason)
		}
		return nil
	}

	// The moves don't end the game.
	switch g.Reason {
	case "", Resignation, Imported: // "": it is under way
		return nil
	}
	if g.Adjudication != "" && strings.HasPrefix(g.Reason, Adjudicated) {
		return nil
	}
	return fmt.Errorf("expected a finished game, found %s by %.60s while it goes on", g.Result,
		g.Reason)
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
	p := game.Start()
	ply := 0
	for i, m := range game.Moves() {
		t := Turn{Before: p, After: game.Rules().Apply(p, m)}
		t.Move = m
		for list, value := range g.Said(i) {
			switch list.Each {
			case "best":
				t.Best, _ = game.Rules().ParseMove(p, g.Best[i]) // Replay has read it
			case "score":
				t.Scored = true
				t.Score = agents.Score(g.Scores[i])
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
		turns = append(turns, t)
		p = t.After
	}
	return turns
}
