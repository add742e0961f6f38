package sprt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKnownValues(t *testing.T) {
	normalized := Test{0, 2, 0.05, 0.05, Normalized}
	require.InDelta(t, 2.2504, normalized.LLR(Pairs{365, 16618, 36229, 16974, 390}), 5e-5)
	logistic := Test{0.5, 2.5, 0.05, 0.05, Logistic}
	require.InDelta(t, -3.0741, logistic.LLR(Pairs{223, 9863, 21279, 10037, 246}), 5e-5)
	lower, upper := logistic.Bounds()
	require.InDelta(t, -2.944439, lower, 1e-6)
	require.InDelta(t, 2.944439, upper, 1e-6)
}

// lopsided are counts that make trouble where methods are careless.
func lopsided() []Pairs {
	list := []Pairs{{0, 0, 0, 0, 1}, {1, 0, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 1, 0, 0, 0}, {1, 0, 0, 0, 1},
		{362, 0, 1, 0, 0}, {363, 1, 0, 0, 0}, {0, 0, 0, 1, 99999}, {0, 0, 100000, 0, 0}, {0, 5, 0, 5, 0}, {50, 0, 0, 0, 50},
		{0, 1, 1e6, 0, 0}, {0, 0, 0, 0, 1e6}}
	rng := rand.New(rand.NewPCG(6, 6))
	for range 200 {
		var p Pairs
		for i := range p {
			if rng.IntN(2) > 0 {
				p[i] = int64(math.Exp(rng.Float64() * 10))
			}
		}
		if p.N() > 0 {
			list = append(list, p)
		}
	}
	return list
}

// The distributions meet their condition and no neighbour that does is likelier, for any counts and
// any bounds.
func TestLawsAreTheLikeliest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, counts := range lopsided() {
		for _, model := range []Model{Logistic, Normalized} {
			for _, elo := range []float64{-200, -5, 0, 60} {
				name := fmt.Sprintf("%v %s %v", counts, model, elo)
				_, seen := counts.shares()
				p := Test{Model: model}.likeliest(seen, elo)
				require.InDelta(t, elo, eloOf(model, p), 1e-4, name)
				for range 10 {
					q := neighbour(rng, model, p, elo)
					require.LessOrEqual(t, likelihood(seen, q), likelihood(seen, p)+1e-7, "%s: %v is better than %v", name, q, p)
				}
			}
		}
	}
}

func likelihood(seen, p distribution) float64 {
	sum := 0.0
	for i := range p {
		sum += seen[i] * math.Log(p[i])
	}
	return sum
}

// eloOf is the strength by the models' definitions.
func eloOf(model Model, p distribution) float64 {
	mean, square := 0.0, 0.0
	for i, x := range p {
		mean += x * float64(i) / 4
		square += x * float64(i*i) / 16
	}
	if model == Logistic {
		return 400 * math.Log10(mean/(1-mean))
	}
	return (mean - 0.5) / math.Sqrt(2*(square-mean*mean)) * 800 / math.Ln10
}

// neighbour returns a distribution near p of the same strength: a random step, mended by
// moving weight between the ends of the scale.
func neighbour(rng *rand.Rand, model Model, p distribution, elo float64) distribution {
	step := math.Exp(-rng.Float64() * 12)
	q, sum := p, 0.0
	for i := range q {
		q[i] *= math.Exp(step * rng.NormFloat64())
		sum += q[i]
	}
	for i := range q {
		q[i] /= sum
	}
	low, high := -q[4], q[0] // moved from 0 to 1
	moved := func(x float64) distribution { m := q; m[0] -= x; m[4] += x; return m }
	for {
		x := (low + high) / 2
		if x <= low || x >= high {
			break // they are adjacent numbers
		}
		if eloOf(model, moved(x)) < elo {
			low = x
		} else {
			high = x
		}
	}
	m := moved(low)
	if m[0] <= 0 || m[4] <= 0 || math.Abs(eloOf(model, m)-elo) > 1e-6 {
		return p // that way doesn't lead there
	}
	return m
}

func TestLLRIsDefinedAndFair(t *testing.T) {
	t.Parallel()
	for _, model := range []Model{Logistic, Normalized} {
		test := Test{0, 5, 0.05, 0.05, model}
		mirror := Test{-5, 0, 0.05, 0.05, model}
		require.Zero(t, test.LLR(Pairs{}))
		for _, p := range lopsided() {
			llr := test.LLR(p)
			require.False(t, math.IsNaN(llr) || math.IsInf(llr, 0), "%v", p)
			back := Pairs{p[4], p[3], p[2], p[1], p[0]}
			require.InDelta(t, -llr, mirror.LLR(back), 1e-6*(1+math.Abs(llr)), "%v", p)
		}
		require.Negative(t, test.LLR(Pairs{1}))
		require.Positive(t, test.LLR(Pairs{4: 1}))
		require.Equal(t, AcceptH0, test.Verdict(Pairs{362, 0, 1, 0, 0}), "1 win, no draw, 726 losses, more or less")
		require.Equal(t, Undecided, test.Verdict(Pairs{}))
	}
}

