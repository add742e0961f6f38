package ratings

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// What Ordo and BayesElo printed for one data set, as published by K. Laskos:
// "EloStat, Bayeselo and Ordo", TalkChess, 24 June 2012 (viewtopic t=44180). Three
// programs, 30 games each pairing; and the same games four times over.
func TestPublishedRatings(t *testing.T) {
	const houdini, strelka, komodo = "Houdini 1.5a x64", "Strelka 5", "Komodo64 3"
	games := func(times, drawsMore int) *Data {
		var d Data
		for _, p := range []struct {
			a, b                string
			wins, draws, losses int
		}{{houdini, strelka, 18, 9, 3}, {strelka, komodo, 18, 9, 3}, {houdini, komodo, 24, 6, 0}} {
			// The colours aren't published; an advantage of 0 takes them out.
			play(&d, p.a, p.b, times*p.wins, times*p.draws+drawsMore, times*p.losses)
		}
		return &d
	}
	// BayesElo's default prior, two draws a player spread over its opponents, is
	// one draw a pairing here. It prints ratings times 4x/(1+x)^2, x = 10^(-d/400),
	// of a Rao-Kupper model with draw parameter d; these are of `mm 1 1`, which
	// fits d. Its numbers are rounded, and with the colours not quite symmetric.
	bayesElo := func(r *Ratings) float64 {
		x := math.Pow(10, -r.Draws.Parameter/400)
		return 4 * x / (1 + x) / (1 + x)
	}
	// Ordo had 173 in place of 400/ln 10 = 173.72 then.
	ordo := func(*Ratings) float64 { return 173 * math.Ln10 / 400 }
	for name, c := range map[string]struct {
		data  *Data
		draws DrawModel
		scale func(*Ratings) float64
		want  map[string]float64
		delta float64
	}{
		"BayesElo, 90 games": {games(1, 1), RaoKupper, bayesElo, map[string]float64{houdini: 166, strelka: 0,
			komodo: -165}, 1},
		"BayesElo, 360 games": {games(4, 1), RaoKupper, bayesElo, map[string]float64{houdini: 173, strelka: 0,
			komodo: -172}, 1.2},
		"Ordo, 90 games": {games(1, 0), HalfPoints, ordo, map[string]float64{houdini: 190.1, strelka: 0,
			komodo: -190.1}, 0.05},
		"Ordo, 360 games": {games(4, 0), HalfPoints, ordo, map[string]float64{houdini: 190.1, strelka: 0,
			komodo: -190.1}, 0.05},
	} {
		r := mustFit(t, c.data, Options{Advantage: ptr(0), Draws: c.draws})
		for player, want := range c.want {
			require.InDelta(t, want, elo(t, r, player)*c.scale(r), c.delta, "%s: %s", name, player)
		}
	}
}
