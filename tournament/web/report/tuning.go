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
	training.Outline
	Text string `json:"-"` // the file

	steps    int                // in the history
	kept     map[string]float64 // the parameters that are the result; nil: those of the last step
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
	if t.isTraining() {
		return "training"
	}
	return "tuning"
}

func (t *Tuning) isTraining() bool { return t.Method == "train" }

// readResults reads what a page shows beside the manifest and the history. What can't be read is
// left out.
func (t *Tuning) readResults(fsys fs.FS, steps []training.Line) {
	if len(steps) > 0 {
		t.steps = steps[len(steps)-1].Step
	}
	// The gain is measured by the last match that followed a step, or as the weights file says.
	for _, l := range slices.Backward(steps) {
		if l.Pairs != nil {
			t.pairs = *l.Pairs
		}
		if l.Elo != nil && l.EloMargin != nil {
			games := 2 * t.pairs.N()
			t.gain = &eval.Gain{Measure: "Elo", Value: *l.Elo, Margin: *l.EloMargin, Count: games}
		}
		if t.isMeasured() {
			break
		}
	}
	if w, err := files.LoadFS(fsys, training.WeightsFile, eval.Read); err == nil {
		t.weighted = true
		t.gain = cmp.Or(w.Provenance.Gain, t.gain)
		if t.Method != "spsa" {
			t.kept = map[string]float64{}
			for i, name := range eval.Names() {
				t.kept[name] = w.Values[i]
			}
		}
	}
	if t.isTraining() {
		t.readMatches(fsys)
	}
}

// isMeasured reports whether a match or a test has measured the gain.
func (t *Tuning) isMeasured() bool { return t.gain != nil || t.pairs.N() > 0 }

// readMatches reads the matches of the last generations of a training: as many as there are
// colours.
func (t *Tuning) readMatches(fsys fs.FS) {
	last := len(t.Result.Generations) + 1 // its match may be in progress
	for k := max(1, last-numColours+1); k <= last; k++ {
		test, course, notes := readMatch(fsys, training.MatchFolder(k))
		t.notes = append(t.notes, notes...)
		if test == (sprt.Test{}) {
			continue
		}
		verdict := "not decided"
		if k < last {
			verdict = t.Result.Generations[k-1].Verdict()
		}
		name := fmt.Sprintf("generation %d: %s", k, verdict)
		t.bounds = bounds(test, "reject", "adopt")
		t.tests = append(t.tests, llrCurve(name, test, course))
	}
}

// readMatch returns the test of a match, zero if there is none, with the course of its pairs, and
// notes on its records.
func readMatch(fsys fs.FS, dir string) (test sprt.Test, course []uint8, notes []string) {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return test, nil, nil
	}
	m, err := tournament.ReadManifest(sub)
	if err != nil {
		return test, nil, []string{fmt.Sprintf("%s: %v", dir, err)}
	}
	test = testOf(m)
	if test == (sprt.Test{}) {
		return test, nil, nil
	}
	// The pairs are counted as those of any run.
	s, in := standings.New(), new(runs.Stream)
	run := s.Begin(m)
	read := func(f io.Reader, name string) (any, error) {
		limited := &io.LimitedReader{R: f, N: maxMatch}
		file := &runs.File{In: limited, Name: name}
		err := s.Read(context.Background(), in, file, nil)
		if err == nil && limited.N == 0 {
			err = fmt.Errorf("%s: only the first %d MiB are counted", name, maxMatch>>20)
		}
		return nil, err
	}
	_, err = files.LoadFS(fsys, path.Join(dir, tournament.GamesFile), read)
	notes = append(in.Notes(), s.Notes()...)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		notes = append(notes, err.Error())
	}
	return test, run.Course, notes
}

