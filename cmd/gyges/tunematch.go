package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/history"
	"gyges/configs"
	"gyges/ratings/sprt"
	"gyges/tournament"
)

// tuneFlags take the place of what a config says.
type tuneFlags struct {
	Seed    *uint64 `placeholder:"N" help:"Source of all chance. Default: 1."`
	Workers *int    `placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Out     string  `placeholder:"DIR" help:"Folder for the result; a run that was stopped there goes on. Default: a new one, results/NAME-TIME."`
}

// apply puts what was given in the place of what config says, and checks it.
func (f tuneFlags) apply(config *tournament.Config) error {
	override(&config.Seed, f.Seed)
	override(&config.Workers, f.Workers)
	config.Out = tuneOut(f.Out, config.Out, config.Name)
	if config.Workers < 0 || config.Workers > maxTuneWorkers {
		return fmt.Errorf("--workers: expected a number from 0 (all cores) to %d, found %d", maxTuneWorkers, config.Workers)
	}
	return nil
}

const maxTuneWorkers = 1024

// matches plays the games of a tuning run.
type matches struct {
	e            *env
	config       tournament.Config // with the run's folder
	verification configs.Verification
}

// play lets two agents play pairs in a folder of the run's own, where they go on
// if they were stopped, and returns the pairs as the first agent saw them.
func (m *matches) play(ctx context.Context, folder string, a, b agents.Spec, pairs int, seed uint64) (sprt.Pairs, error) {
	c := m.config
	c.Agents = []agents.Spec{named(a, "tuned"), named(b, "other")}
	c.Pairs, c.Seed, c.Out = pairs, seed, filepath.Join(m.config.Out, folder)
	c.Name = folder
	faults := newFaults()
	summary, err := tournament.Run(ctx, c, m.e.registry, faults.add)
	if err != nil {
		return sprt.Pairs{}, err
	}
	if summary.Faults > 0 {
		faults.write(m.e.err)
		return sprt.Pairs{}, fmt.Errorf("an agent lost games by a fault; they are in %s", c.Out)
	}
	return summary.Pairs, nil
}

// remove takes away the games of a match that has been counted.
func (m *matches) remove(folder string) {
	if err := os.RemoveAll(filepath.Join(m.config.Out, folder)); err != nil {
		m.e.log.Warn("remove the games of a step", "error", err)
	}
}

// named returns a spec whose player is called name in the records.
func named(s agents.Spec, name string) agents.Spec {
	params := slices.DeleteFunc(slices.Clone(s.Params), func(p agents.Param) bool { return p.Name == "name" })
	return agents.Spec{Kind: s.Kind, Params: append(params, agents.Param{Name: "name", Value: name})}
}

func stepFolder(k int) string   { return fmt.Sprintf("step-%06d", k) }
func verifyFolder(k int) string { return fmt.Sprintf("verification-%06d", k) }

// due reports whether a verification match follows a step.
func (m *matches) due(k, last int) bool {
	return m.verification.Pairs > 0 && (k == last || m.verification.Every > 0 && k%m.verification.Every == 0)
}

// measure plays that match, if it is due, and records the result.
func (m *matches) measure(ctx context.Context, l *history.Line, last int, tuned, parent agents.Spec) error {
	if !m.due(l.Step, last) || tuned.String() == parent.String() {
		return nil
	}
	pairs, err := m.play(ctx, verifyFolder(l.Step), tuned, parent, m.verification.Pairs, agents.MixSeed(m.config.Seed, forVerification, uint64(l.Step)))
	if err != nil {
		return err
	}
	if elo, half, ok := pairs.Elo(); ok && !math.IsNaN(half) {
		l.Elo, l.EloMargin = &elo, &half
	} else {
		m.e.err.printf("step %d: %s", l.Step, eloText(pairs))
	}
	return nil
}

// gain returns the result of the match after the last step; nil if there was none.
func (m *matches) gain(lines []history.Line) *eval.Gain {
	if len(lines) == 0 || lines[len(lines)-1].Elo == nil {
		return nil
	}
	l := lines[len(lines)-1]
	return &eval.Gain{Measure: "Elo", Value: *l.Elo, Margin: *l.EloMargin, Count: 2 * int64(m.verification.Pairs)}
}

// matchConfig is what the outcome of games depends on.
func (m *matches) matchConfig() map[string]any {
	c := &m.config
	return map[string]any{
		"rules": c.Rules[0].String(), "agent": c.Agents[0].String(), "openings": c.Openings.String(), "positions": c.Openings.Positions,
		"depth": c.Limits.Depth, "nodes": c.Limits.Nodes, "movetime": c.Limits.MoveTime.String(), "seed": c.Seed,
		"verification_every": m.verification.Every, "verification_pairs": m.verification.Pairs,
	}
}

// Purposes of derived seeds.
const (
	forStep uint64 = iota + 1
	forVerification
	forTDGame
)

// eloStatus returns the part of a progress report on the last verification match.
func eloStatus(l *history.Line) string {
	if l == nil || l.Elo == nil {
		return ""
	}
	return fmt.Sprintf(", Elo %+.1f ± %.1f after step %d", *l.Elo, *l.EloMargin, l.Step)
}

// lastVerification returns the last of the lines with a verification match.
func lastVerification(lines []history.Line) *history.Line {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Elo != nil {
			return &lines[i]
		}
	}
	return nil
}

// errStale says that a history is not what the method has written.
var errOtherParameters = errors.New("expected the history of this run, found one of other parameters")
