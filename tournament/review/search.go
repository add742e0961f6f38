package review

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/solver"
	"gyges/agents/solver/strategy"
	"gyges/rules"
)

type value struct {
	score agents.Score // for the side to move
	line  []rules.Move // the best move and what is expected after it; may be empty
	depth int          // plies searched
}

// proven reports whether the position is won (1) or lost (-1) for certain; 0 if neither is known.
func (v *value) proven() int {
	_, ok := v.score.Proven()
	switch {
	case !ok:
		return 0
	case v.score > 0:
		return 1
	}
	return -1
}

// before returns the value of a position in which a move leads to one of value v, if no other move counts.
func (v *value) before() agents.Score {
	switch plies, _ := v.score.Proven(); v.proven() {
	case 1:
		return -agents.WinIn(plies + 1)
	case -1:
		return agents.WinIn(1 - plies)
	}
	return -v.score
}

// Spec returns the spec of the agent that searches: its tables suit the number of nodes.
func Spec(nodes int64) agents.Spec {
	const nodesPerMegabyte = 40_000
	megabytes := min(max(nodes/nodesPerMegabyte, 1), 64)
	return agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "hash", Value: fmt.Sprint(megabytes)}}}
}

// position searches the present position of g, which is not over, and where one side is far ahead looks for a proof.
func (r *Reviewer) position(ctx context.Context, g *rules.Game) (value, error) {
	v, err := r.search(ctx, g, agents.Limits{Nodes: r.nodes}, nil)
	if err != nil || v.proven() != 0 {
		return v, err
	}
	const far = 0.85 // below it few searches for a proof succeed
	if p := eval.WinProbability(v.score, g.Rules()); p < far && p > 1-far {
		return v, nil
	}
	return r.prove(ctx, g, v)
}

// search searches the present position of g without some moves. Of a search that ends by nodes the last
// whole iteration counts, so that scores are of one depth.
func (r *Reviewer) search(
	ctx context.Context, g *rules.Game, lim agents.Limits, excluded []rules.Move,
) (value, error) {
	setup := agents.Setup{Rules: g.Rules(), Side: g.Position().Side(), Seed: 1, OnRepetition: r.policy}
	if err := r.agent.NewGame(ctx, setup); err != nil {
		return value{}, err
	}
	var last agents.Decision // of the last whole iteration
	note := func(d agents.Decision) {
		last = d
		last.PV = slices.Clone(d.PV)
	}
	d, err := r.agent.Choose(ctx, g, agents.Request{Limits: lim, Exclude: excluded, Info: note})
	switch {
	case ctx.Err() != nil:
		return value{}, ctx.Err()
	case err != nil:
		return value{}, err
	}
	switch won := d.Scored && d.Score >= agents.WinScore; {
	case !won && last.Depth > 0:
		d = last
	case !won && lim.Depth != 1: // not even one iteration: the bound was too low for the position
		return r.search(ctx, g, agents.Limits{Depth: 1}, excluded)
	}
	return value{d.Score, d.PV, d.Depth}, nil
}

// alone searches a legal move by itself: to the depth at which v, the value of its position, was found, as
// even and odd depths differ, or where v is proven with all nodes.
func (r *Reviewer) alone(ctx context.Context, g *rules.Game, m rules.Move, v value) (value, error) {
	const most = 8 // times the nodes: a bound for rare cases
	lim := agents.Limits{Depth: v.depth, Nodes: most * r.nodes}
	if v.proven() != 0 {
		lim = agents.Limits{Nodes: r.nodes}
	}
	var others []rules.Move
	for other := range g.Legal().All() {
		if other != m {
			others = append(others, other)
		}
	}
	return r.search(ctx, g, lim, others)
}

// prove looks for a proof that a side wins in the present position of g, of value v. Without one it returns v.
func (r *Reviewer) prove(ctx context.Context, g *rules.Game, v value) (value, error) {
	ahead := g.Position().Side()
	if v.score < 0 {
		ahead = ahead.Other()
	}
	if !lastGoal(g.Rules(), g.Position(), ahead) {
		return v, nil // of several goals more hardly any proof is found
	}
	left := g.Rules().Options().MaxPlies - g.Ply()
	fresh := rules.NewGame(g.Rules(), g.Position()) // the prover knows no history
	win, _, err := r.prover.Prove(ctx, fresh, r.eval, solver.MaxDepth, r.proofNodes)
	if err != nil || win == nil || win.Roots[0].Plies > left || repeats(g, win.All()) {
		return v, err
	}
	won := proven(g, win)
	won.depth = v.depth
	return won, nil
}

// proven is the value of the present position of g, in which a side wins.
func proven(g *rules.Game, w *strategy.Strategy) value {
	v := value{agents.WinIn(min(w.Roots[0].Plies, int(agents.WinTop-agents.WinScore))), w.Line(g.Position()), 0}
	if w.Winner != g.Position().Side() {
		v.score = -v.score
	}
	return v
}

// repeats reports whether a strategy of these moves may not hold, as a position of it is forbidden now as a repetition.
func repeats(g *rules.Game, moves iter.Seq2[rules.Position, rules.Move]) bool {
	forbidden := g.Forbidden()
	if len(forbidden) == 0 {
		return false
	}
	for p, m := range moves {
		if slices.Contains(forbidden, p.Key()) || slices.Contains(forbidden, g.Rules().Apply(p, m).Key()) {
			return true
		}
	}
	return false
}

// lastGoal reports whether a side wins by its next goal, as it does under all rules but Kang.
func lastGoal(r *rules.Rules, p rules.Position, side rules.Side) bool {
	return !r.Options().Kang || p.Goals(side) >= rules.KangGoals-1
}
