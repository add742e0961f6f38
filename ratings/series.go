package ratings

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Step is the results of one time, such as one run of several.
type Step struct {
	Name string
	Data *Data
}

// Method is a way to rate over time.
type Method string

// The methods to rate over time.
const (
	// WholeHistory gives each player a rating at each step it played, and fits
	// all of them at once; from step to step a rating drifts at random (Coulom
	// 2008). Later results thus correct earlier ratings.
	WholeHistory Method = "whole"
	// Windowed fits each step together with those just before it, and takes
	// ratings for constant in so short a time.
	Windowed Method = "window"
)

const (
	maxSteps = 1000
	maxDrift = 10000 // Elo
)

// SeriesOptions say how to rate over time.
type SeriesOptions struct {
	Options        // without a bootstrap
	Method  Method // WholeHistory if empty
	Window  int    // steps fitted together if windowed, 1 to 1000
	// Drift is the standard deviation of a rating's change from one step to the next
	// under WholeHistory, 0.01 to 10000 Elo.
	Drift float64
}

// Series is ratings over time.
type Series struct {
	Steps   []string // names
	Players []Line   // from the highest last rating down
	// Advantages are South's first-move advantage at each step; one for all in a
	// whole history.
	Advantages []Advantage
	Notes      []string
}

// Line is one player's ratings over time.
type Line struct {
	Name   string
	Points []Point // by time; only steps at which the player has a rating
}

// Point is a rating at a step.
type Point struct {
	Step  int // index into Steps
	Elo   float64
	Error float64 // half the 95 % interval in Elo
	Games int     // in this step alone
}

// validate reports what is wrong with the options that only series have.
func (o SeriesOptions) validate(steps int) error {
	switch {
	case steps > maxSteps:
		return fmt.Errorf("%d steps: expected at most %d", steps, maxSteps)
	case o.Bootstrap > 0:
		return fmt.Errorf("bootstrap %d: expected none over time", o.Bootstrap)
	case o.Method == Windowed && (o.Window < 1 || o.Window > maxSteps):
		return fmt.Errorf("window %d: expected 1 to %d steps", o.Window, maxSteps)
	case o.Method == WholeHistory && !(o.Drift >= minSD && o.Drift <= maxDrift):
		return fmt.Errorf("drift %g: expected %g to %d Elo", o.Drift, minSD, maxDrift)
	case o.Method != Windowed && o.Method != WholeHistory:
		return fmt.Errorf("method %.60q: expected %s or %s", o.Method, WholeHistory, Windowed)
	}
	return nil
}

// FitSeries rates the players of each step. Anchors and offsets count at every
// step at which their players have played. Players without a finite rating, or
// not in the largest group that can be compared, are left out with a note.
func FitSeries(ctx context.Context, steps []Step, o SeriesOptions) (*Series, error) {
	if o.Method == "" {
		o.Method = WholeHistory
	}
	if err := o.validate(len(steps)); err != nil {
		return nil, fmt.Errorf("rate over time: %w", err)
	}
	s := &series{steps: steps, options: o, lines: make(map[string]*Line), notes: make(map[string]bool)}
	s.countGames()
	fit := s.wholeHistory
	if o.Method == Windowed {
		fit = s.windows
	}
	if err := fit(ctx); err != nil {
		return nil, fmt.Errorf("rate over time: %w", err)
	}
	return s.result(), nil
}

// series is a fit over time in the making.
type series struct {
	steps      []Step
	options    SeriesOptions
	games      []map[string]int // by step and player
	lines      map[string]*Line
	advantages []Advantage
	notes      map[string]bool
	order      []string // notes as they came
}

func (s *series) note(text string) {
	if !s.notes[text] {
		s.notes[text] = true
		s.order = append(s.order, text)
	}
}

// windows fits each step with those before it.
func (s *series) windows(ctx context.Context) error {
	for i := range s.steps {
		all := new(Data)
		for _, step := range s.steps[max(0, i-s.options.Window+1) : i+1] {
			all.Merge(step.Data)
		}
		o := s.options.Options
		o.Anchors, o.Offsets = nil, nil
		players := all.Players()
		s.expand(&o, players, "")
		r, err := fitSorted(ctx, all.sorted(), o)
		if err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, s.steps[i].Name, err)
		}
		s.advantages = append(s.advantages, r.Advantage)
		s.take(r, func(name string) (string, int) { return name, i })
	}
	return nil
}

