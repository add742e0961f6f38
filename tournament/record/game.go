// Package record is the record of a game: one JSON object a line, holding all that is needed to
// replay the game and everything that ratings, tuning and reports read.
//
// A reader begins with [Record]. [Writer] appends records to a file, each with a checksum, and
// [Reader] streams them back: whole, or for ratings only their results, which is several times as
// fast. [Replay] plays a record again and verifies it, [Record.Turns] returns its moves with what
// their players reported of them, and [Filter] chooses games.
//
// Every clock reading of a record sits in its object "timing", the last one of the line. All the
// rest is the same whenever a run limited by depth, nodes or iterations is repeated.
package record

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"gyges/ratings"
	"gyges/rules"
	"gyges/rules/base/problems"
)

// Version is the version of the schema. It changes when this program can no longer read the records
// of the version before.
const Version = 1

// Record is one finished game.
type Record struct {
	Game    int64  `json:"game"`    // number in the run, from 0
	Pair    int64  `json:"pair"`    // number of the game pair: one opening, sides swapped; from 0
	Rules   string `json:"rules"`   // the rule set, as rules.Parse reads it
	Opening string `json:"opening"` // the position the game began in
	Policy  string `json:"policy"`  // where the opening came from
	South   Player `json:"south"`
	North   Player `json:"north"`
	Limits  Limits `json:"limits,omitzero"` // bounds of each decision

	// OnRepetition says what became of moves that only repeat: "ask-next" or
	// "allow", as package agents has it; "" for "forfeit".
	OnRepetition string `json:"on_repetition,omitempty"`

	// Adjudication says when the run ends games by the players' scores; "": never.
	Adjudication string `json:"adjudication,omitempty"`

	Moves []string `json:"moves"` // in short notation, placements included

	// What is known of each move, see [Lists].
	Best   []string `json:"best,omitempty"`   // of the search, where another move was played to explore
	Scores []Score  `json:"scores,omitempty"` // of the best move, from its mover's view
	Depths []int    `json:"depths,omitempty"` // plies searched
	Nodes  []int64  `json:"nodes,omitempty"`  // positions visited

	Result string `json:"result"`          // "1-0" if South won, "0-1", "1/2-1/2"
	Reason string `json:"reason"`          // a rules.Reason, fault's kind, resignation, adjudicated-…, or imported
	Plies  int    `json:"plies"`           // turns played, placements not counted
	Fault  *Fault `json:"fault,omitempty"` // what lost the game outside its rules; nil: nothing
	Timing Timing `json:"timing"`
}

// Player is one side's player.
type Player struct {
	Agent string `json:"agent"`       // its spec, which is its name
	Seed  uint64 `json:"seed,string"` // its source of randomness; text, since many JSON readers keep 53 bits only
}

// Limits are the bounds of each decision that the run set beside the agents' own parameters. Zero
// fields set no bound.
type Limits struct {
	Depth    int    `json:"depth,omitempty"`    // plies
	Nodes    int64  `json:"nodes,omitempty"`    // positions visited
	MoveTime string `json:"movetime,omitempty"` // wall-clock time a move, as Go prints it: "100ms"
	Clock    string `json:"clock,omitempty"`    // time for the game and increment a move: "1m0s+1s"
}

// Score is an agents.Score in a record, null in JSON where the mover gave none: hundredths of a
// point of the evaluation for the side that moved. Proven results lie beyond ±29,000: 30,000-n is
// a win in n plies, n-30,000 a loss.
type Score int32

// NoScore stands where the mover gave no score.
const NoScore Score = math.MinInt32

// Known reports whether there is a score.
func (s Score) Known() bool { return s != NoScore }

// MarshalJSON writes a number or null.
func (s Score) MarshalJSON() ([]byte, error) {
	if s == NoScore {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}

// UnmarshalJSON reads a whole number of 32 bits or null.
func (s *Score) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*s = NoScore
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || Score(n) == NoScore {
		return fmt.Errorf("expected a score, a whole number or null, found %.40q", text)
	}
	*s = Score(n)
	return nil
}

// Fault says how a player lost outside the rules of the game.
type Fault struct {
	Side   string    `json:"side"` // "south" or "north"
	Kind   FaultKind `json:"kind"`
	Detail string    `json:"detail,omitempty"` // for people; bounded by MaxDetail
}

// Loser returns the side that lost by the fault.
func (f *Fault) Loser() rules.Side {
	if f.Side == "north" {
		return rules.North
	}
	return rules.South
}

// Outcome returns the result of the game that was lost by the fault.
func (f *Fault) Outcome() rules.Outcome { return rules.WinFor(f.Loser().Other()) }

// FaultKind is a way to lose outside the rules of the game. It is also the reason
// of the game's end.
type FaultKind string

// The kinds of faults.
const (
	FaultIllegal  FaultKind = "illegal"  // chose a move that is not legal
	FaultPanic    FaultKind = "panic"    // the agent panicked
	FaultError    FaultKind = "error"    // the agent returned an error
	FaultCrash    FaultKind = "crash"    // the agent's program could not be started, or ended
	FaultTimeout  FaultKind = "timeout"  // the agent gave no answer in time
	FaultProtocol FaultKind = "protocol" // the agent's program said what can't be understood

	// FaultSuspended stands in games that were not played, since the agent had
	// lost too many by faults. Ratings leave them out.
	FaultSuspended FaultKind = "suspended"
)

// Resignation is the reason of games that a player gave up.
const Resignation = "resignation"

