package tactics

import (
	"context"
	"math/rand/v2"
	"slices"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
)

// Source describes the games that a suite's positions are drawn from.
type Source struct {
	Rules  *rules.Rules
	Player agents.Agent // plays both sides
	Seed   uint64       // of all chance: set-ups, random moves
	Games  int          // games at most
	Each   int          // puzzles of each class
}

const (
	randomMove = 0.25 // share of moves drawn at random, so that games differ and mistakes are made
	maxPlies   = 80   // of a game
	pickOne    = 10   // of a longer win, at most one move in pickOne may solve it
	minChoice  = 5    // moves there must be where one alone saves
)

// Make plays games and returns the puzzles found in them, at most one of a class from
// a game, each position once, also with sides swapped. It stops when there are enough
// of each class, or after Games games. When ctx is cancelled it returns the puzzles
// found so far and the context's error.
func Make(ctx context.Context, src Source) ([]Puzzle, error) {
	m := maker{
		Source: src,
		solver: solver.New(solver.DefaultMegabytes),
		rng:    rand.New(rand.NewPCG(src.Seed, 0)),
		seen:   map[rules.Position]bool{},
		found:  map[Class][]Puzzle{},
	}
	var err error
	for n := 0; n < src.Games && slices.ContainsFunc(Proven(), m.lacks) && err == nil; n++ {
		err = m.game(ctx, uint64(n))
	}
	var all []Puzzle
	for _, c := range Proven() {
		all = append(all, m.found[c]...)
	}
	return all, err
}

// maker is the state of Make.
type maker struct {
	Source
	solver *solver.Solver
	rng    *rand.Rand
	seen   map[rules.Position]bool
	found  map[Class][]Puzzle
}

// lacks reports whether more puzzles of a class are needed.
func (m *maker) lacks(c Class) bool { return len(m.found[c]) < m.Each }

// game plays one game and adds the puzzles among its positions.
func (m *maker) game(ctx context.Context, n uint64) error {
	g := rules.NewGame(m.Rules, m.Rules.RandomSetup(m.rng))
	if err := m.Player.NewGame(ctx, agents.Setup{Rules: m.Rules, Side: rules.South, Seed: m.Seed + n}); err != nil {
		return err
	}
	done := map[Class]bool{}
	for range maxPlies {
		if o, _ := g.Outcome(); o != rules.Undecided {
			break
		}
		if err := m.add(ctx, g.Position(), done); err != nil {
			return err
		}
		move := g.Legal().At(m.rng.IntN(g.Legal().Len()))
		if m.rng.Float64() >= randomMove {
			d, err := m.Player.Choose(ctx, g, agents.Limits{})
			if err != nil {
				return err
			}
			move = d.Move
		}
		if err := g.Play(move); err != nil {
			return err
		}
	}
	return nil
}

// add adds a position if it is a puzzle of a class that is needed and not yet done in
// this game.
func (m *maker) add(ctx context.Context, p rules.Position, done map[Class]bool) error {
	if m.seen[p] || m.seen[p.Rotate()] {
		return nil
	}
	c, moves, err := m.classify(ctx, rules.NewGame(m.Rules, p))
	if err != nil || len(moves) == 0 || done[c] || !m.lacks(c) {
		return err
	}
	m.seen[p], done[c] = true, true
	puzzle := Puzzle{Rules: m.Rules.String(), Class: c, Position: m.Rules.FormatPosition(p)}
	for _, move := range moves {
		puzzle.Moves = append(puzzle.Moves, move.String())
	}
	m.found[c] = append(m.found[c], puzzle)
	return nil
}

// classify returns the class of a game's position and the moves that solve it,
// none if it is no puzzle.
func (m *maker) classify(ctx context.Context, g *rules.Game) (Class, []rules.Move, error) {
	depth := 3
	if m.lacks(WinIn5) {
		depth = 5
	}
	c, moves, err := Solve(ctx, m.solver, g, depth)
	if c != WinIn1 && len(moves) > max(g.Legal().Len()/pickOne, 1) {
		moves = nil
	}
	return c, moves, err
}

// Solve returns the class of the present position of g, and all moves that solve it: those that win within as few plies
// as possible, at most depth, or the only one that doesn't lose. "" is a position of no class with proven solutions.
func Solve(ctx context.Context, s *solver.Solver, g *rules.Game, depth int) (Class, []rules.Move, error) {
	r, err := s.Solve(ctx, g, depth)
	if err != nil {
		return "", nil, err
	}
	if c := winIn(r.Plies); c != "" {
		moves, err := s.Winning(ctx, g, r.Plies)
		return c, moves, err
	}
	if r.Plies != 0 || g.Legal().Len() < minChoice ||
		!g.Rules().CanWin(g.Position(), g.Position().Side().Other()) {
		return "", nil, nil
	}
	moves, err := s.Holding(ctx, g, 4)
	if err != nil || len(moves) != 1 {
		return "", nil, err
	}
	return OnlyMove, moves, nil
}
