// Package greedy is an agent that searches one ply deep. It shows what an agent needs that uses the
// evaluation.
package greedy

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// Kind returns the kind of agent that plays a winning move if there is one, avoids moves after
// which the opponent wins at once, and otherwise plays the move with the highest static evaluation.
func Kind() agents.Kind {
	return agents.Kind{
		Name:   "greedy",
		Doc:    "one ply by the evaluation; takes a win and avoids handing one over",
		Params: eval.Params(),
		Light:  func(agents.Config) bool { return true },
		New: func(c agents.Config) (agents.Agent, error) {
			weights, err := eval.FromConfig(c)
			return &player{Source: weights}, err
		},
	}
}

type player struct {
	agents.Base
	eval.Source
	eval  *eval.Evaluator
	rng   *rand.Rand
	line  lookahead.Line
	moves rules.MoveSet
}

func (a *player) NewGame(_ context.Context, s agents.Setup) (err error) {
	a.rng = s.Rand()
	a.eval, err = a.Evaluator(s.Rules)
	return err
}

// lossPenalty puts moves that let the opponent win at once below all others.
const lossPenalty = 4 * agents.MaxEval

func (a *player) Choose(
	ctx context.Context, g *rules.Game, q agents.Request,
) (agents.Decision, error) {
	d, decided, err := a.line.Prologue(ctx, a, g, &q, a.rng, &a.moves)
	if err != nil || decided {
		return d, err
	}
	best, score := a.best(ctx, g.Rules(), g.Position())
	if score < -agents.MaxEval {
		score = -agents.WinIn(2)
	}
	return agents.Decision{
		Move:   best,
		Scored: true,
		Score:  score,
		Depth:  1,
		Nodes:  int64(a.moves.Len()),
		PV:     []rules.Move{best},
	}, nil
}

// best returns the move with the highest score, at random among equals, of those scored until ctx
// is cancelled.
func (a *player) best(
	ctx context.Context, r *rules.Rules, p rules.Position,
) (best rules.Move, highest agents.Score) {
	equal := 0 // moves of the highest score so far
	a.line.Push(p)
	for m := range a.moves.All() {
		score := a.score(r.Apply(p, m))
		if best == rules.NoMove || score > highest {
			best, highest = m, score
			equal = 1
		} else if score == highest {
			equal++
			if a.rng.IntN(equal) == 0 {
				best = m
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return best, highest
}

func (a *player) score(next rules.Position) agents.Score {
	switch {
	case a.line.Outcome(next) == rules.Draw:
		return 0
	case a.line.WinsNow(next):
		return -a.eval.Score(next) - lossPenalty
	default:
		return -a.eval.Score(next)
	}
}
