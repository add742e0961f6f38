package training

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/ranking"
	"gyges/agents/tuning/texel"
	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

const generationFile = "generation.json" // a [Generation] in its folder, beside the candidate's [WeightsFile]

// Generation is the result of a generation.
type Generation struct {
	Number  int  `json:"generation"` // from 1; 0 is the initial weights
	Parent  int  `json:"parent"`     // the generation whose weights it started from
	Adopted bool `json:"adopted"`    // it won the test, if there was one, and replaces the parent

	// The fit.
	Positions      int             `json:"positions"`        // training positions
	Validation     int             `json:"validation"`       // validation positions
	LeftOut        int             `json:"left_out"`         // validation and test positions that an earlier split has
	Loss           float64         `json:"loss"`             // of the candidate
	ValidationLoss float64         `json:"validation_loss"`  // of the candidate
	LiveUnits      int             `json:"live_units"`       // of its network, if that was fitted; see [eval.Network.LiveUnits]
	Test           *texel.Test     `json:"test"`             // parent and candidate on the test positions; nil: there are none
	Policy         *ranking.Result `json:"policy,omitempty"` // nil: it was not fitted

	// The match against the parent, from the candidate's view. Elo and its margin, half the 95 % interval,
	// are corrected for the stop by the test; nil: there is no finite estimate.
	Pairs     sprt.Pairs `json:"pairs"`
	LLR       float64    `json:"llr"`
	Elo       *float64   `json:"elo"`
	EloMargin *float64   `json:"elo_margin"`

	// ReferencePairs are those against the reference, if it was adopted and plays them.
	ReferencePairs sprt.Pairs `json:"reference_pairs"`

	// Files are its weights and training positions, on which the next ones depend.
	Files []agents.File `json:"files,omitempty"`

	Timing Timing `json:"timing"`
}

// Timing has the seconds that the stages of a generation took.
type Timing struct {
	SelfPlay float64 `json:"selfplay"`
	Tune     float64 `json:"tune"`
	Match    float64 `json:"match"`
}

// Seconds returns the duration of the generation.
func (t Timing) Seconds() float64 { return t.SelfPlay + t.Tune + t.Match }

// Verdict says what became of the candidate.
func (g *Generation) Verdict() string {
	if g.Adopted {
		return "adopted"
	}
	return "rejected"
}

// Trained is the result of a run of generations, and where the rest of it is.
type Trained struct {
	Result
	Weights     string               // the file of the best weights
	RatingGames string               // the folder of the games of adopted generations; "" if there are none
	Standings   *standings.Standings // of those games
}

// Rated is the rating of a player in the tournament of adopted generations.
type Rated struct {
	Player string  `json:"player"` // a generation's folder, or [ReferenceName]
	Elo    float64 `json:"elo"`
	Margin float64 `json:"elo_margin"` // half of the 95 % interval
}

// Result is the result of a run of generations in its [Manifest].
type Result struct {
	Best        int          `json:"best"` // the generation last adopted, 0: none
	Generations []Generation `json:"generations"`
	Rating      []Rated      `json:"rating"`          // null until it is played
	Gain        *eval.Gain   `json:"gain"`            // of the best over the initial weights, by the rating; null as that
	Timing      Timing       `json:"timing"`          // of the generation after the last one, as far as it got
	Ended       string       `json:"ended,omitempty"` // why there are fewer generations than were asked for; "": there aren't
}

// GenerationName returns the name of a generation's folder and player.
func GenerationName(k int) string { return fmt.Sprintf("gen-%03d", k) }

// Run makes the generations. A run that was stopped in the folder resumes, at any stage.
// An error is of type *[FolderError] if the folder can't be used.
func (c *Generations) Run(ctx context.Context, env Env) (Trained, error) {
	t := trainer{Generations: c, env: &env, weights: &c.Weights}
	env.Registry = env.Registry.Reading([]agents.Spec{c.reference(), c.SelfPlay.Search.Agent}, nil)
	m := Manifest{
		Method: "train", Version: env.Version, Config: c.describe(), Result: Result{}, free: freeKeys,
		Files: slices.Concat(filesOfFit(c.Start, c.Data), c.filesOfAgents(env.Registry),
			c.SelfPlay.Openings.Files(), c.Match.Openings.Files()),
	}
	err := t.unchanged()
	if err != nil {
		return Trained{}, &FolderError{err}
	}
	if t.folder, err = openFolder(ctx, c.Out, m); err != nil {
		return Trained{}, err
	}
	t.folder.warn(&env)
	env.Observer = t.observed(env.Observer)
	t.known = len(t.folder.kept.lines)
	if t.before, err = t.folder.trained(); err != nil {
		return Trained{}, errors.Join(&FolderError{err}, t.folder.history.Close())
	}
	defer func() { _ = os.Remove(t.folder.file(ProgressFile)) }() // while the folder is locked
	t.trained = Trained{Weights: t.folder.file(WeightsFile), Result: Result{Generations: []Generation{}}}
	if err = t.folder.save(tournament.Running, t.folder.manifest.Result); err == nil {
		err = t.train(ctx)
	}
	status := tournament.Finished
	if err != nil {
		status = stopped(ctx)
	}
	return t.trained, errors.Join(err, t.folder.save(status, t.trained.Result), t.folder.history.Close())
}

