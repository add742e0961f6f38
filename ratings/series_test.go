package ratings

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// growing is tournaments between a player that gets stronger by so many Elo a
// step and three that stay.
func growing(seed uint64, steps, pairs int, by float64) []Step {
	rng := rand.New(rand.NewPCG(seed, 1))
	var list []Step
	for i := range steps {
		w := world{strength: map[string]float64{"a": 50, "b": 0, "c": -50, "new": by*float64(i) - 100}, advantage: 30,
			drawModel: halfPoints{0.5}, rounds: roundRobin(pairs)}
		list = append(list, Step{Name: string(rune('p' + i)), Data: w.play(rng)})
	}
	return list
}

// at reads a series.
func (s *Series) at(name string, step int) (Point, bool) {
	for _, l := range s.Players {
		for _, p := range l.Points {
			if l.Name == name && p.Step == step {
				return p, true
			}
		}
	}
	return Point{}, false
}

// A window of one step is that step's own fit; one of all steps, at the last,
// the fit of everything.
func TestWindowsAreFits(t *testing.T) {
	steps := growing(1, 4, 5, 60)
	narrow, err := FitSeries(t.Context(), steps, SeriesOptions{Method: Windowed, Window: 1})
	require.NoError(t, err)
	for i, step := range steps {
		r := mustFit(t, step.Data, Options{})
		for _, p := range r.Players {
			q, ok := narrow.at(p.Name, i)
			require.True(t, ok)
			require.Equal(t, Point{i, p.Elo, p.Error, p.Games()}, q)
		}
	}
	var all Data
	for _, step := range steps {
		all.Merge(step.Data)
	}
	r := mustFit(t, &all, Options{})
	wide, err := FitSeries(t.Context(), steps, SeriesOptions{Method: Windowed, Window: 4})
	require.NoError(t, err)
	q, _ := wide.at("new", 3)
	require.Equal(t, elo(t, r, "new"), q.Elo)
	require.Equal(t, 30, q.Games)
}

// With hardly any drift a whole history is one fit to all, with much it is a
// fit for each step.
func TestWholeHistoryLimits(t *testing.T) {
	steps := growing(2, 4, 5, 60)
	still, err := FitSeries(t.Context(), steps, SeriesOptions{Drift: 0.01})
	require.NoError(t, err)
	var all Data
	for _, step := range steps {
		all.Merge(step.Data)
	}
	r := mustFit(t, &all, Options{})
	free, err := FitSeries(t.Context(), steps, SeriesOptions{Drift: 10000})
	require.NoError(t, err)
	for i, step := range steps {
		p, _ := still.at("new", i)
		b, _ := still.at("b", i)
		require.InDelta(t, elo(t, r, "new")-elo(t, r, "b"), p.Elo-b.Elo, 0.05)
		p, _ = free.at("new", i)
		b, _ = free.at("b", i)
		advantage := free.Advantages[i].Elo // one for all: the same must be given here
		own := mustFit(t, step.Data, Options{Advantage: &advantage})
		require.InDelta(t, elo(t, own, "new")-elo(t, own, "b"), p.Elo-b.Elo, 0.5)
	}
}

// The whole history follows a player that grows, its intervals hold the truth,
// and they are narrower than each step's own.
func TestWholeHistoryFollows(t *testing.T) {
	hits, of := 0, 0
	var whole, alone float64
	for seed := range uint64(60) {
		steps := growing(seed, 6, 8, 40)
		o := SeriesOptions{Method: WholeHistory, Drift: 40}
		o.Anchors = []Anchor{{Name: "b"}}
		s, err := FitSeries(t.Context(), steps, o)
		require.NoError(t, err)
		o.Method, o.Window = Windowed, 1
		windows, err := FitSeries(t.Context(), steps, o)
		require.NoError(t, err)
		for i := range steps {
			p, ok := s.at("new", i)
			require.True(t, ok)
			of++
			if math.Abs(p.Elo-(40*float64(i)-100)) <= p.Error {
				hits++
			}
			b, _ := s.at("b", i)
			require.Equal(t, Point{i, 0, 0, 48}, b)
			q, _ := windows.at("new", i)
			whole, alone = whole+p.Error, alone+q.Error
		}
	}
	t.Logf("%d of %d intervals hold the truth, mean error %.1f, a step's own %.1f", hits, of, whole/float64(of),
		alone/float64(of))
	require.InDelta(t, 0.95, float64(hits)/float64(of), 0.045)
	require.Less(t, whole, 0.85*alone)
}

func TestSeriesOptionsAreChecked(t *testing.T) {
	for want, o := range map[string]SeriesOptions{
		"window 0: expected 1 to 1000 steps":   {Method: Windowed},
		"drift 0: expected 0.01 to 10000 Elo":  {},
		`method "x": expected whole or window`: {Method: "x"},
		"bootstrap 5: expected none over time": {Method: Windowed, Window: 1, Options: Options{Bootstrap: 5}},
	} {
		_, err := FitSeries(t.Context(), nil, o)
		require.ErrorContains(t, err, want)
	}
}
