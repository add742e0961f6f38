package report

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/standings"
	"gyges/tournament/training"
)

// Bounds of what is read of a tuning run, in bytes.
const (
	maxTuning  = 4 << 20  // of a [training.ManifestFile]
	maxWeights = 64 << 20 // of a [training.WeightsFile]
	maxMatch   = 64 << 20 // of the games of a match that are read for its test
)

// Tuning is what a report shows of a tuning run's tuning.json, and of the results
// beside it.
type Tuning struct {
	Method  string            `json:"method"`
	Version string            `json:"version"` // of the program
	Status  tournament.Status `json:"status"`  // "" in runs of earlier versions
	Config  tuningConfig      `json:"config"`
	Result  *tuningResult     `json:"result"` // nil until there is one
	Text    string            `json:"-"`      // the file

	steps    int                // in the history
	kept     map[string]float64 // the parameters that are the result; nil: those after the last step
	weighted bool               // there is a weights file
	matches  []*match           // of the last generations, with their tests
	rating   string             // folder of the rating of the generations adopted; ""
}

// tuningConfig is the part of a run's configuration that a page shows.
type tuningConfig struct {
	Rules   string             `json:"rules"`
	Agent   string             `json:"agent"`   // "" of texel
	Steps   int                `json:"steps"`   // of spsa
	Weights map[string]float64 `json:"weights"` // initial; nil of spsa
}

// tuningResult is the result of a run: of generations, or an agent (spsa).
type tuningResult struct {
	Status      tournament.Status     `json:"status"`
	Best        int                   `json:"best"`
	Generations []training.Generation `json:"generations"`
	Rating      []training.Rated      `json:"rating"` // of the generations adopted
	Agent       string                `json:"agent"`
}

// match is the match of a generation and its test.
type match struct {
	generation int
	path       *llrPath
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
func (t *Tuning) State() tournament.Status {
	switch {
	case t.Status != "":
		return t.Status
	case t.Result != nil && t.Result.Status != "":
		return t.Result.Status
	case t.Result != nil:
		return tournament.Finished
	}
	return tournament.Running
}

// About describes the run in a few words.
func (t *Tuning) About() string {
	text := "tuning by " + t.Method
	if t.Method == "train" {
		text = "training"
	}
	for _, part := range []string{t.Config.Agent, t.Config.Rules} {
		if part != "" {
			text += " · " + part
		}
	}
	return text
}

// generations are those of a training that have a result.
func (t *Tuning) generations() []training.Generation {
	if t == nil || t.Result == nil {
		return nil
	}
	return t.Result.Generations
}

// readResults reads what a page shows beside the manifest and the history. What can't
// be read is left out.
func (t *Tuning) readResults(fsys fs.FS, steps []training.Line) {
	t.steps = len(steps)
	if text, err := files.ReadFS(fsys, training.WeightsFile, maxWeights); err == nil {
		w, err := eval.Read(strings.NewReader(string(text)), training.WeightsFile)
		if t.weighted = err == nil; t.weighted && t.Method != "spsa" {
			t.kept = map[string]float64{}
			for i, name := range eval.Names() {
				t.kept[name] = w.Values[i]
			}
		}
	}
	if t.Method != "train" {
		return
	}
	last := len(t.generations()) + 1 // whose match may be in progress
	for k := max(1, last-numColours+1); k <= last; k++ {
		if p := readMatch(fsys, training.MatchFolder(k)); p != nil {
			t.matches = append(t.matches, &match{k, p})
		}
	}
	if list, err := fs.Glob(fsys, "rating-*"); err == nil && len(list) > 0 {
		t.rating = slices.Max(list)
	}
}

// readMatch follows the test of a match; nil if there is none.
func readMatch(fsys fs.FS, dir string) *llrPath {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return nil
	}
	m, err := tournament.ReadManifest(sub)
	if err != nil {
		return nil
	}
	s := standings.New()
	p := newLLRPath(m, s.Begin(m))
	f, err := sub.Open(tournament.GamesFile)
	if p == nil || err != nil {
		return p
	}
	defer func() { _ = f.Close() }() // it was only read
	// What can't be read is left out.
	_ = new(standings.Reader).Read(context.Background(), io.LimitReader(f, maxMatch), tournament.GamesFile, s)
	return p
}

