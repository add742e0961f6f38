// Package review judges the moves of recorded games: it compares each with the best one that a
// search of a fixed number of nodes finds, in winning probability.
//
// A reader begins with [Review], which has a [Move] for each move of a [record.Record]. [Select]
// reads the records of a file, [Run] reviews them on all cores with a [Reviewer] each, a [File]
// keeps the reviews, and a [Summary] counts by player where games were lost.
//
// Reviews are the same on every machine and with any number of workers, since all searches are
// bounded by nodes and none uses what another one left. The moves are judged from the last one
// back, so that a result proven in a later position counts for the move that led to it, though the
// search before that move did not see so far.
package review

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"gyges/agents"
	"gyges/tournament/record"
)

// DefaultNodes are the nodes of each search, unless others are asked for. A game of 20 moves takes
// about two seconds then.
const DefaultNodes = 20_000

// MaxPlies bounds the moves of a game that is reviewed, placements included.
const MaxPlies = 4000

// Mark says how good a move is.
type Mark string

// The marks. Those of moves that lose winning probability begin at [Inaccurate],
// [Mistaken] and [Blundered].
const (
	Placement  Mark = "placement"  // of a piece before play; not judged
	Repetition Mark = "repetition" // a move that only repeats and that the run let pass; not judged
	Forced     Mark = "forced"     // the only legal move
	Only       Mark = "only"       // every other move would have let the opponent win at once
	Best       Mark = "best"       // no better one was found
	Good       Mark = "good"
	Inaccuracy Mark = "inaccuracy"
	Mistake    Mark = "mistake"
	Blunder    Mark = "blunder"
	MissedWin  Mark = "missed-win" // at least an inaccuracy where a win was proven
)

var marks = []Mark{
	Placement, Repetition, Forced, Only, Best, Good, Inaccuracy, Mistake, Blunder, MissedWin,
}

// Kind is what a move that is at least an inaccuracy did.
type Kind string

// The kinds. Of several that fit a move has the first.
const (
	MissedGoal  Kind = "missed-goal"  // did not win, though one move would have
	AllowedGoal Kind = "allowed-goal" // let the opponent win with one move
	MissedProof Kind = "missed-win"   // gave a proven win away
	AllowedWin  Kind = "allowed-win"  // came into a proven loss
	Judgement   Kind = "judgement"    // is worse by the evaluation alone
)

// kinds are all kinds, with what they are called in a sentence and above a column.
var kinds = []struct {
	kind        Kind
	text, title string
}{
	{MissedGoal, "misses a win in one", "Missed goal"},
	{AllowedGoal, "allows a win in one", "Allowed goal"},
	{MissedProof, "gives a proven win away", "Missed win"},
	{AllowedWin, "allows a proven win", "Allowed win"},
	{Judgement, "worse by evaluation", "Worse"},
}

// Kinds returns all kinds, with what a move of each does in words.
func Kinds() map[Kind]string {
	texts := map[Kind]string{}
	for _, known := range kinds {
		texts[known.kind] = known.text
	}
	return texts
}

// Text says what a move of the kind does; "" for no kind.
func (k Kind) Text() string {
	for _, known := range kinds {
		if known.kind == k {
			return known.text
		}
	}
	return ""
}

// Review is the review of a game. Sides are "south" and "north".
type Review struct {
	Game   int64  `json:"game"`   // number of the record
	Record string `json:"record"` // [Identity] of the record
	Rules  string `json:"rules"`
	South  string `json:"south"` // agents, by their specs
	North  string `json:"north"`
	Result string `json:"result"`
	Fault  bool   `json:"fault,omitempty"` // decided the game, rather than a move
	Plies  int    `json:"plies"`
	Moves  []Move `json:"moves"`

	SouthMoves Tally `json:"south_moves"`
	NorthMoves Tally `json:"north_moves"`

	// Decisive is the ply of the loser's move that lost the game: of those since it was last
	// expected to win, the one that lost most, at least an inaccuracy. 0: there is none.
	Decisive int `json:"decisive,omitempty"`

	Turning []int `json:"turning,omitempty"` // plies of at most three mistakes that changed most, ascending
}

// Move is a reviewed move. Numbers are from the view of the side that made it, and 0 of a move that
// was not judged.
type Move struct {
	Ply    int          `json:"ply"` // from 1; 0: a placement
	Side   string       `json:"side"`
	Move   string       `json:"move"`             // in long notation
	Height int          `json:"height,omitempty"` // of the piece; 0: a pass
	Mark   Mark         `json:"mark"`
	Kind   Kind         `json:"kind,omitempty"`
	Before float64      `json:"before"`         // probability of winning with the best move
	After  float64      `json:"after"`          // probability of winning after the move made
	Loss   float64      `json:"loss"`           // what that is less
	Best   agents.Score `json:"best_score"`     // hundredths of a point, or proven
	Score  agents.Score `json:"score"`          // of the move made
	Depth  int          `json:"depth"`          // plies of both searches; 0: it was not searched
	Line   []string     `json:"line,omitempty"` // the better line, in long notation; left out after a best move
}

// Judged reports whether the move was a choice that was compared with the best one.
func (m *Move) Judged() bool {
	switch m.Mark {
	case Placement, Repetition, Forced:
		return false
	}
	return true
}

// Tally counts the moves of one side.
type Tally struct {
	Judged       int     `json:"judged"`
	Accuracy     float64 `json:"accuracy"` // mean of the moves judged, 0 to 100; 100 if there are none
	Best         int     `json:"best"`     // the only moves included
	Inaccuracies int     `json:"inaccuracies"`
	Mistakes     int     `json:"mistakes"`
	Blunders     int     `json:"blunders"`
	MissedWins   int     `json:"missed_wins"`
}

// Identity returns what identifies a record beside its number: a hash of rules, players, opening,
// moves and result.
func Identity(g *record.Record) string {
	hash := sha256.New()
	texts := []string{g.Rules, g.South.Agent, g.North.Agent, g.Opening, g.Result, g.OnRepetition}
	texts = append(texts, g.Moves...)
	for _, text := range texts {
		_, _ = fmt.Fprintf(hash, "%q\n", text) // a hash takes everything
	}
	sum := hash.Sum(nil)
	return hex.EncodeToString(sum[:12])
}
