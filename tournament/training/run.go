package training

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/history"
	"gyges/agents/tuning/sample"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/selfplay"
)

// Watcher is told what a training does; the zero value tells nobody.
type Watcher struct {
	// Stage is called when a stage begins: "selfplay", "match" or "rating", of so
	// many games at most; and "tune", of none.
	Stage func(generation int, stage string, games int64)
	// Game is called for each game of the stage as it is recorded.
	Game func(*record.Game)
	// Done is called when a generation is over, also one of an earlier run in the
	// folder.
	Done func(Generation)
}

// Summary says what a training has come to.
type Summary struct {
	Generations []Generation
	Best        int    // the generation whose weights are the best ones
	Weights     string // their file
	Rating      string // the folder of the games of all adopted generations; empty if there are none
}

// result is what the run has come to so far.
type result struct {
	Status      tournament.Status `json:"status"`
	Best        int               `json:"best"`
	Generations []Generation      `json:"generations"`
}

// Run trains. What a run in the folder that was stopped has done is kept, so a
// call with the same config goes on with it; another config is refused.
func Run(ctx context.Context, c Config, registry *agents.Registry, version string, watch Watcher) (Summary, error) {
	if err := c.Validate(registry); err != nil {
		return Summary{}, err
	}
	t := trainer{config: &c, registry: registry, version: version, watch: watch}
	var err error
	m := Manifest{Method: "train", Version: version, Config: c.about(), Result: result{Status: tournament.Running}}
	if t.folder, err = OpenFolder(c.Out, m, queueFolder); err != nil {
		return Summary{}, err
	}
	t.known = len(t.folder.Lines)
	s, err := t.train(ctx)
	status := tournament.Finished
	switch {
	case err != nil && ctx.Err() != nil:
		status = tournament.Interrupted
	case err != nil:
		status = tournament.Failed
	}
	return s, errors.Join(err, t.save(&s, status), t.folder.Close())
}

// about is what the outcome of a run depends on.
func (c *Config) about() map[string]any {
	games, m := c.games(1, 0), c.Match
	return map[string]any{
		"rules": c.Rules.String(), "agent": c.Agent.String(), "selfplay_agent": c.selfPlayAgent().String(), "weights": c.Weights.Values, "network": digest(c.Weights.Network), "seed": strconv.FormatUint(c.Seed, 10),
		"selfplay_pairs": games.Tournament.Pairs, "selfplay_openings": games.Tournament.Openings.String(), "selfplay_limits": games.Tournament.Limits,
		"explore": games.Explore, "split": games.Split,
		"window": c.Window, "data": c.Data, "quiet": c.Choice.Quiet, "leaves": c.Choice.Leaves, "fit_network": c.Settings.Network.About(), "positions": c.Choice.Positions,
		"lambda": c.Settings.Lambda, "l2": c.Settings.L2, "scale": c.Settings.Scale, "iterations": c.Settings.Iterations, "patience": c.Settings.Patience, "frozen": c.Settings.Frozen,
		"match_pairs": m.Pairs, "match_sprt": m.SPRT.String(), "match_openings": m.Openings.String(), "match_limits": m.Limits,
	}
}

// digest stands for a network in the manifest; empty for none.
func digest(n *eval.Network) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, *n)))
}

// trainer is a run under way.
type trainer struct {
	config   *Config
	registry *agents.Registry
	version  string
	watch    Watcher
	folder   *Folder
	known    int             // generations that the history has
	adopted  []Generation    // generation 0 and those that won their tests
	weights  []*eval.Weights // of those
}

// queueFolder may be there already: a server that hands games out keeps them there.
const queueFolder = "queue"

// save writes what the run has come to.
func (t *trainer) save(s *Summary, status tournament.Status) error {
	t.folder.Manifest.Result = result{status, s.Best, s.Generations}
	return t.folder.Save()
}

// train makes the generations, and the rating of those that were adopted.
func (t *trainer) train(ctx context.Context) (Summary, error) {
	t.adopted, t.weights = []Generation{{Adopted: true}}, []*eval.Weights{&t.config.Weights}
	s := Summary{Weights: t.config.path(WeightsFile), Generations: []Generation{}}
	if err := saveWeights(t.config.folder(0, WeightsFile), t.best()); err != nil {
		return s, err
	}
	for k := 1; k <= t.config.Generations; k++ {
		g, err := t.generation(ctx, k)
		if err != nil {
			return s, fmt.Errorf("%s: %w", Generation{Number: k}.Name(), err)
		}
		s.Generations = append(s.Generations, *g)
		w, err := loadWeights(t.config.folder(k, WeightsFile))
		if err == nil {
			err = t.note(g, w)
		}
		if err != nil {
			return s, err
		}
		if g.Adopted {
			t.adopted, t.weights = append(t.adopted, *g), append(t.weights, w)
			s.Best = k
		}
		if t.watch.Done != nil {
			t.watch.Done(*g)
		}
		if err := errors.Join(saveWeights(s.Weights, t.best()), t.save(&s, tournament.Running)); err != nil {
			return s, err
		}
	}
	if t.config.Rating == 0 || len(t.adopted) < 2 {
		return s, nil
	}
	run := t.config.ratingRun(t.adopted)
	s.Rating = run.Out
	_, err := t.play(ctx, 0, "rating", run)
	return s, err
}

// note adds a generation to the history, unless it has it.
func (t *trainer) note(g *Generation, w *eval.Weights) error {
	if g.Number <= t.known {
		return nil
	}
	l := history.Line{
		Step: g.Number, ValidationLoss: &g.ValidationLoss, Games: int(2 * g.Pairs.N()), Elo: g.Elo, EloMargin: g.EloMargin, Parameters: map[string]float64{},
	}
	for j, name := range eval.Names() {
		l.Parameters[name] = w.Values[j]
	}
	return t.folder.History.Write(l)
}