// charts are the curves that only a training has: the gain of the fit, and the tests.
func (t *Tuning) charts() []Chart {
	gain := Curve{Name: "gain"}
	for _, g := range t.generations() {
		if g.Test != nil {
			gain.Add(Point{X: float64(g.Number), Y: g.Test.Gain, Error: g.Test.GainMargin})
		}
	}
	var list []Chart
	if c := t.strength(); len(c.Curves[0].Points) > 0 {
		list = append(list, c)
	}
	if len(gain.Points) > 0 {
		list = append(list, Chart{
			Title: "Gain of the fit: test loss of the parent less that of the candidate, with 95 % intervals",
			XName: "generation", YName: "nats", Curves: []Curve{gain}, levels: []level{{0, ""}},
		})
	}
	if t == nil || len(t.matches) == 0 {
		return list
	}
	lower, upper := t.matches[0].path.test.Bounds()
	tests := Chart{
		Title: "Log-likelihood ratio of each generation's match, pair by pair", XName: "game pairs", YName: "LLR",
		noPoint: true, levels: []level{{lower, "reject"}, {upper, "adopt"}},
	}
	for _, m := range t.matches {
		name := fmt.Sprintf("generation %d: %s", m.generation, t.verdict(m.generation))
		tests.Curves = append(tests.Curves, m.path.curve(name))
	}
	tests.nameAlone()
	return append(list, tests)
}

// rated returns the rating of a player.
func (t *Tuning) rated(player string) (training.Rated, bool) {
	if t == nil || t.Result == nil {
		return training.Rated{}, false
	}
	i := slices.IndexFunc(t.Result.Rating, func(r training.Rated) bool { return r.Player == player })
	if i < 0 {
		return training.Rated{}, false
	}
	return t.Result.Rating[i], true
}

// strength is the chart of the generations' ratings by the time after which they were made.
func (t *Tuning) strength() Chart {
	c := Chart{
		Title: "Elo of the generations by the minutes of training, with 95 % intervals", XName: "minutes", YName: "Elo",
		Curves: []Curve{{Name: "rating"}},
	}
	if r, ok := t.rated(training.ReferenceName); ok {
		c.levels = []level{{r.Elo, r.Player}}
	}
	minutes := 0.0
	for _, g := range append([]training.Generation{{}}, t.generations()...) { // 0 first
		minutes += g.Timing.Seconds() / 60
		if r, ok := t.rated(training.GenerationName(g.Number)); ok {
			title := fmt.Sprintf("generation %d, %.1f minutes: %s", g.Number, minutes, plusMinus(r.Elo, r.Margin))
			c.Curves[0].Add(Point{X: minutes, Y: r.Elo, Error: r.Margin, title: title})
		}
	}
	return c
}

// verdict says what became of a generation.
func (t *Tuning) verdict(generation int) string {
	for _, g := range t.generations() {
		switch {
		case g.Number != generation:
		case g.Adopted:
			return "adopted"
		default:
			return "rejected"
		}
	}
	return "not decided"
}

// tunings builds the section on the tuning runs.
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
		if len(b.collected.runs) > 1 {
			s.heading("", textfmt.Visible(r.about.Name))
		}
		t.add(&s, &r.about)
	}
	return s
}

// add adds how a tuning run stands, its generations, and how to use its result.
func (t *Tuning) add(s *Section, r *Run) {
	facts := []Fact{{"state", t.stateText()}, {"method", t.Method}}
	if t.Method == "train" {
		facts = append(facts, Fact{"generations", strconv.Itoa(len(t.generations()))})
	} else if t.steps > 0 {
		steps := textfmt.Thousands(int64(t.steps))
		if t.Config.Steps > 0 {
			steps += " of " + textfmt.Thousands(int64(t.Config.Steps))
		}
		facts = append(facts, Fact{"steps", steps})
	}
	for _, f := range []Fact{{"agent", t.Config.Agent}, {"rules", t.Config.Rules}, {"weights kept", t.keptText(r)}} {
		if f.Value != "" {
			facts = append(facts, f)
		}
	}
	for i := range facts {
		facts[i].Value = textfmt.Visible(facts[i].Value)
	}
	s.add(Block{Facts: facts})
	if commands := t.commands(r); commands != nil {
		against := "what it was made from"
		if t.Method == "texel" {
			against = "the weights of the program"
		}
		s.code("To use the result, here in a match against "+against+":", mapped(commands, textfmt.Visible))
	}
	s.table(t.generationTable())
}

