package ratings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// crossedWorld is a truth to draw games from: what it says is in Elo.
type crossedWorld struct {
	advantage float64
	agents    float64 // standard deviation of an agent's own advantage
	openings  float64 // of what an opening is worth to South, for all agents
	each      float64 // of what it is worth besides, for each agent
	row       float64 // worth of the row "good", of which every fifth opening is
	strength  float64 // difference of neighbours
}

// play plays openings, each by four pairs of eight agents, as results/studies/first-move does.
func (w crossedWorld) play(openings int, rng *rand.Rand) *Data {
	const n = 8
	var own [n]float64
	for i := range own {
		own[i] = w.agents * rng.NormFloat64()
	}
	d := &Data{}
	for o := range openings {
		worth := w.advantage + w.openings*rng.NormFloat64()
		row := "other"
		if o%5 == 0 {
			row, worth = "good", worth+w.row
		}
		d.Rows(uint64(o), row, fmt.Sprintf("north-%d", o/7%7))
		var each [n]float64
		for i := range each {
			each[i] = own[i] + w.each*rng.NormFloat64()
		}
		for k := range n / 2 {
			i, j := 7, o%7
			if k > 0 {
				i, j = (o+k)%7, (o+7-k)%7
			}
			at := worth + (each[i]+each[j])/2
			draw := func(south, north int) Result {
				elo := at + w.strength*float64(south-north)
				if rng.Float64() < 1/(1+math.Exp(-elo/eloPerNat)) {
					return Win
				}
				return Loss
			}
			a, b := fmt.Sprint(i), fmt.Sprint(j)
			first, second := draw(i, j), draw(j, i)
			d.AddPair(a, b, first, second)
			d.InOpening(uint64(o), a, b, first, second)
		}
	}
	return d
}

// TestCrossedCoverage: of 300 simulated tournaments 95 % of the intervals hold the truth; 92 to 98 % are within chance
// at an error rate of one in a hundred. The intervals of the fit without agents as a random effect hold it far less
// often where agents differ.
func TestCrossedCoverage(t *testing.T) {
	for name, w := range map[string]crossedWorld{
		"nothing":  {strength: 20},
		"openings": {advantage: 30, openings: 100, strength: 40},
		"agents":   {advantage: 30, agents: 60, openings: 50, each: 50, strength: 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(5, 35))
			const times = 300
			hits, plain := 0, 0
			for range times {
				d := w.play(280, rng)
				f, err := d.Crossed()
				require.NoError(t, err)
				if math.Abs(f.All.Elo-w.advantage) <= f.All.Error {
					hits++
				}
				if w.agents > 0 {
					r, err := Fit(t.Context(), d, Options{Intervals: ByOpening})
					require.NoError(t, err)
					if math.Abs(r.Advantage.Elo-w.advantage) <= r.Advantage.Error {
						plain++
					}
				}
			}
			t.Logf("%d of %d, without agents as an effect %d", hits, times, plain)
			require.GreaterOrEqual(t, float64(hits), 0.92*times)
			require.Less(t, float64(plain), 0.8*times)
		})
	}
}

// TestCrossedRows: the interval of a row of South holds what it is worth beyond the mean of all openings, 80 Elo less a
// fifth, and of rows that are worth nothing the best guess is far below the highest.
func TestCrossedRows(t *testing.T) {
	w := crossedWorld{advantage: 20, agents: 30, openings: 50, each: 50, row: 80, strength: 20}
	rng := rand.New(rand.NewPCG(6, 35))
	const times = 300
	hits, nothing, highest, guess, squares, errors, rows := 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0
	for range times {
		f, err := w.play(280, rng).Crossed()
		require.NoError(t, err)
		require.Equal(t, "good", f.South[0].Name)
		require.Equal(t, 4*280/5, f.South[0].Pairs)
		if math.Abs(f.South[0].Elo-0.8*w.row) <= f.South[0].Error {
			hits++
		}
		require.Len(t, f.North, 7)
		for _, r := range f.North {
			if math.Abs(r.Elo) <= r.Error {
				nothing++
			}
		}
		squares += (f.South[0].Elo - 0.8*w.row) * (f.South[0].Elo - 0.8*w.row) / times
		errors += f.South[0].Error / times
		rows += f.SouthSD / times
		highest += f.North[0].Elo / times
		guess += f.North[0].Shrunk / times
	}
	t.Logf("%d of %d, error %.1f, interval %.1f; %d of %d, highest %.1f, guess %.1f", hits, times, math.Sqrt(squares), errors,
		nothing, 7*times, highest, guess)
	require.GreaterOrEqual(t, float64(hits), 0.92*times)
	require.GreaterOrEqual(t, float64(nothing), 0.94*7*times)
	require.Less(t, guess, highest/2)
	require.InDelta(t, w.row/math.Sqrt2, rows, 15, "two rows, 80 Elo apart")
}

// TestCrossedCommon: what other agents have in common with a pair in its opening is 0 where openings are worth nothing,
// or something for each agent alone, and more the more they are worth to all.
func TestCrossedCommon(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 35))
	common := func(w crossedWorld) (mean float64, holds int) {
		const times = 200
		openings := 0.0
		defer func() { // the logistic curve bends, and a deviation of 0 is found above it by chance
			if w.openings > 0 {
				require.InDelta(t, w.openings, openings, 15)
			}
			require.Less(t, openings, w.openings+20)
		}()
		for range times {
			f, err := w.play(280, rng).Crossed()
			require.NoError(t, err)
			mean += f.Common / times
			openings += f.OpeningSD / times
			if math.Abs(f.Common) <= f.CommonError {
				holds++
			}
		}
		return mean, holds
	}
	nothing, holds := common(crossedWorld{agents: 40, strength: 40})
	require.InDelta(t, 0, nothing, 0.005)
	require.GreaterOrEqual(t, holds, 184) // of 200, in which 95 % do
	each, holds := common(crossedWorld{each: 150})
	require.InDelta(t, 0, each, 0.01)
	require.GreaterOrEqual(t, holds, 184)
	some, _ := common(crossedWorld{openings: 50})
	much, holds := common(crossedWorld{openings: 100})
	require.Greater(t, some, 0.01)
	require.Greater(t, much, 0.05)
	require.Less(t, holds, 20)
}

func TestCrossedNeedsAgents(t *testing.T) {
	d := &Data{}
	for o := range uint64(10) {
		d.InOpening(o, "a", "b", Win, Loss)
	}
	_, err := d.Crossed()
	require.EqualError(t, err, "expected pairs of games of 3 agents and more with their openings, found 2")
	_, err = (&Data{}).Crossed()
	require.Error(t, err)
	for o := range uint64(10) { // all alike
		d.InOpening(o, "b", "c", Win, Win)
	}
	f, err := d.Crossed()
	require.NoError(t, err)
	require.False(t, math.IsNaN(f.All.Elo+f.All.Error+f.Common+f.CommonError))
	require.Greater(t, f.All.Error, 100.0, "twenty pairs that are all alike tell little")
}
