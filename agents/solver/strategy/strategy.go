// Package strategy has proofs that a side wins, whatever the other one plays, and their
// certificates: folders that anyone can check. [Play] makes a [Strategy] of the answers that a
// search has found, by the rules alone, and [Certificate] writes strategies to files and joins
// them.
package strategy

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"gyges/rules"
)

// Strategy is how a side wins from some positions, whatever the other side plays: its answer in
// each position that can come up in which it is to move and can't reach the goal at once.
type Strategy struct {
	Rules   *rules.Rules
	Winner  rules.Side
	Roots   []Root
	answers []answer // packed: 24 bytes each, in the order of [compare]
}

// Root is a position from which a strategy wins.
type Root struct {
	Position rules.Position
	Plies    int // of the longest game that the strategy allows: to the win, at most
}

// answer is the best move in a position: the winner's, or the loser's that holds out longest.
type answer struct {
	position rules.Position // the winner's in a strategy is without passes
	move     rules.Move
	plies    int32 // to the win at most, the move itself counted
}

// pack puts answers in order. Of two in a position the one with fewer plies is kept.
func pack(answers []answer) []answer {
	slices.SortFunc(answers, func(a, b answer) int {
		if a.position == b.position {
			return cmp.Compare(a.plies, b.plies)
		}
		return compare(a.position, b.position)
	})
	inOnePosition := func(a, b answer) bool { return a.position == b.position }
	return slices.CompactFunc(answers, inOnePosition)
}

// compare orders positions by their boards, from a1 on; those of Kang with one board by their
// hashes.
func compare(p, q rules.Position) int {
	for s := range rules.Square(rules.NumSquares) {
		if c := cmp.Compare(p.At(s), q.At(s)); c != 0 {
			return c
		}
	}
	return cmp.Compare(p.Hash(), q.Hash())
}

// Len returns the number of answers.
func (s *Strategy) Len() int { return len(s.answers) }

// All yields the positions with their answers.
func (s *Strategy) All() iter.Seq2[rules.Position, rules.Move] {
	return func(yield func(rules.Position, rules.Move) bool) {
		for _, a := range s.answers {
			if !yield(a.position, a.move) {
				return
			}
		}
	}
}

// Answer returns the winner's move in p, if the strategy has one: a win at once it leaves out.
func (s *Strategy) Answer(p rules.Position) (m rules.Move, ok bool) {
	byPosition := func(a answer, p rules.Position) int {
		return compare(a.position, p)
	}
	i, ok := slices.BinarySearchFunc(s.answers, p.WithoutPasses(), byPosition)
	if ok {
		m = s.answers[i].move
	}
	return m, ok
}

// Line returns a game from a root as long as the strategy allows.
func (s *Strategy) Line(p rules.Position) (line []rules.Move) {
	c := &check{s.Rules, s.Winner, s.Answer, map[rules.Position]answer{}}
	for {
		a, _ := c.play(p) // which was without error before
		line = append(line, a.move)
		if a.plies <= 1 {
			return line
		}
		p = s.Rules.Apply(p, a.move)
	}
}

// Play plays the answers of a side from roots, with which games begin, against every legal reply,
// and returns those that are needed as a strategy. It uses the rules alone: no evaluation and no
// result of a search. The error says where the answers fail; so they do if a game may end before
// the win.
//
// No position of a strategy returns with the same side to move, as each is nearer to the goal than
// those before. So a rule on repetition changes nothing unless it forbids, as superko does,
// positions with the other side to move, too. Where that might matter the strategy may fail: unsafe
// are the positions whose moves superko might forbid.
func Play(
	r *rules.Rules, winner rules.Side, roots []rules.Position,
	answers func(rules.Position) (rules.Move, bool),
) (s *Strategy, unsafe []rules.Position, err error) {
	c := &check{r, winner, answers, map[rules.Position]answer{}}
	s = &Strategy{Rules: r, Winner: winner}
	for _, p := range roots {
		longest, err := c.play(p)
		if err != nil {
			return nil, nil, err
		}
		plies, most := int(longest.plies), r.Options().MaxPlies
		if plies > most {
			return nil, nil, c.failure(p, "it takes %d plies, and a game ends after %d",
				plies, most)
		}
		s.Roots = append(s.Roots, Root{p, plies})
	}
	for p, a := range c.longest {
		if p.Side() == winner {
			s.answers = append(s.answers, answer{p.WithoutPasses(), a.move, a.plies})
		}
	}
	s.answers = pack(s.answers)
	return s, c.unsafe(), nil
}

