package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/agents/eval/inputs"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// drawPosition draws a preset and a position of it in which play has begun.
func drawPosition(t *rapid.T) (*rules.Rules, rules.Position) {
	preset := rapid.SampledFrom(rules.Presets()).Draw(t, "preset")
	r, err := rules.New(preset.Name, preset.Options)
	require.NoError(t, err)
	seed := rapid.Uint64().Draw(t, "seed")
	plies := rapid.IntRange(0, 60).Draw(t, "plies")
	return r, agenttest.RandomGame(r, rand.New(rand.NewPCG(seed, 0)), plies).Position()
}

// reached is what a side can do, found by listing its moves.
type reached struct {
	sources, ends, pieces map[rules.Square]bool
	winners, moves        int
}

// listMoves finds it for side, whoever is to move in p: the position's text says who is.
func listMoves(t require.TestingT, r *rules.Rules, p rules.Position, side rules.Side) reached {
	text := []byte(r.FormatPosition(p))
	text[strings.IndexByte(string(text), ' ')+1] = side.Letter()
	p, err := r.ParsePosition(string(text))
	require.NoError(t, err)
	c := reached{map[rules.Square]bool{}, map[rules.Square]bool{}, map[rules.Square]bool{}, 0, 0}
	var ms rules.MoveSet
	r.Moves(p, &ms)
	for m := range ms.All() {
		if m == rules.Pass {
			continue
		}
		c.moves++
		if m.From() != rules.NoSquare {
			c.sources[m.From()] = true
		}
		switch {
		case m.IsGoal():
			c.winners++
		case m.Drop() != rules.NoSquare: // looked at below
		default:
			c.ends[m.To()] = true
		}
	}
	// What courses land on shows only where pieces can be displaced.
	o := r.Options()
	o.Relocation, o.NullMove = true, rules.AllowNull
	displacing, err := rules.New("displacing", o)
	require.NoError(t, err)
	displacing.Moves(p, &ms)
	for m := range ms.All() {
		if m.Drop() != rules.NoSquare {
			c.pieces[m.To()] = true
		}
	}
	return c
}

// active returns the pieces of the row that moves start from.
func (c reached) active(p rules.Position) map[rules.Square]bool {
	active := map[rules.Square]bool{}
	for from := range c.sources {
		for file := range rules.Files {
			if s := rules.SquareAt(file, from.Row()); p.At(s) > 0 {
				active[s] = true
			}
		}
	}
	return active
}

// toGoal returns how many rows lie from s to beyond side's far row.
func toGoal(s rules.Square, side rules.Side) int {
	if side == rules.South {
		return rules.Rows - s.Row()
	}
	return s.Row() + 1
}

// rowsAhead returns how many rows side's nearest piece stands ahead of its home row.
func rowsAhead(p rules.Position, side rules.Side) int {
	ahead := rules.Rows
	for s := range p.Occupied().All() {
		ahead = min(ahead, rules.Rows-toGoal(s, side))
	}
	return ahead % rules.Rows
}

// slowFeatures computes features square by square from the lists of moves, which must not be empty.
func slowFeatures(own, opp reached, p rules.Position) map[string]float64 {
	f := map[string]float64{
		"tempo": 1, "near": 0, "squares": 0, "shared_squares": 0, "only1": 0, "only2": 0, "only3": 0,
		"shared1": 0, "shared2": 0, "shared3": 0, "wait_own": 0, "wait_opp": 0,
	}
	side := p.Side()
	f["front"] = float64(rowsAhead(p, side) - rowsAhead(p, side.Other()))
	ownActive, oppActive := own.active(p), opp.active(p)
	f["active"] = float64(len(ownActive) - len(oppActive))
	for s := range rules.Square(rules.NumSquares) {
		h := int(p.At(s))
		if rows := toGoal(s, side); h >= rows && (own.pieces[s] || ownActive[s]) {
			f["near"]++
		}
		if rows := toGoal(s, side.Other()); h >= rows && (opp.pieces[s] || oppActive[s]) {
			f["near"]--
		}
		switch {
		case own.pieces[s] && opp.pieces[s]:
			f[fmt.Sprint("shared", h)]++
		case own.pieces[s]:
			f[fmt.Sprint("only", h)]++
		case opp.pieces[s]:
			f[fmt.Sprint("only", h)]--
		}
		switch {
		case own.ends[s] && opp.ends[s]:
			f["shared_squares"]++
		case own.ends[s]:
			f["squares"]++
		case opp.ends[s]:
			f["squares"]--
		}
	}
	f["moves"] = float64(own.moves - opp.moves)
	f["mobility"] = math.Log2(float64(1+own.moves)) - math.Log2(float64(1+opp.moves))
	f["winners_own"], f["winners_opp"] = float64(own.winners), float64(opp.winners)
	f["goals"] = float64(p.Goals(side) - p.Goals(side.Other()))
	for h := 1; h <= 3; h++ {
		f[fmt.Sprint("hand", h)] = float64(p.Hand(side, rules.Height(h)) - p.Hand(side.Other(), rules.Height(h)))
	}
	if p.TookOut(side) {
		f["wait_own"] = 1
	}
	if p.TookOut(side.Other()) {
		f["wait_opp"] = 1
	}
	return f
}

func TestFeaturesAgreeWithListsOfMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := drawPosition(t)
		var got Vector
		(&Evaluator{rules: r}).Extract(p, &got, new(inputs.List))
		own, opp := listMoves(t, r, p, p.Side()), listMoves(t, r, p, p.Side().Other())
		want := slowFeatures(own, opp, p)
		if own.moves == 0 || opp.moves == 0 {
			return // which row counts as active is no matter then
		}
		for name, x := range want {
			require.InDelta(t, x, got[slices.Index(names, name)], 1.0/256, "%s in %s", name, r.FormatPosition(p))
		}
	})
}

func TestScoreIsTheSumOfWeightTimesFeature(t *testing.T) {
	r := rules.MustParse("kang")
	w := Weights{Rules: Kang}
	for i := range names {
		w.Values[i] = float64(i) - 7.25
	}
	e, err := New(w, r)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		p := agenttest.RandomGame(r, rng, rng.IntN(60)).Position()
		var f Vector
		e.Extract(p, &f, new(inputs.List))
		sum := 0.0
		for i := range f {
			sum += w.Values[i] * f[i]
		}
		require.InDelta(t, sum, float64(e.Score(p)), 0.5001)
	}
}

func TestScoreIsBounded(t *testing.T) {
	r := rules.MustParse("kang")
	p := agenttest.Game(t, r, "002310/000000/000000/000000/000000/000000 s 211/122 2-0 -").Position()
	for _, sign := range []float64{1, -1} {
		w := Weights{Rules: Kang}
		*w.Feature("tempo"), *w.Feature("goals") = sign*MaxWeight, sign*MaxWeight
		e, err := New(w, r)
		require.NoError(t, err)
		require.Equal(t, agents.Score(sign)*agents.MaxEval, e.Score(p))
	}
}

func TestEvaluatingAllocatesNothing(t *testing.T) {
	for _, name := range []string{"standard", "simplified", "kang"} {
		r := rules.MustParse(name)
		e, err := ForRules(r)
		require.NoError(t, err)
		p := agenttest.RandomGame(r, rand.New(rand.NewPCG(5, 5)), 10).Position()
		var f Vector
		require.Zero(t, testing.AllocsPerRun(100, func() {
			e.Score(p)
			e.Extract(p, &f, new(inputs.List))
		}))
	}
}
