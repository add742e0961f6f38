package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/agents/tuning/dataset"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/tournament/record"
)

// Search is how the positions of games are searched anew before they become training positions: for better scores
// than those of fast games, and for positions such as searches evaluate, which games seldom reach. Each of them is
// searched by itself: bounds of the tree's own search, as in J. Veness and others, "Bootstrapping from game tree
// search" (2009), gave weaker weights (results/reference/training.md).
type Search struct {
	Agent agents.Spec `yaml:"agent" name:"search" form:"an agent spec, like alphabeta:nodes=5000" placeholder:"AGENT" help:"Agent that searches positions of the games anew, like alphabeta:nodes=5000. Default: none, scores are those of the games."`
	Share float64     `yaml:"share" name:"search-share" check:"0..1" placeholder:"SHARE" help:"Share of the games' positions that are searched, 0 to 1; the others keep the scores of the games."`
	Tree  int         `yaml:"tree" name:"search-tree" check:"0..1000" placeholder:"N" zero:"none" help:"Search up to N positions of each search tree, too, and learn from their scores."`
}

// check adds the invalid settings to p, but for the bounds in their tags.
func (s *Search) check(p *problems.List, prefix string, registry *agents.Registry) {
	if s.Agent.Kind == "" {
		p.Expect(s.Tree == 0, prefix+"search.tree", "expected 0 without an agent that searches, found %d", s.Tree)
		return
	}
	a, err := registry.New(s.Agent)
	if err == nil {
		p.Expect(s.Tree == 0 || a.Capabilities().Sample, prefix+"search.agent",
			"expected an agent that samples its tree, like alphabeta, found %v", s.Agent)
		err = a.Close()
	}
	if err != nil {
		p.Add(prefix+"search.agent", err)
	}
}

// searched is a game whose positions may be searched, and the training positions that it gives.
type searched struct {
	record    *record.Record
	rules     *rules.Rules // one pointer for all games under the same rules
	game      *rules.Game
	searched  int // positions of the game that were searched
	random    int // others before a random move, which are omitted
	positions []dataset.Position
}

// positions fills in the positions of games on all cores, each as if it were alone, and calls done after each game.
func (s *Search) positions(ctx context.Context, registry *agents.Registry, games []*searched, done func()) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(games)) {
		g.Go(func() (err error) {
			var a agents.Agent
			if s.Agent.Kind != "" {
				if a, err = registry.New(s.Agent); err != nil {
					return err
				}
				defer func() { err = errors.Join(err, a.Close()) }()
			}
			for i := next.Add(1); i <= int64(len(games)) && ctx.Err() == nil; i = next.Add(1) {
				if err := s.convert(ctx, a, games[i-1]); err != nil {
					return err
				}
				done()
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// convert fills in the positions of a game in order, and searches some of them with an agent; nil: none.
func (s *Search) convert(ctx context.Context, a agents.Agent, in *searched) error {
	r, number := in.rules, uint64(in.record.Game)
	if a != nil {
		if err := a.NewGame(ctx, agents.Setup{Rules: r, Seed: number}); err != nil {
			return err
		}
	}
	g := rules.NewGame(r, in.game.Start())
	for i, t := range in.record.Turns(in.game) {
		p := dataset.Position{
			Rules: r, Position: t.Before.WithoutPasses(), Move: t.Line()[0],
			Game: in.record.Game, Ply: int32(t.Ply - 1), ToEnd: int32(in.record.Plies - t.Ply + 1),
		}
		scored := len(in.record.Scores) > 0
		random := scored && in.record.Scores[i] == record.NoScore
		switch {
		case t.Ply == 0: // a placement
		case a != nil && float64(agents.MixSeed(1, number, uint64(t.Ply)))/math.MaxUint64 < s.Share:
			if err := s.position(ctx, a, g, in, p, random); err != nil {
				return fmt.Errorf("game %d, ply %d: %w", in.record.Game, t.Ply, err)
			}
		case random:
			in.random++
		default:
			if p.Scored = scored; scored {
				p.Score = agents.Score(in.record.Scores[i])
			}
			setResult(&p, in.record)
			in.positions = append(in.positions, p)
		}
		g.PlayLegal(t.Move)
	}
	return nil
}

// position searches p, the last position of g, and positions of its search tree. Those have no result, nor has p if the
// move played there was random, as that decides a game.
func (s *Search) position(
	ctx context.Context, a agents.Agent, g *rules.Game, in *searched, p dataset.Position, random bool,
) error {
	d, err := a.Choose(ctx, g, agents.Request{Sample: s.Tree})
	if err != nil || !d.Scored {
		return err
	}
	in.searched++
	p.Score, p.Scored, p.Move = d.Score, true, d.Line()[0]
	in.positions = append(in.positions, p)
	if !random {
		setResult(&in.positions[len(in.positions)-1], in.record)
	}
	for _, n := range d.Sample {
		p.Position = n.WithoutPasses()
		if d, err = a.Choose(ctx, rules.NewGame(p.Rules, p.Position), agents.Request{}); err != nil {
			return err
		}
		if d.Scored {
			p.Score, p.Move = d.Score, d.Line()[0]
			in.positions = append(in.positions, p)
		}
	}
	return nil
}
