package training

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/ranking"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
	"gyges/tournament"
)

// How weights are fitted to training positions, by a run of its own or in a generation.

// Fit is the part of the configuration that Texel and Generations share: how weights are fitted to
// training positions.
type Fit struct {
	Choice   texel.Choice      `yaml:",inline"`                                                                                                                            // but Inputs
	Settings texel.Settings    `yaml:",inline"`                                                                                                                            // but Names, Parent and Record
	Policy   *ranking.Settings `yaml:"policy" form:"keys of a policy" help:"Also fit the policy, which orders moves, to the moves played; without it, it stays as it is."` // but Parent
}

// Texel is the configuration of a fit of weights to training positions.
type Texel struct {
	Name   string       `yaml:"name" form:"a name, in quotes if it is a number" help:"Name of the run, and of its folder under results. Default: the file's."`
	Rules  *rules.Rules `yaml:"rules" form:"a rule set, like standard or standard:null_move=allow" help:"The rule set of the positions."`
	Data   []string     `yaml:"data" form:"a folder of training positions" help:"Folders of training positions."`
	Start  string       `yaml:"weights" form:"zero, default or a weights file" help:"Weights to start from."`
	Parent eval.Weights // those of that name
	Fit    `yaml:",inline"`
	Out    string `yaml:"out" form:"a folder, in quotes if it is a number" help:"New folder for the result. Default: results/NAME-TIME."`
}

// Fitted is the result of a Texel run.
type Fitted struct {
	Outcome
	fits
	Positions [dataset.NumSplits]int `json:"positions"` // of each split
	LeftOut   int                    `json:"left_out"`  // validation and test positions that an earlier split has
	Weights   string                 `json:"weights"`   // the weights file
}

// Gain returns the gain on the test positions, and how many of all positions these are; nil if
// there are none.
func (f *Fitted) Gain() *eval.Gain {
	g := f.Test.Provenance()
	if g == nil {
		return nil
	}
	for _, n := range f.Positions {
		g.All += int64(n)
	}
	return g
}

// fits are the results of fitting the evaluation and the policy.
type fits struct {
	*texel.Result
	Policy *ranking.Result `json:"policy,omitempty"` // nil: it was not fitted
}

// DefaultTexel returns a config that lacks the data, the weights and the folder.
func DefaultTexel() Texel {
	fit := Fit{Settings: texel.Settings{Lambda: 1}}
	return Texel{Rules: rules.MustParse("standard"), Start: eval.DefaultName, Fit: fit}
}

// Validate checks everything but the folders. The error joins a *[problems.FieldError] for each
// invalid field.
func (c *Texel) Validate() error {
	var p problems.List
	tournament.CheckName(&p, c.Name)
	hasData := len(c.Data) > 0 && !slices.Contains(c.Data, "")
	p.Expect(hasData, "data",
		"expected a folder of training positions, found none")
	settings.Check(&p, c, "")
	c.check(&p, "", &c.Parent)
	return p.Err()
}

// check adds the invalid fields to p, but for the bounds in their tags; their keys
// begin with prefix.
func (f *Fit) check(p *problems.List, prefix string, parent *eval.Weights) {
	s := &f.Settings
	for i, name := range s.Features {
		key := fmt.Sprintf("%sfeatures[%d]", prefix, i)
		if !slices.Contains(eval.Names(), name) {
			p.Add(key, errors.New(suggest.Unknown("feature", name, eval.Names())))
		}
		p.Expect(!slices.Contains(s.Features[:i], name), key, "%s is listed twice", name)
	}
	if s.Scale == 0 {
		p.Expect(!isZero(parent), prefix+"scale",
			"expected a number above 0, such as 0.005, "+
				"since weights of zero predict no results; found 0")
	}
	if s.Features != nil && len(s.Features) == 0 {
		p.Expect(s.Network != nil || f.Policy != nil, prefix+"features",
			"expected some, as there is no network and no policy to fit, found none")
	}
	p.Expect(f.Choice.Positions != 1, prefix+"positions",
		"expected 0, which is all, or 2 at least, found 1")
	isShare := 0 < s.Lambda && s.Lambda <= 1
	p.Expect(isShare, prefix+"lambda",
		"expected a number above 0, at most 1, found %v", s.Lambda)
}

// isZero reports whether an evaluation by weights, of some rules, is always 0.
func isZero(w *eval.Weights) bool {
	return w.Rules != "" && w.Network == nil && w.Values == eval.Vector{}
}

// settings returns the settings of a fit that starts from the parent's weights.
func (f *Fit) settings(parent *eval.Weights) texel.Settings {
	s := f.Settings
	s.Names = eval.Names()
	s.Parent = parent.Values[:len(s.Names)]
	if s.Network != nil {
		network := *s.Network
		network.Parent = parent.Network
		s.Network = &network
	}
	return s
}

// digest represents a network or a policy in the manifest; "" for none.
func digest[T any](weights *T) string {
	if weights == nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, *weights)))
}

