package solver

import (
	"fmt"
	"slices"

	"gyges/rules"
)

// strategy is a claim that a side wins with certain moves.
type strategy struct {
	rules  *rules.Rules
	winner rules.Side
	// moves is the winner's move in each position in which it is to move and can't win at
	// once. Their numbers of plies are not read.
	moves map[rules.Position]Answer
}

// Win is a strategy that holds against every reply.
type Win struct {
	Winner rules.Side
	// Plies is the length of the longest game that the strategy allows, the most
	// plies that the win takes.
	Plies int
	// Line is a game of that length.
	Line []rules.Move
	// Moves are those moves of the strategy that are needed.
	Moves map[rules.Position]Answer
}

// Answer is a move in a position of a strategy: the winner's, or the loser's that holds out longest.
type Answer struct {
	Move  rules.Move
	Plies int32 // to the win at most, the move itself counted
}

// check plays the strategy from p, with which a game begins, against every legal reply. It
// uses the rules alone: no evaluation and no result of a search. A game that it allows may
// not last longer than the rules let it. The error says where the strategy fails.
//
// No position of a strategy returns with the same side to move, as each is nearer to the
// goal than those before. So a rule on repetition changes nothing unless it forbids, as
// superko does, positions with the other side to move, too; then the strategy fails where
// that might matter. unsafe are the positions whose moves superko might forbid.
func (s strategy) check(p rules.Position) (win Win, unsafe []rules.Position, err error) {
	c := newStrategyCheck(s)
	l, err := c.play(p)
	if most := s.rules.Options().MaxPlies; err == nil && int(l.Plies) > most {
		err = c.failure(p, fmt.Sprintf("it takes %d plies, and a game ends after %d", l.Plies, most))
	}
	if err == nil {
		if unsafe, err = c.unsafe(); err == nil && len(unsafe) > 0 {
			err = c.failure(unsafe[0], "superko might forbid the move")
		}
	}
	if err != nil {
		return Win{}, unsafe, err
	}
	win = Win{Winner: s.winner, Plies: int(l.Plies), Moves: c.used, Line: []rules.Move{l.Move}}
	for l.Plies > 1 {
		p = s.rules.Apply(p, l.Move)
		l, _ = c.play(p) // which was without error before
		win.Line = append(win.Line, l.Move)
	}
	return win, nil, nil
}

type strategyCheck struct {
	strategy
	used map[rules.Position]Answer
	// longest is how a game goes on that lasts as long as the strategy allows, but for positions in which the
	// winner can win at once; without plies the position is being checked.
	longest map[rules.Position]Answer
}

func newStrategyCheck(s strategy) *strategyCheck {
	return &strategyCheck{s, map[rules.Position]Answer{}, map[rules.Position]Answer{}}
}

func (c *strategyCheck) play(p rules.Position) (l Answer, err error) {
	if l, ok := c.longest[p]; ok {
		if l.Plies == 0 {
			return l, c.failure(p, "the position returns")
		}
		return l, nil
	}
	if c.rules.Outcome(p) != rules.Undecided {
		return l, c.failure(p, "the game ends without the win")
	}
	if p.Side() == c.winner && c.rules.GoalWins(p, c.winner) {
		if m := c.rules.GoalMove(p, c.winner); m != rules.NoMove {
			return Answer{m, 1}, nil
		}
	}
	c.longest[p] = Answer{}
	replies, err := c.continuations(p)
	if err != nil {
		return l, err
	}
	for _, m := range replies {
		next, err := c.play(c.rules.Apply(p, m))
		if err != nil {
			return l, err
		}
		if next.Plies >= l.Plies {
			l = Answer{m, next.Plies + 1}
		}
	}
	if c.longest[p] = l; p.Side() == c.winner {
		c.used[p.WithoutPasses()] = l
	}
	return l, nil
}

// continuations returns the moves in p that must be played through: all of the loser, one of the winner, who
// can't win at once.
func (c *strategyCheck) continuations(p rules.Position) (replies []rules.Move, err error) {
	var legal rules.MoveSet
	c.rules.Moves(p, &legal)
	if p.Side() != c.winner {
		for m := range legal.All() {
			replies = append(replies, m)
		}
		if len(replies) == 0 {
			err = c.failure(p, "the opponent can't move")
		}
		return replies, err
	}
	a, ok := c.moves[p.WithoutPasses()]
	if !ok {
		a, ok = c.moves[p]
	}
	switch {
	case !ok:
		return nil, c.failure(p, "it has no move")
	case !legal.Contains(a.Move):
		return nil, c.failure(p, fmt.Sprintf("%v is not legal", a.Move))
	}
	return []rules.Move{a.Move}, nil
}

func (c *strategyCheck) failure(p rules.Position, why string) error {
	return fmt.Errorf("the strategy fails in %s: %s", c.rules.FormatPosition(p), why)
}

// unsafe returns the positions in which superko might forbid the move of the winner, or all
// moves of the loser.
func (c *strategyCheck) unsafe() (list []rules.Position, err error) {
	if c.rules.Options().Repetition != rules.Superko {
		return nil, nil
	}
	twins := map[rules.Position][2]rules.Position{} // the positions by key and side to move
	for p := range c.longest {
		t := twins[p.Key()]
		t[p.Side()] = p
		twins[p.Key()] = t
	}
	for p, l := range c.longest {
		replies, err := c.continuations(p)
		if err != nil {
			return nil, err
		}
		free := false // a move is surely legal
		for _, m := range replies {
			next := c.rules.Apply(p, m)
			before := twins[next.Key()][p.Side()]
			free = free || c.longest[before].Plies <= l.Plies || !c.leads(before, p)
		}
		if !free {
			list = append(list, p)
		}
	}
	return list, nil
}

// leads reports whether the strategy leads from one position to another.
func (c *strategyCheck) leads(from, to rules.Position) bool {
	seen := map[rules.Position]bool{}
	var search func(p rules.Position) bool
	search = func(p rules.Position) bool {
		if p == to {
			return true
		}
		if seen[p] || c.longest[p].Plies <= c.longest[to].Plies {
			return false
		}
		seen[p] = true
		replies, _ := c.continuations(p) // which were without error before
		return slices.ContainsFunc(replies, func(m rules.Move) bool { return search(c.rules.Apply(p, m)) })
	}
	return search(from)
}
