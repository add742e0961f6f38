package training

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/ratings/sprt"
)

// A verdict says what an interval shows, and how many pairs more would bring it to the value seen.
func TestVerdict(t *testing.T) {
	t.Parallel()
	for want, g := range map[string]eval.Gain{
		"stronger than X by 35.0 ± 20.0 Elo (95 %)":    {Measure: "Elo", Value: 35, Margin: 20, Count: 400},
		"weaker than X by 35.0 ± 20.0 Elo (95 %)":      {Measure: "Elo", Value: -35, Margin: 20, Count: 400},
		"better than X by 0.03000 ± 0.02000 nats of L": {Measure: "L", Value: 0.03, Margin: 0.02, Count: 9},
		"no gain shown over X: -10.0 ± 41.0 Elo (95 %); play about 396 more pairs": {
			Measure: "Elo", Value: -10, Margin: 41, Count: 50},
		"no gain shown over X: 20.0 ± 40.0 Elo (95 %); play about 300 more pairs": {
			Measure: "Elo", Value: 20, Margin: 40, Count: 200},
		"no gain shown over X: 0.0 ± 4.0 Elo (95 %); play about 30,000 more pairs": {
			Measure: "Elo", Margin: 4, Count: 20_000},
		"no gain shown over X: 0.01000 ± 0.02000 nats of L (95 %); take about 300 more test positions": {
			Measure: "L", Value: 0.01, Margin: 0.02, Count: 100},
		"no gain shown over X: 30.0 ± 0.0 Elo (95 %)":        {Measure: "Elo", Value: 30, Count: 100}, // it isn't known
		"worse than X by 0.03000 ± 0.02000 nats of 5 %d%% (": {Measure: "5 %d%%", Value: -0.03, Margin: 0.02, Count: 9},
		"take about 30 more test positions, some 600 positions in all, as 10 of 200 are for the test": {
			Measure: "L", Value: 0.01, Margin: 0.02, Count: 10, All: 200},
	} {
		require.Contains(t, Verdict(&g, sprt.Pairs{}, "X"), want)
	}
	for want, p := range map[string]sprt.Pairs{
		"not compared with X":                             {},
		"stronger than X: it won all 25 pairs":            {4: 25},
		"weaker than X: it lost all 25 pairs":             {25},
		"no gain shown over X: all 3 pairs gave the same": {2: 3},
	} {
		require.Equal(t, want, Verdict(nil, p, "X"))
	}
}

// The verdict on a training is by the rating, or else by the matches; no generation is called stronger whose interval
// doesn't say so.
func TestResultVerdict(t *testing.T) {
	t.Parallel()
	elo := func(x float64) *float64 { return &x }
	adopted := func(k, parent int, value, margin float64) Generation {
		return Generation{Number: k, Parent: parent, Adopted: true, Pairs: sprt.Pairs{1, 0, 50, 0, 49}, Elo: elo(value), EloMargin: elo(margin)}
	}
	rejected := Generation{Number: 2, Pairs: sprt.Pairs{0, 0, 80}, Elo: elo(30), EloMargin: elo(40)}
	r := Result{Best: 3, Generations: []Generation{adopted(1, 0, 30, 30), rejected, adopted(3, 1, 20, 40)}}
	require.Equal(t, "Generation 3 of 3: no gain shown over the initial weights: 50.0 ± 50.0 Elo (95 %); "+
		"play about 1 more pairs", r.Verdict())
	r.Gain = &eval.Gain{Measure: "Elo", Value: 35, Margin: 20, Count: 100}
	require.Equal(t, "Generation 3 of 3: stronger than the initial weights by 35.0 ± 20.0 Elo (95 %)", r.Verdict())
	r = Result{Generations: []Generation{rejected}}
	require.Equal(t, "No gain shown: none of 1 generations was adopted; the last one: no gain shown over the initial weights: 30.0 ± 40.0 Elo (95 %); "+
		"play about 63 more pairs", r.Verdict())
	r = Result{Best: 1, Generations: []Generation{{Number: 1, Adopted: true}}}
	require.Equal(t, "Generation 1 of 1: not compared with the initial weights; rating.pairs would do it", r.Verdict())
	require.Empty(t, (&Result{}).Verdict())
	require.Empty(t, (&Result{Best: 7, Generations: r.Generations}).Verdict())
}

// Where generations are rated with the reference, its Elo is the rating's by all games, and stands
// once.
func TestEloToTheReference(t *testing.T) {
	t.Parallel()
	generations := []Generation{
		{Number: 1, Adopted: true, ReferencePairs: sprt.Pairs{2, 3, 3, 1, 1}},
		{Number: 2, Adopted: true, ReferencePairs: sprt.Pairs{2, 3, 3, 1, 1}},
	}
	own := generations[0].AgainstReference()
	require.NotEmpty(t, own)
	rows := Rows(generations, []Rated{{Player: ReferenceName}, {Player: "gen-002", Elo: -461.2, Margin: 131}})
	require.Equal(t, own, rows[0].Reference, "it isn't rated")
	require.Equal(t, "-461 ± 131", rows[1].Reference)
	require.Contains(t, titles(rows), "Elo to the reference")
	require.NotContains(t, titles(rows), "Rating")
	rows = Rows(generations, []Rated{{Player: "gen-000"}, {Player: "gen-002", Elo: -461.2, Margin: 131}})
	require.Equal(t, own, rows[1].Reference, "a rating without the reference isn't relative to it")
	require.Contains(t, titles(rows), "Rating")
}

// The word for programs is that of the sentence for people.
func TestDecide(t *testing.T) {
	elo := func(value, margin float64) *eval.Gain {
		return &eval.Gain{Measure: "Elo", Value: value, Margin: margin, Count: 100}
	}
	for _, c := range []struct {
		gain  *eval.Gain
		pairs sprt.Pairs
		want  sprt.Verdict
		text  string
	}{
		{elo(20, 10), sprt.Pairs{}, sprt.AcceptH1, "^stronger than"},
		{elo(-20, 10), sprt.Pairs{}, sprt.AcceptH0, "^weaker than"},
		{elo(10, 20), sprt.Pairs{}, sprt.Undecided, "^no gain shown"},
		{elo(10, 0), sprt.Pairs{}, sprt.Undecided, "^no gain shown"},
		{nil, sprt.Pairs{4: 1}, sprt.AcceptH1, "^stronger than"},
		{nil, sprt.Pairs{9}, sprt.AcceptH0, "^weaker than"},
		{nil, sprt.Pairs{2: 9}, sprt.Undecided, "^no gain shown"},
		{nil, sprt.Pairs{}, sprt.Undecided, "^not compared"},
	} {
		require.Equal(t, c.want, decide(c.gain, c.pairs), "%v %v", c.gain, c.pairs)
		require.Regexp(t, c.text, Verdict(c.gain, c.pairs, "the start"))
	}
}