// filesOfFit returns the files that a fit depends on: the weights that it starts from,
// and folders of data.
func filesOfFit(start string, data []string) (list []agents.File) {
	if file := agents.ReadFile(start); file.Err == nil { // otherwise the weights are the program's
		list = append(list, file)
	}
	for _, dir := range data {
		sum, _ := dataset.Sum(dir) // what is wrong, reading says
		list = append(list, agents.File{Name: dir, SHA256: sum})
	}
	return list
}

// read reads the positions of a fit, which reads training positions that don't
// stay in memory again.
func (f *Fit) read(
	ctx context.Context, parent *eval.Weights, in *positionReader,
) (d texel.Splits, err error) {
	e, err := eval.New(*parent, in.rules)
	if err != nil {
		return d, err
	}
	in.choice = f.Choice
	in.choice.Inputs = f.Settings.Network != nil
	for split := range d {
		positions := in.positions(ctx, dataset.Split(split))
		d[split], err = texel.Read(ctx, positions, e, in.choice)
		if err != nil {
			return d, err
		}
	}
	in.quiet = true
	return d, nil
}

// positionReader reads the training positions in folders, split by split in their order. Validation
// and test positions that an earlier split of any folder has are left out.
type positionReader struct {
	env       *Env // is told how many have been read, unless quiet
	quiet     bool
	rules     *rules.Rules
	choice    texel.Choice
	folders   []string          // of different positions
	sums      map[string]string // by folder, see [dataset.Sum]
	done, all int64
	leftOut   int

	// heldOut has the split, validation or test, of each position that training hasn't had; the
	// earlier one of a position in both. nil: not read yet.
	heldOut map[rules.Position]dataset.Split
}

// newPositionReader returns a reader of folders, of which those with the same files count once.
func newPositionReader(env *Env, r *rules.Rules, folders ...string) *positionReader {
	in := &positionReader{env: env, rules: r, sums: map[string]string{}}
	known := map[string]string{} // the first folder with a sum
	for _, dir := range folders {
		counts, err := dataset.Check(dir, r)
		sum, _ := dataset.Sum(dir) // what is wrong, reading says
		if same, ok := known[sum]; ok && err == nil {
			env.Log.Warn("training positions given twice count once",
				"folder", dir, "same as", same)
			continue
		}
		known[sum] = dir
		in.sums[dir] = sum
		in.folders = append(in.folders, dir)
		in.all += counts[dataset.Train]
		in.all += 2 * (counts[dataset.Validation] + counts[dataset.Test]) // which are read twice
	}
	return in
}

// each returns all positions of a split. It is an error if others were written into a folder since
// the reader was made.
func (in *positionReader) each(
	ctx context.Context, split dataset.Split,
) iter.Seq2[dataset.Position, error] {
	return func(yield func(dataset.Position, error) bool) {
		for _, dir := range in.folders {
			if sum, err := dataset.Sum(dir); err == nil && sum != in.sums[dir] {
				err = fmt.Errorf("%s: other positions were written while these were read", dir)
				yield(dataset.Position{}, err)
				return
			}
			for p, err := range dataset.Read(dir, split, in.rules) {
				in.done++
				if in.done%1000 == 0 {
					if err == nil {
						err = ctx.Err()
					}
					if !in.quiet {
						in.env.Progress(in.done, in.all, "positions read")
					}
				}
				if !yield(p, err) {
					return
				}
			}
		}
	}
}

// hold notes which positions are held out of training, before the first are read.
func (in *positionReader) hold(ctx context.Context) error {
	if in.heldOut != nil {
		return nil
	}
	held := map[rules.Position]dataset.Split{}
	for _, split := range []dataset.Split{dataset.Validation, dataset.Test} {
		for p, err := range in.each(ctx, split) {
			if err != nil {
				return err
			}
			if _, earlier := held[p.Position]; !earlier {
				held[p.Position] = split
			}
		}
	}
	in.heldOut = held
	return nil
}