// check plays answers through.
type check struct {
	rules   *rules.Rules
	winner  rules.Side
	answers func(rules.Position) (rules.Move, bool)
	// longest is how a game goes on that lasts as long as the answers allow, but for positions in
	// which the winner can win at once; without plies the position is being checked.
	longest map[rules.Position]answer
}

// play checks p and all that follows, and returns how the longest game goes on.
func (c *check) play(p rules.Position) (a answer, err error) {
	if a, ok := c.longest[p]; ok {
		if a.plies == 0 {
			return a, c.failure(p, "the position returns")
		}
		return a, nil
	}
	if c.rules.Outcome(p) != rules.Undecided {
		return a, c.failure(p, "the game ends without the win")
	}
	if p.Side() == c.winner && c.rules.CanWin(p, c.winner) {
		return answer{p, c.rules.GoalMove(p, c.winner), 1}, nil
	}
	c.longest[p] = answer{}
	replies, err := c.continuations(p)
	if err != nil {
		return a, err
	}
	for _, m := range replies {
		next, err := c.play(c.rules.Apply(p, m))
		if err != nil {
			return a, err
		}
		if next.plies >= a.plies {
			a = answer{p, m, next.plies + 1}
		}
	}
	c.longest[p] = a
	return a, nil
}

// continuations returns the moves in p to play through: all of the loser, one of the winner, who
// can't win at once.
func (c *check) continuations(p rules.Position) ([]rules.Move, error) {
	var legal rules.MoveSet
	c.rules.Moves(p, &legal)
	if p.Side() != c.winner {
		if legal.Len() == 0 {
			return nil, c.failure(p, "the opponent can't move")
		}
		return slices.Collect(legal.All()), nil
	}
	m, ok := c.answers(p)
	if !ok {
		return nil, c.failure(p, "it has no move")
	}
	if !legal.Contains(m) {
		return nil, c.failure(p, "%v is not legal", m)
	}
	return []rules.Move{m}, nil
}

func (c *check) failure(p rules.Position, format string, args ...any) error {
	return fmt.Errorf("the strategy fails in %s: %s",
		c.rules.FormatPosition(p), fmt.Sprintf(format, args...))
}

// unsafe returns the positions in which superko might forbid the move of the winner, or all moves
// of the loser.
func (c *check) unsafe() (list []rules.Position) {
	if c.rules.Options().Repetition != rules.Superko {
		return nil
	}
	twins := map[rules.Position][2]rules.Position{} // the positions by key and side to move
	for p := range c.longest {
		pair := twins[p.Key()]
		pair[p.Side()] = p
		twins[p.Key()] = pair
	}
	for p, longest := range c.longest {
		replies, _ := c.continuations(p) // which were without error before
		surelyLegal := func(m rules.Move) bool {
			before := twins[c.rules.Apply(p, m).Key()][p.Side()]
			return c.longest[before].plies <= longest.plies || !c.leads(before, p)
		}
		if !slices.ContainsFunc(replies, surelyLegal) {
			list = append(list, p)
		}
	}
	return list
}

// leads reports whether games by the answers lead from one position to another.
func (c *check) leads(from, to rules.Position) bool {
	seen := map[rules.Position]bool{}
	open := []rules.Position{from}
	for len(open) > 0 {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if p == to {
			return true
		}
		if seen[p] || c.longest[p].plies <= c.longest[to].plies {
			continue
		}
		seen[p] = true
		replies, _ := c.continuations(p) // which were without error before
		for _, m := range replies {
			open = append(open, c.rules.Apply(p, m))
		}
	}
	return false
}
