package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning"
	"gyges/agents/tuning/history"
	"gyges/agents/tuning/tdleaf"
	"gyges/configs"
	"gyges/ratings/grid"
	"gyges/ratings/textfmt"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// tuneTDCmd learns weights by TDLeaf.
type tuneTDCmd struct {
	Config string `arg:"" placeholder:"CONFIG.yaml" help:"YAML file with the agent and the settings; see configs/tuning/td.yaml."`
	tuneFlags
}

// Help is the part of the help below the summary.
func (tuneTDCmd) Help() string {
	return "Prints the weights learned. The same seed gives the same steps whatever --workers says, but for agents that look at " +
		"the clock. Ctrl-C stops the run; the same command with --out and the run's folder goes on with it, also after a crash, " +
		"and comes to the same."
}

func (tuneTDCmd) examples() []example {
	return []example{{"gyges tune td configs/tuning/td.yaml --out results/td", ""}}
}

// tdRun is a run of TDLeaf(λ).
type tdRun struct {
	matches
	settings tdleaf.Settings
	games    int
	parent   eval.Weights
	eval     *eval.Evaluator // for features and what the parent's network adds to them: any weights do
	folder   *training.Folder
	progress *steps
}

// Run learns and prints the weights.
func (c *tuneTDCmd) Run(ctx context.Context, e *env) error {
	config, err := fromPath(ctx, c.Config, func() (configs.TD, error) { return configs.LoadTD(c.Config, e.registry) })
	if err != nil {
		return plainFileError(err)
	}
	if err := c.apply(&config.Match); err != nil {
		return err
	}
	r := &tdRun{matches: matches{e, config.Match, config.Verification}, settings: config.Settings, games: config.Games, parent: config.Parent}
	if r.eval, err = eval.New(config.Parent, config.Match.Rules[0]); err != nil {
		return err
	}
	if r.folder, err = openTuning(config.Match.Out, "td", r.describe()); err != nil {
		return err
	}
	defer closeTuning(e, r.folder)
	if err := r.resume(); err != nil {
		return err
	}
	r.progress = newSteps(e.err, r.settings.Steps)
	r.settings.Record = func(s tdleaf.State) error { return r.record(ctx, s) }
	state, err := tdleaf.Run(ctx, r.settings, r.playStep)
	r.progress.end()
	if err != nil {
		return tuningError(ctx, e, r.folder.Path, err)
	}
	return r.finish(state)
}

// describe is what the outcome depends on.
func (r *tdRun) describe() map[string]any {
	m := r.matchConfig()
	s := &r.settings
	m["weights"], m["frozen"] = parameters(eval.Names(), s.Parent), frozenNames(eval.Names(), s.Frozen)
	m["steps"], m["games"], m["lambda"], m["rate"], m["scale"] = s.Steps, r.games, s.Lambda, s.Rate, s.Scale
	return m
}

// The parts of a state in the history, beside the weights.
const (
	stateGradients = "gradients"
	stateFeatures  = "features"
	stateLeaves    = "leaves"
)

// resume takes up the run after its last step.
func (r *tdRun) resume() error {
	if len(r.folder.Lines) == 0 {
		return nil
	}
	last := r.folder.Lines[len(r.folder.Lines)-1]
	if last.Loss == nil {
		return fmt.Errorf("--out: %s: %w", r.folder.Path, errOtherParameters)
	}
	s := &tdleaf.State{
		Step: last.Step, Games: last.Games, Loss: *last.Loss,
		Gradients: last.State[stateGradients], Features: last.State[stateFeatures],
	}
	if leaves := last.State[stateLeaves]; len(leaves) == 1 {
		s.Leaves = leaves[0]
	}
	for _, name := range eval.Names() {
		x, ok := last.Parameters[name]
		if !ok {
			return fmt.Errorf("--out: %s: %w", r.folder.Path, errOtherParameters)
		}
		s.Weights = append(s.Weights, x)
	}
	r.settings.After = s
	if err := r.settings.Check(); err != nil {
		return fmt.Errorf("--out: %s: %w", r.folder.Path, errOtherParameters)
	}
	r.remove(verifyFolder(last.Step))
	return nil
}

// agent returns the agent with weights.
func (r *tdRun) agent(weights []float64) agents.Spec {
	return tuning.WithWeights(r.config.Agents[0], [eval.NumFeatures]float64(weights))
}

// record writes a step into the history, after the match that may be due.
func (r *tdRun) record(ctx context.Context, s tdleaf.State) error {
	l := history.Line{
		Step: s.Step, Loss: &s.Loss, Games: s.Games, Parameters: parameters(eval.Names(), s.Weights),
		State: map[string][]float64{stateGradients: s.Gradients, stateFeatures: s.Features, stateLeaves: {s.Leaves}},
	}
	if err := r.measure(ctx, &l, r.settings.Steps, r.agent(s.Weights), r.agent(r.settings.Parent)); err != nil {
		return err
	}
	if err := r.folder.History.Write(l); err != nil {
		return err
	}
	r.folder.Lines = append(r.folder.Lines, l)
	r.remove(verifyFolder(s.Step))
	r.progress.step(s.Step, fmt.Sprintf("loss %.4f%s", s.Loss, eloStatus(lastVerification(r.folder.Lines))))
	return nil
}

