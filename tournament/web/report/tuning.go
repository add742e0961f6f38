package report

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"gyges/agents/eval"
	"gyges/ratings/sprt"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/runs"
	"gyges/tournament/standings"
	"gyges/tournament/training"
)

// Bounds of what is read of a tuning run, in bytes.
const (
	maxTuning = 4 << 20  // of a [training.ManifestFile]
	maxMatch  = 64 << 20 // of the games of a match that are read for its test
)

// Tuning is what a report shows of a tuning run's tuning.json, and of the results beside it.
type Tuning struct {
	Method  string            `json:"method"`
	Version string            `json:"version"` // of the program
	Status  tournament.Status `json:"status"`
	Text    string            `json:"-"` // the file
	Config  struct {
		Rules   string             `json:"rules"`
		Agent   string             `json:"agent"`   // "" of texel
		Steps   int                `json:"steps"`   // of spsa
		Weights map[string]float64 `json:"weights"` // initial; nil of spsa
	} `json:"config"`
	Result training.Result `json:"result"` // of generations; zero until there is one

	steps    int                // in the history
	kept     map[string]float64 // the parameters that are the result; nil: those after the last step
	weighted bool               // there is a weights file
	gain     *eval.Gain         // over what it was made from, as measured; nil: not yet
	pairs    sprt.Pairs         // of the match that measured it
	tests    []Curve            // of the matches of the last generations
	bounds   []level            // of their log-likelihood ratios
	notes    []string           // on the records of the matches
}

// ReadTuning reads the [training.ManifestFile] of a folder.
func ReadTuning(fsys fs.FS) (*Tuning, error) {
	text, err := files.ReadFS(fsys, training.ManifestFile, maxTuning)
	if err != nil {
		return nil, err
	}
	t := &Tuning{Text: strings.TrimSpace(string(text))}
	if err := json.Unmarshal(text, t); err != nil {
		return nil, err
	}
	return t, nil
}

// State returns how the run stands.
func (t *Tuning) State() tournament.Status { return cmp.Or(t.Status, tournament.Running) }

// Kind says what kind of run it is.
func (t *Tuning) Kind() string {
	if t.Method == "train" {
		return "training"
	}
	return "tuning"
}

// readResults reads what a page shows beside the manifest and the history. What can't be read is left out.
func (t *Tuning) readResults(fsys fs.FS, steps []training.Line) {
	if len(steps) > 0 {
		t.steps = steps[len(steps)-1].Step
	}
	for _, l := range slices.Backward(steps) {
		if t.pairs = *cmp.Or(l.Pairs, &t.pairs); l.Elo != nil && l.EloMargin != nil {
			t.gain = &eval.Gain{Measure: "Elo", Value: *l.Elo, Margin: *l.EloMargin, Count: 2 * t.pairs.N()}
		}
		if t.gain != nil || t.pairs.N() > 0 {
			break
		}
	}
	w, err := files.LoadFS(fsys, training.WeightsFile, eval.Read)
	if t.weighted = err == nil; t.weighted {
		t.gain = cmp.Or(w.Provenance.Gain, t.gain)
	}
	if t.weighted && t.Method != "spsa" {
		t.kept = map[string]float64{}
		for i, name := range eval.Names() {
			t.kept[name] = w.Values[i]
		}
	}
	if t.Method != "train" {
		return
	}
	last := len(t.Result.Generations) + 1 // whose match may be in progress
	for k := max(1, last-numColours+1); k <= last; k++ {
		test, course, notes := readMatch(fsys, training.MatchFolder(k))
		if t.notes = append(t.notes, notes...); test != (sprt.Test{}) {
			verdict := "not decided"
			if k < last {
				verdict = t.Result.Generations[k-1].Verdict()
			}
			t.bounds = bounds(test, "reject", "adopt")
			t.tests = append(t.tests, llrCurve(fmt.Sprintf("generation %d: %s", k, verdict), test, course))
		}
	}
}

// readMatch returns the test of a match, zero if there is none, with the course of its pairs, and notes on its records.
func readMatch(fsys fs.FS, dir string) (test sprt.Test, course []uint8, notes []string) {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return test, nil, nil
	}
	m, err := tournament.ReadManifest(sub)
	if err != nil {
		return test, nil, []string{fmt.Sprintf("%s: %v", dir, err)}
	}
	if test = testOf(m); test == (sprt.Test{}) {
		return test, nil, nil
	}
	s, in := standings.New(), new(runs.Stream)
	r := s.Begin(m)
	_, err = files.LoadFS(fsys, path.Join(dir, tournament.GamesFile), func(f io.Reader, name string) (any, error) {
		limited := &io.LimitedReader{R: f, N: maxMatch}
		err := s.Read(context.Background(), in, &runs.File{In: limited, Name: name}, nil)
		if err == nil && limited.N == 0 {
			err = fmt.Errorf("%s: only the first %d MiB are counted", name, maxMatch>>20)
		}
		return nil, err
	})
	if notes = append(in.Notes(), s.Notes()...); err != nil && !errors.Is(err, fs.ErrNotExist) {
		notes = append(notes, err.Error())
	}
	return test, r.Course, notes
}