// best returns the weights of the last generation adopted.
func (t *trainer) best() *eval.Weights { return t.weights[len(t.weights)-1] }

// generation makes generation k, or reads what it has come to.
func (t *trainer) generation(ctx context.Context, k int) (*Generation, error) {
	if g, err := t.config.readGeneration(k); g != nil || err != nil {
		return g, err
	}
	if err := t.selfPlay(ctx, k); err != nil {
		return nil, err
	}
	g := &Generation{Number: k, Parent: t.adopted[len(t.adopted)-1].Number}
	candidate, err := t.tune(ctx, g)
	if err != nil {
		return nil, err
	}
	if !candidate.Equal(t.best()) {
		// The match reads the candidate's weights from their file, which will
		// say afterwards how it ended.
		if err := saveWeights(t.config.folder(k, WeightsFile), candidate); err != nil {
			return nil, err
		}
		if err := t.match(ctx, g, candidate); err != nil {
			return nil, err
		}
	}
	if err := saveWeights(t.config.folder(k, WeightsFile), candidate); err != nil {
		return nil, err
	}
	return g, saveJSON(t.config.folder(k, GenerationFile), g)
}

// play plays a tournament of the run. Faults of our own agents would spoil what
// is learned, so they end the run.
func (t *trainer) play(ctx context.Context, k int, stage string, c tournament.Config) (tournament.Summary, error) {
	if t.watch.Stage != nil {
		t.watch.Stage(k, stage, c.Games())
	}
	c.Log = t.config.Match.Log
	s, err := tournament.Run(ctx, c, t.registry, t.watch.Game)
	if err == nil && s.Faults > 0 {
		err = fmt.Errorf("%d games were lost by a fault of an agent; they are in %s", s.Faults, c.Out)
	}
	return s, err
}

// selfPlay plays the games of generation k, and makes samples of them.
func (t *trainer) selfPlay(ctx context.Context, k int) error {
	g := t.config.games(k, t.adopted[len(t.adopted)-1].Number)
	run := g.Games()
	if _, err := t.play(ctx, k, "selfplay", run); err != nil {
		return err
	}
	about := g.About()
	about["program"] = t.version
	about["agents"] = fmt.Sprintf("%s with the weights of %s", t.config.selfPlayAgent(), t.adopted[len(t.adopted)-1].Name()) // not where their file is
	_, err := selfplay.Extract(ctx, run.Out, g.Split, about)
	return err
}

// tune fits weights to the samples of the last generations.
func (t *trainer) tune(ctx context.Context, g *Generation) (*eval.Weights, error) {
	if t.watch.Stage != nil {
		t.watch.Stage(g.Number, "tune", 0)
	}
	c := t.config
	e, err := eval.New(*t.best(), c.Rules)
	if err != nil {
		return nil, err
	}
	read := func(split sample.Split) iter.Seq2[sample.Sample, error] { return t.samples(g.Number, split) }
	data, err := texel.ReadSplits(ctx, read, e, c.choice())
	if err != nil {
		return nil, err
	}
	r, err := texel.Fit(ctx, data, c.settings(t.best()))
	if err != nil {
		return nil, err
	}
	g.Samples, g.Validation = data.Train.Len(), data.Validation.Len()
	g.ValidationLoss, g.Test = r.ValidationLoss.Tuned, r.Test
	w := &eval.Weights{Rules: t.best().Rules, Network: t.best().Network, Source: c.folder(g.Number, WeightsFile), Provenance: eval.Provenance{
		Method: "texel", Run: c.Name + " " + g.Name(), Parent: t.parentName(), Seed: c.Seed, Version: t.version,
		Data: fmt.Sprintf("%d positions of self-play by %s", data.Train.Len(), c.selfPlayAgent()),
	}}
	r.Apply(w)
	return w, nil
}

// parentName names the weights that a candidate starts from.
func (t *trainer) parentName() string {
	if len(t.adopted) == 1 {
		return strings.TrimPrefix(t.config.Weights.Source, "weights ")
	}
	return t.config.Name + " " + t.adopted[len(t.adopted)-1].Name()
}

// samples yields those of other runs, and of the last generations up to k.
func (t *trainer) samples(k int, split sample.Split) iter.Seq2[sample.Sample, error] {
	folders := slices.Clone(t.config.Data)
	first := 1
	if w := t.config.Window; w > 0 {
		first = max(1, k-w+1)
	}
	for g := first; g <= k; g++ {
		folders = append(folders, filepath.Join(t.config.folder(g, "selfplay"), selfplay.SamplesDir))
	}
	return func(yield func(sample.Sample, error) bool) {
		for _, dir := range folders {
			for s, err := range sample.Read(dir, split, t.config.Rules) {
				if !yield(s, err) {
					return
				}
			}
		}
	}
}

// match lets the candidate play the best one, and decides.
func (t *trainer) match(ctx context.Context, g *Generation, candidate *eval.Weights) error {
	c := t.config.match(g.Number, g.Parent)
	s, err := t.play(ctx, g.Number, "match", c)
	if err != nil {
		return err
	}
	g.Pairs, g.LLR = s.Pairs, c.SPRT.LLR(s.Pairs)
	g.Adopted = c.SPRT.Verdict(s.Pairs) == sprt.AcceptH1
	if elo, half, ok := s.Pairs.Elo(); ok && !math.IsNaN(half) {
		g.Elo, g.EloMargin = &elo, &half
		candidate.Provenance.Gain = &eval.Gain{Measure: "Elo", Value: elo, Margin: half, Count: 2 * s.Pairs.N()}
	}
	return nil
}