// advance plays pairs, to a number of them at most, while the test can't be decided. LLR is
// computed only where it may have reached a bound: a pair adds no more than the largest gain, which
// hardly changes meanwhile.
func advance(rng *rand.Rand, test Test, truth distribution, p *Pairs, limit int64) {
	skip := int64(1)
	if p.N() > 50 {
		lower, upper := test.Bounds()
		llr, most := test.LLR(*p), 0.0
		_, shares := p.shares()
		for _, g := range test.gains(shares) {
			most = max(most, math.Abs(g))
		}
		skip = max(1, int64(0.8*min(llr-lower, upper-llr)/most))
	}
	for range min(skip, limit-p.N()) {
		p[drawn(rng, truth)]++
	}
}

// drawn returns a pair's half points.
func drawn(rng *rand.Rand, truth distribution) int {
	x, i := rng.Float64(), 0
	for i < 4 && x >= truth[i] {
		x -= truth[i]
		i++
	}
	return i
}

func TestParse(t *testing.T) {
	got, err := Parse("elo0=-3,model=logistic")
	require.NoError(t, err)
	require.Equal(t, Test{-3, 5, 0.05, 0.05, Logistic}, got)
	again, err := Parse(got.String())
	require.NoError(t, err)
	require.Equal(t, got, again)
	for _, text := range []string{"", "elo0", "elo0=x", "elo0=5", "elo0=NaN", "elo1=201", "elo0=-201", "elo0=0,elo0=1",
		"alpha=0", "alpha=0.5", "beta=-1", "beta=NaN", "model=x", "model=", "x=1", "elo0=1,"} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
}

func TestEstimate(t *testing.T) {
	e := Pairs{10, 20, 40, 20, 10}.Estimate()
	require.InDelta(t, 0, e.Elo.Value, 1e-9)
	// The variance is (20·¼+40·1/16)/100 = 0.075; d Elo/d score at ½ is 1600/ln 10.
	require.InDelta(t, 1.959964*math.Sqrt(0.075/100)*1600/math.Ln10, e.Elo.Half(), 1e-4)
	require.InDelta(t, 1.959964/math.Sqrt(200)*800/math.Ln10, e.Normalized.Half(), 1e-4)
	require.InDelta(t, 0.5, e.LOS, 1e-12)
	// What fastchess printed of https://github.com/lynx-chess/Lynx/pull/1899 and
	// https://github.com/brunocodutra/cinder/pull/727.
	for p, want := range map[Pairs][5]float64{
		{235, 1384, 2521, 1341, 239}: {-1.06, 4.05, -1.67, 6.37, 0.3033},
		{50, 287, 610, 387, 73}:      {18.04, 8.23, 28.19, 12.84, 1},
	} {
		e := p.Estimate()
		for i, x := range []float64{e.Elo.Value, e.Elo.Half(), e.Normalized.Value, e.Normalized.Half(), e.LOS} {
			tolerance := 0.0051
			if i == 3 {
				tolerance = 0.1 // its interval takes the standard deviation for known
			}
			require.InDelta(t, want[i], x, tolerance, "%v: figure %d", p, i)
		}
	}
	for _, p := range []Pairs{{}, {3, 0, 0, 0, 0}, {0, 0, 0, 0, 3}} {
		require.True(t, math.IsNaN(p.Estimate().Elo.Value))
	}
	require.Equal(t, [][2]string{{"Elo", "0.0, no interval: all pairs gave the same"},
		{"Normalized Elo", "unknown: all pairs gave the same"}, {"LOS", "unknown"},
		{"Pairs", "7: 0, 0, 7, 0, 0 (0, ½, 1, 1½, 2 points)"}}, Test{}.Facts(Pairs{0, 0, 7, 0, 0}), "not -0.0")
}

// No figure of a match says that its better player is the stronger one for certain.
func TestSuperiorityIsNeverCertain(t *testing.T) {
	p := Pairs{1, 0, 10, 0, 1000}
	require.Equal(t, [2]string{"LOS", ">99.9 %"}, Test{}.Facts(p)[2])
	p[0], p[4] = p[4], p[0]
	require.Equal(t, [2]string{"LOS", "<0.1 %"}, Test{}.Facts(p)[2])
}