// positions returns the positions of a split. The split of training positions comes first.
func (in *positionReader) positions(
	ctx context.Context, split dataset.Split,
) iter.Seq2[dataset.Position, error] {
	return func(yield func(dataset.Position, error) bool) {
		if err := in.hold(ctx); err != nil {
			yield(dataset.Position{}, err)
			return
		}
		for p, err := range in.each(ctx, split) {
			if err == nil && in.leavesOut(&p, split) {
				in.leftOut++
				continue
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// leavesOut reports whether a position of a split is left out, as an earlier split has it. What is
// trained on is no longer held out.
func (in *positionReader) leavesOut(p *dataset.Position, split dataset.Split) bool {
	if split == dataset.Train {
		delete(in.heldOut, p.Position)
		return false
	}
	return in.heldOut[p.Position] != split && !in.choice.Excludes(p)
}

// choices returns the moves played in the training positions of a split, but for those of a side
// that has lost.
func (in *positionReader) choices(ctx context.Context, split dataset.Split) ranking.Choices {
	return func(yield func(ranking.Choice, error) bool) {
		for p, err := range in.positions(ctx, split) {
			lost := p.Scored && p.Score <= -agents.WinScore
			if err == nil && (lost || p.Move == rules.NoMove) {
				continue
			}
			if !yield(ranking.Choice{Position: p.Position, Move: p.Move}, err) {
				return
			}
		}
	}
}

// fitPolicy fits the policy, if it is to be, to the moves in training positions and to evaluations
// by the new weights.
func (f *Fit) fitPolicy(
	ctx context.Context, parent *eval.Weights, fit *texel.Result, in *positionReader,
) (*ranking.Result, error) {
	if f.Policy == nil {
		return nil, nil
	}
	e, err := eval.New(*fitted(parent, fits{Result: fit}, eval.Provenance{}), in.rules)
	if err != nil {
		return nil, err
	}
	// All positions are read again, with their progress.
	in.done = 0
	in.all = 0
	in.choice = texel.Choice{}
	in.quiet = false
	s := *f.Policy
	s.Parent = parent.Policy
	s.Evaluator = e
	s.Temperature = 1 / (3 * fit.Scale)
	s.Progress = func(done, all int) {
		in.env.Progress(int64(done), int64(all), "steps of the policy")
	}
	training := in.choices(ctx, dataset.Train)
	test := in.choices(ctx, dataset.Test)
	return ranking.Fit(ctx, in.rules, training, test, s)
}

// fitted returns the parent's weights with those of a fit in their place, rounded to six digits,
// which is more than their errors allow, and with the network and the policy if they were fitted.
func fitted(parent *eval.Weights, r fits, p eval.Provenance) *eval.Weights {
	w := *parent
	w.Source = ""
	w.Provenance = p
	for j, f := range r.Features {
		text := strconv.FormatFloat(f.Weight, 'g', 6, 64)
		w.Values[j], _ = strconv.ParseFloat(text, 64)
	}
	if r.Network != nil {
		w.Network = r.Network
	}
	if r.Policy != nil {
		w.Policy = r.Policy.Weights
	}
	return &w
}

// Run fits the weights, in seconds to minutes: a run that was stopped starts again, and a folder
// with a result is refused. An error is of type *[FolderError] if the folder can't be used.
func (c *Texel) Run(ctx context.Context, env Env) (*Fitted, error) {
	fit := &Fitted{Outcome: Outcome{sprt.Stopped, c.Out}}
	in := newPositionReader(&env, c.Rules, c.Data...)
	data, err := c.read(ctx, &c.Parent, in)
	if err != nil {
		return fit, err
	}
	fit.LeftOut = in.leftOut // before the policy reads them again
	for split := range data {
		fit.Positions[split] = data[split].Len()
	}
	about := make([]map[string]string, len(c.Data))
	for i, dir := range c.Data {
		about[i], err = dataset.Provenance(dir)
		if err != nil {
			return nil, err
		}
	}

	// The folder is made once the positions are known to be right.
	config := describe(c, &c.Parent)
	config["data_about"] = about
	f, err := openFolder(ctx, c.Out, Manifest{
		Method:  "texel",
		Version: env.Version,
		Config:  config,
		free:    []string{""}, // each key
	})
	if err != nil {
		return nil, err
	}
	if f.manifest.Result != nil {
		err = fmt.Errorf("%s: expected a new folder, found the result of another run", c.Out)
		return nil, errors.Join(&FolderError{err}, f.history.Close())
	}
	f.manifest.Files = filesOfFit(c.Start, c.Data)
	fit.fits, err = c.fit(ctx, &env, f, in, data)
	if err != nil {
		return fit, errors.Join(err, f.discard())
	}

	// The result: the weights with where they come from, beside those that they started from.
	seed, _ := strconv.ParseUint(about[0]["seed"], 10, 64) // 0 where it is not known
	fit.Decision = decide(fit.Gain(), sprt.Pairs{})
	fit.Weights = f.file(WeightsFile)
	w := fitted(&c.Parent, fit.fits, eval.Provenance{
		Method:  "texel",
		Run:     c.Name,
		Parent:  sourceName(&c.Parent),
		Seed:    seed,
		Version: env.Version,
		Data: fmt.Sprintf("%d positions of %s",
			fit.Positions[dataset.Train], strings.Join(in.folders, ", ")),
		Gain: fit.Gain(),
	})
	w.Source = fit.Weights
	errStart := saveWeights(f.file(StartFile), &c.Parent)
	errFinish := f.finish(fit.fits, w)
	return fit, errors.Join(errStart, errFinish, f.history.Close())
}

// fit fits the weights and the policy, from the beginning of the history.
func (c *Texel) fit(
	ctx context.Context, env *Env, f *folder, in *positionReader, data texel.Splits,
) (r fits, err error) {
	f.kept = history{} // of a run that was stopped
	if err := f.history.Clear(); err != nil {
		return r, err
	}
	s := c.settings(&c.Parent)
	s.Record = func(step texel.Step) error {
		err := f.append(Line{
			Step:           step.Iteration,
			Loss:           &step.Loss,
			ValidationLoss: &step.ValidationLoss,
			Parameters:     named(s.Names, step.Weights),
		})
		env.Step(f.kept.lines)
		return err
	}
	r.Result, err = texel.Fit(ctx, data, s)
	if err != nil {
		return r, err
	}
	r.Policy, err = c.fitPolicy(ctx, &c.Parent, r.Result, in)
	return r, err
}