// stateText is the state with what it means.
func (t *Tuning) stateText() string {
	switch state := t.State(); state {
	case tournament.Running:
		return "running, unless its program was ended by force"
	case tournament.Interrupted, tournament.Failed:
		return string(state) + "; the same command with --out resumes it"
	default:
		return string(state)
	}
}

// keptText says which weights are the result.
func (t *Tuning) keptText(r *Run) string {
	if !t.weighted {
		return ""
	}
	file := path.Join(r.folder(), training.WeightsFile)
	switch {
	case t.Method != "train":
		return file
	case t.Result == nil || t.Result.Best == 0:
		return file + ": the initial ones, as no generation has been adopted"
	}
	return fmt.Sprintf("%s: those of generation %d, the last one adopted", file, t.Result.Best)
}

// commands are command lines that use the result; nil without one.
func (t *Tuning) commands(r *Run) []string {
	before, err := agents.ParseSpec(t.Config.Agent)
	if t.Config.Agent == "" {
		before, err = agents.ParseSpec("alphabeta") // of texel, whose weights are for any
	}
	if err != nil || t.Config.Rules == "" || t.Method == "train" && (t.Result == nil || t.Result.Best == 0) {
		return nil
	}
	var after agents.Spec
	switch {
	case t.Result != nil && t.Result.Agent != "":
		if after, err = agents.ParseSpec(t.Result.Agent); err != nil {
			return nil
		}
	case t.weighted:
		after = before.With("weights", path.Join(r.folder(), training.WeightsFile))
		if t.Method == "train" {
			before = before.With("weights", path.Join(r.folder(), training.InitialWeights))
		}
	default:
		return nil
	}
	list := []string{fmt.Sprintf("gyges match %s %s --rules %s", ShellWord(after.With("name", "new").String()),
		ShellWord(before.With("name", "old").String()), ShellWord(t.Config.Rules))}
	if t.rating != "" {
		list = append(list, "gyges rate "+ShellWord(path.Join(r.folder(), t.rating)))
	}
	return list
}

// generationTable is the table of generations; empty for other methods.
func (t *Tuning) generationTable() *Table {
	g := newTable("Generations: the fit to their games, and the match of the candidate against the best agent so far", 0,
		"Generation", "Verdict", "Parent", "Positions", "Test loss", "Test gain", "Pairs", "LLR",
		"Elo, biased by the test", "Minutes", "Rating")
	minutes := 0.0
	for _, x := range t.generations() {
		loss, gain, elo, rating := "–", "–", "–", "–"
		if x.Test != nil {
			loss = fmt.Sprintf("%.5f", x.Test.Loss)
			gain = fmt.Sprintf("%+.5f ± %.5f", x.Test.Gain, x.Test.GainMargin)
		}
		if x.Elo != nil && x.EloMargin != nil {
			elo = plusMinus(*x.Elo, *x.EloMargin)
		}
		if r, ok := t.rated(training.GenerationName(x.Number)); ok {
			rating = plusMinus(r.Elo, r.Margin)
		}
		minutes += x.Timing.Seconds() / 60
		g.row(rowHead(strconv.Itoa(x.Number)), cell(t.verdict(x.Number)), cell(strconv.Itoa(x.Parent)),
			count(int64(x.Positions)), cell(loss), cell(gain), count(x.Pairs.N()), cell(fmt.Sprintf("%+.2f", x.LLR)),
			cell(elo), cell(fmt.Sprintf("%.1f", minutes)), cell(rating))
	}
	return g
}
