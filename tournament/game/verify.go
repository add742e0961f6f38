package game

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"gyges/agents/solver"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// Verify returns an error unless a record is right as far as it shows: [record.Replay] has none, the reason is one of
// [Endings], an adjudication is what the scores or the solver give, and the times are those of a game.
func Verify(r *record.Record) error {
	g, err := record.Replay(r)
	if err != nil {
		return err
	}
	if err = cmp.Or(verifyTimes(&r.Timing), verifyEnding(r, g)); err != nil {
		return fmt.Errorf("game %d: %w", r.Game, err)
	}
	return nil
}

var programs = regexp.MustCompile(`\bugi:`) // in specs of agents that start one

func verifyEnding(r *record.Record, g *rules.Game) error {
	i := slices.IndexFunc(endings, func(e Ending) bool { return e.Name == r.Reason })
	turn := g.Position().Side()
	switch {
	case i < 0:
		return fmt.Errorf("expected a reason like %s, found %.60q", rules.ByGoal, r.Reason)
	case r.NotPlayed() && len(r.Moves) > 0:
		return fmt.Errorf("expected no moves of a game that was not played, found %d", len(r.Moves))
	case r.Reason == record.Resignation && r.Result != rules.WinFor(turn.Other()).String(),
		r.Fault != nil && r.Fault.Loser() != turn && len(r.Moves) > 0: // before the first move either may fail
		return fmt.Errorf("expected %s, whose turn it is, to lose, found %s by %s", turn.Name(), r.Result, r.Reason)
	case r.Fault != nil:
		spec := [...]string{r.South.Agent, r.North.Agent}[r.Fault.Loser()]
		if !programs.MatchString(spec) && (r.Fault.Kind == record.FaultCrash || r.Fault.Kind == record.FaultProtocol) {
			return fmt.Errorf("expected another reason than %s, as %.60q is no program", r.Reason, spec)
		}
	case endings[i].adjudication != nil:
		var a Adjudication
		if err := a.UnmarshalText([]byte(r.Adjudication)); err != nil {
			return fmt.Errorf("adjudication: %w", err)
		}
		scores := slices.Repeat([]record.Score{record.NoScore}, r.Plies)
		if len(r.Scores) > 0 {
			scores = r.Scores[len(r.Scores)-r.Plies:]
		}
		p := &position{context.Background(), g, scores, g.Position().Side().Other(), solver.New(1).Solve}
		if o, reason := a.judge(p); o.String() != r.Result || reason != r.Reason {
			return fmt.Errorf("expected a game that %s ends, found %s by %s", a, r.Result, r.Reason)
		}
	}
	return nil
}

func verifyTimes(t *record.Timing) error {
	const longest, rounding = 366 * 24 * 3600, 0.001 // s, ms
	sum, least := 0.0, min(t.Seconds, t.OverrunMS)
	for _, ms := range t.MoveMS {
		sum, least = sum+ms-rounding, min(least, ms)
	}
	if least < 0 || max(t.Seconds, t.OverrunMS/1000) > longest || sum > 1000*t.Seconds+1 {
		return fmt.Errorf("expected times of a game, found %v s, moves of %.0f ms, overrun %v ms", t.Seconds, sum,
			t.OverrunMS)
	}
	return nil
}

// Verify is [Verify] of a record that must be one of the task's game, and end and last as its settings allow.
func (g *Task) Verify(r *record.Record) error {
	if err := cmp.Or(g.VerifyHead(r), Verify(r)); err != nil {
		return err
	}
	task := *g
	task.TimeScale = 16 // that of the slowest worker
	slow := task.scaled()
	p := play{left: [2]time.Duration{slow.clock(rules.South).Base, slow.clock(rules.North).Base}}
	for i, side := range r.Movers() {
		if p.side = side; i >= len(r.Timing.MoveMS) {
			break
		}
		if f := p.time(slow, time.Duration(r.Timing.MoveMS[i]*float64(time.Millisecond))); f != nil {
			return fmt.Errorf("game %d: move %d: %v ms: %s", r.Game, i+1, r.Timing.MoveMS[i], f.Detail)
		}
	}
	switch f := r.Fault; {
	case r.Reason == record.Imported:
		return fmt.Errorf("game %d: expected an ending of the run's own, found an imported game", r.Game)
	case f == nil || f.Kind != record.FaultTimeout || programs.MatchString(g.Seats[f.Loser()].Name):
	case g.moveTime(f.Loser()) == 0 && g.clock(f.Loser()).Base == 0 &&
		(g.StallTimeout == 0 || r.Timing.Seconds < g.StallTimeout.Seconds()):
		return fmt.Errorf("game %d: expected another reason than timeout, as nothing limits the time of %s", r.Game, f.Side)
	}
	return nil
}

// VerifyHead returns an error unless a record, maybe under way, has numbers, rules, opening, players and settings of g.
func (g *Task) VerifyHead(r *record.Record) error {
	w := g.Blank()
	for f := range slices.Chunk([]any{ // what it is, expected, found
		"number", w.Game, r.Game, "pair", w.Pair, r.Pair, "rules", w.Rules, r.Rules, "opening", w.Opening, r.Opening,
		"policy", w.Policy, r.Policy, "south", w.South.Agent, r.South.Agent, "seed of south", w.South.Seed, r.South.Seed,
		"north", w.North.Agent, r.North.Agent, "seed of north", w.North.Seed, r.North.Seed, "limits", w.Limits, r.Limits,
		"on_repetition", w.OnRepetition, r.OnRepetition, "adjudication", w.Adjudication, r.Adjudication,
	}, 3) {
		if f[1] != f[2] {
			found := textfmt.Cut(fmt.Sprintf("%+v", f[2]), 300)
			return fmt.Errorf("game %d: %s: expected %+v, found %s", w.Game, f[0], f[1], found)
		}
	}
	return nil
}
