package training

import (
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

// How the generations of a training are made, and what is kept of them.

// generationFile is a [Generation] in its folder, beside the candidate's [WeightsFile].
const generationFile = "generation.json"

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

	// The match against the parent, from the candidate's view. Elo and its margin, half the 95 %
	// interval, are corrected for the stop by the test; nil: there is no finite estimate.
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
	Outcome
	Result
	Weights     string               `json:"weights"`      // the file of the best weights
	RatingGames string               `json:"rating_games"` // the folder of the rating's games; "" if there are none
	Standings   *standings.Standings `json:"-"`            // of those games
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

// Run makes the generations. A run that was stopped in the folder resumes, at any stage. An error
// is of type *[FolderError] if the folder can't be used.
func (c *Generations) Run(ctx context.Context, env Env) (Trained, error) {
	t := trainer{Generations: c, env: &env, weights: &c.Weights}
	read := []agents.Spec{c.reference(), c.SelfPlay.Search.Agent}
	env.Registry = env.Registry.Reading(read, nil)
	if err := t.unchanged(); err != nil {
		return Trained{}, &FolderError{err}
	}
	var err error
	t.folder, err = openFolder(ctx, c.Out, Manifest{
		Method:  "train",
		Version: env.Version,
		Config:  c.describe(),
		Result:  Result{},
		Files: slices.Concat(filesOfFit(c.Start, c.Data), c.filesOfAgents(env.Registry),
			c.SelfPlay.Openings.Files(), c.Match.Openings.Files()),
		free: freeKeys,
	})
	if err != nil {
		return Trained{}, err
	}
	t.folder.warn(&env)

	// The run goes on where it was stopped.
	env.Observer = t.observed(env.Observer)
	t.known = len(t.folder.kept.lines)
	t.before, err = t.folder.trained()
	if err != nil {
		return Trained{}, errors.Join(&FolderError{err}, t.folder.history.Close())
	}
	defer func() { _ = os.Remove(t.folder.file(ProgressFile)) }() // while the folder is locked
	t.trained.Outcome = Outcome{sprt.Stopped, c.Out}
	t.trained.Weights = t.folder.file(WeightsFile)
	t.trained.Generations = []Generation{}
	err = t.folder.save(tournament.Running, t.folder.manifest.Result)
	if err == nil {
		err = t.train(ctx)
	}

	// The manifest says how it ended.
	status := tournament.Finished
	if err != nil {
		status = stopped(ctx)
	} else {
		t.trained.Decision = decide(t.trained.gain(), sprt.Pairs{})
	}
	err = errors.Join(err, t.folder.save(status, t.trained.Result))
	return t.trained, errors.Join(err, t.folder.history.Close())
}

// trainer makes the generations of a run. [trainer.train] makes them one after another, each in
// three stages: selfPlay, fit and decide.
type trainer struct {
	*Generations
	env     *Env
	folder  *folder
	known   int           // generations in the history at the start
	before  Result        // at the start
	weights *eval.Weights // the best ones
	trained Trained
	began   time.Time // of the stage in progress, one of [Timing]; zero: there is none
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
	left := t.Time.Seconds() - t.seconds()
	takes := made[len(made)-1].Timing.Seconds()
	if takes <= left {
		return ""
	}
	return fmt.Sprintf("Generation %d was not begun, as %s of %v are left and the one before "+
		"took %s; a longer --time makes it.",
		len(made)+1, inSeconds(max(0, left)), t.Time, inSeconds(takes))
}

// inSeconds returns a number of seconds as a duration, for people.
func inSeconds(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond)
}

// limited returns a context that ends with the time given, and its end. It is cancelled, as by a
// user: a deadline that has passed would read as a server's that doesn't answer.
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

// seconds returns how long the generations took, with the one in progress.
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
			t.trained.Ended = fmt.Sprintf(
				"Generation %d was stopped, as the %v are over; a longer --time goes on with it.",
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
	return t.rate(ctx)
}

// rate plays the rating of the generations adopted.
func (t *trainer) rate(ctx context.Context) error {
	c := t.rating(&t.trained.Result)

	// If its settings have changed, a rating of other players may be there.
	isSame := func(a, b agents.Spec) bool { return a.Label() == b.Label() }
	folder := c.Out
	for n := 2; ; n++ {
		m, _ := tournament.ReadManifest(os.DirFS(c.Out)) // Run has the error, too
		if m == nil || slices.EqualFunc(m.Config.Agents, c.Agents, isSame) {
			break
		}
		c.Out = fmt.Sprintf("%s-%d", folder, n)
	}

	t.trained.RatingGames = c.Out
	t.trained.Standings = standings.New()
	rating := *t.env
	rating.Game = func(g *record.Record) {
		t.trained.Standings.Add(g)
		t.env.Game(g)
	}
	rating.Stage(0, "rating", c.Games())
	s, err := rating.play(ctx, c)
	if err != nil {
		return err
	}
	tables, err := t.trained.Standings.Fit(ctx, RatingOptions(), false)
	if err != nil {
		return err
	}

	// The ratings of all players, and the best one's gain over the initial weights.
	fitted := tables.All.Ratings
	for _, p := range fitted.Players {
		t.trained.Rating = append(t.trained.Rating, Rated{p.Name, p.Elo, p.Error})
	}
	best, initial := GenerationName(t.trained.Best), GenerationName(0)
	if d, ok := fitted.Difference(best, initial); ok {
		t.trained.Gain = &eval.Gain{Measure: "Elo", Value: d.Elo, Margin: d.Error, Count: s.Played}
	}
	return nil
}

