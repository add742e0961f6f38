// Package review judges the moves of recorded games: it compares each with the best one that a search of
// a fixed number of nodes finds, in winning probability.
//
// A [Reviewer] makes the [Review] of a record, [Run] those of many on all cores, a [File] keeps them, and a
// [Summary] counts by player where games were lost. Reviews are the same on every machine and with any
// number of workers, since all searches are bounded by nodes and none uses what another one left.
//
// The moves are judged from the last one back, so that a result proven in a later position counts for the
// move that led to it, though the search before that move did not see so far.
package review

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"gyges/agents"
	"gyges/tournament/record"
)

// DefaultNodes are those of a review unless others are asked for: a game of 20 moves takes about two seconds.
const DefaultNodes = 20_000

// MaxPlies bounds the moves of a game that is reviewed, placements included.
const MaxPlies = 4000

// Mark says how good a move is.
type Mark string

// The marks. Those of moves that lose winning probability begin at [Inaccurate], [Mistaken] and [Blundered].
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

// Kinds lists the kinds, for tables.
func Kinds() []Kind { return []Kind{MissedGoal, AllowedGoal, MissedProof, AllowedWin, Judgement} }

// Text says what a move of the kind does.
func (k Kind) Text() string {
	return map[Kind]string{
		MissedGoal: "misses a win in one", AllowedGoal: "allows a win in one", MissedProof: "gives a proven win away",
		AllowedWin: "allows a proven win", Judgement: "worse by evaluation",
	}[k]
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
	// Decisive is the ply of the loser's move that lost the game: of those since it was last expected to win,
	// the one that lost most, at least an inaccuracy. 0: there is none.
	Decisive int   `json:"decisive,omitempty"`
	Turning  []int `json:"turning,omitempty"` // plies of at most three mistakes that changed most, ascending
}

// Move is a reviewed move. Numbers are from the view of the side that made it, and 0 of a move that was not judged.
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
	return m.Mark != Placement && m.Mark != Repetition && m.Mark != Forced
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

// Identity returns what identifies a record beside its number: a hash of rules, players, opening, moves and result.
func Identity(g *record.Record) string {
	h := sha256.New()
	texts := []string{g.Rules, g.South.Agent, g.North.Agent, g.Opening, g.Result, g.OnRepetition}
	for _, text := range append(texts, g.Moves...) {
		_, _ = fmt.Fprintf(h, "%q\n", text) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
