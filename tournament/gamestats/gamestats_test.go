package gamestats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
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
	// a1-a3 bounces off a2, and so does a3-a1.
	toAndFro = "123123/123123/000000/000000/000000/000000 s"
)

// played returns the record of a game by hand.
func played(pair int64, rules, opening, result, reason string, moves ...string) *record.Game {
	return &record.Game{
		Game: 17, Pair: pair, Rules: rules, Opening: opening, Result: result, Reason: reason, Moves: moves, Plies: len(moves),
		South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"},
	}
}

// countAll counts games of one file.
func countAll(o Options, games ...*record.Game) Result {
	result, _ := Count(o, func(add func(string, *record.Game)) error {
		for _, g := range games {
			add("file", g)
		}
		return nil
	})
	return result
}

// byHand are two pairs.
var byHand = []*record.Game{
	played(0, "simplified", canStop, "0-1", "goal", "e1-f3", "a3-goal"),
	played(0, "simplified", fourBounces, "1-0", "goal", "d2-goal"),
	played(1, "simplified", cannotStop, "0-1", "goal", "c1-d1", "c3-goal"),
	played(1, "simplified", canWin, "1-0", "resignation", "c1-b1"),
}

// Every figure of some games is as counted by hand. The legal moves are 8, 17, 23, 1, 28 and 32.
func TestByHand(t *testing.T) {
	result := countAll(Options{}, byHand...)
	require.Empty(t, result.Errors)
	require.Len(t, result.Rules, 1)
	require.Equal(t, "simplified", result.Rules[0].Rules)
	text := ""
	for _, f := range result.Rules[0].Figures {
		text += fmt.Sprintf("%s %.4g of %d\n", f.Key, f.Value, f.N)
	}
	require.Equal(t, `games 4 of 4
south_points 0.5 of 4
drawn 0 of 4
reason_goal 0.75 of 4
reason_resignation 0.25 of 4
plies_mean 1.5 of 4
plies_q10 1 of 4
plies_q25 1 of 4
plies_q50 1 of 4
plies_q75 2 of 4
plies_q90 2 of 4
south_points_plies_0_10 0.5 of 4
south_points_plies_11_15 NaN of 0
south_points_plies_16_20 NaN of 0
south_points_plies_21_30 NaN of 0
south_points_plies_31_50 NaN of 0
south_points_plies_51_more NaN of 0
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

// figure returns a figure of a result with one rule set.
func figure(t *testing.T, r Result, key string) Figure {
	require.Len(t, r.Rules, 1)
	for _, f := range r.Rules[0].Figures {
		if f.Key == key {
			return f
		}
	}
	require.Fail(t, "no figure "+key)
	return Figure{}
}

// A share has Wilson's interval for as many games as have its variance between pairs.
func TestIntervals(t *testing.T) {
	win, loss := byHand[3], byHand[0]
	var games []*record.Game
	pairs := func(n int, of ...*record.Game) {
		for range n {
			for _, g := range of {
				g := *g
				g.Pair = int64(len(games) / 2)
				g.South.Agent = fmt.Sprint(g.Pair) // else they repeat one another
				games = append(games, &g)
			}
		}
	}
	interval := func(key string, low, high float64) {
		f := figure(t, countAll(Options{}, games...), key)
		require.InDelta(t, low, f.Low, 1e-4, f)
		require.InDelta(t, high, f.High, 1e-4, f)
	}
	pairs(1, win, loss)
	require.True(t, math.IsNaN(figure(t, countAll(Options{}, games...), "south_points").Low), "one pair has no variance")
	// All pairs gave the same: the interval of 1 in 2.
	pairs(1, loss, win)
	interval("south_points", 0.0945, 0.9055)
	interval("plies_mean", 1.5, 1.5)
	// Both games of a pair end alike: 20 games are worth 9, as the variance is estimated: that of 4.5 in 9.
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
		result, err := Count(Options{}, func(add func(string, *record.Game)) error {
			for i, file := range files {
				g := *one
				g.Pair, g.South.Agent = pairs[i], fmt.Sprint(i)
				add(file, &g)
			}
			return nil
		})
		require.NoError(t, err)
		n := 0.0 // of what has the interval of all games won
		if f := figure(t, result, "south_points"); !math.IsNaN(f.Low) {
			n = f.Low * interval.Z95 * interval.Z95 / (1 - f.Low)
		}
		return fmt.Sprintf("%.0f", n)
	}
	require.Equal(t, "0", units([]string{"a", "a"}, 3, 3))
	require.Equal(t, "2", units([]string{"a", "b"}, 3, 3))
	require.Equal(t, "2", units([]string{"a", "a"}, 3, 4))
	require.Equal(t, "2", units([]string{"a", "a", "a"}, 3, 3, 3))
}

// Pairs and games that repeat earlier ones are left out, and one game twice is named.
func TestRepeatsAreLeftOut(t *testing.T) {
	twice := slices.Concat(byHand, byHand)
	twice = append(twice, played(2, "simplified", fourBounces, "1-0", "goal", "d2-goal"),
		played(2, "simplified", fourBounces, "1-0", "goal", "d2-goal"))
	result, once := countAll(Options{}, twice...), countAll(Options{}, twice[4:]...)
	require.Equal(t, fmt.Sprint(once.Rules[0].Figures), fmt.Sprint(result.Rules[0].Figures)) // NaN
	require.Equal(t, []string{
		"1 of 3 pairs are one game twice, move for move: each is one observation",
		"left out: 2 pairs that the same players had played before, move for move",
	}, result.Rules[0].Notes[:2])
}

func TestCompare(t *testing.T) {
	figures := func(with string, games ...*record.Game) string {
		result := countAll(Options{Compare: rules.MustParse(with)}, games...)
		require.Empty(t, result.Errors)
		text := ""
		for _, key := range []string{
			"compare_positions", "compare_moves_differ", "compare_illegal_moves", "compare_illegal_games",
		} {
			text += fmt.Sprintf("%.4g ", figure(t, result, key).Value)
		}
		return text
	}
	displaces := played(0, "standard", canStop, "0-1", "goal", "e1xe2@f3", "a3-goal")
	plain := played(1, "standard", cannotStop, "0-1", "goal", "c1-d1", "c3-goal")
	require.Equal(t, "2 1 0.5 1 ", figures("simplified", displaces))
	require.Equal(t, "4 1 0.25 0.5 ", figures("simplified", displaces, plain))
	require.Equal(t, "4 0 0 0 ", figures("leather", displaces, plain))

	returns := played(0, "italian-simplified:max_plies=2", toAndFro, "1/2-1/2", "length", "a1-a3", "a3-a1")
	require.Equal(t, "2 0.5 0.5 1 ", figures("simplified:max_plies=2", returns), "no position returns")
	require.Equal(t, "2 0.5 0.5 1 ", figures("italian-simplified:max_plies=1", returns), "the game is over")
}

// Games whose first position is none of the other rule set's are counted, but not compared.
func TestNotCompared(t *testing.T) {
	result := countAll(Options{Compare: rules.MustParse("kang")}, byHand...)
	stats := result.Rules[0]
	require.Len(t, stats.Notes, 1)
	require.Contains(t, stats.Notes[0],
		"not compared: 4 games; the first: file: game 17: its first position is none under kang: ")
	require.EqualValues(t, 4, figure(t, result, "games").Value)
	for _, f := range stats.Figures {
		require.NotContains(t, f.Key, "compare")
	}
}

// Games that can't be replayed leave no trace in the figures.
func TestRefusedGames(t *testing.T) {
	want := countAll(Options{}, byHand...)
	require.Zero(t, want.Refused)
	games := []*record.Game{
		played(0, "simplified", canStop, "1-0", "goal", "e1-f3", "a3-goal"),
		played(1, "simplified", canStop, "0-1", "goal", "e1-f3", "a3-b3"),
	}
	games = append(games, byHand...)
	games = append(games, played(9, "chess", canStop, "0-1", "goal", "e1-f3"))
	got := countAll(Options{Workers: 3}, games...)
	require.Equal(t, 3, got.Refused)
	require.Len(t, got.Errors, 3)
	require.EqualError(t, got.Errors[0], "file: game 17: expected 0-1 by goal, found 1-0 by goal")
	require.ErrorContains(t, got.Errors[1], "file: game 17: move 2: ")
	require.ErrorContains(t, got.Errors[2], `unknown rules "chess"`)
	require.Equal(t, fmt.Sprint(want.Rules), fmt.Sprint(got.Rules)) // a NaN is no NaN
}
