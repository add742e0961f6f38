package game

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// Verify returns an error unless a record is right as far as it shows: [record.Replay] has none,
// the reason is one of [Endings], an adjudication is what the scores or the solver give, and the
// times are those of a game.
func Verify(r *record.Record) error {
	_, err := replay(r)
	return err
}

// replay is [Verify] that returns the game.
func replay(r *record.Record) (*rules.Game, error) {
	g, err := record.Replay(r)
	if err != nil {
		return nil, err
	}
	err = verifyTimes(&r.Timing)
	if err == nil {
		err = verifyEnding(r, g)
	}
	return g, problems.Prefix(fmt.Sprintf("game %d", r.Game), err)
}

// verifyTimes returns an error unless times may be those of a game.
func verifyTimes(t *record.Timing) error {
	const (
		longest  = 366 * 24 * 3600 // seconds
		rounding = 0.001           // ms, by which the time of a move may be too long
	)
	sum := 0.0 // ms
	least := min(t.Seconds, t.OverrunMS)
	for _, ms := range t.MoveMS {
		sum += ms - rounding
		least = min(least, ms)
	}
	tooLong := max(t.Seconds, t.OverrunMS/1000) > longest
	longerThanGame := sum > 1000*t.Seconds+1
	if least < 0 || tooLong || longerThanGame {
		return fmt.Errorf("expected times of a game, found %v s, moves of %.0f ms, overrun %v ms",
			t.Seconds, sum, t.OverrunMS)
	}
	return nil
}

// verifyEnding returns an error unless a game g may have ended as its record says.
func verifyEnding(r *record.Record, g *rules.Game) error {
	ending := EndingOf(r)
	if ending.Text == "" {
		return fmt.Errorf("expected a reason like %s, found %.60q", rules.ByGoal, r.Reason)
	}
	if r.NotPlayed() && len(r.Moves) > 0 {
		return fmt.Errorf("expected no moves of a game that was not played, found %d", len(r.Moves))
	}

	// Before the first move either side may fail.
	turn := g.Position().Side()
	wrongFault := r.Fault != nil && r.Fault.Loser() != turn && len(r.Moves) > 0
	wrongLoser := r.Reason == record.Resignation && r.Result != rules.WinFor(turn.Other()).String()
	if wrongFault || wrongLoser {
		return fmt.Errorf("expected %s, whose turn it is, to lose, found %s by %s",
			turn.Name(), r.Result, r.Reason)
	}

	if r.Fault != nil {
		return verifyFault(r)
	}
	if ending.adjudication != nil {
		return verifyAdjudication(r, g)
	}
	return nil
}

var programs = regexp.MustCompile(`\bugi:`) // in specs of agents that start one

// verifyFault returns an error if an agent without a program lost by what only programs do.
func verifyFault(r *record.Record) error {
	byProgram := r.Fault.Kind == record.FaultCrash || r.Fault.Kind == record.FaultProtocol
	loser := r.South.Agent
	if r.Fault.Loser() == rules.North {
		loser = r.North.Agent
	}
	if byProgram && !programs.MatchString(loser) {
		return fmt.Errorf("expected another reason than %s, as %.60q is no program",
			r.Reason, loser)
	}
	return nil
}

// verifyAdjudication judges the game again, by the scores in its record.
func verifyAdjudication(r *record.Record, g *rules.Game) error {
	var a Adjudication
	if err := a.UnmarshalText([]byte(r.Adjudication)); err != nil {
		return fmt.Errorf("adjudication: %w", err)
	}
	scores := slices.Repeat([]record.Score{record.NoScore}, r.Plies)
	if len(r.Scores) > 0 {
		scores = r.Scores[len(r.Scores)-r.Plies:]
	}
	end := position{
		ctx:    context.Background(),
		game:   g,
		scores: scores,
		side:   g.Position().Side().Other(),
	}
	o, reason := a.judge(&end)
	if o.String() != r.Result || reason != r.Reason {
		return fmt.Errorf("expected a game that %s ends, found %s by %s", a, r.Result, r.Reason)
	}
	return nil
}

// slowestWorker is the time scale of the slowest worker.
const slowestWorker = 16

// Verify is [Verify] of a record that must be one of the task's game, and end and last as its
// settings allow.
func (g *Task) Verify(r *record.Record) error {
	if err := g.VerifyHead(r); err != nil {
		return err
	}
	played, err := replay(r)
	if err != nil {
		return err
	}
	if r.Reason == record.Imported {
		return fmt.Errorf("game %d: expected an ending of the run's own, found an imported game",
			r.Game)
	}
	if len(r.Timing.MoveMS) > 0 {
		if err := g.verifyMoveTimes(r, played.Moves()); err != nil {
			return err
		}
	}
	return g.verifyTimeout(r)
}

// verifyMoveTimes returns an error if one of the moves took longer than a clock or a move time
// allows.
func (g *Task) verifyMoveTimes(r *record.Record, moves []rules.Move) error {
	slow := *g
	slow.TimeScale = slowestWorker
	p := newPlay(&slow, time.Time{})
	for i, m := range moves {
		ms := r.Timing.MoveMS[i]
		took := time.Duration(ms * float64(time.Millisecond))
		p.side = p.game.Position().Side()
		if fault := p.spend(took, m); fault != nil {
			return fmt.Errorf("game %d: move %d: %v ms: %s", r.Game, i+1, ms, fault.Detail)
		}
		p.game.PlayLegal(m)
	}
	return nil
}

// verifyTimeout returns an error if an agent lost on time although nothing limits its time.
// Programs may time out by limits of their own.
func (g *Task) verifyTimeout(r *record.Record) error {
	if r.Fault == nil || r.Fault.Kind != record.FaultTimeout {
		return nil
	}
	loser := r.Fault.Loser()
	stalled := g.StallTimeout > 0 && r.Timing.Seconds >= g.StallTimeout.Seconds()
	limited := g.moveTime(loser) > 0 || g.clock(loser).Base > 0
	if limited || stalled || programs.MatchString(g.Seats[loser].Name) {
		return nil
	}
	return fmt.Errorf("game %d: expected another reason than timeout, "+
		"as nothing limits the time of %s", r.Game, r.Fault.Side)
}

// VerifyHead returns an error unless a record, maybe under way, has numbers, rules, opening,
// players and settings of g.
func (g *Task) VerifyHead(r *record.Record) error {
	blank := g.Blank()
	for _, part := range []struct {
		name            string
		expected, found any
	}{
		{"number", blank.Game, r.Game},
		{"pair", blank.Pair, r.Pair},
		{"rules", blank.Rules, r.Rules},
		{"opening", blank.Opening, r.Opening},
		{"policy", blank.Policy, r.Policy},
		{"south", blank.South.Agent, r.South.Agent},
		{"seed of south", blank.South.Seed, r.South.Seed},
		{"north", blank.North.Agent, r.North.Agent},
		{"seed of north", blank.North.Seed, r.North.Seed},
		{"limits", blank.Limits, r.Limits},
		{"on_repetition", blank.OnRepetition, r.OnRepetition},
		{"adjudication", blank.Adjudication, r.Adjudication},
	} {
		if part.expected != part.found {
			found := textfmt.Cut(fmt.Sprintf("%+v", part.found), 300)
			return fmt.Errorf("game %d: %s: expected %+v, found %s",
				blank.Game, part.name, part.expected, found)
		}
	}
	return nil
}