// RatingOptions are the options of ratings of generations: the reference, if there is one,
// has the rating 0.
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

	// A step of the history, unless a run that was stopped has written it.
	if k > t.known {
		l := Line{
			Step:           k,
			Loss:           &g.Loss,
			ValidationLoss: &g.ValidationLoss,
			Games:          int(2 * g.Pairs.N()),
			Elo:            g.Elo,
			EloMargin:      g.EloMargin,
			Parameters:     named(eval.Names(), w.Values[:]),
		}
		if g.Test != nil {
			l.TestLoss = &g.Test.Loss
		}
		if err := t.folder.append(l); err != nil {
			return err
		}
	}

	t.trained.Generations = append(t.trained.Generations, *g)
	t.trained.Timing = Timing{}
	if g.Adopted {
		t.trained.Best = k
		t.weights = &w
	}
	t.env.Generation(*g)
	err = saveWeights(t.trained.Weights, t.weights)
	return errors.Join(err, t.folder.save(tournament.Running, t.trained.Result))
}

// filesOfAgents returns the files of the agents that search and that generations are rated against.
// The reference is known by its key, since ratings against two of them can't be compared, whatever
// their files are called.
func (c *Generations) filesOfAgents(registry *agents.Registry) []agents.File {
	searching := []agents.Spec{c.SelfPlay.Search.Agent}
	reference := []agents.Spec{c.reference()}
	list := registry.Reading(searching, nil).Files()
	for _, file := range registry.Reading(reference, nil).Files() {
		file.Name = "rating.reference"
		list = append(list, file)
	}
	return list
}

