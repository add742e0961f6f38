package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"gyges/ratings/textfmt"
	"gyges/tournament/training"
)

// tuneCmd tunes agent parameters.
type tuneCmd struct {
	Texel tuneTexelCmd `cmd:"" help:"Fit evaluation weights to samples of self-play by logistic regression."`
	SPSA  tuneSPSACmd  `cmd:"" name:"spsa" help:"Tune agent parameters by matches (SPSA)."`
	TD    tuneTDCmd    `cmd:"" name:"td" help:"Learn evaluation weights from self-play by TDLeaf(λ)."`
}

func (tuneCmd) examples() []example {
	return slices.Concat(tuneTexelCmd{}.examples(), tuneSPSACmd{}.examples(), tuneTDCmd{}.examples())
}

// openTuning prepares a folder for a run, or for resuming the one that was stopped
// there.
func openTuning(path, method string, config map[string]any) (*training.Folder, error) {
	f, err := training.OpenFolder(path, training.Manifest{Method: method, Version: version(), Config: config})
	if err != nil {
		return nil, fileError("--out", err)
	}
	return f, nil
}

// closeTuning closes the folder of a run.
func closeTuning(e *env, f *training.Folder) {
	if err := f.Close(); err != nil {
		e.log.Warn("close the history", "error", err)
	}
}

// parameters names the values of a step.
func parameters(names []string, values []float64) map[string]float64 {
	m := make(map[string]float64, len(names))
	for i, name := range names {
		m[name] = values[i]
	}
	return m
}

// tuningError returns the error of a run that was stopped, and prints how to resume
// it.
func tuningError(ctx context.Context, e *env, out string, err error) error {
	if err == nil {
		return nil
	}
	e.err.printf("Stopped. Go on with the same command and --out %s\n", textfmt.Escape(out))
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return failure{err}
}

// tuneOut returns the folder of a run: what the flag says, or the config, or a new one.
func tuneOut(flag, config, name string) string {
	switch {
	case flag != "":
		return flag
	case config != "":
		return config
	default:
		return "results/" + name + "-" + time.Now().UTC().Format("20060102-150405")
	}
}
