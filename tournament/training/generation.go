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
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
)

// GenerationFile is the file of a generation's folder that holds a [Generation]; its
// [WeightsFile] holds the candidate's weights.
const GenerationFile = "generation.json"

// Generation is what a generation has come to.
type Generation struct {
	Number  int  `json:"generation"` // from 1; 0 is the weights at the start
	Parent  int  `json:"parent"`     // the generation whose weights it started from
	Adopted bool `json:"adopted"`    // it won the test and takes the parent's place

	// What was learned from.
	Samples        int         `json:"samples"`         // training positions
	Validation     int         `json:"validation"`      // validation positions
	ValidationLoss float64     `json:"validation_loss"` // of the candidate
	Test           *texel.Test `json:"test"`            // parent and candidate on the test positions; nil: there are none

	// The match against the parent, as the candidate saw it. Elo and its margin
	// are biased, as those of all matches that a test stopped; nil: there is no
	// finite estimate.
	Pairs     sprt.Pairs `json:"pairs"`
	LLR       float64    `json:"llr"`
	Elo       *float64   `json:"elo"`
	EloMargin *float64   `json:"elo_margin"`
}

// Name is what tables call the generation.
func (g Generation) Name() string { return fmt.Sprintf("gen-%03d", g.Number) }

// folder returns a part of generation k's folder.
func (c *Config) folder(k int, part string) string {
	return filepath.Join(c.Out, Generation{Number: k}.Name(), part)
}

// path returns a part of the run's folder.
func (c *Config) path(part string) string { return filepath.Join(c.Out, part) }

// readGeneration reads what generation k has come to; nil if it isn't over.
func (c *Config) readGeneration(k int) (*Generation, error) {
	path := c.folder(k, GenerationFile)
	data, err := files.Read(path, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	g := new(Generation)
	if err := json.Unmarshal(data, g); err != nil {
		return nil, fmt.Errorf("%s: expected what a generation has come to: %w", path, err)
	}
	if g.Number != k {
		return nil, fmt.Errorf("%s: expected generation %d, found %d", path, k, g.Number)
	}
	return g, nil
}

// saveJSON writes a value as a file, in one go.
func saveJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return save(path, append(text, '\n'))
}

// saveWeights writes weights.
func saveWeights(path string, w *eval.Weights) error {
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		return fmt.Errorf("the weights can't be used: %w", err)
	}
	return save(path, b.Bytes())
}

// save writes a file in its place, in a folder that may have to be made.
func save(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return files.Replace(path, text)
}

// loadWeights reads weights that saveWeights wrote.
func loadWeights(path string) (*eval.Weights, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	w, err := eval.Read(f, path)
	return &w, err
}
