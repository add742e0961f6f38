package training

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"gyges/agents/eval"
	"gyges/agents/files"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/tournament"
)

// GenerationFile is the file of a generation's folder that holds a [Generation]; its
// [WeightsFile] holds the candidate's weights.
const GenerationFile = "generation.json"

// Generation is the result of a generation.
type Generation struct {
	Number  int  `json:"generation"` // from 1; 0 is the initial weights
	Parent  int  `json:"parent"`     // the generation whose weights it started from
	Adopted bool `json:"adopted"`    // it won the test and replaces the parent

	// The fit.
	Positions      int         `json:"positions"`       // training positions
	Validation     int         `json:"validation"`      // validation positions
	ValidationLoss float64     `json:"validation_loss"` // of the candidate
	Test           *texel.Test `json:"test"`            // parent and candidate on the test positions; nil: there are none

	// The match against the parent, from the candidate's view. Elo and its margin
	// are biased, as in all matches that a test stopped; nil: there is no finite
	// estimate.
	Pairs     sprt.Pairs `json:"pairs"`
	LLR       float64    `json:"llr"`
	Elo       *float64   `json:"elo"`
	EloMargin *float64   `json:"elo_margin"`
}

// Trained is the result of a run of generations.
type Trained struct {
	Generations []Generation
	Best        int    // the generation with the best weights
	Weights     string // their file
	Rating      string // the folder of the games of all adopted generations; "" if there are none
}

// Result is the result of a run of generations in its [Manifest].
type Result struct {
	Status      tournament.Status `json:"status"`
	Best        int               `json:"best"`
	Generations []Generation      `json:"generations"`
}

// Run makes the generations. A run that was stopped in the folder resumes, at any stage.
// An error is of type *[FolderError] if the folder can't be used.
func (c *Generations) Run(ctx context.Context, env Env) (Trained, error) {
	t := trainer{Generations: c, env: &env}
	var err error
	m := Manifest{Method: "train", Version: env.Version, Config: c.describe(), Result: Result{Status: tournament.Running}}
	if t.folder, err = openFolder(c.Out, m); err != nil {
		return Trained{}, err
	}
	t.known = len(t.folder.lines)
	t.adopted, t.weights = []Generation{{Adopted: true}}, []*eval.Weights{&c.Weights}
	t.trained = Trained{Weights: t.folder.file(WeightsFile), Generations: []Generation{}}
	if err = t.folder.begin(); err == nil {
		err = t.train(ctx)
	}
	status := tournament.Finished
	if err != nil {
		status = stopped(ctx)
	}
	return t.trained, errors.Join(err, t.save(status), t.folder.close())
}

// trainer is a run of generations.
type trainer struct {
	*Generations
	env     *Env
	folder  *folder
	known   int             // generations in the history at the start
	adopted []Generation    // generation 0 and those that won their tests
	weights []*eval.Weights // of those
	trained Trained
}

// best returns the last generation adopted and its weights.
func (t *trainer) best() (int, *eval.Weights) {
	last := len(t.adopted) - 1
	return t.adopted[last].Number, t.weights[last]
}

// InitialWeights is the path of the weights of generation 0 in the folder of their run.
const InitialWeights = "gen-000/" + WeightsFile

// MatchFolder returns the path of a generation's match in the folder of its run, with
// slashes.
func MatchFolder(generation int) string { return generationName(generation) + "/match" }

// save writes the result so far.
func (t *trainer) save(status tournament.Status) error {
	return t.folder.save(status, Result{status, t.trained.Best, t.trained.Generations})
}

// train makes the generations, and the rating of those that were adopted.
func (t *trainer) train(ctx context.Context) error {
	if err := saveWeights(t.path(0, WeightsFile), &t.Weights); err != nil {
		return err
	}
	for k := 1; k <= t.Count; k++ {
		if err := t.generation(ctx, k); err != nil {
			return fmt.Errorf("%s: %w", generationName(k), err)
		}
	}
	if t.Rating == 0 || len(t.adopted) < 2 {
		return nil
	}
	c := t.rating(t.adopted)
	t.trained.Rating = c.Out
	_, err := t.play(ctx, 0, "rating", c)
	return err
}

// generation makes generation k, or reads its result, and adds it to the run's result.
func (t *trainer) generation(ctx context.Context, k int) error {
	g, err := t.readGeneration(k)
	if errors.Is(err, fs.ErrNotExist) {
		g, err = t.makeGeneration(ctx, k)
	}
	if err != nil {
		return err
	}
	w, err := loadWeights(t.path(k, WeightsFile))
	if err != nil {
		return err
	}
	if k > t.known {
		if err := t.folder.append(Line{
			Step: k, ValidationLoss: &g.ValidationLoss, Games: int(2 * g.Pairs.N()), Elo: g.Elo, EloMargin: g.EloMargin,
			Parameters: named(eval.Names(), w.Values[:]),
		}); err != nil {
			return err
		}
	}
	t.trained.Generations = append(t.trained.Generations, *g)
	if g.Adopted {
		t.adopted, t.weights = append(t.adopted, *g), append(t.weights, w)
		t.trained.Best = k
	}
	if t.env.Generation != nil {
		t.env.Generation(*g)
	}
	_, best := t.best()
	return errors.Join(saveWeights(t.trained.Weights, best), t.save(tournament.Running))
}

