package source

import (
	"context"
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
		Single: func(g Game) { d.Add(g.South, g.North, g.Result) },
		Pair:   func(g, h Game) { d.AddPair(g.South, g.North, g.Result, h.Result) },
	}
	require.NoError(t, Read(context.Background(), PGN, f, "x", &Handler{
		Game: func(g *Game) error {
			m.Add(*g)
			return nil
		},
		Bad: func(line int, err error) error { t.Errorf("line %d: %v", line, err); return nil },
	}))
	m.Flush()
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
