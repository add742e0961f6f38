package main

import (
	"context"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"gyges/agents/eval"
	"gyges/agents/tuning/history"
	"gyges/agents/tuning/sample"
	"gyges/agents/tuning/texel"
	"gyges/configs"
	"gyges/ratings/grid"
	"gyges/ratings/textfmt"
	"gyges/tournament/training"
)

// tuneTexelCmd fits weights to samples.
type tuneTexelCmd struct {
	Config string `arg:"" placeholder:"CONFIG.yaml" help:"YAML file that says how; see configs/tuning/texel.yaml."`
	Data   string `placeholder:"DIR" help:"Folder of samples, in place of the file's data."`
	Out    string `placeholder:"DIR" help:"New folder for the result. Default: results/NAME-TIME."`
}

// Help is the part of the help below the summary.
func (tuneTexelCmd) Help() string {
	return "Fits to the training positions, stops at the lowest loss of the validation positions, and measures the gain on the test positions. " +
		"Prints each weight with its standard error, and by how much the validation loss rises without its feature. " +
		"Features are marked insignificant if the 95 % interval of the weight contains 0, or the loss is lower without them. " +
		"Errors count the positions of a game as one cluster, since their results are correlated."
}

func (tuneTexelCmd) examples() []example {
	return []example{{"gyges tune texel configs/tuning/texel.yaml --data results/selfplay/samples", ""}}
}

// Run fits the weights.
func (c *tuneTexelCmd) Run(ctx context.Context, e *env) error {
	config, err := fromPath(ctx, c.Config, func() (configs.Texel, error) { return configs.LoadTexel(c.Config) })
	if err != nil {
		return plainFileError(err)
	}
	if c.Data != "" {
		config.Data = c.Data
	}
	data, err := texelData(ctx, &config)
	if err != nil {
		return plainFileError(err)
	}
	about, err := sample.About(config.Data)
	if err != nil {
		return plainFileError(err)
	}
	seed, _ := strconv.ParseUint(about["seed"], 10, 64) // 0 where it is not known
	out := tuneOut(c.Out, config.Out, config.Name)
	f, err := openTuning(out, "texel", texelConfig(&config, about))
	if err != nil {
		return err
	}
	if f.Manifest.Result != nil {
		closeTuning(e, f)
		return fmt.Errorf("--out: %s: expected a new folder, found the result of another run", out)
	}
	if err := f.History.Restart(); err != nil { // a fit that was killed begins anew
		closeTuning(e, f)
		return failure{err}
	}
	steps := config.Settings.Iterations
	if n := config.Settings.Network; n != nil && steps > 0 {
		steps += n.Epochs
	}
	p := newSteps(e.err, steps)
	config.Settings.Record = func(s texel.Step) error {
		p.step(s.Iteration, fmt.Sprintf("loss %.5f, validation loss %.5f", s.Loss, s.ValidationLoss))
		if err := f.History.Write(history.Line{
			Step: s.Iteration, Loss: &s.Loss, ValidationLoss: &s.ValidationLoss,
			Parameters: parameters(config.Settings.Names, s.Weights),
		}); err != nil {
			return failure{err}
		}
		return nil
	}
	result, err := texel.Fit(ctx, data, config.Settings)
	p.end()
	if err != nil {
		if err := f.Discard(); err != nil { // such a run takes seconds: there is nothing to resume
			e.log.Debug("discard the folder", "error", err)
		}
		return err
	}
	defer closeTuning(e, f)
	w := eval.Weights{Rules: config.Parent.Rules, Network: config.Parent.Network, Source: filepath.Join(out, training.WeightsFile), Provenance: eval.Provenance{
		Method: "texel", Run: config.Name, Parent: parentName(&config.Parent), Seed: seed, Version: version(),
		Data: fmt.Sprintf("%d positions of %s", data.Train.Len(), config.Data), Gain: result.Test.Provenance(),
	}}
	result.Apply(&w)
	if err := f.Finish(texelResult(result), &w); err != nil {
		return failure{err}
	}
	return c.write(e.out, result, data, w.Source)
}

// parentName names weights in the provenance of those that they led to.
func parentName(w *eval.Weights) string {
	return strings.TrimPrefix(w.Source, "weights ")
}

// texelData reads all splits.
func texelData(ctx context.Context, c *configs.Texel) (texel.Splits, error) {
	e, err := eval.New(c.Parent, c.Rules)
	if err != nil {
		return texel.Splits{}, err
	}
	read := func(split sample.Split) iter.Seq2[sample.Sample, error] { return sample.Read(c.Data, split, c.Rules) }
	return texel.ReadSplits(ctx, read, e, c.Choice)
}

