package game

import (
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/tournament/schedule"
)

// Settings says how the games of a run are played, whatever their rules and players: tournaments, matches, self-play,
// tuning by matches and training embed it. Start from [DefaultSettings].
type Settings struct {
	// Openings say where games begin.
	Openings schedule.Openings `yaml:"openings" form:"openings, like random or random:plies=4" name:"openings" placeholder:"HOW" help:"How games begin:"`

	// Limits bound each decision, beside the agents' own; zero: none.
	Limits agents.Limits `yaml:"limits" help:"Bounds of each decision, beside those in the specs of agents."`

	// Clock is the time for a whole game; zero: none. An agent's own goes before it.
	Clock Clock `yaml:"clock" form:"a clock, like 60+0.6 (seconds) or 1m+600ms" name:"clock" group:"Limits and time:" placeholder:"TIME" help:"Time of each side for a whole game, with an increment after each move: 60+0.6 (seconds) or 1m+600ms; a side that exceeds it loses. Results may differ from run to run."`

	// TimeMargin is by how much a clock or a move time may be exceeded without loss; nil: 0 for a clock and 500 ms for
	// a move time, since many engines check the time at intervals only, but reserve time under a clock.
	TimeMargin *time.Duration `yaml:"time_margin" check:"0s..24h" name:"time-margin" group:"Limits and time:" placeholder:"TIME" help:"By how much a clock or a move time may be exceeded without loss. Default: 0s for a clock, 500ms for a move time."`

	// OnRepetition is what becomes of a move that only repetition or null-move rules forbid; empty: it is forfeited
	// like any illegal move.
	OnRepetition agents.OnRepetition `yaml:"on_repetition" zero:"forfeit" name:"on-repetition" placeholder:"HOW" help:"What becomes of a move that only the rules on repetition and null moves forbid:"`

	// Adjudication ends games early; zero: none.
	Adjudication Adjudication `yaml:"adjudication" form:"an adjudication, like resign=8:4,proven" name:"adjudicate" placeholder:"HOW" help:"End games early, for one reason or several with commas:"`

	// StallTimeout is how long beyond the move time the program waits for an agent that doesn't answer, before it
	// loses the game; 0: without end.
	StallTimeout time.Duration `yaml:"stall_timeout" check:"0s..24h" zero:"no timeout" name:"stall-timeout" group:"Limits and time:" placeholder:"TIME" help:"How long beyond the move time to wait for an agent that does not answer, before it loses, like 1m; 0s: no timeout."`
}

// DefaultSettings returns settings that lack only a policy of openings.
func DefaultSettings() Settings {
	return Settings{OnRepetition: agents.Forfeit, StallTimeout: 10 * time.Minute}
}

// Check adds what is wrong with the settings for games under rule sets, beside the bounds in their tags. Their keys
// begin with prefix. Whether there are openings in a run with the seed is checked if nothing else is wrong.
func (s *Settings) Check(p *problems.List, prefix string, list []*rules.Rules, seed uint64) {
	s.Openings.Check(p, prefix+"openings")
	p.Expect(s.Clock.Valid(), prefix+"clock", ClockForm, s.Clock)
	if len(*p) == 0 {
		s.Openings.CheckUnder(p, prefix+"openings", list, seed)
	}
}

const moveTimeMargin = 500 * time.Millisecond // where none is given

func (s *Settings) timeMargins() (clock, moveTime time.Duration) {
	if s.TimeMargin == nil {
		return 0, moveTimeMargin
	}
	return *s.TimeMargin, *s.TimeMargin
}
