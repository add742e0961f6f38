// Package greedy is an agent that searches one ply deep.
package greedy

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// Kind returns the kind of agent that plays a winning move if there is one, avoids
// moves after which the opponent wins at once, and otherwise plays the move with the
// highest static evaluation.
func Kind() agents.Kind {
	return agents.Kind{
		Name:   "greedy",
		Doc:    "one ply by the evaluation; takes a win and avoids handing one over",
		Params: eval.Params(),
		New: func(v agents.Values) (agents.Agent, error) {
			weights, err := eval.FromValues(v)
			if err != nil {
				return nil, err
			}
			return &player{weights: weights}, nil
		},
	}
}

type player struct {
	weights eval.Source
	eval    *eval.Evaluator
	rng     *rand.Rand
	line    lookahead.Line
	moves   rules.MoveSet
}

var _ agents.Agent = (*player)(nil)

// Suits returns an error if its weights are for other rules.
func (a *player) Suits(r *rules.Rules) error {
	_, err := a.weights.Evaluator(r)
	return err
}

func (a *player) NewGame(_ context.Context, s agents.Setup) (err error) {
	a.rng = s.Rand()
	a.eval, err = a.weights.Evaluator(s.Rules)
	return err
}

// choice is the best move so far.
type choice struct {
	move  rules.Move
	rank  rank
	equal int // moves of this rank so far
}

// rank orders moves: by whether the opponent wins at once, then by the evaluation.
type rank struct {
	loses bool
	value agents.Score
}

func (r rank) worseThan(other rank) bool {
	if r.loses != other.loses {
		return r.loses
	}
	return r.value < other.value
}

func (a *player) Choose(ctx context.Context, g *rules.Game, _ agents.Limits) (agents.Decision, error) {
	d, decided, err := a.line.Prologue(ctx, g, a.rng, &a.moves)
	if err != nil || decided {
		return d, err
	}
	best := a.best(ctx, g.Rules(), g.Position())
	score := best.rank.value
	if best.rank.loses {
		score = -agents.WinIn(2)
	}
	return agents.Decision{
		Move: best.move, Scored: true, Score: score, Depth: 1, Nodes: int64(a.moves.Len()), PV: []rules.Move{best.move},
	}, nil
}

// best returns the move of the highest rank, chosen at random among equals. When
// ctx is cancelled it returns the best so far.
func (a *player) best(ctx context.Context, r *rules.Rules, p rules.Position) choice {
	var best choice
	a.line.Push(p)
	for m := range a.moves.All() {
		c := choice{m, a.rank(r.Apply(p, m)), 1}
		switch {
		case best.move == rules.NoMove || best.rank.worseThan(c.rank):
			best = c
		case best.rank == c.rank:
			c.equal = best.equal + 1
			if a.rng.IntN(c.equal) == 0 {
				best = c
			} else {
				best.equal = c.equal
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return best
}

// rank returns the rank of a move from the position it leads to.
func (a *player) rank(next rules.Position) rank {
	if a.line.Outcome(next) == rules.Draw {
		return rank{}
	}
	return rank{a.line.WinsNow(next), -a.eval.Score(next)}
}
