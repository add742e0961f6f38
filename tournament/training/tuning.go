package training

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules/base/problems"
	"gyges/tournament"
)

// Tuning is the part of the configuration that SPSA and TD share.
type Tuning struct {
	// Match is how games are played: rules (one set), openings, limits, seed, workers
	// and folder. Agents holds the agent that is tuned; Pairs is not used.
	Match        tournament.Config
	Steps        int // how many are made
	Verification Verification
}

// Verification is the schedule of matches of the tuned agent against the initial one.
type Verification struct {
	Every int // steps between two matches; 0: only at the end
	Pairs int // game pairs of each; 0: none are played
}

// Tuned is the result of a run of SPSA or TD.
type Tuned struct {
	Names         []string    // of the parameters
	Before, After []float64   // their values
	Agent         agents.Spec // with the tuned parameters
	Loss          *float64    // mean cross-entropy of the last step, in nats (TD)
	Gain          *eval.Gain  // Elo of the match after the last step; nil: there was none
	Steps, Games  int         // in all
	Weights       string      // the weights file; "" if no weights were tuned
}

const maxCount = 1_000_000 // of steps, games and pairs

// DefaultTuning returns the shared settings but for the agent and the folder.
func DefaultTuning() Tuning { return Tuning{Match: tournament.DefaultConfig(), Steps: 100} }

// agent returns the agent that is tuned.
func (c *Tuning) agent() agents.Spec { return c.Match.Agents[0] }

// validate adds the invalid fields to p and reports whether the agent can be used.
func (c *Tuning) validate(p *problems.List, registry *agents.Registry) bool {
	v := c.Verification
	problems.InRange(p, "verification.every", "a number from 0 (at the end only)", v.Every, 0, maxCount)
	problems.InRange(p, "verification.pairs", "a number from 0 (no verification)", v.Pairs, 0, maxCount)
	p.Expect(len(c.Match.Agents) == 1, "agent", "expected an agent spec, like alphabeta:depth=2, found none")
	usable := len(c.Match.Agents) == 1
	m := c.Match
	m.Agents = append(slices.Clone(m.Agents), agents.Spec{Kind: "random"}) // a match needs two
	for _, err := range problems.Split(m.Validate(registry)) {
		fe, ok := errors.AsType[*problems.FieldError](err)
		switch {
		case !ok:
			*p = append(*p, err)
		case fe.Field == "agents": // there is none
		case fe.Field == "agents[0]":
			usable = false
			p.Add("agent", fe.Err)
		case fe.Field == "agents[1]": // the agent is random, too
			usable = false
			p.Expect(false, "agent", "expected an agent with parameters to tune, found %.60q", c.agent())
		default:
			*p = append(*p, fe)
		}
	}
	return usable
}

// describe returns everything shared that the outcome of a run depends on.
func (c *Tuning) describe() map[string]any {
	m := &c.Match
	return map[string]any{
		"rules": m.Rules[0].String(), "agent": c.agent().String(),
		"openings": m.Openings.String(), "positions": m.Openings.Positions,
		"depth": m.Limits.Depth, "nodes": m.Limits.Nodes, "movetime": m.Limits.MoveTime.String(), "seed": m.Seed,
		"steps": c.Steps, "verification_every": c.Verification.Every, "verification_pairs": c.Verification.Pairs,
	}
}

// Purposes of derived seeds.
const (
	forStep uint64 = iota + 1
	forVerification
	forTDGame
)

// method is the part of a tuning run in which SPSA and TD differ.
type method interface {
	resume(l *Line) error                                // sets the state after a step
	step(ctx context.Context, k int) (l Line, err error) // makes step k
	agent() agents.Spec                                  // the agent with the current parameters
	finish() (*Tuned, error)                             // writes and returns the result
}

// tuner is a run of SPSA or TD.
type tuner struct {
	*Tuning
	env    *Env
	folder *folder
}

