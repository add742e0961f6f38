package ugi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gyges/rules"
)

// setRules takes other rules, and the position games begin in.
func (s *server) setRules(r *rules.Rules) {
	s.rules, s.placed = r, false
	s.setGame(rules.NewGame(r, s.startPosition(r)), nil)
}

func (s *server) setGame(g *rules.Game, words []string) {
	s.game, s.words, s.fresh = g, words, true
}

// startPosition is what setpos start stands for: the usual set-up, or the empty
// board of Kang.
func (s *server) startPosition(r *rules.Rules) rules.Position {
	p, err := r.ParsePosition(startRows + " s")
	if err != nil { // Kang: the text lacks its fields
		return r.Start()
	}
	return p
}

// setPosition obeys setpos start, setpos data ROWS and setpos pos POSITION,
// each of which moves MOVE… may follow.
func (s *server) setPosition(text string) error {
	head, tail, _ := strings.Cut(text, "moves")
	kind, where, _ := strings.Cut(strings.TrimSpace(head), " ")
	p, err := s.namedPosition(kind, where)
	if err != nil {
		return err
	}
	if err := s.setMoves(p, strings.Fields(tail)); err != nil {
		return err
	}
	s.placed = true
	return nil
}

func (s *server) setMoves(p rules.Position, moves []string) error {
	if s.goesOn(p, moves) {
		return s.playOn(moves[len(s.words):])
	}
	g := rules.NewGame(s.rules, p)
	if err := playWords(g, moves); err != nil {
		return err
	}
	s.setGame(g, moves)
	return nil
}

func (s *server) namedPosition(kind, where string) (rules.Position, error) {
	switch kind {
	case "start":
		if strings.TrimSpace(where) != "" {
			return rules.Position{}, errors.New("expected nothing but moves after start")
		}
		return s.startPosition(s.rules), nil
	case "data":
		if s.rules.Options().Kang {
			return rules.Position{}, errors.New("expected pos and a position text: data can't say what Kang needs")
		}
		return parseRows(s.rules, where)
	case "pos":
		return s.rules.ParsePosition(where)
	default:
		return rules.Position{}, fmt.Errorf("expected start, data ROWS or pos POSITION, found %q", escape(kind, maxShown))
	}
}

// goesOn reports whether moves lead from p by the present position.
func (s *server) goesOn(p rules.Position, moves []string) bool {
	return s.game.Start() == p && len(moves) >= len(s.words) && slices.Equal(moves[:len(s.words)], s.words)
}

// playOn makes more moves in the present game, all of them or none.
func (s *server) playOn(moves []string) error {
	before := len(s.game.Moves())
	err := playWords(s.game, moves)
	if err == nil {
		s.words = append(s.words, moves...)
		return nil
	}
	for len(s.game.Moves()) > before {
		s.game.Undo()
	}
	return err
}

func playWords(g *rules.Game, words []string) error {
	for i, w := range words {
		m, err := parseMove(g.Rules(), g.Position(), w)
		if err == nil {
			err = g.Play(m)
		}
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	return nil
}
