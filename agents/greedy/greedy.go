// Package greedy is the agent that looks one ply ahead.
package greedy

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/agents/random"
	"gyges/rules"
)

// Kind returns the kind of agent that takes a win, hands none over if it can
// help it, and otherwise makes the move the evaluation likes best.
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

// Suits returns why its weights don't fit the rules.
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
	equal int // moves seen that rank so
}

// rank orders moves: first by the result they force, then by the evaluation.
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
	if err := ctx.Err(); err != nil {
		return agents.Decision{}, err
	}
	p := g.Position()
	if g.Rules().SettingUp(p) {
		m, err := random.Move(g, a.rng)
		return agents.Decision{Move: m}, err
	}
	g.LegalMoves(&a.moves)
	if a.moves.Len() == 0 {
		return agents.Decision{}, rules.ErrOver
	}
	a.line.Begin(g)
	if m := a.line.WinningMove(p, &a.moves); m != rules.NoMove {
		return decision(m, agents.WinIn(1), 1), nil
	}
	best := a.best(ctx, g.Rules(), p)
	score := best.rank.value
	if best.rank.loses {
		score = -agents.WinIn(2)
	}
	return decision(best.move, score, int64(a.moves.Len())), nil
}

func decision(m rules.Move, score agents.Score, nodes int64) agents.Decision {
	return agents.Decision{Move: m, Scored: true, Score: score, Depth: 1, Nodes: nodes, PV: []rules.Move{m}}
}

// best returns the move of the highest rank, one of the equals drawn by the
// seed. When ctx is cancelled it returns the best so far.
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

// rank judges a move by the position it leads to.
func (a *player) rank(next rules.Position) rank {
	if a.line.Outcome(next) == rules.Draw {
		return rank{}
	}
	return rank{a.line.WinsNow(next), -a.eval.Score(next)}
}
