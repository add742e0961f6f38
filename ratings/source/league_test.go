package source

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/ratings"
)

// The ratings of the league were worked out by another program, which goes from
// parameter to parameter by Newton steps until nothing moves.
func TestLeague(t *testing.T) {
	f, err := os.Open("testdata/league.pgn")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var d ratings.Data
	m := Matcher{
		Single: func(g Outcome, n int) { d.AddGames(g.South, g.North, g.Result, n) },
		Pair:   func(g, h Outcome, n int) { d.AddPairs(g.South, g.North, g.Result, h.Result, n) },
	}
	for in := NewResults(PGN, f, "x"); ; {
		var g Result
		err := in.ReadResult(&g)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		m.Add(&g)
	}
	m.Settle()
	require.Equal(t, 48, d.Games())
	require.Equal(t, 24, d.Pairs())
	r, err := ratings.Fit(context.Background(), &d, ratings.Options{})
	require.NoError(t, err)
	for name, want := range map[string]float64{"Ada": 70.5878, "Babbage": 70.5878, "Curie": -10.4582, "Dirac": -130.7173} {
		p, ok := r.Player(name)
		require.True(t, ok)
		require.InDelta(t, want, p.Elo, 0.0001, name)
	}
	require.InDelta(t, -16.5885, r.Advantage.Elo, 0.0001)
}