// readGeneration reads the result of generation k. The error is [fs.ErrNotExist] if it
// is not finished.
func (t *trainer) readGeneration(k int) (*Generation, error) {
	path := t.path(k, GenerationFile)
	data, err := files.Read(path, maxManifest)
	if err != nil {
		return nil, err
	}
	g := new(Generation)
	if err := json.Unmarshal(data, g); err != nil {
		return nil, fmt.Errorf("%s: expected the result of a generation: %w", path, err)
	}
	if g.Number != k {
		return nil, fmt.Errorf("%s: expected generation %d, found %d", path, k, g.Number)
	}
	return g, nil
}

// makeGeneration plays, fits and tests a candidate. Each stage resumes.
func (t *trainer) makeGeneration(ctx context.Context, k int) (*Generation, error) {
	if err := t.selfPlay(ctx, k); err != nil {
		return nil, err
	}
	parent, best := t.best()
	g := &Generation{Number: k, Parent: parent}
	candidate, err := t.fit(ctx, g)
	if err != nil {
		return nil, err
	}
	if err := saveWeights(candidate.Source, candidate); err != nil { // the match reads them
		return nil, err
	}
	if !candidate.Equal(best) {
		if err := t.test(ctx, g, candidate); err != nil {
			return nil, err
		}
		if err := saveWeights(candidate.Source, candidate); err != nil { // with the result of the match
			return nil, err
		}
	}
	return g, saveJSON(t.path(k, GenerationFile), g)
}

// play plays a tournament of the run.
func (t *trainer) play(ctx context.Context, k int, stage string, c tournament.Config) (tournament.Summary, error) {
	t.stage(k, stage, c.Games())
	return t.env.play(ctx, c, t.env.Game)
}

func (t *trainer) stage(k int, name string, games int64) {
	if t.env.Stage != nil {
		t.env.Stage(k, name, games)
	}
}

// selfPlay plays the games of generation k, and converts them to training positions.
func (t *trainer) selfPlay(ctx context.Context, k int) error {
	best, _ := t.best()
	c := t.games(k, best)
	games := c.Games()
	if _, err := t.play(ctx, k, "selfplay", games); err != nil {
		return err
	}
	provenance := c.Provenance(t.env.Version)
	// The spec would name a folder.
	provenance["agents"] = fmt.Sprintf("%s with the weights of %s", t.selfPlayAgent(), generationName(best))
	_, err := Extract(ctx, games.Out, c.Split, provenance)
	return err
}

// fit fits weights to the training positions of the last generations.
func (t *trainer) fit(ctx context.Context, g *Generation) (*eval.Weights, error) {
	t.stage(g.Number, "tune", 0)
	first := 1
	if t.Window > 0 {
		first = max(1, g.Number-t.Window+1)
	}
	folders := slices.Clone(t.Data)
	for k := first; k <= g.Number; k++ {
		folders = append(folders, filepath.Join(t.path(k, "selfplay"), PositionsDir))
	}
	best, parent := t.best()
	data, err := t.read(ctx, parent, t.Rules, folders...)
	if err != nil {
		return nil, err
	}
	r, err := texel.Fit(ctx, data, t.settings(parent))
	if err != nil {
		return nil, err
	}
	g.Positions, g.Validation = data.Train.Len(), data.Validation.Len()
	g.ValidationLoss, g.Test = r.ValidationLoss[1], r.Test
	parentName := sourceName(&t.Weights)
	if best > 0 {
		parentName = t.Name + " " + generationName(best)
	}
	w := fitted(parent, r, eval.Provenance{
		Method: "texel", Run: t.Name + " " + generationName(g.Number), Parent: parentName, Seed: t.Seed,
		Version: t.env.Version,
		Data:    fmt.Sprintf("%d positions of self-play by %s", data.Train.Len(), t.selfPlayAgent()),
	})
	w.Source = t.path(g.Number, WeightsFile)
	return w, nil
}

// test plays the match of the candidate against the best agent, and decides.
func (t *trainer) test(ctx context.Context, g *Generation, candidate *eval.Weights) error {
	c := t.match(g.Number, g.Parent)
	s, err := t.play(ctx, g.Number, "match", c)
	if err != nil {
		return err
	}
	g.Pairs, g.LLR = s.Pairs, c.SPRT.LLR(s.Pairs)
	g.Adopted = c.SPRT.Verdict(s.Pairs) == sprt.AcceptH1
	g.Elo, g.EloMargin = finiteElo(s.Pairs)
	candidate.Provenance.Gain = eloGain(g.Elo, g.EloMargin, 2*s.Pairs.N())
	return nil
}
