package solver

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gyges/rules"
	"gyges/rules/base/files"
)

// WriteStrategy writes the moves of a strategy, a line 'POSITION ; MOVE' each, in the order
// of the positions' texts.
func WriteStrategy(w io.Writer, r *rules.Rules, moves map[rules.Position]Answer) error {
	lines := make([]string, 0, len(moves))
	for p, a := range moves {
		lines = append(lines, fmt.Sprintf("%s ; %v\n", r.FormatPosition(p), a.Move))
	}
	slices.Sort(lines)
	_, err := io.WriteString(w, strings.Join(lines, ""))
	return err
}

// Bounds of a strategy from outside: of a line in bytes, and of their number.
const (
	maxStrategyLine = 4096
	maxStrategy     = 10_000_000
)

// ReadStrategy reads what [WriteStrategy] wrote. The winner is the side to move in all
// positions. Errors give the name of the file and the line.
func ReadStrategy(in io.Reader, name string, r *rules.Rules) (Strategy, error) {
	s := Strategy{Rules: r, Moves: map[rules.Position]Answer{}}
	err := files.Lines(in, name, maxStrategyLine, maxStrategy, func(_ int, line string) error {
		position, text, ok := strings.Cut(line, ";")
		if !ok {
			return fmt.Errorf("expected 'POSITION ; MOVE', found %.60q", line)
		}
		p, err := r.ParsePosition(strings.TrimSpace(position))
		if err != nil {
			return fmt.Errorf("position %w", err)
		}
		m, err := r.ParseMove(p, strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("move %w", err)
		}
		if len(s.Moves) > 0 && p.Side() != s.Winner {
			return fmt.Errorf("expected a position with %v to move, as before", s.Winner)
		}
		s.Winner, s.Moves[p] = p.Side(), Answer{Move: m}
		return nil
	})
	if err == nil && len(s.Moves) == 0 {
		err = fmt.Errorf("%s: expected lines 'POSITION ; MOVE', found none", name)
	}
	return s, err
}

// Solve plays the strategy from g's position like [Strategy.Check].
func (s Strategy) Solve(g *rules.Game) (Solution, error) {
	solution := Solution{Game: g}
	win, err := s.Check(g.Position())
	if err == nil {
		solution.won(&win)
		solution.Nodes = int64(len(win.Moves))
	}
	return solution, err
}
