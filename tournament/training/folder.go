package training

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gyges/agents/eval"
	"gyges/agents/files"
	"gyges/agents/tuning/history"
)

// The files of a run's folder, whatever its method.
const (
	ManifestFile = "tuning.json"   // a [Manifest]
	HistoryFile  = "history.jsonl" // the steps, or generations: see package history
	WeightsFile  = "weights.json"  // the resulting weights, if weights were tuned
)

// maxManifest bounds the size of ManifestFile, in bytes. The positions of an openings
// list are in it.
const maxManifest = 64 << 20

// Manifest is the content of [ManifestFile].
type Manifest struct {
	Method  string         `json:"method"`  // texel, spsa, td or train
	Version string         `json:"version"` // of the program that began the run
	Config  map[string]any `json:"config"`  // what the outcome depends on
	Result  any            `json:"result"`  // null until there is one
}

// Folder is the folder of a run that learns. It belongs to one goroutine.
type Folder struct {
	Path     string
	Manifest Manifest
	History  *history.Writer
	Lines    []history.Line // the history of the run that is resumed
}

// OpenFolder prepares a folder for a run, or for resuming the one that was stopped
// there, and locks it. A run of another method or config is refused, and so is a
// folder with other files than those in its own and those in allowed.
func OpenFolder(path string, m Manifest, allowed ...string) (*Folder, error) {
	f := &Folder{Path: path, Manifest: m}
	file := filepath.Join(path, ManifestFile)
	data, err := files.Read(file, maxManifest)
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		var found string
		found, err = files.Foreign(path, append(allowed, HistoryFile)...)
		if found != "" {
			err = fmt.Errorf("%s: expected a new folder, or one of a tuning run, found one that holds %s", path, found)
		}
	} else if err == nil {
		err = f.resume(data)
	}
	if err == nil {
		err = os.MkdirAll(path, 0o755)
	}
	if err != nil {
		return nil, err
	}
	if f.History, f.Lines, err = history.Append(filepath.Join(path, HistoryFile)); err != nil {
		return nil, err
	}
	files.Clean(path)
	if fresh {
		if err := f.Save(); err != nil {
			return nil, errors.Join(err, f.History.Close())
		}
	}
	return f, nil
}

// resume takes over the version and result of the run in the folder. It returns an
// error that names the first difference to that run.
func (f *Folder) resume(data []byte) error {
	var before Manifest
	if err := json.Unmarshal(data, &before); err != nil {
		return fmt.Errorf("%s: expected the manifest of a tuning run: %w", filepath.Join(f.Path, ManifestFile), err)
	}
	if before.Method != f.Manifest.Method {
		return fmt.Errorf("%s: holds a run of another method; it was %s, now %s", f.Path, before.Method, f.Manifest.Method)
	}
	text, err := json.Marshal(f.Manifest.Config)
	var now map[string]any // as read from a file
	if err = errors.Join(err, json.Unmarshal(text, &now)); err != nil {
		return err
	}
	for key, value := range now {
		a, err := json.Marshal(before.Config[key])
		b, err2 := json.Marshal(value)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("%s: holds a run of another configuration; %s was %.200s, now %.200s", f.Path, key, a, b)
		}
	}
	f.Manifest.Version, f.Manifest.Result = before.Version, before.Result
	return nil
}

// Save writes the manifest.
func (f *Folder) Save() error { return saveJSON(filepath.Join(f.Path, ManifestFile), f.Manifest) }

// Finish writes the result: weights, if there are any, and the manifest.
func (f *Folder) Finish(result any, w *eval.Weights) error {
	if w != nil {
		if err := saveWeights(filepath.Join(f.Path, WeightsFile), w); err != nil {
			return err
		}
	}
	f.Manifest.Result = result
	return f.Save()
}

// Discard closes the folder and removes what OpenFolder has made.
func (f *Folder) Discard() error {
	err := f.Close()
	for _, name := range []string{HistoryFile, ManifestFile, "."} {
		err = errors.Join(err, os.Remove(filepath.Join(f.Path, name)))
	}
	return err
}

// Close closes the history, which unlocks the folder.
func (f *Folder) Close() error { return f.History.Close() }
