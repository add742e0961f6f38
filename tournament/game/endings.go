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
	{Name: string(rules.ByGoal), Text: "goal: a piece was brought over", Termination: normal},
	{Name: string(rules.ByPasses), Text: "passes: two in a row", Termination: normal},
	{Name: string(rules.ByLength), Text: "length: the rules' most plies", Termination: normal},
	{Name: record.Resignation, Text: "resignation: a player resigned", Termination: normal},
	{Name: string(record.FaultIllegal), Text: "illegal: a move that isn't legal", Termination: "rules infraction"},
	{Name: string(record.FaultCrash), Text: "crash: the agent's program ended", Termination: abandoned},
	{Name: string(record.FaultTimeout), Text: "timeout: no answer in time", Termination: "time forfeit"},
	{
		Name: string(record.FaultProtocol), Text: "protocol: the agent's program violated the protocol",
		Termination: abandoned,
	},
	{Name: string(record.FaultError), Text: "error: the agent reported one", Termination: abandoned},
	{Name: string(record.FaultPanic), Text: "panic: the agent panicked", Termination: abandoned},
	{Name: string(record.FaultSuspended), Text: "suspended", Termination: abandoned},
	{
		Name: record.Adjudicated + "resign", Text: "adjudicated: won and lost by both scores", Termination: adjudicated,
		adjudication: &adjudicator{option: "resign", doc: "both score it won and lost", least: 1, judge: judgeResign},
	},
	{
		Name: record.Adjudicated + "draw", Text: "adjudicated: even by both scores", Termination: adjudicated,
		adjudication: &adjudicator{option: "draw", doc: "both score it even", judge: judgeDraw},
	},
	{
		Name: record.Adjudicated + "proven", Text: "adjudicated: proven", Termination: adjudicated,
		adjudication: &adjudicator{
			option: "proven", doc: "the solver sees the end within N plies", most: 9, usual: 3, last: true, judge: judgeProven,
		},
	},
	{
		Name: record.Adjudicated + "length", Text: "adjudicated: too many plies", Termination: adjudicated,
		adjudication: &adjudicator{option: "plies", doc: "a draw", most: 100_000, judge: judgePlies},
	},
	{Name: record.Imported, Text: "imported: the result is another program's"},
}

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
