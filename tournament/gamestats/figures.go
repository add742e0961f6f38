package gamestats

import (
	"fmt"
	"slices"

	"gyges/rules"
	"gyges/tournament/record"
)

// unit says what the value of a figure is.
type unit uint8

const (
	total    unit = iota // a number of games, positions or the like
	share                // 0 to 1
	mean                 // of numbers, from 0
	quantile             // of numbers, one of them
)

// definition is a figure: the sum counted under its key for each case, the sum counted under another.
type definition struct {
	unit       unit
	key, label string
	cases      string // the key of the cases
	rare       bool   // left out where it never happened
	percent    int    // of a quantile
}

// reasons are those counted apart; a record may hold others, which are "other".
var reasons = []string{
	string(rules.ByGoal), string(rules.ByPasses), string(rules.ByLength), record.Resignation, record.AdjudicatedResign,
	record.AdjudicatedDraw, record.AdjudicatedProven, record.AdjudicatedLength, record.Imported,
	string(record.FaultIllegal), string(record.FaultPanic), string(record.FaultError), string(record.FaultCrash),
	string(record.FaultTimeout), string(record.FaultProtocol), "other",
}

// maxBounces is the number of bounces that is counted together with all larger ones.
const maxBounces = 5

// band is a range of lengths of games in plies.
type band struct {
	from, to int // to is -1 in the last band, which has no end
	key      string
}

var bands = []band{
	{0, 10, "0_10"}, {11, 15, "11_15"}, {16, 20, "16_20"}, {21, 30, "21_30"}, {31, 50, "31_50"}, {51, -1, "51_more"},
}

// bandOf returns the key of the band of a length.
func bandOf(plies int) string {
	i := slices.IndexFunc(bands, func(b band) bool { return plies <= b.to || b.to < 0 })
	return bands[i].key
}

// definitions are the figures in the order in which they are printed. What each counts is in the manual, package
// record.
var definitions = define()

func define() []definition {
	var list []definition
	add := func(u unit, key, label, cases string) *definition {
		list = append(list, definition{unit: u, key: key, label: label, cases: cases})
		return &list[len(list)-1]
	}
	classes := func(key, label, cases string, names ...string) {
		for _, name := range names {
			add(share, key+name, label+name, cases)
		}
	}
	add(total, "games", "Games", "games")
	add(share, "south_points", "South's share of the points", "games")
	add(share, "drawn", "Games drawn", "games")
	for _, reason := range reasons {
		add(share, "reason_"+reason, "Games ended by: "+reason, "games").rare = true
	}
	add(mean, "plies_mean", "Plies: mean", "games")
	for _, percent := range []int{10, 25, 50, 75, 90} {
		d := add(quantile, fmt.Sprint("plies_q", percent), fmt.Sprintf("Plies: %d %% quantile", percent), "games")
		d.percent = percent
	}
	for _, b := range bands {
		label := fmt.Sprintf("South's points: %d to %d plies", b.from, b.to)
		if b.to < 0 {
			label = fmt.Sprintf("South's points: %d plies or more", b.from)
		}
		add(share, "south_points_plies_"+b.key, label, "games_plies_"+b.key)
	}

	classes("win_height_", "Winning moves: by a piece of height ", "wins", "1", "2", "3")
	add(share, "win_bounce", "Winning moves: with a bounce", "wins")
	classes("win_bounces_", "Winning moves: bounces: ", "wins", "0", "1", "2", "3", "4", "5+")
	add(share, "win_row_hand", "Winning moves: from the hand", "wins").rare = true
	classes("win_row_", "Winning moves: from the mover's row ", "wins", "1", "2", "3", "4", "5", "6")

	classes("move_height_", "Moves: by a piece of height ", "moves", "1", "2", "3")
	add(share, "move_bounce", "Moves: with a bounce", "moves")
	add(mean, "move_bounces_mean", "Moves: mean number of bounces", "moves")
	add(share, "move_displacement", "Moves: with a displacement", "moves")
	add(share, "turn_pass", "Turns: passed", "turns")
	add(mean, "turn_legal_moves_mean", "Turns: mean number of legal moves", "turns")

	add(share, "missed_defence", "Wins that could have been stopped", "wins_with_defence")
	add(share, "goal_in_reach", "Turns: goal in reach", "turns")
	add(share, "goal_missed", "Turns with the goal in reach: missed", "goal_in_reach")

	add(total, comparePositions, "Positions compared", comparePositions)
	add(share, "compare_moves_differ", "Positions with other legal moves", comparePositions)
	add(share, "compare_illegal_moves", "Moves played that are illegal there", comparePositions)
	add(share, "compare_illegal_games", "Games with such a move", "compare_games")
	return list
}

// comparePositions is the key of the positions compared, whose figures are left out if there are none.
const comparePositions = "compare_positions"
