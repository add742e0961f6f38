package game

import (
	"slices"
	"strings"

	"gyges/rules"
	"gyges/tournament/record"
)

// Ending is a reason for which a game ends.
type Ending struct {
	Name        string // in records, as their reason
	Text        string // for people
	Termination string // in PGN, as the tag of that name

	// adjudication, if not nil, ends games for this reason where a run asks for it.
	adjudication *adjudicator
}

// The terminations of PGN, which has these words for them.
const (
	normal      = "normal"
	adjudicated = "adjudication"
	abandoned   = "abandoned" // or another program's fault
)

// endings are all of them: those of the rules, the players' own, faults, adjudications in the order
// in which they are written, and that of games from elsewhere. The names of adjudications begin
// with [record.Adjudicated].
var endings = []Ending{
	{string(rules.ByGoal), "goal: a piece was brought over", normal, nil},
	{string(rules.ByPasses), "passes: two in a row", normal, nil},
	{string(rules.ByLength), "length: the rules' most plies", normal, nil},
	{record.Resignation, "resignation: a player resigned", normal, nil},
	{string(record.FaultIllegal), "illegal: a move that isn't legal", "rules infraction", nil},
	{string(record.FaultCrash), "crash: the agent's program ended", abandoned, nil},
	{string(record.FaultTimeout), "timeout: no answer in time", "time forfeit", nil},
	{
		string(record.FaultProtocol), "protocol: the agent's program violated the protocol",
		abandoned, nil,
	},
	{string(record.FaultError), "error: the agent reported one", abandoned, nil},
	{string(record.FaultPanic), "panic: the agent panicked", abandoned, nil},
	{string(record.FaultSuspended), "suspended", abandoned, nil},
	{resign, "adjudicated: won and lost by both scores", adjudicated, &adjudicator{
		option: "resign", doc: "both score it won and lost", least: 1, judge: judgeResign,
	}},
	{draw, "adjudicated: even by both scores", adjudicated, &adjudicator{
		option: "draw", doc: "both score it even", judge: judgeDraw,
	}},
	{proven, "adjudicated: proven", adjudicated, &adjudicator{
		option: "proven", doc: "the solver sees the end within N plies",
		most: 9, usual: 3, last: true, judge: judgeProven,
	}},
	{length, "adjudicated: too many plies", adjudicated, &adjudicator{
		option: "plies", doc: "a draw", most: 100_000, judge: judgePlies,
	}},
	{record.Imported, "imported: the result is another program's", "", nil},
}

// The reasons of adjudications.
const (
	resign = record.Adjudicated + "resign"
	draw   = record.Adjudicated + "draw"
	proven = record.Adjudicated + "proven"
	length = record.Adjudicated + "length"
)

// Endings returns all reasons for which games end.
func Endings() []Ending { return slices.Clone(endings) }

// EndingOf returns the ending of a record, whose reason may be unknown to this program. Then it has
// no text.
func EndingOf(r *record.Record) Ending {
	if i := slices.IndexFunc(endings, func(e Ending) bool { return e.Name == r.Reason }); i >= 0 {
		return endings[i]
	}
	e := Ending{Name: r.Reason, Termination: normal}
	switch {
	case r.Fault != nil:
		e.Termination = abandoned
	case strings.HasPrefix(r.Reason, record.Adjudicated):
		e.Termination = adjudicated
	}
	return e
}
