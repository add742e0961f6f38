package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gyges/agents/eval"
	"gyges/agents/tuning/files"
	"gyges/agents/tuning/history"
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

// Files of a tuning run's folder.
const (
	tuningFile  = "tuning.json"   // what was tuned, how, and what came out
	historyFile = "history.jsonl" // step by step: see package history
	weightsFile = "weights.json"  // the result, if weights were tuned
)

// maxTuning bounds the size of tuningFile, in bytes. The positions of an openings
// list are in it.
const maxTuning = 64 << 20

// tuningManifest is what tuningFile holds.
type tuningManifest struct {
	Method  string         `json:"method"`  // texel, spsa or td
	Version string         `json:"version"` // of the program that began the run
	Config  map[string]any `json:"config"`  // what the outcome depends on
	Result  any            `json:"result"`  // null until the run has ended
}

// tuningFolder is where a tuning run writes.
type tuningFolder struct {
	path     string
	manifest tuningManifest
	history  *history.Writer
	lines    []history.Line // of the run that goes on
}

// openTuning prepares a folder for a run, or for going on with the one that was
// stopped there. A run of another method or config is refused.
func openTuning(path, method string, config map[string]any) (*tuningFolder, error) {
	f := &tuningFolder{path: path, manifest: tuningManifest{Method: method, Version: version(), Config: config}}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("--out: %w", plainFileError(err))
	}
	before, err := readManifest(filepath.Join(path, tuningFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found, err := files.Foreign(path, historyFile)
		if err != nil {
			return nil, plainFileError(err)
		}
		if found != "" {
			return nil, fmt.Errorf("--out: %s: expected a new folder, or one of a tuning run, found one that holds %s", path, found)
		}
	case err != nil:
		return nil, fmt.Errorf("--out: %w", err)
	default:
		if err := f.sameAs(before); err != nil {
			return nil, fmt.Errorf("--out: %s: %w", path, err)
		}
		f.manifest.Version, f.manifest.Result = before.Version, before.Result
	}
	if f.history, f.lines, err = history.Append(filepath.Join(path, historyFile)); err != nil {
		return nil, fmt.Errorf("--out: %w", plainFileError(err))
	}
	files.Clean(path)
	if before == nil {
		if err := f.save(); err != nil {
			return nil, failure{errors.Join(err, f.history.Close())}
		}
	}
	return f, nil
}

func readManifest(path string) (*tuningManifest, error) {
	data, err := files.Read(path, maxTuning)
	if err != nil {
		return nil, err
	}
	m := new(tuningManifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: expected what a tuning run writes: %w", path, err)
	}
	return m, nil
}

// sameAs tells what differs from the run that was begun in the folder.
func (f *tuningFolder) sameAs(before *tuningManifest) error {
	if before.Method != f.manifest.Method {
		return fmt.Errorf("expected the method that the run there was begun with, %s, found %s", before.Method, f.manifest.Method)
	}
	for key, value := range f.manifest.Config {
		was, err := json.Marshal(before.Config[key])
		is, err2 := json.Marshal(value)
		if err = errors.Join(err, err2); err != nil {
			return err
		}
		if is = canonical(is); !bytes.Equal(was, is) {
			return fmt.Errorf("expected the config that the run there was begun with: its %s is %.200s, found %.200s", key, was, is)
		}
	}
	return nil
}

// canonical returns JSON as it is after being read as any value and written again.
func canonical(text []byte) []byte {
	var v any
	if json.Unmarshal(text, &v) == nil {
		if again, err := json.Marshal(v); err == nil {
			return again
		}
	}
	return text
}

// save writes the manifest.
func (f *tuningFolder) save() error {
	var b bytes.Buffer
	if err := writeJSON(&b, f.manifest); err != nil {
		return err
	}
	return files.Replace(filepath.Join(f.path, tuningFile), b.Bytes())
}

// finish writes the result: weights, if there are any, and the manifest.
func (f *tuningFolder) finish(result any, w *eval.Weights) error {
	if w != nil {
		var b bytes.Buffer
		if err := w.Write(&b); err != nil {
			return fmt.Errorf("the tuned weights can't be used: %w", err)
		}
		if err := files.Replace(filepath.Join(f.path, weightsFile), b.Bytes()); err != nil {
			return err
		}
	}
	f.manifest.Result = result
	return f.save()
}

// discard takes away what openTuning has made, for a run that could not begin.
func (f *tuningFolder) discard(e *env) {
	f.close(e)
	for _, name := range []string{historyFile, tuningFile, "."} {
		if err := os.Remove(filepath.Join(f.path, name)); err != nil {
			e.log.Debug("discard the folder", "error", err)
		}
	}
}

// close closes the history.
func (f *tuningFolder) close(e *env) {
	if err := f.history.Close(); err != nil {
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

// tuningError tells the user's mistakes, which are found before the first step,
// from what goes wrong on the way. It says how to go on with a run that was stopped.
func (f *tuningFolder) tuningError(ctx context.Context, e *env, err error) error {
	if err == nil {
		return nil
	}
	e.err.printf("Stopped. Go on with the same command and --out %s\n", visible(f.path))
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