type trainer struct {
	*Generations
	env     *Env
	folder  *folder
	known   int           // generations in the history at the start
	before  Result        // at the start
	weights *eval.Weights // the best ones
	trained Trained
	began   time.Time // of the stage in progress, that of [Timing]; zero: there is none
	now     Progress
}

// MatchFolder returns the path of a generation's match in the folder of its run, with slashes.
func MatchFolder(generation int) string { return GenerationName(generation) + "/match" }

// errTime is the cause of the end of a generation at the time given.
var errTime = errors.New("the time is over")

// late returns why another generation would end after the time given, if it took as long as the
// last one; "" if not.
func (t *trainer) late() string {
	made := t.trained.Generations
	if t.Time == 0 || len(made) == 0 {
		return ""
	}
	left, takes := t.Time.Seconds()-t.seconds(), made[len(made)-1].Timing.Seconds()
	if takes <= left {
		return ""
	}
	return fmt.Sprintf("Generation %d was not begun, as %s of %v are left and the one before took %s; a longer --time "+
		"makes it.", len(made)+1, inSeconds(max(0, left)), t.Time, inSeconds(takes))
}

// inSeconds returns a number of seconds as a duration, for people.
func inSeconds(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond)
}

// limited returns a context that ends with the time given, and its end.
func (t *trainer) limited(ctx context.Context) (context.Context, func()) {
	if t.Time == 0 {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	left := t.Time.Seconds() - t.seconds()
	timer := time.AfterFunc(time.Duration(left*float64(time.Second)), func() { end(errTime) })
	return ctx, func() {
		timer.Stop()
		end(nil)
	}
}

// seconds returns how long the generations took, that in progress included.
func (t *trainer) seconds() float64 {
	total := t.trained.Timing.Seconds()
	for _, g := range t.trained.Generations {
		total += g.Timing.Seconds()
	}
	if !t.began.IsZero() {
		total += time.Since(t.began).Seconds()
	}
	return total
}

// train makes the generations, and the rating of those that were adopted.
func (t *trainer) train(ctx context.Context) error {
	if err := saveWeights(t.path(0, WeightsFile), &t.Weights); err != nil {
		return err
	}
	for k := 1; k <= t.Count; k++ {
		if k > len(t.before.Generations) {
			t.trained.Ended = t.late()
		}
		if t.trained.Ended != "" {
			break
		}
		err := t.generation(ctx, k)
		if errors.Is(err, errTime) {
			t.trained.Ended = fmt.Sprintf("Generation %d was stopped, as the %v are over; a longer --time goes on with it.",
				k, t.Time)
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", GenerationName(k), err)
		}
	}
	if err := saveWeights(t.trained.Weights, t.weights); err != nil {
		return err
	}
	if t.Rating.Pairs == 0 || t.trained.Best == 0 {
		return nil
	}
	c := t.rating(&t.trained.Result)
	sameName := func(a, b agents.Spec) bool { return a.Label() == b.Label() }
	for path, n := c.Out, 2; ; n++ { // the settings of the rating may have changed
		m, _ := tournament.ReadManifest(os.DirFS(c.Out)) // Run has the error, too
		if m == nil || slices.EqualFunc(m.Config.Agents, c.Agents, sameName) {
			break
		}
		c.Out = fmt.Sprintf("%s-%d", path, n)
	}
	t.trained.RatingGames, t.trained.Standings = c.Out, standings.New()
	t.env.Stage(0, "rating", c.Games())
	s, err := t.env.play(ctx, c, func(g *record.Record) {
		t.trained.Standings.Add(g)
		t.env.Game(g)
	})
	if err != nil {
		return err
	}
	tables, err := t.trained.Standings.Fit(ctx, RatingOptions(), false)
	if err != nil {
		return err
	}
	for _, p := range tables.All.Ratings.Players {
		t.trained.Rating = append(t.trained.Rating, Rated{p.Name, p.Elo, p.Error})
	}
	if d, ok := tables.All.Ratings.Difference(GenerationName(t.trained.Best), GenerationName(0)); ok {
		t.trained.Gain = &eval.Gain{Measure: "Elo", Value: d.Elo, Margin: d.Error, Count: s.Played}
	}
	return nil
}

// RatingOptions are the options of ratings of generations: the reference, if there is one, has the rating 0.
func RatingOptions() ratings.Options {
	return ratings.Options{Anchors: []ratings.Anchor{{Name: ReferenceName}}}
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
	w, err := files.Load(t.path(k, WeightsFile), eval.Read)
	if err != nil {
		return err
	}
	if k > t.known {
		l := Line{
			Step: k, Loss: &g.Loss, ValidationLoss: &g.ValidationLoss, Games: int(2 * g.Pairs.N()),
			Elo: g.Elo, EloMargin: g.EloMargin, Parameters: named(eval.Names(), w.Values[:]),
		}
		if g.Test != nil {
			l.TestLoss = &g.Test.Loss
		}
		if err := t.folder.append(l); err != nil {
			return err
		}
	}
	t.trained.Generations, t.trained.Timing = append(t.trained.Generations, *g), Timing{}
	if g.Adopted {
		t.trained.Best, t.weights = k, &w
	}
	t.env.Generation(*g)
	return errors.Join(saveWeights(t.trained.Weights, t.weights), t.folder.save(tournament.Running, t.trained.Result))
}

// filesOfAgents returns the files of the agents that search and that generations are rated against. The reference is
// known by its key, since ratings against two of them can't be compared, whatever their files are called.
func (c *Generations) filesOfAgents(registry *agents.Registry) []agents.File {
	list := registry.Reading([]agents.Spec{c.SelfPlay.Search.Agent}, nil).Files()
	for _, file := range registry.Reading([]agents.Spec{c.reference()}, nil).Files() {
		file.Name = "rating.reference"
		list = append(list, file)
	}
	return list
}

// readGeneration reads the result of generation k. The error is [fs.ErrNotExist] if it is not finished.
func (t *trainer) readGeneration(k int) (*Generation, error) {
	g := new(Generation)
	text, err := files.Read(t.path(k, generationFile), maxManifest)
	if err == nil {
		err = json.Unmarshal(text, g)
	}
	if err != nil {
		return nil, fmt.Errorf("%s/%s: expected the result of a generation: %w", GenerationName(k), generationFile, err)
	}
	if g.Number != k {
		return nil, fmt.Errorf("%s/%s: expected the result of generation %d, found that of %d", GenerationName(k),
			generationFile, k, g.Number)
	}
	return g, nil
}

// unchanged returns an error if what a finished generation has made was changed since.
func (t *trainer) unchanged() error {
	for k := 1; ; k++ {
		g, err := t.readGeneration(k)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		var now []agents.File
		if err == nil {
			now, err = t.made(k)
		}
		if err == nil {
			err = tournament.CompareFiles(g.Files, now)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Out, err)
		}
	}
}

