package gamestats

import (
	"fmt"
	"slices"

	"gyges/rules"
	"gyges/tournament/record"
)

// Unit says what the value of a figure is.
type Unit uint8

// The units of figures.
const (
	Total    Unit = iota // a number of games, positions or the like
	Share                // 0 to 1
	Mean                 // of numbers, from 0
	Quantile             // of numbers, one of them
)

// definition is a figure that is counted.
type definition struct {
	key, label string
	unit       Unit
	quantile   float64 // of Quantile
	rare       bool    // left out where it never happened
}

// bounceNames are the classes of the number of bounces.
var bounceNames = []string{"0", "1", "2", "3", "4", "5+"}

// reasons are those counted apart; a record may hold others, which are one.
var reasons = []string{
	string(rules.ByGoal), string(rules.ByPasses), string(rules.ByLength), record.Resignation, record.AdjudicatedResign,
	record.AdjudicatedDraw, record.AdjudicatedProven, record.AdjudicatedLength, record.Imported,
	string(record.FaultIllegal), string(record.FaultPanic), string(record.FaultError), string(record.FaultCrash),
	string(record.FaultTimeout), string(record.FaultProtocol), "other",
}

// bandEnds are the longest games, in plies, of the bands of lengths; that of the last band has no end.
var bandEnds = []int{10, 15, 20, 30, 50}

// definitions holds the figures in the order in which they are printed, that of the variables below, which are its
// indices. What those need stands above them, so that they are initialised in order.
var definitions []definition

// define adds a figure and returns its index.
func define(unit Unit, key, label string) int {
	definitions = append(definitions, definition{key: key, label: label, unit: unit})
	return len(definitions) - 1
}

// family adds a share for each name, in both texts, and returns the index of the first.
func family(key, label string, names ...string) int {
	first := len(definitions)
	for _, name := range names {
		define(Share, fmt.Sprintf(key, name), fmt.Sprintf(label, name))
	}
	return first
}

// The figures. What each counts is in the manual, package tournament.
var (
	games       = define(Total, "games", "Games")
	southPoints = define(Share, "south_points", "South's share of the points")
	drawn       = define(Share, "drawn", "Games drawn")
	reason      = defineReasons()
	plies       = define(Mean, "plies_mean", "Plies: mean")
	_           = defineQuantiles()
	bandPoints  = defineBands()

	winHeight  = family("win_height_%s", "Winning moves: by a piece of height %s", "1", "2", "3")
	winBounce  = define(Share, "win_bounce", "Winning moves: with a bounce")
	winBounces = family("win_bounces_%s", "Winning moves: bounces: %s", bounceNames...)
	winRow     = defineRows()

	moveHeight   = family("move_height_%s", "Moves: by a piece of height %s", "1", "2", "3")
	moveBounce   = define(Share, "move_bounce", "Moves: with a bounce")
	moveBounces  = define(Mean, "move_bounces_mean", "Moves: mean number of bounces")
	moveDisplace = define(Share, "move_displacement", "Moves: with a displacement")
	passes       = define(Share, "turn_pass", "Turns: passed")
	legalMoves   = define(Mean, "turn_legal_moves_mean", "Turns: mean number of legal moves")

	missedDefence = define(Share, "missed_defence", "Wins that could have been stopped")
	inReach       = define(Share, "goal_in_reach", "Turns: goal in reach")
	missedGoal    = define(Share, "goal_missed", "Turns with the goal in reach: missed")

	compared     = define(Total, "compare_positions", "Positions compared")
	setsDiffer   = define(Share, "compare_moves_differ", "Positions with other legal moves")
	illegalMoves = define(Share, "compare_illegal_moves", "Moves played that are illegal there")
	illegalGames = define(Share, "compare_illegal_games", "Games with such a move")
)

func defineReasons() int {
	first := family("reason_%s", "Games ended by: %s", reasons...)
	for i := range reasons {
		definitions[first+i].rare = true
	}
	return first
}

func reasonIndex(text string) int {
	if i := slices.Index(reasons, text); i >= 0 {
		return i
	}
	return len(reasons) - 1
}

func defineQuantiles() int {
	for _, percent := range []int{10, 25, 50, 75, 90} {
		i := define(Quantile, fmt.Sprintf("plies_q%d", percent), fmt.Sprintf("Plies: %d %% quantile", percent))
		definitions[i].quantile = float64(percent) / 100
	}
	return 0
}

func defineBands() int {
	first, from := len(definitions), 0
	for _, to := range bandEnds {
		define(Share, fmt.Sprintf("south_points_plies_%d_%d", from, to),
			fmt.Sprintf("South's points: %d to %d plies", from, to))
		from = to + 1
	}
	define(Share, fmt.Sprintf("south_points_plies_%d_more", from),
		fmt.Sprintf("South's points: %d plies or more", from))
	return first
}

func bandFigure(plies int) int {
	i, _ := slices.BinarySearch(bandEnds, plies)
	return bandPoints + i
}

// defineRows adds the shares by the row on which a winning move starts, 0 for the hand.
func defineRows() int {
	first := define(Share, "win_row_hand", "Winning moves: from the hand")
	definitions[first].rare = true
	family("win_row_%s", "Winning moves: from the mover's row %s", "1", "2", "3", "4", "5", "6")
	return first
}
