// Package proof is an agent that plays the proven wins that ship with the program, and elsewhere like another one.
package proof

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"gyges/agents"
	"gyges/agents/solver"
	"gyges/rules"
)

// param names the agent it plays like.
const param = "agent"

// Kind returns the kind of agent that plays proven wins, and elsewhere like an agent of the registry.
func Kind(registry *agents.Registry) agents.Kind {
	return agents.Kind{
		Name: "proof",
		Doc:  "plays the proven wins of the simplified game, and elsewhere like another agent",
		Params: []agents.ParamDef{{
			Name: param, Type: agents.Text, Spec: true, Default: "alphabeta",
			Doc: "spec of the agent it plays like where nothing is proven, quoted where it has a comma",
		}},
		Around: Kind,
		New: func(v agents.Values) (agents.Agent, error) {
			inner, err := registry.Wrap(v[param])
			if err != nil {
				return nil, err
			}
			proofs, err := solver.Shipped()
			return &player{inner, proofs}, err
		},
	}
}

type player struct {
	agents.Wrapped
	proofs *solver.Proofs
}

var _ agents.Agent = (*player)(nil)

// Choose plays a proven win, and places the row that wins, or else the one that holds out longest.
func (a *player) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	side := g.Position().Side()
	if g.Rules().SettingUp(g.Position()) {
		if m := a.place(g, side); m != rules.NoMove {
			return agents.Decision{Move: m}, nil
		}
	} else if k, ok := a.proofs.Lookup(g); ok && k.Winner == side && len(k.Line) > 0 {
		return agents.Decision{Move: k.Line[0], Scored: true, Score: agents.WinIn(k.Plies), PV: k.Line}, nil
	}
	return a.Wrapped.Choose(ctx, g, lim)
}

// place returns a placement of the row whose result against the best reply is best, NoMove where the proofs are of
// other set-ups.
func (a *player) place(g *rules.Game, side rules.Side) rules.Move {
	r, p := g.Rules(), g.Position()
	if !a.proofs.Covers(r) {
		return rules.NoMove
	}
	worst := map[row]int{} // results against the best replies
	setups := r.Setups()
	for i := range 2 * setups.Len() {
		s := setups.At(i / 2)
		if i%2 == 1 {
			s = s.Mirror()
		}
		if agree(p, s) {
			own, v := rowOf(s, side), a.value(r, s, side)
			if before, ok := worst[own]; !ok || v < before {
				worst[own] = v
			}
		}
	}
	rows := slices.SortedFunc(maps.Keys(worst), func(a, b row) int {
		return cmp.Or(worst[b]-worst[a], slices.Compare(a[:], b[:]))
	})
	for m := range g.Legal().All() {
		if rows[0][m.To().File()] == m.FromHand() {
			return m
		}
	}
	return rules.NoMove
}

// row is a side's row as it places it, from file a on.
type row [rules.Files]rules.Height

func rowOf(setup rules.Position, side rules.Side) (heights row) {
	for file := range heights {
		heights[file] = setup.At(rules.SquareAt(file, int(side)*(rules.Rows-1)))
	}
	return heights
}

// agree reports whether the pieces of p stand in a set-up, too.
func agree(p, setup rules.Position) bool {
	for h := rules.Height(1); h <= 3; h++ {
		if p.OfHeight(h)&^setup.OfHeight(h) != 0 {
			return false
		}
	}
	return true
}

// value orders the results of a set-up for a side: quick wins before slow ones, and slow losses before quick ones.
func (a *player) value(r *rules.Rules, setup rules.Position, side rules.Side) int {
	k, ok := a.proofs.Lookup(rules.NewGame(r, setup))
	if !ok {
		return 0
	}
	const most = 1000 // plies
	v := most - k.Plies
	if len(k.Line) == 0 { // no strategy is at hand
		v -= most / 2
	}
	if k.Winner != side {
		return -v
	}
	return v
}