// expand adds the anchors and offsets whose players, with the suffix, are there.
func (s *series) expand(o *Options, players []string, suffix string) {
	there := func(name string) bool {
		_, ok := slices.BinarySearch(players, name+suffix)
		return ok
	}
	for _, a := range s.options.Anchors {
		if there(a.Name) {
			a.Name += suffix
			o.Anchors = append(o.Anchors, a)
		}
	}
	for _, f := range s.options.Offsets {
		if there(f.Name) && there(f.Than) {
			o.Offsets = append(o.Offsets, Offset{f.Name + suffix, f.Than + suffix, f.Elo})
		}
	}
}

// atStep is the suffix that makes a player one of a step.
func atStep(i int) string { return fmt.Sprintf("\x00%04d", i) }

// wholeHistory takes a player at each step for a player of its own, tied to
// itself at the step before by how far a rating drifts.
func (s *series) wholeHistory(ctx context.Context) error {
	all := new(Data)
	o := s.options.Options
	o.Anchors, o.Offsets = nil, nil
	last := make(map[string]int) // the step at which a player was met last
	for i, step := range s.steps {
		all.Merge(step.Data.renamed(func(name string) string { return name + atStep(i) }))
		for _, name := range step.Data.Players() {
			if j, ok := last[name]; ok {
				o.drifts = append(o.drifts, drift{name + atStep(i), name + atStep(j), s.options.Drift * math.Sqrt(float64(i-j))})
			}
			last[name] = i
		}
	}
	players := all.Players()
	for i := range s.steps {
		s.expand(&o, players, atStep(i))
	}
	r, err := fitSorted(ctx, all.sorted(), o)
	if err != nil {
		return err
	}
	for range s.steps {
		s.advantages = append(s.advantages, r.Advantage)
	}
	s.take(r, func(name string) (string, int) {
		cut := strings.LastIndexByte(name, 0)
		step, _ := strconv.Atoi(name[cut+1:]) // as atStep made it
		return name[:cut], step
	})
	return nil
}

// take adds a fit's ratings to the lines; of returns the player and the step of a
// name.
func (s *series) take(r *Ratings, of func(name string) (string, int)) {
	for _, p := range r.Players {
		name, step := of(p.Name)
		if p.Group > 0 {
			s.note("some players can't be compared with most others and were left out")
			continue
		}
		line := s.lines[name]
		if line == nil {
			line = &Line{Name: name}
			s.lines[name] = line
		}
		line.Points = append(line.Points, Point{Step: step, Elo: p.Elo, Error: p.Error, Games: s.games[step][name]})
	}
	if len(r.Unrated) > 0 {
		s.note("players who won or lost all games that count at a step have no rating there")
	}
	for _, n := range r.Notes {
		if strings.HasPrefix(n, "South's") {
			s.note(n)
		}
	}
	if r.Prior != (Prior{}) {
		s.note(r.Prior.note(false))
	}
}

// countGames counts each player's games in each step.
func (s *series) countGames() {
	for _, step := range s.steps {
		counts := make(map[string]int)
		for _, k := range step.Data.met {
			counts[step.Data.names[k.a]] += k.games()
			counts[step.Data.names[k.b]] += k.games()
		}
		s.games = append(s.games, counts)
	}
}

// result sorts the lines.
func (s *series) result() *Series {
	r := &Series{Advantages: s.advantages, Notes: s.order}
	for _, step := range s.steps {
		r.Steps = append(r.Steps, step.Name)
	}
	for _, line := range s.lines {
		slices.SortFunc(line.Points, func(a, b Point) int { return a.Step - b.Step })
		r.Players = append(r.Players, *line)
	}
	slices.SortFunc(r.Players, func(a, b Line) int {
		last := func(l Line) float64 { return math.Round(1e6 * l.Points[len(l.Points)-1].Elo) }
		return cmp.Or(cmp.Compare(last(b), last(a)), cmp.Compare(a.Name, b.Name))
	})
	return r
}