// texelConfig is what the outcome of a fit depends on.
func texelConfig(c *configs.Texel, about map[string]string) map[string]any {
	s := &c.Settings
	return map[string]any{
		"rules": c.Rules.String(), "data": c.Data, "data_about": about, "positions": c.Choice.Positions, "quiet": c.Choice.Quiet,
		"leaves": c.Choice.Leaves, "network": s.Network.About(),
		"weights": parameters(s.Names, s.Parent), "frozen": frozenNames(s.Names, s.Frozen),
		"lambda": s.Lambda, "l2": s.L2, "scale": s.Scale, "iterations": s.Iterations, "patience": s.Patience,
	}
}

// frozenNames lists the features whose weights are not tuned.
func frozenNames(names []string, frozen []bool) []string {
	list := []string{}
	for j, f := range frozen {
		if f {
			list = append(list, names[j])
		}
	}
	return list
}

// texelJSON is a fit's result in training.ManifestFile.
type texelJSON struct {
	Scale          float64       `json:"scale"`
	Iterations     int           `json:"iterations"`
	EarlyStop      bool          `json:"early_stop"`
	Loss           [2]float64    `json:"loss"` // before and after
	ValidationLoss [2]float64    `json:"validation_loss"`
	Test           *texel.Test   `json:"test"` // null: the samples have no test positions
	Features       []featureJSON `json:"features"`
}

type featureJSON struct {
	Feature       string   `json:"feature"`
	Parent        float64  `json:"parent"`
	Weight        float64  `json:"weight"`
	Error         *float64 `json:"error"`          // standard error; null: the data don't determine the weight, or the weight was frozen
	Without       *float64 `json:"without"`        // validation loss without the feature less that with it; null: frozen
	Margin        *float64 `json:"without_margin"` // half of the 95 % interval of that
	Insignificant bool     `json:"insignificant"`
	Frozen        bool     `json:"frozen"`
}

func texelResult(r *texel.Result) texelJSON {
	j := texelJSON{
		Scale: r.Scale, Iterations: r.Iterations, EarlyStop: r.EarlyStop,
		Loss:           [2]float64{r.Loss.Parent, r.Loss.Tuned},
		ValidationLoss: [2]float64{r.ValidationLoss.Parent, r.ValidationLoss.Tuned},
		Test:           r.Test,
	}
	for _, f := range r.Features {
		x := featureJSON{Feature: f.Name, Parent: f.Parent, Weight: f.Weight, Insignificant: f.Insignificant, Frozen: f.Frozen}
		if !f.Frozen {
			x.Without, x.Margin = &f.Without, &f.WithoutMargin
			if !math.IsInf(f.Error, 0) {
				x.Error = &f.Error
			}
		}
		j.Features = append(j.Features, x)
	}
	return j
}

// write prints the result for people.
func (c *tuneTexelCmd) write(w *output, r *texel.Result, data texel.Splits, path string) error {
	g := grid.Grid{Header: []string{"Feature", "Before", "After", "Error", "Loss without", ""}}
	for _, f := range r.Features {
		row := []string{f.Name, fiveDigits(f.Parent), fiveDigits(f.Weight), fmt.Sprintf("± %.3g", f.Error), fmt.Sprintf("%+.6f ± %.6f", f.Without, f.WithoutMargin), ""}
		switch {
		case f.Frozen:
			row[3], row[4], row[5] = "", "", "frozen"
		case math.IsInf(f.Error, 1):
			row[3], row[5] = "unknown", "insignificant"
		case f.Insignificant:
			row[5] = "insignificant"
		}
		g.Rows = append(g.Rows, row)
	}
	if err := g.Write(w, false); err != nil {
		return err
	}
	w.printf("\nPositions: %d training, %d validation, %d test; scale %.5f, %d iterations",
		data.Train.Len(), data.Validation.Len(), data.Test.Len(), r.Scale, r.Iterations)
	if r.EarlyStop {
		w.printf(", stopped early")
	}
	if r.Network != nil {
		w.printf("; with a network of %d units", 2*eval.HiddenUnits)
	}
	w.printf("\nTraining loss %.6f, was %.6f\nValidation loss %.6f, was %.6f\n",
		r.Loss.Tuned, r.Loss.Parent, r.ValidationLoss.Tuned, r.ValidationLoss.Parent)
	if t := r.Test; t != nil {
		w.printf("Test loss %.6f, was %.6f: gain %.6f ± %.6f (95 %%)\n", t.Loss, t.ParentLoss, t.Gain, t.GainMargin)
	} else {
		w.printf("Test loss not measured: the samples have no test positions\n")
	}
	w.printf("The weights are in %s\n", textfmt.Escape(path))
	return nil
}

func fiveDigits(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