// run makes a run of a method in its folder. An error is of type *[FolderError] if the folder can't be
// used, and otherwise noted there.
func (t *tuner) run(ctx context.Context, name string, config map[string]any, m method) (_ *Tuned, err error) {
	manifest := Manifest{Method: name, Version: t.env.Version, Config: config}
	if t.folder, err = openFolder(t.Match.Out, manifest); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.folder.close()) }()
	if err := t.steps(ctx, m); err != nil {
		if _, unusable := errors.AsType[*FolderError](err); !unusable {
			err = errors.Join(err, t.folder.stop(ctx))
		}
		return nil, err
	}
	return m.finish()
}

// steps makes the steps of a run, each followed by a verification match if it is due. It
// resumes after the last step in the history.
func (t *tuner) steps(ctx context.Context, m method) error {
	initial, last := m.agent(), 0
	if n := len(t.folder.lines); n > 0 {
		last = t.folder.lines[n-1].Step
		if err := m.resume(&t.folder.lines[n-1]); err != nil {
			return &FolderError{fmt.Errorf("%s: %w", t.folder.path, err)}
		}
		t.removeGames(last)
	}
	if err := t.folder.begin(); err != nil {
		return err
	}
	for k := last + 1; k <= t.Steps; k++ {
		l, err := m.step(ctx, k)
		if err == nil {
			err = t.verify(ctx, &l, m.agent(), initial)
		}
		if err == nil {
			err = t.folder.append(l)
		}
		if err != nil {
			return err
		}
		t.removeGames(k)
		t.env.step(t.folder.lines)
	}
	return nil
}

// verify plays the match that is due after a step, and adds the result to its line.
func (t *tuner) verify(ctx context.Context, l *Line, tuned, initial agents.Spec) error {
	v, k := t.Verification, l.Step
	due := v.Pairs > 0 && (k == t.Steps || v.Every > 0 && k%v.Every == 0)
	if !due || tuned.String() == initial.String() {
		return nil
	}
	seed := agents.MixSeed(t.Match.Seed, forVerification, uint64(k))
	s, err := t.play(ctx, verificationFolder(k), tuned, initial, v.Pairs, seed)
	if err != nil {
		return err
	}
	if l.Elo, l.EloMargin = finiteElo(s.Pairs); l.Elo == nil {
		t.env.warn("the verification match has no finite Elo estimate", "step", k, "pairs", s.Pairs)
	}
	return nil
}

// play plays a match of two agents in a folder of the run, which resumes there.
func (t *tuner) play(
	ctx context.Context, folder string, a, b agents.Spec, pairs int, seed uint64,
) (tournament.Summary, error) {
	c := t.Match
	c.Agents = []agents.Spec{a.With("name", "tuned"), b.With("name", "other")}
	c.Pairs, c.Seed, c.Out, c.Name = pairs, seed, filepath.Join(t.Match.Out, folder), folder
	return t.env.play(ctx, c, nil)
}

// removeGames removes the games of a step that is in the history.
func (t *tuner) removeGames(k int) {
	for _, name := range []string{stepFolder(k), verificationFolder(k)} {
		if err := os.RemoveAll(filepath.Join(t.Match.Out, name)); err != nil {
			t.env.warn("remove the games of a step", "error", err)
		}
	}
}

func stepFolder(k int) string         { return fmt.Sprintf("step-%06d", k) }
func verificationFolder(k int) string { return fmt.Sprintf("verification-%06d", k) }

// gain returns the result of the match after the last step; nil if there was none.
func (t *tuner) gain() *eval.Gain {
	l := t.folder.lines[len(t.folder.lines)-1]
	return eloGain(l.Elo, l.EloMargin, 2*int64(t.Verification.Pairs))
}

// weights returns the resulting weights with their provenance.
func (t *tuner) weights(method string, w, parent *eval.Weights, games int) *eval.Weights {
	return &eval.Weights{
		Rules: w.Rules, Values: w.Values, Network: w.Network, Policy: w.Policy, Source: t.folder.file(WeightsFile),
		Provenance: eval.Provenance{
			Method: method, Run: t.Match.Name, Parent: sourceName(parent), Seed: t.Match.Seed,
			Version: t.env.Version, Gain: t.gain(), Data: fmt.Sprintf("%d games of %s", games, t.agent()),
		},
	}
}
