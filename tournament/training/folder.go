package training

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/settings"
	"gyges/tournament"
)

// The files of a run's folder, whatever its method.
const (
	ManifestFile = "tuning.json"   // a [Manifest]
	HistoryFile  = "history.jsonl" // the steps, or generations: a [Line] each
	WeightsFile  = "weights.json"  // the resulting weights, if weights were tuned
	StartFile    = "start.json"    // the weights that a fit started from (texel)
)

const (
	queueFolder = "queue"  // of an embedded server; it may exist before the run begins
	maxManifest = 64 << 20 // bytes of ManifestFile, which has the positions of openings
)

// Manifest is the content of [ManifestFile].
type Manifest struct {
	Method string `json:"method"` // texel, spsa or train
	// Status is running until the run ends; [tournament.Interrupted] and [tournament.Failed] runs
	// can be resumed. A run whose status is running and that no program makes was cut off.
	Status  tournament.Status `json:"status"`
	Version string            `json:"version"` // of the program that began the run
	Config  map[string]any    `json:"config"`  // everything that the outcome depends on
	Result  any               `json:"result"`  // null until there is one

	// Files are those that the outcome depends on.
	Files []agents.File `json:"files,omitempty"`

	// Engine is the external program that the tuned agent is; nil: it is none.
	Engine *agents.Program `json:"engine,omitempty"`

	free []string // beginnings of keys of Config that may change on resume
}

// Outline is what pages show of a [Manifest], whatever the method of its run.
type Outline struct {
	Method  string            `json:"method"`
	Version string            `json:"version"`
	Status  tournament.Status `json:"status"`
	Config  struct {
		Rules   string             `json:"rules"`
		Agent   string             `json:"agent"`   // "" of texel
		Steps   int                `json:"steps"`   // of spsa
		Weights map[string]float64 `json:"weights"` // initial; nil of spsa
	} `json:"config"`
	Result Result `json:"result"` // of generations; zero until there is one
}

// describe returns the settings of a run by their keys, without those that change no outcome.
// Weights that it starts from, if there are any, have their values in place of their name.
func describe(config any, start *eval.Weights) map[string]any {
	described := settings.Values(config)
	maps.DeleteFunc(described, func(key string, _ any) bool {
		switch key {
		case "name", "workers", "out":
			return true
		}
		return strings.HasSuffix(key, "stall_timeout")
	})
	if start != nil {
		described["weights"] = named(eval.Names(), start.Values[:])
		described["network"] = digest(start.Network)
		described["policy"] = digest(start.Policy)
	}
	return described
}

// FolderError says why a folder can't be used for a run, such as another run in it. Nothing has
// been done then.
type FolderError struct{ error }

// Unwrap returns the cause.
func (e *FolderError) Unwrap() error { return e.error }

// folder is the folder of a tuning run. [openFolder] makes it or resumes, append and save keep what
// was done, and finish writes the result. It belongs to one goroutine.
type folder struct {
	path     string
	manifest Manifest
	history  *jsonl.Writer // which locks the folder
	kept     history       // its lines
	changes  error         // lists what differs from the configuration that was there; nil: nothing
}

// openFolder makes a folder for a run, or opens that of the same run that was stopped there, and
// locks it. It refuses other runs and files. Errors are of type *[FolderError].
func openFolder(ctx context.Context, path string, m Manifest) (*folder, error) {
	f := &folder{path: path, manifest: m}
	if err := f.open(ctx); err != nil {
		return nil, &FolderError{err}
	}
	return f, nil
}