// playStep plays the games of a step on all cores. A game depends on the step and
// its number alone.
func (r *tdRun) playStep(ctx context.Context, step int, weights []float64) ([]tdleaf.Game, error) {
	workers := r.config.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	games := make([]tdleaf.Game, r.games)
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(workers, r.games) {
		group.Go(func() (err error) {
			p, err := r.newPlayers(weights)
			defer func() { err = errors.Join(err, p.close()) }()
			for err == nil {
				i := int(next.Add(1)) - 1
				if i >= r.games {
					return nil
				}
				games[i], err = p.play(ctx, int64(step-1)*int64(r.games)+int64(i))
			}
			return err
		})
	}
	return games, group.Wait()
}

// players are two agents with the same weights. They belong to one goroutine.
type players struct {
	*tdRun
	name string
	both [2]agents.Agent
}

func (r *tdRun) newPlayers(weights []float64) (*players, error) {
	spec := r.agent(weights)
	p := &players{tdRun: r, name: spec.String()}
	for i := range p.both {
		var err error
		if p.both[i], err = r.e.registry.New(spec); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *players) close() error {
	var errs []error
	for _, a := range p.both {
		if c, ok := a.(interface{ Close() error }); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// play plays game k of the run.
func (p *players) play(ctx context.Context, k int64) (tdleaf.Game, error) {
	c := &p.config
	opening, err := c.Openings.Opening(c.Rules[0], c.Seed, k)
	if err != nil {
		return tdleaf.Game{}, err
	}
	var game tdleaf.Game
	m := tournament.Game{
		Number: k, Pair: k / 2, Rules: c.Rules[0], Opening: opening, Policy: c.Openings.String(), Limits: c.Limits,
		OnRepetition: c.OnRepetition, TimeMargin: c.TimeMargin,
		OnMove: func(g *rules.Game, d agents.Decision) {
			if d.Scored && !d.Move.IsPlacement() {
				game.Leaves = append(game.Leaves, p.leaf(g, d))
			}
		},
	}
	for side := range p.both {
		m.Seats[side] = tournament.Seat{Name: p.name, Agent: p.both[side], Seed: agents.MixSeed(c.Seed, forTDGame, uint64(k), uint64(side))}
	}
	g, err := tournament.PlayGame(ctx, &m)
	if err != nil {
		return game, err
	}
	if g.Fault != nil {
		return game, fmt.Errorf("game %d: the agent lost by a fault (%s): %s", k, g.Fault.Kind, g.Fault.Detail)
	}
	game.Result = float64(record.HalfPoints(g.Result, rules.South)) / 2
	return game, nil
}

// leaf returns what the expected line of a decision leads to; its first move has
// been played in g.
func (p *players) leaf(g *rules.Game, d agents.Decision) tdleaf.Leaf {
	mover := g.Position().Side().Other()
	if plies, proven := d.Score.Proven(); proven {
		return tdleaf.Leaf{Proven: true, Value: pointsIf(plies > 0, mover)}
	}
	at := g.Position()
	if len(d.PV) > 0 && d.PV[0] == d.Move {
		for _, m := range d.PV[1:] {
			at = g.Rules().Apply(at, m)
		}
	}
	switch o := g.Rules().Outcome(at); o {
	case rules.Undecided:
		var f [eval.NumFeatures]float64
		var in eval.Inputs
		base := p.eval.Extract(at, &f, &in)
		return tdleaf.Leaf{Features: f[:], Base: base, South: at.Side() == rules.South}
	case rules.Draw:
		return tdleaf.Leaf{Proven: true, Value: 0.5}
	default:
		return tdleaf.Leaf{Proven: true, Value: pointsIf(o == rules.SouthWins, rules.South)}
	}
}

// pointsIf returns South's points if side wins, or if it loses.
func pointsIf(wins bool, side rules.Side) float64 {
	if wins == (side == rules.South) {
		return 1
	}
	return 0
}

// finish writes and prints what the run came to.
func (r *tdRun) finish(s tdleaf.State) error {
	gain := r.gain(r.folder.Lines)
	w := eval.Weights{Rules: r.parent.Rules, Network: r.parent.Network, Source: filepath.Join(r.folder.Path, training.WeightsFile), Provenance: eval.Provenance{
		Method: "tdleaf", Run: r.config.Name, Parent: parentName(&r.parent), Seed: r.config.Seed, Version: version(), Gain: gain,
		Data: fmt.Sprintf("%d games of %s", r.games*r.settings.Steps, r.config.Agents[0]),
	}}
	for j, x := range s.Weights {
		w.Values[j] = tuning.SixDigits(x)
	}
	if err := r.folder.Finish(map[string]any{"loss": s.Loss, "gain": gain}, &w); err != nil {
		return failure{err}
	}
	g := grid.Grid{Header: []string{"Feature", "Before", "After"}}
	for j, name := range eval.Names() {
		g.Add(name, fiveDigits(r.settings.Parent[j]), fiveDigits(s.Weights[j]))
	}
	if err := g.Write(r.e.out, false); err != nil {
		return err
	}
	r.e.out.printf("\nLoss %.5f in the last step\n", s.Loss)
	printGain(r.e.out, gain)
	r.e.out.printf("%d steps, %d games; the history is in %s\nThe weights are in %s\n",
		r.settings.Steps, r.games*r.settings.Steps, textfmt.Escape(r.folder.Path), textfmt.Escape(w.Source))
	return nil
}