// Adjudicated begins the reasons of games that the run ended early.
const Adjudicated = "adjudicated-"

// Imported is the reason of games that came from another program and whose moves don't lead to an
// end by the rules, or are not known. A record without moves may be without rules and opening, too.
const Imported = "imported"

// NotPlayed reports whether the game was not played, since an agent was suspended.
func (g *Record) NotPlayed() bool { return g.Fault != nil && g.Fault.Kind == FaultSuspended }

// OnlyResult reports whether only the result is known of a game of another program.
func (g *Record) OnlyResult() bool { return g.Reason == Imported && len(g.Moves) == 0 }

// Movers returns the index in Moves of each turn and the side that took it. Placements are left
// out. There are none if the side that began can't be read from the opening.
func (g *Record) Movers() iter.Seq2[int, rules.Side] {
	return func(yield func(int, rules.Side) bool) {
		first := len(g.Moves) - g.Plies
		side := rules.South // begins after a set-up
		if first == 0 {
			var err error
			side, err = rules.SideToMove(g.Opening)
			if err != nil {
				return
			}
		}
		for i := first; i < len(g.Moves); i++ {
			if !yield(i, side) {
				return
			}
			side = side.Other()
		}
	}
}

// MaxDetail bounds Fault.Detail, in bytes.
const MaxDetail = 2000

// Timing holds every clock reading of a record.
type Timing struct {
	Start   time.Time `json:"start"`             // when the game began, UTC
	Seconds float64   `json:"seconds"`           // how long it took
	MoveMS  []float64 `json:"move_ms,omitempty"` // milliseconds each decision took, see [Lists]

	// OverrunMS is by how many milliseconds the player that lost on time did so.
	OverrunMS float64 `json:"overrun_ms,omitempty"`

	// Worker is the name of the worker that played the game, in a run on workers elsewhere;
	// it is not checked.
	Worker string `json:"worker,omitempty"`

	// Trace is what was said last between the program and an external engine that a fault was laid
	// to: lines that begin with > (to the engine), < (from it), ! (from its stderr) or = (a
	// remark). It stands here since engines speak of time.
	Trace []string `json:"trace,omitempty"`

	// CRC32C is the checksum that [Writer] ends a line with, and that [Reader]
	// verifies and removes.
	CRC32C string `json:"crc32c,omitempty"`
}

// check verifies what can be verified without playing the game again.
func (g *Record) check() error {
	var p problems.List
	p.Require(slices.Contains(results[:], g.Result),
		"expected a result 1-0, 0-1 or 1/2-1/2, found %.60q", g.Result)
	p.Require(g.Reason != "", "expected a reason, found none")
	if g.Reason == Resignation {
		p.Require(g.Result != results[1],
			"expected a winner after a resignation, found %s", g.Result)
	}
	if f := g.Fault; f != nil {
		isReason := f.Kind != "" && string(f.Kind) == g.Reason
		p.Require(isReason,
			"expected the fault's kind as the reason, found %.60q and %.60q", f.Kind, g.Reason)
		if f.Side == "south" || f.Side == "north" {
			lost := f.Outcome().String()
			p.Require(g.Result == lost,
				"expected %s after a fault of %s, found %.60q", lost, f.Side, g.Result)
		} else {
			p = append(p, fmt.Errorf("expected a fault of south or north, found %.60q", f.Side))
		}
	}
	return errors.Join(p.Err(), g.checkMoves())
}

// checkMoves verifies what a game has from its first move on, which is all but the result.
func (g *Record) checkMoves() error {
	var p problems.List
	areNumbers := g.Game >= 0 && g.Pair >= 0
	p.Require(areNumbers,
		"expected game and pair to be numbers from 0, found %d and %d", g.Game, g.Pair)
	if !g.OnlyResult() {
		p.Require(g.Rules != "", "expected rules, found none")
		p.Require(g.Opening != "", "expected an opening, found none")
	}
	south, north := g.South.Agent, g.North.Agent
	p.Require(south != "" && north != "",
		"expected the agents of south and north, found %.60q and %.60q", south, north)
	p.Require(slices.Contains([]string{"", "ask-next", "allow"}, g.OnRepetition),
		"expected on_repetition to be ask-next or allow, found %.60q", g.OnRepetition)
	n := len(g.Moves)
	p.Require(g.Moves != nil, "expected moves, found none")
	isPlies := 0 <= g.Plies && g.Plies <= n
	p.Require(isPlies, "expected plies from 0 to the %d moves, found %d", n, g.Plies)
	for _, l := range Lists {
		m := l.size(g)
		p.Require(m == 0 || m == n, "expected as many %s as the %d moves, found %d", l.Key, n, m)
	}
	return p.Err()
}

// results are the results that a record may have, by South's half points.
var results = [...]string{"0-1", "1/2-1/2", "1-0"}

// HalfPoints returns what a side gets for a result of a checked record: 2 for a win, 1 for a draw,
// 0 for a loss.
func HalfPoints(result string, side rules.Side) int {
	switch result {
	case results[1]:
		return 1
	case rules.WinFor(side).String():
		return 2
	default:
		return 0
	}
}

// HalfPoints returns the half points of an agent, given by its spec, in a game that
// it played; those of South if it played itself.
func (g *Record) HalfPoints(agent string) int {
	if g.South.Agent == agent {
		return HalfPoints(g.Result, rules.South)
	}
	return HalfPoints(g.Result, rules.North)
}

// ResultText returns a result as records have it.
func ResultText(r ratings.Result) string { return results[r+1] }
