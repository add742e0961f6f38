package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"gyges/agents"
	"gyges/agents/tuning/dataset"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
	"gyges/tournament/record"
)

// Search is how the positions of games are searched anew before they become training positions: for
// better scores than those of fast games, and for positions such as searches evaluate, which games
// seldom reach. Each of them is searched by itself: bounds of the tree's own search, as in J.
// Veness and others, "Bootstrapping from game tree search" (2009), gave weaker weights
// (results/reference/training.md).
type Search struct {
	Agent agents.Spec `yaml:"agent" name:"search" form:"an agent spec, like alphabeta:nodes=5000" placeholder:"AGENT" help:"Agent that searches positions of the games anew, like alphabeta:nodes=5000. Default: none, scores are those of the games."`
	Share float64     `yaml:"share" name:"search-share" check:"0..1" placeholder:"SHARE" help:"Share of the games' positions that are searched, 0 to 1; the others keep the scores of the games."`
	Tree  int         `yaml:"tree" name:"search-tree" check:"0..1000" placeholder:"N" zero:"none" help:"Search up to N positions of each search tree, too, and learn from their scores."`
}

// check adds the invalid settings to p, but for the bounds in their tags.
func (s *Search) check(p *problems.List, prefix string, registry *agents.Registry) {
	if s.Agent.Kind == "" {
		p.Expect(s.Tree == 0, prefix+"search.tree",
			"expected 0 without an agent that searches, found %d", s.Tree)
		return
	}
	a, err := registry.New(s.Agent)
	if err != nil {
		p.Add(prefix+"search.agent", err)
		return
	}
	if s.Tree > 0 {
		p.Expect(a.Capabilities().Sample, prefix+"search.agent",
			"expected an agent that samples its tree, like alphabeta, found %v", s.Agent)
	}
	if err := a.Close(); err != nil {
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

// positions fills in the positions of games on all cores, each as if it were alone, and calls each
// with the games in their order.
func (s *Search) positions(
	ctx context.Context, registry *agents.Registry, games []*searched, each func(*searched) error,
) error {
	work := func(
		ctx context.Context, todo <-chan int, done func(int, *searched),
	) (err error) {
		var a agents.Agent // of each worker
		if s.Agent.Kind != "" {
			a, err = registry.New(s.Agent)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, a.Close()) }()
		}
		for i := range todo {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.convert(ctx, a, games[i]); err != nil {
				return err
			}
			done(i, games[i])
		}
		return nil
	}
	err := lists.InOrder(ctx, runtime.GOMAXPROCS(0), len(games), work, each)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// convert fills in the positions of a game in order, and searches some of them with an
// agent; nil: none.
func (s *Search) convert(ctx context.Context, a agents.Agent, in *searched) error {
	number := uint64(in.record.Game)
	if a != nil {
		if err := a.NewGame(ctx, agents.Setup{Rules: in.rules, Seed: number}); err != nil {
			return err
		}
	}
	g := rules.NewGame(in.rules, in.game.Start())
	for _, t := range in.record.Turns(in.game) {
		// The position before the move, the last one of g.
		draw := agents.MixSeed(1, number, uint64(t.Ply))
		isSearched := a != nil && float64(draw)/math.MaxUint64 < s.Share
		switch {
		case t.Ply == 0: // a placement
		case isSearched:
			if err := s.search(ctx, a, g, in, t); err != nil {
				return fmt.Errorf("game %d, ply %d: %w", in.record.Game, t.Ply, err)
			}
		case in.isRandom(t):
			in.random++
		default:
			in.add(in.played(t), t.Decision)
		}
		g.PlayLegal(t.Move)
	}
	return nil
}

// played returns the position before a move, with the result of the game from the view of its side
// to move.
func (in *searched) played(t record.Turn) dataset.Position {
	p := in.position(t)
	switch record.HalfPoints(in.record.Result, p.Position.Side()) {
	case 2:
		p.Wins = 1
	case 1:
		p.Draws = 1
	default:
		p.Losses = 1
	}
	return p
}

// position returns the position before a move, without a best move, a score and a result.
func (in *searched) position(t record.Turn) dataset.Position {
	return dataset.Position{
		Rules:    in.rules,
		Position: t.Before.WithoutPasses(),
		Game:     in.record.Game,
		Ply:      int32(t.Ply - 1),
		ToEnd:    int32(in.record.Plies - t.Ply + 1),
	}
}

// isRandom reports whether a move was drawn at random: in a game with scores it has none. Such a
// move decides a game, so the position before it has no result.
func (in *searched) isRandom(t record.Turn) bool { return len(in.record.Scores) > 0 && !t.Scored }

// search searches the position before a move, the last one of g, and positions of its search tree,
// which have no result.
func (s *Search) search(
	ctx context.Context, a agents.Agent, g *rules.Game, in *searched, t record.Turn,
) error {
	d, err := a.Choose(ctx, g, agents.Request{Sample: s.Tree})
	if err != nil || !d.Scored {
		return err
	}
	in.searched++
	p := in.position(t)
	if !in.isRandom(t) {
		p = in.played(t)
	}
	in.add(p, d)
	for _, n := range d.Sample {
		p := in.position(t)
		p.Position = n.WithoutPasses()
		d, err := a.Choose(ctx, rules.NewGame(p.Rules, p.Position), agents.Request{})
		if err != nil {
			return err
		}
		if d.Scored {
			in.add(p, d)
		}
	}
	return nil
}

// add adds a position with the score, if there is one, and the best move of a decision.
func (in *searched) add(p dataset.Position, d agents.Decision) {
	p.Scored = d.Scored
	p.Score = d.Score
	p.Move = d.Line()[0]
	in.positions = append(in.positions, p)
}
