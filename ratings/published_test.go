package ratings

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// What Ordo printed for one data set, as published by K. Laskos: "EloStat, Bayeselo and Ordo",
// TalkChess, 24 June 2012 (viewtopic t=44180). Three programs, 30 games each pairing; and the same
// games four times over.
func TestPublishedRatings(t *testing.T) {
	const houdini, strelka, komodo = "Houdini 1.5a x64", "Strelka 5", "Komodo64 3"
	games := func(times int) *Data {
		var d Data
		for _, p := range []struct {
			a, b                string
			wins, draws, losses int
		}{{houdini, strelka, 18, 9, 3}, {strelka, komodo, 18, 9, 3}, {houdini, komodo, 24, 6, 0}} {
			// The colours aren't published; an advantage of 0 takes them out.
			play(&d, p.a, p.b, times*p.wins, times*p.draws, times*p.losses)
		}
		return &d
	}
	// Ordo had 173 in place of 400/ln 10 = 173.72 then.
	const ordo = 173 * math.Ln10 / 400
	for _, times := range []int{1, 4} {
		r := mustFit(t, games(times), Options{Advantage: ptr(0)})
		for player, want := range map[string]float64{houdini: 190.1, strelka: 0, komodo: -190.1} {
			require.InDelta(t, want, elo(t, r, player)*ordo, 0.05, "%d times: %s", times, player)
		}
	}
}
