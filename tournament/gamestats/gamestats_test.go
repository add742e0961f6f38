package gamestats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/interval"
	"gyges/tournament/record"
)

// Positions in which South is to move.
const (
	// Some moves keep North from a3-goal, as e1-e4 does.
	canStop = "012312/023123/310000/000000/000000/000000 s"
	// The only move is c1-d1, and then North reaches the goal.
	cannotStop = "031000/322122/331001/000000/000000/000000 s"
	// The Italian rulebook's example: d2-(c2-b2)-b3-c3-(c4)-c5-b5-(b6)-goal.
	fourBounces = "000000/000300/012003/000000/021003/101223 s"
	// c1 and e1 reach the goal.
	canWin = "001023/123123/100000/200000/000000/300000 s"
)

// played returns the record of a game by hand.
func played(pair int64, rules, opening, result, reason string, moves ...string) *record.Record {
	return &record.Record{
		Game: 17, Pair: pair, Rules: rules, Opening: opening, Result: result, Reason: reason, Moves: moves, Plies: len(moves),
		South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"},
	}
}

// countAll counts games of one file.
func countAll(t *testing.T, games ...*record.Record) []Figure {
	var c Counter
	for _, g := range games {
		require.NoError(t, c.Add("file", g))
	}
	return c.Figures()
}

// byHand are two pairs.
var byHand = []*record.Record{
	played(0, "simplified", canStop, "0-1", "goal", "e1-f3", "a3-goal"),
	played(0, "simplified", fourBounces, "1-0", "goal", "d2-goal"),
	played(1, "simplified", cannotStop, "0-1", "goal", "c1-d1", "c3-goal"),
	played(1, "simplified", canWin, "1-0", "resignation", "c1-b1"),
}

// Every figure of some games is as counted by hand. The legal moves are 8, 17, 23, 1, 28 and 32.
func TestByHand(t *testing.T) {
	text := ""
	for _, f := range countAll(t, byHand...) {
		require.Equal(t, "simplified", f.Rules)
		text += fmt.Sprintf("%s %.4g of %d\n", f.key, f.Value, f.N)
	}
	require.Equal(t, `south_points 0.5 of 4
drawn 0 of 4
plies_mean 1.5 of 4
win_height_1 0.3333 of 3
win_height_2 0 of 3
win_height_3 0.6667 of 3
win_bounce 0.6667 of 3
win_bounces_0 0.3333 of 3
win_bounces_1 0.3333 of 3
win_bounces_2 0 of 3
win_bounces_3 0 of 3
win_bounces_4 0.3333 of 3
win_bounces_5+ 0 of 3
win_row_hand 0 of 3
win_row_1 0 of 3
win_row_2 0.3333 of 3
win_row_3 0 of 3
win_row_4 0.6667 of 3
win_row_5 0 of 3
win_row_6 0 of 3
move_height_1 0.6667 of 6
move_height_2 0 of 6
move_height_3 0.3333 of 6
move_bounce 0.5 of 6
move_bounces_mean 1 of 6
move_displacement 0 of 6
turn_pass 0 of 6
turn_legal_moves_mean 18.17 of 6
missed_defence 0.5 of 2
goal_in_reach 0.6667 of 6
goal_missed 0.25 of 4
`, text)
}

// figure returns a figure of games under one rule set.
func figure(t *testing.T, list []Figure, key string) Figure {
	i := slices.IndexFunc(list, func(f Figure) bool { return f.key == key })
	require.GreaterOrEqual(t, i, 0, key)
	return list[i]
}

// A share has Wilson's interval for as many games as have its variance between pairs.
func TestIntervals(t *testing.T) {
	win, loss := byHand[3], byHand[0]
	var games []*record.Record
	pairs := func(n int, of ...*record.Record) {
		for range n {
			for _, g := range of {
				g := *g
				g.Pair = int64(len(games) / 2)
				games = append(games, &g)
			}
		}
	}
	interval := func(key string, low, high float64) {
		f := figure(t, countAll(t, games...), key)
		require.InDelta(t, low, f.Low, 1e-4, f)
		require.InDelta(t, high, f.High, 1e-4, f)
	}
	pairs(1, win, loss)
	require.True(t, math.IsNaN(figure(t, countAll(t, games...), "south_points").Low), "one pair has no variance")
	// All pairs gave the same: the interval of 1 in 2.
	pairs(1, loss, win)
	interval("south_points", 0.0945, 0.9055)
	interval("plies_mean", 1.5, 1.5)
	// Both games of a pair end alike: 20 games are worth 9, as the variance is estimated: that of
	// 4.5 in 9.
	games = nil
	pairs(5, win, win)
	pairs(5, loss, loss)
	interval("south_points", 0.2265, 0.7735)
	// Pairs of 2 and of 4 plies: 1.5 ± 1.96·0.5·sqrt(1/9).
	interval("plies_mean", 1.1733, 1.8267)
	// Of 20 games, none was drawn, in 10 pairs: 0 to z²/(10+z²).
	interval("drawn", 0, 0.2775)
}

// Two games are a pair only if one follows the other in one file.
func TestPairs(t *testing.T) {
	one := byHand[3]
	units := func(files []string, pairs ...int64) string {
		var c Counter
		for i, file := range files {
			g := *one
			g.Pair = pairs[i]
			require.NoError(t, c.Add(file, &g))
		}
		n := 0.0 // of what has the interval of all games won
		if f := figure(t, c.Figures(), "south_points"); !math.IsNaN(f.Low) {
			n = f.Low * interval.Z95 * interval.Z95 / (1 - f.Low)
		}
		return fmt.Sprintf("%.0f", n)
	}
	require.Equal(t, "0", units([]string{"a", "a"}, 3, 3))
	require.Equal(t, "2", units([]string{"a", "b"}, 3, 3))
	require.Equal(t, "2", units([]string{"a", "a"}, 3, 4))
	require.Equal(t, "2", units([]string{"a", "a", "a"}, 3, 3, 3))
}

// Games that can't be replayed leave no trace in the figures.
func TestRefusedGames(t *testing.T) {
	var c Counter
	for want, g := range map[string]*record.Record{
		"file: game 17: expected 0-1 by goal, found 1-0 by goal": played(0, "simplified", canStop, "1-0", "goal", "e1-f3", "a3-goal"),
		"file: game 17: move 2: ":                                played(1, "simplified", canStop, "0-1", "goal", "e1-f3", "a3-b3"),
		`unknown rules "chess"`:                                  played(9, "chess", canStop, "0-1", "goal", "e1-f3"),
	} {
		require.ErrorContains(t, c.Add("file", g), want)
	}
	for _, g := range byHand {
		require.NoError(t, c.Add("file", g))
	}
	require.Equal(t, fmt.Sprint(countAll(t, byHand...)), fmt.Sprint(c.Figures())) // a NaN is no NaN
}

// The figures of each rule set are apart, in the order of their first games.
func TestRuleSets(t *testing.T) {
	other := played(5, "standard", canStop, "0-1", "goal", "e1xe2@f3", "a3-goal")
	list := countAll(t, byHand[0], other, byHand[1])
	n := len(definitions)
	require.Len(t, list, 2*n)
	require.Equal(t, []string{"simplified", "standard"}, []string{list[0].Rules, list[n].Rules})
	require.EqualValues(t, 2, figure(t, list[:n], "drawn").N)
	require.EqualValues(t, 1, figure(t, list[n:], "move_displacement").Value*2)
}
