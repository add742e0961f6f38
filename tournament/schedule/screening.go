package schedule

import (
	"context"
	"errors"
	"math"

	"gyges/agents"
	"gyges/rules"
)

// Screening looks for openings in which no side can force a win within two plies, see [RandomOpenings].
type Screening struct {
	Rules    *rules.Rules
	Openings Openings // those that are screened
	Seed     uint64   // of random openings
	Count    int      // how many are wanted; 0: all of a list

	// Agent, if not nil, scores them within Limits; those beyond ±MaxScore, in points, are left out.
	Agent    agents.Agent
	Limits   agents.Limits
	MaxScore float64
}

// ErrNoScore is returned for an agent without an evaluation.
var ErrNoScore = errors.New("expected an agent that gives scores, like alphabeta:depth=2")

// Run calls keep for each opening that passes, with the agent's score; it returns how many passed, and were screened.
func (s *Screening) Run(ctx context.Context, keep func(p rules.Position, score float64)) (kept, seen int, err error) {
	const tries = 100 // for each random opening
	from, random := NewOpener(s.Openings, s.Seed), s.Openings.Policy == RandomOpenings
	for ; (s.Count == 0 || kept < s.Count) && (!random || seen < tries*s.Count); seen++ {
		if err := ctx.Err(); err != nil {
			return kept, seen, err
		}
		p, again, err := from.Opening(s.Rules, int64(seen))
		if err != nil || again > 0 {
			return kept, seen, err
		}
		if !from.passes(s.Rules, p) {
			continue
		}
		score := 0.0
		if s.Agent != nil {
			if score, err = s.score(ctx, p); err != nil {
				return kept, seen, err
			}
			if math.Abs(score) > s.MaxScore {
				continue
			}
		}
		keep(p, score)
		kept++
	}
	return kept, seen, nil
}

func (s *Screening) score(ctx context.Context, p rules.Position) (float64, error) {
	err := s.Agent.NewGame(ctx, agents.Setup{Rules: s.Rules, Side: p.Side(), Seed: s.Seed})
	if err != nil {
		return 0, err
	}
	d, err := s.Agent.Choose(ctx, rules.NewGame(s.Rules, p), agents.Request{Limits: s.Limits})
	if err == nil && !d.Scored {
		err = ErrNoScore
	}
	return float64(d.Score) / 100, err
}
