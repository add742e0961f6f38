package review

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/solver"
	"gyges/rules"
)

// How positions are searched, and wins proven.

// value is what is known of a position.
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

// before returns the value of a position in which a move leads to one of value v, if no
// other move counts.
func (v *value) before() agents.Score {
	plies, _ := v.score.Proven()
	switch v.proven() {
	case 1:
		return -agents.WinIn(plies + 1)
	case -1:
		return agents.WinIn(1 - plies)
	}
	return -v.score
}

// spec returns the spec of the agent that searches: its tables suit the number of nodes.
func spec(nodes int64) agents.Spec {
	const nodesPerMegabyte = 40_000
	megabytes := min(max(nodes/nodesPerMegabyte, 1), 64)
	return agents.Spec{Kind: "alphabeta"}.With("hash", fmt.Sprint(megabytes))
}

// position searches the present position of g, which is not over, and where one side is far ahead
// looks for a proof.
func (r *Reviewer) position(ctx context.Context, g *rules.Game) (value, error) {
	v, err := r.search(ctx, g, agents.Limits{Nodes: r.nodes}, nil)
	if err != nil || v.proven() != 0 {
		return v, err
	}
	const far = 0.85 // below it few searches for a proof succeed
	p := eval.WinProbability(v.score, g.Rules())
	if 1-far < p && p < far {
		return v, nil
	}
	return r.prove(ctx, g, v)
}

// search searches the present position of g without some moves. Of a search that ends by nodes the
// last whole iteration counts, so that scores are of one depth.
func (r *Reviewer) search(
	ctx context.Context, g *rules.Game, limits agents.Limits, excluded []rules.Move,
) (value, error) {
	setup := agents.Setup{Rules: g.Rules(), Side: g.Position().Side(), Seed: 1,
		OnRepetition: r.policy}
	if err := r.agent.NewGame(ctx, setup); err != nil {
		return value{}, err
	}

	// A search by nodes ends within an iteration.
	var last agents.Decision // of the last whole iteration
	note := func(d agents.Decision) {
		last = d
		last.PV = slices.Clone(d.PV)
	}
	d, err := r.agent.Choose(ctx, g, agents.Request{Limits: limits, Exclude: excluded, Info: note})
	if ctx.Err() != nil {
		return value{}, ctx.Err()
	}
	if err != nil {
		return value{}, err
	}
	won := d.Scored && d.Score >= agents.WinScore
	switch {
	case won:
	case last.Depth > 0:
		d = last
	case limits.Depth != 1: // not even one iteration: the bound was too low for the position
		return r.search(ctx, g, agents.Limits{Depth: 1}, excluded)
	}
	return value{d.Score, d.PV, d.Depth}, nil
}

// alone searches a legal move by itself: to the depth at which v, the value of its position, was
// found, as even and odd depths differ, or where v is proven with all nodes.
func (r *Reviewer) alone(ctx context.Context, g *rules.Game, m rules.Move, v value) (value, error) {
	const most = 8 // times the nodes: a bound for rare cases
	limits := agents.Limits{Depth: v.depth, Nodes: most * r.nodes}
	if v.proven() != 0 {
		limits = agents.Limits{Nodes: r.nodes}
	}
	var others []rules.Move
	for other := range g.Legal().All() {
		if other != m {
			others = append(others, other)
		}
	}
	return r.search(ctx, g, limits, others)
}

// prove looks for a proof that a side wins in the present position of g, of value v. Without
// one it returns v.
func (r *Reviewer) prove(ctx context.Context, g *rules.Game, v value) (value, error) {
	ahead := g.Position().Side()
	if v.score < 0 {
		ahead = ahead.Other()
	}
	if !lastGoal(g.Rules(), g.Position(), ahead) {
		return v, nil // of several goals more hardly any proof is found
	}
	fresh := rules.NewGame(g.Rules(), g.Position()) // the prover knows no history
	win, _, err := r.prover.Prove(ctx, fresh, r.eval, solver.MaxDepth, r.proofNodes)
	if err != nil || win == nil {
		return v, err
	}

	// The proof holds if the game is long enough, and no repetition is in its way.
	plies := win.Roots[0].Plies
	left := g.Rules().Options().MaxPlies - g.Ply()
	if plies > left || repeats(g, win.All()) {
		return v, nil
	}

	longest := int(agents.WinTop - agents.WinScore) // that a score can tell
	won := value{agents.WinIn(min(plies, longest)), win.Line(g.Position()), v.depth}
	if win.Winner != g.Position().Side() {
		won.score = -won.score
	}
	return won, nil
}

// repeats reports whether a strategy of these moves may not hold, as a position of it is forbidden
// now as a repetition.
func repeats(g *rules.Game, moves iter.Seq2[rules.Position, rules.Move]) bool {
	forbidden := g.Forbidden()
	if len(forbidden) == 0 {
		return false
	}
	for before, m := range moves {
		after := g.Rules().Apply(before, m)
		for _, p := range []rules.Position{before, after} {
			if slices.Contains(forbidden, p.Key()) {
				return true
			}
		}
	}
	return false
}

// lastGoal reports whether a side wins by its next goal, as it does under all rules but Kang.
func lastGoal(r *rules.Rules, p rules.Position, side rules.Side) bool {
	return !r.Options().Kang || p.Goals(side) >= rules.KangGoals-1
}
