// Package training has the runs that tune agents: self-play and the training positions of its
// games ([SelfPlay], [Positions.Extract]), a fit of weights to them ([Texel]), tuning by
// matches ([SPSA]), and generations of self-play, fits and matches ([Generations]). Each has a
// config that is checked before anything is played, and a method Run; a reader may begin with
// [SPSA], the simplest.
//
// A training goes from records to weights: tournaments of package tournament are played, an
// extractor makes training positions of their records, a positionReader reads these, package texel
// fits weights to them, and a match says whether the weights are stronger.
//
// Every run that tunes has a folder with a manifest and a history, from which it resumes after it
// was stopped at any point, with the same outcome. Games, seeds and records are those of package
// tournament; the methods are in packages below agents/tuning.
package training

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// Env is what runs need beside their configs.
type Env struct {
	Registry *agents.Registry
	Version  string // of the program, for manifests and provenance
	Log      *slog.Logger
	Observer
}

// Observer receives the progress of a run. All functions that the run calls are given.
type Observer struct {
	// Stage is called when a stage of a generation, or the "verification" of an SPSA step,
	// begins: with the number of games at most, or for "tune" of steps
	// ([texel.Settings.Steps]); 0 for "policy".
	Stage func(generation int, stage string, count int64)
	// Progress is called as work that plays no games goes on; all is 0 if unknown, and text has the
	// unit or state.
	Progress func(done, all int64, text string)
	// Game is called for each game of the stage, or of a step of an SPSA, as it is recorded.
	Game func(*record.Record)
	// Generation is called after each generation of a Generations, also for one of an earlier run
	// in the folder.
	Generation func(Generation)
	// Step is called with the history after each step of a Texel or an SPSA, also of an earlier run
	// in the folder.
	Step func(history []Line)
}

// play plays a tournament of a run; one that has begun goes on with the pairs it had if they are
// more. A game that a fault decided says nothing about the weights, so it is an error.
func (e *Env) play(ctx context.Context, c tournament.Config) (tournament.Summary, error) {
	c.Log = e.Log
	c.Extend = true
	m, _ := tournament.ReadManifest(os.DirFS(c.Out)) // Run has the error, too
	if m != nil {
		c.Pairs = max(c.Pairs, m.Config.Pairs)
	}
	if err := c.Resume(e.Registry); err != nil {
		return tournament.Summary{}, err
	}
	var fault *record.Record
	s, err := tournament.Run(ctx, c, e.Registry, func(g *record.Record) {
		if g.Fault != nil && fault == nil {
			fault = g
		}
		e.Game(g)
	})
	if err == nil && fault != nil {
		f := fault.Fault
		err = fmt.Errorf(
			"an agent lost %d games by a fault, the first one game %d (%s): %s; they are in %s",
			s.Faults, fault.Game, f.Kind, f.Detail, c.Out)
	}
	return s, err
}

// finiteElo returns an estimate of Elo and half of its 95 % interval; nil if they are not finite.
func finiteElo(e sprt.Estimate) (elo, margin *float64) {
	half := e.Elo.Half()
	if math.IsNaN(half) {
		return nil, nil
	}
	return &e.Elo.Value, &half
}

// eloGain returns the Elo of the pairs of a match as the gain of weights; nil if it is not finite.
func eloGain(elo, margin *float64, pairs sprt.Pairs) *eval.Gain {
	if elo == nil {
		return nil
	}
	return &eval.Gain{Measure: "Elo", Value: *elo, Margin: *margin, Count: 2 * pairs.N()}
}

// sourceName names weights in the provenance of those that were tuned from them.
func sourceName(w *eval.Weights) string { return strings.TrimPrefix(w.Source, "weights ") }
