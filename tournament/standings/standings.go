// Package standings gathers the results of recorded games by rule set and rates
// the players. It reads results from the records of runs, PGN and CSV.
package standings

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/ratings/table"
	"gyges/tournament"
	"gyges/tournament/record"
)

// Standings holds the results of games by rule set. The two games of a pair are
// counted as one. Players are identified by their specs and shown by their labels.
// It must not be shared by goroutines without a lock.
type Standings struct {
	rules   []string // rule sets, in the order of their first games
	data    map[string]*ratings.Data
	pairs   source.Matcher
	last    string // the rule set of lastData
	current *ratings.Data

	adaptive  bool        // pairings follow the results
	schedules []*schedule // of the runs; that of games without a manifest is empty
}

// New returns standings without games.
func New() *Standings {
	s := &Standings{data: map[string]*ratings.Data{}}
	s.pairs.Single = func(g source.Result) {
		if g.Rated != ([2]string{}) {
			g.South, g.North = g.Rated[0], g.Rated[1]
		}
		s.of(g.Rules).Add(g.South, g.North, g.Result)
		s.addFault(g)
	}
	s.pairs.Pair = func(g, h source.Result) {
		if g.Rated != ([2]string{}) { // one game, won by who took more points in both
			g.Result += h.Result
			g.Fault = g.Fault || h.Fault
			s.pairs.Single(g)
			return
		}
		s.of(g.Rules).AddPair(g.South, g.North, g.Result, h.Result)
		s.addFault(g)
		s.addFault(h)
	}
	return s
}

// addFault notes that a fault decided a game, if one did.
func (s *Standings) addFault(g source.Result) {
	if g.Fault {
		s.of(g.Rules).AddFault(g.South, g.North, g.Result)
	}
}

// SetSchedule makes the games that follow those of a run with this config, whose format
// adds tables to the ratings. It is called before the first game.
func (s *Standings) SetSchedule(m *tournament.ManifestConfig) {
	s.schedules = []*schedule{newSchedule(m)}
	s.adaptive = m.Schedule.Adaptive()
}

// hasRounds reports whether games count for a Swiss tournament or a knock-out.
func (s *Standings) hasRounds() bool { return len(s.schedules) == 1 && len(s.schedules[0].Rounds) > 0 }

// note counts a game for the schedule.
func (s *Standings) note(pair int64, south, north, result string) {
	if s.hasRounds() {
		s.schedules[0].add(pair, south, north, result)
	}
}

// of returns the data of a rule set.
func (s *Standings) of(rules string) *ratings.Data {
	if s.current != nil && s.last == rules { // without a map access for each game
		return s.current
	}
	d, ok := s.data[rules]
	if !ok {
		d = &ratings.Data{Adaptive: s.adaptive}
		s.data[rules] = d
		s.rules = append(s.rules, rules)
	}
	s.last, s.current = rules, d
	return d
}

// Add counts a recorded game, if it was played.
func (s *Standings) Add(g *record.Game) {
	s.note(g.Pair, g.South.Agent, g.North.Agent, g.Result)
	if !g.NotPlayed() {
		r := source.Result{
			South: g.South.Agent, North: g.North.Agent, Rules: g.Rules, Result: record.RatingResult(g.Result),
			Fault: g.Fault != nil,
		}
		s.pairs.Add(r, strconv.AppendInt(nil, g.Pair, 10))
	}
}

// Merge adds all games of o.
func (s *Standings) Merge(o *Standings) {
	s.pairs.Flush()
	o.pairs.Flush()
	for _, name := range o.rules {
		s.of(name).Merge(o.data[name])
	}
	switch {
	case len(o.rules) == 0: // a copy of what was read before
	case o.schedules == nil:
		s.schedules = append(s.schedules, new(schedule))
	default:
		s.schedules = append(s.schedules, o.schedules...)
	}
}

