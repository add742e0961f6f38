package sprt

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// The object has the figures of the facts with every digit, and null for what there is none of.
func TestObject(t *testing.T) {
	test := Test{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05, Model: Normalized}
	won := Pairs{4: 3}
	for _, c := range []struct {
		test    Test
		pairs   Pairs
		stopped bool
		verdict any
	}{
		{test, Pairs{61, 0, 114, 0, 74}, false, "H0"},
		{test, Pairs{61, 0, 114, 0, 74}, true, "H0"},
		{test, Pairs{0, 0, 20, 0, 30}, false, "H1"},
		{test, won, false, "undecided"},
		{test, won, true, "stopped"},
		{test, Pairs{}, false, "undecided"},
		{Test{}, won, false, nil},
		{Test{}, Pairs{}, true, "stopped"},
	} {
		text, err := json.Marshal(c.test.Object(c.pairs, c.stopped))
		require.NoError(t, err)
		var got map[string]any
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, c.verdict, got["verdict"], "%s", text)
		require.InDelta(t, c.test.LLR(c.pairs), got["llr"], 1e-9)
		require.InDelta(t, c.pairs.N(), got["pairs"], 0)
		bounds := got["bounds"].(map[string]any)
		if c.test == (Test{}) {
			require.Equal(t, map[string]any{"lower": nil, "upper": nil}, bounds)
			require.Equal(t, "", got["test"])
		} else {
			lower, upper := c.test.Bounds()
			require.Equal(t, map[string]any{"lower": lower, "upper": upper}, bounds)
			require.Equal(t, c.test.String(), got["test"])
		}
		e := c.test.Estimate(c.pairs)
		require.Equal(t, e.Corrected, got["corrected"])
		isFinite := c.pairs.N() > 0 && c.pairs != won
		for key, want := range map[string]float64{"elo": e.Elo.Value, "elo_margin": e.Elo.Half(), "nelo": e.Normalized.Value,
			"nelo_margin": e.Normalized.Half(), "los": e.LOS} {
			require.Contains(t, got, key)
			if isFinite {
				require.InDelta(t, want, got[key], 1e-9, key)
			} else {
				require.Nil(t, got[key], key)
			}
		}
	}
}
