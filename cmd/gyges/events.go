package main

import (
	"encoding/json"
	"math"
	"time"

	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// The events of --events jsonl, as the manual of tournaments describes them. The first field of
// each says which it is.

// runEvent is the first one: what is to be played.
type runEvent struct {
	Event  string    `json:"event"` // "start"
	Time   time.Time `json:"time"`
	Out    string    `json:"out"`
	Games  int64     `json:"games"` // scheduled
	Pairs  int       `json:"pairs"` // for every two players and rule set
	Agents []string  `json:"agents"`
	Labels []string  `json:"labels"` // what tables call them, in the same order
	Rules  []string  `json:"rules"`
	Seed   uint64    `json:"seed,string"`
	SPRT   string    `json:"sprt,omitempty"`
	Until  float64   `json:"until_error,omitempty"`
}

// gameEvent is a game that has been recorded; those that the folder of a run
// that goes on holds come first, like the others.
type gameEvent struct {
	Event   string        `json:"event"` // "game"
	Game    int64         `json:"game"`
	Pair    int64         `json:"pair"`
	Rules   string        `json:"rules"`
	South   string        `json:"south"` // specs
	North   string        `json:"north"`
	Labels  [2]string     `json:"labels"` // what tables call South and North
	Result  string        `json:"result"`
	Reason  string        `json:"reason"`
	Plies   int           `json:"plies"`
	Fault   *record.Fault `json:"fault,omitempty"`
	Seconds float64       `json:"seconds"`
	Done    int64         `json:"done"` // games so far
	Of      int64         `json:"of"`   // games scheduled
}

// ratingEvent is the ratings so far.
type ratingEvent struct {
	Event  string          `json:"event"` // "rating"
	Games  int64           `json:"games"`
	Rating json.RawMessage `json:"rating"` // as gyges rate --format json has it
}

// matchEvent is the state of a match; null is what has no value.
type matchEvent struct {
	Event string     `json:"event"` // "match"
	Pairs sprt.Pairs `json:"pairs"` // 0, ½, 1, 1½, 2 points of the first player
	estimate
	Uncorrected *estimate `json:"uncorrected,omitempty"` // where the other one is corrected for the stop by the test
	// OneGame are those of Pairs whose two games are one, Repeated the pairs left out as they repeat an earlier one.
	OneGame  int      `json:"pairs_one_game"`
	Repeated int      `json:"pairs_repeated"`
	LLR      *float64 `json:"llr,omitempty"`
	Lower    *float64 `json:"lower,omitempty"`
	Upper    *float64 `json:"upper,omitempty"`
	// Left is how many more games the test is expected to take.
	Left *float64 `json:"games_left,omitempty"`
}

// estimate is the strength of the first player of a match.
type estimate struct {
	Elo            *float64 `json:"elo"`
	EloLow         *float64 `json:"elo_low"` // ends of the 95 % interval
	EloHigh        *float64 `json:"elo_high"`
	Normalized     *float64 `json:"normalized_elo"`
	NormalizedLow  *float64 `json:"normalized_elo_low"`
	NormalizedHigh *float64 `json:"normalized_elo_high"`
	LOS            *float64 `json:"los"` // 0 to 1
}

func newEstimate(e sprt.Estimate) estimate {
	elo, normalized := e.Elo, e.Normalized
	return estimate{
		orNull(elo.Value), orNull(elo.Low), orNull(elo.High),
		orNull(normalized.Value), orNull(normalized.Low), orNull(normalized.High), orNull(e.LOS),
	}
}

func newMatchEvent(t sprt.Test, p sprt.Pairs, i ratings.Identical) matchEvent {
	known := t.Estimate(p)
	e := matchEvent{Event: "match", Pairs: p, estimate: newEstimate(known), OneGame: i.OneGame, Repeated: i.Pairs}
	if known.Corrected {
		raw := newEstimate(p.Estimate())
		e.Uncorrected = &raw
	}
	if t != (sprt.Test{}) {
		lower, upper := t.Bounds()
		e.LLR, e.Lower, e.Upper = orNull(t.LLR(p)), &lower, &upper
		if left, known := t.PairsLeft(p); known {
			left = 2 * math.Ceil(left)
			e.Left = &left
		}
	}
	return e
}

func orNull(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// endEvent is the last one.
type endEvent struct {
	Event   string            `json:"event"` // "end"
	Time    time.Time         `json:"time"`
	Status  tournament.Status `json:"status"`
	Games   int64             `json:"games"` // recorded
	Faults  int64             `json:"faults"`
	Decided bool              `json:"decided,omitempty"` // the SPRT is, or every interval narrow enough
	Error   string            `json:"error,omitempty"`
}
