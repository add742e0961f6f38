package eval

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/agents/eval/inputs"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// Places of the features in a vector.
const (
	Tempo = iota
	Only1
	Only2
	Only3
	Shared1
	Shared2
	Shared3
	Squares
	SharedSquares
	Mobility
	Moves
	WinnersOwn
	WinnersOpp
	Front
	Active
	Near
	Goals
	Hand1
	Hand2
	Hand3
	WaitOwn
	WaitOpp
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

// listMoves finds it for side, whoever is to move in p: the position's text
// says who is.
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

// slowFeatures computes the features square by square from the lists of moves,
// which must not be empty.
func slowFeatures(own, opp reached, p rules.Position) (f [NumFeatures]float64) {
	side := p.Side()
	f[Tempo] = 1
	f[Front] = float64(rowsAhead(p, side) - rowsAhead(p, side.Other()))
	ownActive, oppActive := own.active(p), opp.active(p)
	f[Active] = float64(len(ownActive) - len(oppActive))
	for s := range rules.Square(rules.NumSquares) {
		h := int(p.At(s))
		if rows := toGoal(s, side); h >= rows && (own.pieces[s] || ownActive[s]) {
			f[Near]++
		}
		if rows := toGoal(s, side.Other()); h >= rows && (opp.pieces[s] || oppActive[s]) {
			f[Near]--
		}
		switch {
		case own.pieces[s] && opp.pieces[s]:
			f[Shared1+h-1]++
		case own.pieces[s]:
			f[Only1+h-1]++
		case opp.pieces[s]:
			f[Only1+h-1]--
		}
		switch {
		case own.ends[s] && opp.ends[s]:
			f[SharedSquares]++
		case own.ends[s]:
			f[Squares]++
		case opp.ends[s]:
			f[Squares]--
		}
	}
	f[Moves] = float64(own.moves - opp.moves)
	f[Mobility] = math.Log2(float64(1+own.moves)) - math.Log2(float64(1+opp.moves))
	f[WinnersOwn], f[WinnersOpp] = float64(own.winners), float64(opp.winners)
	f[Goals] = float64(p.Goals(side) - p.Goals(side.Other()))
	for h := 1; h <= 3; h++ {
		f[Hand1+h-1] = float64(p.Hand(side, rules.Height(h)) - p.Hand(side.Other(), rules.Height(h)))
	}
	if p.TookOut(side) {
		f[WaitOwn] = 1
	}
	if p.TookOut(side.Other()) {
		f[WaitOpp] = 1
	}
	return f
}

// extractFeatures fills f with the features of p.
func extractFeatures(r *rules.Rules, p rules.Position, f *[NumFeatures]float64) {
	e := Evaluator{rules: r}
	e.Extract(p, f, new(inputs.List))
}

func TestFeaturesAgreeWithListsOfMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := drawPosition(t)
		var got [NumFeatures]float64
		extractFeatures(r, p, &got)
		own, opp := listMoves(t, r, p, p.Side()), listMoves(t, r, p, p.Side().Other())
		want := slowFeatures(own, opp, p)
		if own.moves == 0 || opp.moves == 0 {
			return // which row counts as active is no matter then
		}
		for i := range want {
			require.InDelta(t, want[i], got[i], 1.0/256, "%s in %s", names[i], r.FormatPosition(p))
		}
	})
}

func TestBothSidesSeeTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := drawPosition(t)
		var a, b [NumFeatures]float64
		extractFeatures(r, p, &a)
		extractFeatures(r, p.Rotate(), &b)
		require.Equal(t, a, b)
	})
}

// Seen from the other side to move, a difference changes its sign and what both
// share stays.
func TestTheOtherSidesView(t *testing.T) {
	r := rules.MustParse("standard")
	same := []int{Tempo, Shared1, Shared2, Shared3, SharedSquares}
	opposite := []int{Only1, Only2, Only3, Squares, Mobility, Moves, Front, Active, Near}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		p := agenttest.RandomGame(r, rng, rng.IntN(30)).Position()
		board, _, _ := strings.Cut(r.FormatPosition(p), " ")
		q, err := r.ParsePosition(board + " " + string(p.Side().Other().Letter()))
		require.NoError(t, err)
		var a, b [NumFeatures]float64
		extractFeatures(r, p, &a)
		extractFeatures(r, q, &b)
		for _, i := range same {
			require.Equal(t, a[i], b[i], names[i])
		}
		for _, i := range opposite {
			require.Equal(t, a[i], -b[i], names[i])
		}
		require.Equal(t, a[WinnersOwn], b[WinnersOpp])
	}
}

func TestNamesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names() {
		require.NotEmpty(t, name)
		require.False(t, seen[name], name)
		seen[name] = true
	}
	require.Len(t, Names(), NumFeatures)
}

func TestScoreIsTheSumOfWeightTimesFeature(t *testing.T) {
	r := rules.MustParse("kang")
	w := Weights{Rules: Kang}
	for i := range w.Values {
		w.Values[i] = float64(i) - 7.25
	}
	e, err := New(w, r)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		p := agenttest.RandomGame(r, rng, rng.IntN(60)).Position()
		var f [NumFeatures]float64
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
		w.Values[Tempo], w.Values[Goals] = sign*MaxWeight, sign*MaxWeight
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
		var f [NumFeatures]float64
		require.Zero(t, testing.AllocsPerRun(100, func() {
			e.Score(p)
			e.Extract(p, &f, new(inputs.List))
		}))
	}
}

func BenchmarkEvaluate(b *testing.B) {
	for _, name := range []string{"standard", "simplified", "kang"} {
		b.Run(name, func(b *testing.B) {
			r := rules.MustParse(name)
			e, err := ForRules(r)
			require.NoError(b, err)
			rng := rand.New(rand.NewPCG(1, 2))
			positions := make([]rules.Position, 256)
			for i := range positions {
				positions[i] = agenttest.RandomGame(r, rng, rng.IntN(20)).Position()
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e.Score(positions[i%len(positions)])
			}
		})
	}
}