// open reads or writes the manifest, and opens the history, which locks the folder.
func (f *folder) open(ctx context.Context) error {
	text, err := files.Read(f.file(ManifestFile), maxManifest)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err == nil {
		err = f.resume(text)
	}
	if isNew {
		var found string // what isn't of a run
		found, err = files.Foreign(f.path, HistoryFile, queueFolder)
		if found != "" {
			err = fmt.Errorf(
				"%s: expected a new folder, or one of a tuning run, found one that holds %s",
				f.path, found)
		}
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.path, 0o755); err != nil {
		return err
	}
	f.history, err = jsonl.Open(f.file(HistoryFile), maxLine, f.kept.adder(ctx))
	if err != nil {
		return err
	}
	files.Clean(f.path) // of what a killed process was writing
	if !isNew {
		return nil
	}
	if err := f.save(tournament.Running, f.manifest.Result); err != nil {
		return errors.Join(err, f.history.Close())
	}
	return nil
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

// resume copies version and result of the run in the folder. The error names what
// differs from that run.
func (f *folder) resume(manifest []byte) error {
	var before struct {
		Manifest
		Config map[string]json.RawMessage `json:"config"` // with every digit of its numbers
	}
	if err := json.Unmarshal(manifest, &before); err != nil {
		return fmt.Errorf("%s: expected the manifest of a tuning run: %w",
			f.file(ManifestFile), err)
	}
	if before.Method != f.manifest.Method {
		return fmt.Errorf("%s: holds a run of another method; it was %s, now %s",
			f.path, before.Method, f.manifest.Method)
	}
	if err := tournament.CompareFiles(before.Files, f.manifest.Files); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if difference := f.manifest.Engine.Difference(before.Engine); difference != "" {
		return fmt.Errorf("%s: the engine has changed since the run began: %s; "+
			"put the old one back, or begin another run in another folder", f.path, difference)
	}
	f.changes = tournament.CompareConfigs(before.Config, f.manifest.Config)

	// What may change is left out of a second comparison.
	now := maps.Clone(f.manifest.Config)
	for _, begin := range f.manifest.free {
		maps.DeleteFunc(before.Config, func(key string, _ json.RawMessage) bool {
			return strings.HasPrefix(key, begin)
		})
		maps.DeleteFunc(now, func(key string, _ any) bool { return strings.HasPrefix(key, begin) })
	}
	if err := tournament.CompareConfigs(before.Config, now); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}

	f.manifest.Version = before.Version
	f.manifest.Result = before.Result
	return nil
}

// warn logs what may differ from the run that was there.
func (f *folder) warn(env *Env) {
	if f.changes != nil {
		env.Log.Warn("what is to come has other settings: it "+f.changes.Error(), "folder", f.path)
	}
}

// trained returns the result of a run of generations so far; an empty one if there is none.
func (f *folder) trained() (r Result, err error) {
	text, err := json.Marshal(f.manifest.Result) // which has its type if it is new, else a map's
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: expected the result of a training: %w", f.file(ManifestFile), err)
	}
	return r, nil
}

// append writes a line to the history. It is in the file when append returns.
func (f *folder) append(l Line) error {
	if err := f.history.Append(l); err != nil { // which refuses infinities
		return fmt.Errorf("%s: step %d: %w", HistoryFile, l.Step, err)
	}
	const perParameter = 50 // bytes of a line, about
	f.kept.keep(l, perParameter*len(l.Parameters))
	return nil
}

// stopped returns the status of a run that ended with an error.
func stopped(ctx context.Context) tournament.Status {
	if ctx.Err() != nil {
		return tournament.Interrupted
	}
	return tournament.Failed
}

// save writes the manifest with a status and a result.
func (f *folder) save(status tournament.Status, result any) error {
	f.manifest.Status = status
	f.manifest.Result = result
	return files.ReplaceJSON(f.file(ManifestFile), f.manifest)
}

// finish writes the result: weights, if there are any, and the manifest.
func (f *folder) finish(result any, w *eval.Weights) error {
	if w != nil {
		if err := saveWeights(w.Source, w); err != nil {
			return err
		}
	}
	return f.save(tournament.Finished, result)
}

// discard closes the folder and removes what openFolder has made.
func (f *folder) discard() error {
	err := f.history.Close()
	for _, name := range []string{HistoryFile, ManifestFile, "."} {
		err = errors.Join(err, os.Remove(f.file(name)))
	}
	return err
}

// saveWeights writes weights atomically. The folder is made if necessary.
func saveWeights(path string, w *eval.Weights) error {
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		return fmt.Errorf("invalid weights: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return files.Replace(path, b.Bytes())
}