// made returns the files that a generation has made, and an error if one is damaged. A folder of training positions
// that is no longer there isn't needed.
func (t *trainer) made(k int) ([]agents.File, error) {
	weights := agents.ReadFile(t.path(k, WeightsFile))
	made := []agents.File{{Name: WeightsName(k), SHA256: weights.SHA256}}
	positions := GenerationName(k) + "/selfplay/" + PositionsDir
	dir := filepath.Join(t.Out, positions)
	sum, err := dataset.Sum(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return made, weights.Err
	}
	if err == nil {
		_, err = dataset.Check(dir, t.Rules)
	}
	return append(made, agents.File{Name: positions, SHA256: sum}), errors.Join(weights.Err, err)
}

// makeGeneration plays, fits and tests a candidate. Each stage resumes.
func (t *trainer) makeGeneration(ctx context.Context, k int) (*Generation, error) {
	if k == len(t.before.Generations)+1 {
		t.trained.Timing = t.before.Timing
	}
	ctx, end := t.limited(ctx)
	defer end()
	g, timing := &Generation{Number: k, Parent: t.trained.Best}, &t.trained.Timing
	var candidate *eval.Weights
	for _, stage := range []struct {
		seconds *float64
		do      func() error
	}{
		{&timing.SelfPlay, func() error { return t.selfPlay(ctx, k) }},
		{&timing.Tune, func() (err error) { candidate, err = t.fit(ctx, g); return err }},
		{&timing.Match, func() error { return t.decide(ctx, g, candidate) }},
	} {
		t.began = time.Now()
		err := stage.do()
		*stage.seconds += time.Since(t.began).Seconds()
		t.began = time.Time{}
		if err != nil && errors.Is(context.Cause(ctx), errTime) {
			err = errTime
		}
		if err := errors.Join(err, t.folder.save(tournament.Running, t.trained.Result)); err != nil {
			return nil, err
		}
	}
	g.Timing = *timing
	var err error
	if g.Files, err = t.made(k); err != nil {
		return nil, err
	}
	return g, files.ReplaceJSON(t.path(k, generationFile), g)
}