func (t *Tuning) charts() []Chart {
	byMinutes, byPositions, gain := Curve{Name: "rating"}, Curve{Name: "rating"}, Curve{Name: "gain"}
	positions := 0
	rows := training.Rows(append([]training.Generation{{}}, t.Result.Generations...), t.Result.Rating) // 0 first
	for _, g := range rows {
		positions += g.Positions
		if r := g.Rated; r != nil {
			elo := plusMinus(r.Elo, r.Margin)
			byMinutes.Add(Point{X: g.Minutes, Y: r.Elo, Error: r.Margin,
				title: fmt.Sprintf("generation %d, %.1f minutes: %s", g.Number, g.Minutes, elo)})
			byPositions.Add(Point{X: float64(positions), Y: r.Elo, Error: r.Margin,
				title: fmt.Sprintf("generation %d, %s positions: %s", g.Number, textfmt.Thousands(int64(positions)), elo)})
		}
		if g.Test != nil {
			gain.Add(Point{X: float64(g.Number), Y: g.Test.Gain, Error: g.Test.GainMargin})
		}
	}
	var reference []level
	for _, r := range t.Result.Rating {
		if r.Player == training.ReferenceName {
			reference = []level{{r.Elo, r.Player}}
		}
	}
	list := []Chart{
		newChart("Elo of the generations by the minutes of training, with 95 % intervals", "minutes", "Elo", byMinutes),
		newChart("Elo of the generations by the training positions of all fits until then, with 95 % intervals", "positions",
			"Elo", byPositions),
		newChart("Gain of the fit: test loss of the parent less that of the candidate, with 95 % intervals", "generation",
			"nats", gain),
		newChart("Log-likelihood ratio of each generation's match, pair by pair", "game pairs", "LLR", t.tests...),
	}
	list[0].levels, list[1].levels, list[2].levels, list[3].levels = reference, reference, []level{{}}, t.bounds
	list[3].noPoint = true
	list[3].nameAlone()
	return list
}

// headline is the verdict on what the run has come to; "" if there is none yet.
func (t *Tuning) headline() string {
	verdict, over := t.Result.Verdict(), map[string]string{"spsa": "the agent at the start"}[t.Method]
	switch {
	case t.Method == "train":
	case t.gain != nil || t.pairs.N() > 0:
		verdict = "Verdict: " + training.Verdict(t.gain, t.pairs, cmp.Or(over, "the weights at the start"))
	case t.Method == "spsa" && t.State() == tournament.Finished:
		verdict = "Nothing was verified, so no gain is shown: a match would tell."
	}
	if i := t.Result.Best - 1; t.Method == "train" && 0 <= i && i < len(t.Result.Generations) {
		if against := training.Rows(t.Result.Generations, t.Result.Rating)[i].Reference; against != "" {
			verdict += "; Elo to the reference: " + against
		}
	}
	return verdict
}

func (b *builder) tunings() Section {
	s := Section{ID: "tuning", Title: "Tuning"}
	for _, r := range b.collected.runs {
		t := r.about.Tuning
		if t == nil {
			continue
		}
		if t.Method == "train" {
			s.Title = "Training"
		}
		b.name(&s, r)
		t.add(&s, &r.about)
	}
	return s
}

func (t *Tuning) add(s *Section, r *RunInfo) {
	const resumes = "; the same command with --out resumes it"
	state := string(t.State()) + map[tournament.Status]string{ // with what it means
		tournament.Running:     ", unless its program was ended by force",
		tournament.Interrupted: resumes, tournament.Failed: resumes,
	}[t.State()]
	facts := []Fact{{"state", state}, {"ended", t.Result.Ended}, {"method", t.Method}}
	if t.Method == "train" {
		facts = append(facts, Fact{"generations", strconv.Itoa(len(t.Result.Generations))})
	} else if t.steps > 0 {
		steps := textfmt.Thousands(int64(t.steps))
		if t.Config.Steps > 0 {
			steps += " of " + textfmt.Thousands(int64(t.Config.Steps))
		}
		facts = append(facts, Fact{"steps", steps})
	}
	kept := path.Join(r.folder(), training.WeightsFile)
	switch {
	case !t.weighted:
		kept = ""
	case t.Method == "train" && t.Result.Best == 0:
		kept += ": the initial ones, as no generation has been adopted"
	case t.Method == "train":
		kept += fmt.Sprintf(": those of generation %d, the last one adopted", t.Result.Best)
	}
	s.facts(append(facts, Fact{"agent", t.Config.Agent}, Fact{"rules", t.Config.Rules}, Fact{"weights kept", kept})...)
	rows := training.Rows(t.Result.Generations, t.Result.Rating)
	// Two tables, as one would be wider than a page.
	ofMatch, ofFit := training.Columns(rows), training.Columns(rows)
	ofMatch = slices.DeleteFunc(ofMatch, func(c grid.Column[training.Row]) bool { return training.OfFit(c.Title) })
	ofFit = slices.DeleteFunc(ofFit, func(c grid.Column[training.Row]) bool {
		return !training.OfFit(c.Title) && c.Title != "Generation"
	})
	s.table("", grid.Make(ofMatch, rows).WithTitle(
		"Generations: the match of the candidate against the best agent so far"))
	s.table("", grid.Make(ofFit, rows).WithTitle("The fit of each generation to its games and those before"))
}