// readGeneration reads the result of generation k. The error is [fs.ErrNotExist] if
// it is not finished.
func (t *trainer) readGeneration(k int) (*Generation, error) {
	name := GenerationName(k) + "/" + generationFile
	g := new(Generation)
	text, err := files.Read(t.path(k, generationFile), maxManifest)
	if err == nil {
		err = json.Unmarshal(text, g)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: expected the result of a generation: %w", name, err)
	}
	if g.Number != k {
		return nil, fmt.Errorf("%s: expected the result of generation %d, found that of %d",
			name, k, g.Number)
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

// made returns the files that a generation has made, and an error if one is damaged. A folder of
// training positions that is no longer there isn't needed.
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
	made = append(made, agents.File{Name: positions, SHA256: sum})
	return made, errors.Join(weights.Err, err)
}

// makeGeneration plays, fits and tests a candidate. Each stage resumes.
func (t *trainer) makeGeneration(ctx context.Context, k int) (*Generation, error) {
	if k == len(t.before.Generations)+1 {
		t.trained.Timing = t.before.Timing
	}
	ctx, end := t.limited(ctx)
	defer end()
	g := &Generation{Number: k, Parent: t.trained.Best}
	timing := &t.trained.Timing

	t.began = time.Now()
	err := t.selfPlay(ctx, k)
	if err := t.endStage(ctx, &timing.SelfPlay, err); err != nil {
		return nil, err
	}

	t.began = time.Now()
	candidate, err := t.fit(ctx, g)
	if err := t.endStage(ctx, &timing.Tune, err); err != nil {
		return nil, err
	}

	t.began = time.Now()
	err = t.decide(ctx, g, candidate)
	if err := t.endStage(ctx, &timing.Match, err); err != nil {
		return nil, err
	}

	g.Timing = *timing
	g.Files, err = t.made(k)
	if err != nil {
		return nil, err
	}
	return g, files.ReplaceJSON(t.path(k, generationFile), g)
}

// endStage adds the seconds of a stage that has ended, with an error or nil, and returns its error,
// or why the time can't be saved.
func (t *trainer) endStage(ctx context.Context, seconds *float64, err error) error {
	*seconds += time.Since(t.began).Seconds()
	t.began = time.Time{}
	if err != nil && errors.Is(context.Cause(ctx), errTime) {
		err = errTime
	}
	return errors.Join(err, t.folder.save(tournament.Running, t.trained.Result))
}

// decide writes the candidate's weights, and plays the matches that are due if they have changed.
func (t *trainer) decide(ctx context.Context, g *Generation, candidate *eval.Weights) error {
	// A match that another version of the program has begun goes on with the same file.
	old, err := files.Load(candidate.Source, eval.Read)
	if err == nil && old.Equal(candidate) {
		candidate.Provenance = old.Provenance
		candidate.Provenance.Gain = nil
	}
	if err := saveWeights(candidate.Source, candidate); err != nil { // the match reads them
		return err
	}
	if candidate.Equal(t.weights) {
		return nil
	}
	g.Adopted = true
	if t.Match.Pairs > 0 {
		if err := t.test(ctx, g, candidate); err != nil {
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

// test plays the match of a candidate against the best generation, which says whether it is
// adopted, and writes the candidate's weights with the result.
func (t *trainer) test(ctx context.Context, g *Generation, candidate *eval.Weights) error {
	c := t.match(g.Number, g.Parent)
	s, err := t.play(ctx, g.Number, "match", c)
	if err != nil {
		return err
	}
	// The result is the match's own, corrected for its stop by the test.
	pairs := s.Pairs
	test := c.SPRT
	g.Pairs = pairs
	g.LLR = test.LLR(pairs)
	g.Adopted = test.Verdict(pairs) == sprt.AcceptH1
	g.Elo, g.EloMargin = finiteElo(test.Estimate(pairs))
	candidate.Provenance.Gain = eloGain(g.Elo, g.EloMargin, pairs)
	return saveWeights(candidate.Source, candidate)
}

// play plays a stage of generation k.
func (t *trainer) play(
	ctx context.Context, k int, stage string, c tournament.Config,
) (tournament.Summary, error) {
	t.env.Stage(k, stage, c.Games())
	return t.env.play(ctx, c)
}

// selfPlay plays the games of generation k, and converts them to training positions.
func (t *trainer) selfPlay(ctx context.Context, k int) error {
	best := t.trained.Best
	c := t.games(k, best)
	games := c.Games()
	if _, err := t.play(ctx, k, "selfplay", games); err != nil {
		return err
	}
	if c.Search.Agent.Kind != "" {
		t.env.Stage(k, "search", games.Games())
	}
	agent, _ := t.selfPlayAt(k)
	about := c.Provenance(t.env.Version)
	// The spec would name a folder.
	about["agents"] = fmt.Sprintf("%s with the weights of %s", agent, GenerationName(best))
	e := &extractor{Positions: &c.Positions, env: t.env, provenOnly: isZero(t.weights)}
	return e.extract(ctx, games.Out, about)
}

// fit fits weights to the training positions of the last generations.
func (t *trainer) fit(ctx context.Context, g *Generation) (*eval.Weights, error) {
	steps := int64(t.Settings.Steps())
	t.env.Stage(g.Number, "tune", steps)
	folders := slices.Clone(t.Data)
	first := 1
	if t.Window > 0 {
		first = max(1, g.Number+1-t.Window)
	}
	for k := first; k <= g.Number; k++ {
		folders = append(folders, filepath.Join(t.path(k, "selfplay"), PositionsDir))
	}

	parent := t.weights
	in := newPositionReader(t.env, t.Rules, folders...)
	data, err := t.read(ctx, parent, in)
	if err != nil {
		return nil, err
	}
	g.LeftOut = in.leftOut
	g.Positions = data[dataset.Train].Len()
	g.Validation = data[dataset.Validation].Len()

	s := t.settings(parent)
	s.Record = func(step texel.Step) error {
		text := fmt.Sprintf("iterations, training loss %.4f, validation loss %.4f",
			step.Loss, step.ValidationLoss)
		t.env.Progress(int64(step.Iteration), steps, text)
		return nil
	}
	fit, err := texel.Fit(ctx, data, s)
	if err != nil {
		return nil, err
	}
	g.Loss = fit.Loss[1]
	g.ValidationLoss = fit.ValidationLoss[1]
	g.LiveUnits = fit.LiveUnits
	g.Test = fit.Test

	// The policy is fitted to the positions of this generation alone.
	if t.Policy != nil {
		t.env.Stage(g.Number, "policy", 0)
	}
	in.folders = folders[len(folders)-1:]
	g.Policy, err = t.fitPolicy(ctx, parent, fit, in)
	if err != nil {
		return nil, err
	}

	// The weights say where they come from.
	agent, _ := t.selfPlayAt(g.Number)
	parentName := sourceName(&t.Weights)
	if t.trained.Best > 0 {
		parentName = t.Name + " " + GenerationName(t.trained.Best)
	}
	w := fitted(parent, fits{fit, g.Policy}, eval.Provenance{
		Method:  "texel",
		Run:     t.Name + " " + GenerationName(g.Number),
		Parent:  parentName,
		Seed:    t.Seed,
		Version: t.env.Version,
		Data:    fmt.Sprintf("%d positions of self-play by %s", g.Positions, agent),
	})
	w.Source = t.path(g.Number, WeightsFile)
	return w, nil
}