// charts are the strength and the matches of the generations of a training.
func (t *Tuning) charts() []Chart {
	byMinutes, byPositions := Curve{Name: "rating"}, Curve{Name: "rating"}
	gain := Curve{Name: "gain"}
	// Generation 0 has the initial weights.
	positions := 0 // of all fits until then
	withInitial := append([]training.Generation{{}}, t.Result.Generations...)
	for _, g := range training.Rows(withInitial, t.Result.Rating) {
		positions += g.Positions
		if g.Rated != nil {
			p := Point{Y: g.Rated.Elo, Error: g.Rated.Margin}
			elo := plusMinus(p.Y, p.Error)
			p.X = g.Minutes
			p.title = fmt.Sprintf("generation %d, %.1f minutes: %s", g.Number, g.Minutes, elo)
			byMinutes.Add(p)
			p.X = float64(positions)
			p.title = fmt.Sprintf("generation %d, %s positions: %s",
				g.Number, textfmt.Thousands(int64(positions)), elo)
			byPositions.Add(p)
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
	tests := newChart("Log-likelihood ratio of each generation's match, pair by pair",
		"game pairs", "LLR", t.bounds, t.tests...)
	tests.noPoint = true
	tests.nameAlone()
	return []Chart{
		newChart("Elo of the generations by the minutes of training, with 95 % intervals",
			"minutes", "Elo", reference, byMinutes),
		newChart("Elo of the generations by the training positions of all fits until then, "+
			"with 95 % intervals", "positions", "Elo", reference, byPositions),
		newChart("Gain of the fit: test loss of the parent less that of the candidate, "+
			"with 95 % intervals", "generation", "nats", []level{{}}, gain),
		tests,
	}
}

// headline is the verdict on what the run has come to; "" if there is none yet.
func (t *Tuning) headline() string {
	if t.isTraining() {
		return t.trainingHeadline()
	}
	if t.isMeasured() {
		over := "the weights at the start"
		if t.Method == "spsa" {
			over = "the agent at the start"
		}
		return "Verdict: " + training.Verdict(t.gain, t.pairs, over)
	}
	if t.Method == "spsa" && t.State() == tournament.Finished {
		return "Nothing was verified, so no gain is shown: a match would tell."
	}
	return ""
}

// trainingHeadline is the headline of a training: the strength of the generation adopted last.
func (t *Tuning) trainingHeadline() string {
	verdict := t.Result.Verdict()
	generations := t.Result.Generations
	if best := t.Result.Best; 1 <= best && best <= len(generations) {
		row := training.Rows(generations, t.Result.Rating)[best-1]
		if row.Reference != "" {
			verdict += "; Elo to the reference: " + row.Reference
		}
	}
	return verdict
}

// tunings builds the section on what tunings and trainings have come to.
func (b *builder) tunings() Section {
	s := Section{ID: "tuning", Title: "Tuning"}
	for _, r := range b.runs {
		t := r.Tuning
		if t == nil {
			continue
		}
		if t.isTraining() {
			s.Title = "Training"
		}
		b.name(&s, r)
		s.facts(t.facts(r.folder())...)
		t.addGenerations(&s)
	}
	return s
}

// facts says how the run in a folder stands.
func (t *Tuning) facts(folder string) []Fact {
	state := string(t.State())
	switch t.State() {
	case tournament.Running:
		state += ", unless its program was ended by force"
	case tournament.Interrupted, tournament.Failed:
		state += "; the same command with --out resumes it"
	}
	list := []Fact{{"state", state}, {"ended", t.Result.Ended}, {"method", t.Method}}
	if t.isTraining() {
		list = append(list, Fact{"generations", strconv.Itoa(len(t.Result.Generations))})
	} else if t.steps > 0 {
		steps := textfmt.Thousands(int64(t.steps))
		if t.Config.Steps > 0 {
			steps += " of " + textfmt.Thousands(int64(t.Config.Steps))
		}
		list = append(list, Fact{"steps", steps})
	}
	list = append(list, Fact{"agent", t.Config.Agent}, Fact{"rules", t.Config.Rules})
	if t.weighted {
		kept := path.Join(folder, training.WeightsFile)
		switch best := t.Result.Best; {
		case !t.isTraining():
		case best == 0:
			kept += ": the initial ones, as no generation has been adopted"
		default:
			kept += fmt.Sprintf(": those of generation %d, the last one adopted", best)
		}
		list = append(list, Fact{"weights kept", kept})
	}
	return list
}

// addGenerations adds two tables of the generations, as one would be wider than a page.
func (t *Tuning) addGenerations(s *Section) {
	rows := training.Rows(t.Result.Generations, t.Result.Rating)
	var ofMatch, ofFit []grid.Column[training.Row]
	for _, c := range training.Columns(rows) {
		isOfFit := training.OfFit(c.Title)
		if !isOfFit {
			ofMatch = append(ofMatch, c)
		}
		if isOfFit || c.Title == "Generation" {
			ofFit = append(ofFit, c)
		}
	}
	s.table("", grid.Make(ofMatch, rows).WithTitle(
		"Generations: the match of the candidate against the best agent so far"))
	s.table("", grid.Make(ofFit, rows).WithTitle(
		"The fit of each generation to its games and those before"))
}