// challenger returns the label of the first player if all games are of gauntlets with the
// same; "" otherwise.
func (s *Standings) challenger() string {
	name := ""
	for i, of := range s.schedules {
		if i > 0 && of.challenger() != name {
			return ""
		}
		name = of.challenger()
	}
	return name
}

// sheets returns the tables of all schedules, and notes on those that have none since
// their records contradict the manifest.
func (s *Standings) sheets(labels map[string]string) (list []table.Schedule, notes []string) {
	for _, of := range s.schedules {
		for _, t := range of.sheets(labels) {
			if len(s.schedules) > 1 {
				t.Title = of.Name + ": " + t.Title
			}
			list = append(list, t)
		}
		if of.Misfit {
			notes = append(notes, fmt.Sprintf("the records of %s don't fit its manifest: no %s table", of.Name, of.Format))
		}
	}
	return list, notes
}

// Empty reports whether no game was counted.
func (s *Standings) Empty() bool {
	s.pairs.Flush()
	return len(s.rules) == 0
}

// Data returns the results under all rule sets together, players by their labels.
func (s *Standings) Data() *ratings.Data {
	s.pairs.Flush()
	d := new(ratings.Data)
	for _, name := range s.rules {
		d.Merge(s.data[name])
	}
	return d.Renamed(s.Labels())
}

// Labels returns the labels of players by their specs, where they differ. A label
// that several players have is left out.
func (s *Standings) Labels() map[string]string {
	labels, specs := map[string]string{}, map[string]string{}
	for _, d := range s.data {
		for _, spec := range d.Players() {
			label := agents.LabelOf(spec)
			if other, taken := specs[label]; taken && other != spec {
				delete(labels, other)
				continue
			}
			specs[label] = spec
			if label != spec {
				labels[spec] = label
			}
		}
	}
	return labels
}

// SplitSides makes two players of each, one for its games as South and one for those
// as North.
func (s *Standings) SplitSides() {
	s.pairs.Flush()
	labels := s.Labels()
	for name, d := range s.data {
		s.data[name] = d.Renamed(labels).PerSide()
	}
	s.current, s.schedules = nil, nil
}

// Fit rates the players under each rule set and, if all is set, under all of them
// together. Anchors and offsets apply where their players have played.
func (s *Standings) Fit(ctx context.Context, o ratings.Options, all bool) (table.Tables, error) {
	s.pairs.Flush()
	var t table.Tables
	labels, challenger := s.Labels(), s.challenger()
	fit := func(title, rules string, d *ratings.Data) (table.Table, error) {
		r, err := ratings.Fit(ctx, d, optionsFor(d.Players(), o))
		return table.Table{Title: title, Rules: rules, Ratings: r, Challenger: challenger}, err
	}
	t.Schedules, t.Notes = s.sheets(labels)
	for _, name := range s.rules {
		part, err := fit(s.title(name), name, s.data[name].Renamed(labels))
		if err != nil {
			return t, err
		}
		t.All = part
		if name != "" || len(s.rules) > 1 {
			t.Parts = append(t.Parts, part)
		}
	}
	if len(s.rules) == 1 || !all {
		return t, nil
	}
	var err error
	t.All, err = fit("All rules together", "", s.Data())
	return t, err
}

// title returns the title of a rule set's table. Games that name no rules have none
// if there are no others.
func (s *Standings) title(rules string) string {
	switch {
	case rules != "":
		return "Rules " + rules
	case len(s.rules) > 1:
		return "Rules not named"
	}
	return ""
}

// optionsFor returns the options without the anchors and offsets of players that are
// not among those given, in ascending order.
func optionsFor(players []string, o ratings.Options) ratings.Options {
	missing := func(name string) bool {
		_, ok := slices.BinarySearch(players, name)
		return !ok
	}
	o.Anchors = slices.DeleteFunc(slices.Clone(o.Anchors), func(a ratings.Anchor) bool { return missing(a.Name) })
	o.Offsets = slices.DeleteFunc(slices.Clone(o.Offsets), func(f ratings.Offset) bool {
		return missing(f.Name) || missing(f.Than)
	})
	return o
}