// decide writes the candidate's weights, and plays the matches that are due if they have changed.
func (t *trainer) decide(ctx context.Context, g *Generation, candidate *eval.Weights) error {
	// A match that another version of the program has begun goes on with the same file.
	if old, err := files.Load(candidate.Source, eval.Read); err == nil && old.Equal(candidate) {
		candidate.Provenance = old.Provenance
		candidate.Provenance.Gain = nil
	}
	if err := saveWeights(candidate.Source, candidate); err != nil { // the match reads them
		return err
	}
	if candidate.Equal(t.weights) {
		return nil
	}
	g.Adopted = t.Match.Pairs == 0
	if !g.Adopted {
		c := t.match(g.Number, g.Parent)
		s, err := t.play(ctx, g.Number, "match", c)
		if err != nil {
			return err
		}
		g.Pairs, g.LLR, g.Adopted = s.Pairs, c.SPRT.LLR(s.Pairs), c.SPRT.Verdict(s.Pairs) == sprt.AcceptH1
		g.Elo, g.EloMargin = finiteElo(c.SPRT.Estimate(s.Pairs))
		candidate.Provenance.Gain = eloGain(g.Elo, g.EloMargin, 2*s.Pairs.N())
		if err := saveWeights(candidate.Source, candidate); err != nil { // with the result of the match
			return err
		}
	}
	if !g.Adopted || t.Rating.Each == 0 {
		return nil
	}
	s, err := t.play(ctx, g.Number, ReferenceName, t.comparison(g.Number))
	g.ReferencePairs = s.Pairs
	return err
}

func (t *trainer) play(ctx context.Context, k int, stage string, c tournament.Config) (tournament.Summary, error) {
	t.env.Stage(k, stage, c.Games())
	return t.env.play(ctx, c, t.env.Game)
}

// selfPlay plays the games of generation k, and converts them to training positions.
func (t *trainer) selfPlay(ctx context.Context, k int) error {
	best := t.trained.Best
	c := t.games(k, best)
	agent, _ := t.selfPlayAt(k)
	games := c.Games()
	if _, err := t.play(ctx, k, "selfplay", games); err != nil {
		return err
	}
	provenance := c.Provenance(t.env.Version)
	// The spec would name a folder.
	provenance["agents"] = fmt.Sprintf("%s with the weights of %s", agent, GenerationName(best))
	e := &extractor{Positions: &c.Positions, env: t.env, provenOnly: isZero(t.weights)}
	if c.Search.Agent.Kind != "" {
		t.env.Stage(k, "search", games.Games())
	}
	_, err := e.extract(ctx, games.Out, provenance)
	return err
}

// fit fits weights to the training positions of the last generations.
func (t *trainer) fit(ctx context.Context, g *Generation) (*eval.Weights, error) {
	steps := int64(t.Settings.Steps())
	t.env.Stage(g.Number, "tune", steps)
	folders := slices.Clone(t.Data)
	for k := max(1, g.Number+1-cmp.Or(t.Window, g.Number)); k <= g.Number; k++ {
		folders = append(folders, filepath.Join(t.path(k, "selfplay"), PositionsDir))
	}
	best, parent := t.trained.Best, t.weights
	in := newPositionReader(t.env, t.Rules, folders...)
	data, err := t.read(ctx, parent, in)
	if err != nil {
		return nil, err
	}
	var r fits
	g.LeftOut = in.leftOut
	s := t.settings(parent)
	s.Record = func(step texel.Step) error {
		t.env.Progress(int64(step.Iteration), steps,
			fmt.Sprintf("iterations, training loss %.4f, validation loss %.4f", step.Loss, step.ValidationLoss))
		return nil
	}
	if r.Result, err = texel.Fit(ctx, data, s); err == nil {
		if t.Policy != nil {
			t.env.Stage(g.Number, "policy", 0)
		}
		in.folders = folders[len(folders)-1:]
		r.Policy, err = t.fitPolicy(ctx, parent, r.Result, in)
	}
	if err != nil {
		return nil, err
	}
	g.Positions, g.Validation = data[dataset.Train].Len(), data[dataset.Validation].Len()
	g.Loss, g.ValidationLoss, g.LiveUnits, g.Test, g.Policy = r.Loss[1], r.ValidationLoss[1], r.LiveUnits, r.Test, r.Policy
	agent, _ := t.selfPlayAt(g.Number)
	parentName := sourceName(&t.Weights)
	if best > 0 {
		parentName = t.Name + " " + GenerationName(best)
	}
	w := fitted(parent, r, eval.Provenance{
		Method: "texel", Run: t.Name + " " + GenerationName(g.Number), Parent: parentName, Seed: t.Seed,
		Version: t.env.Version,
		Data:    fmt.Sprintf("%d positions of self-play by %s", data[dataset.Train].Len(), agent),
	})
	w.Source = t.path(g.Number, WeightsFile)
	return w, nil
}
