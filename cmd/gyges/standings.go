package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/ratings/table"
	"gyges/tournament/record"
)

// standings gathers results by rule set, game by game, and puts the games of a
// pair together. Players are known by their specs and shown by their labels.
type standings struct {
	order []string // rule sets, as they were first met
	data  map[string]*ratings.Data
	pairs source.Matcher
	last  string // the rule set of data[last], looked up before
	into  *ratings.Data
}

func newStandings() *standings {
	s := &standings{data: map[string]*ratings.Data{}}
	s.pairs.Single = func(g source.Result) { s.of(g.Rules).Add(g.South, g.North, g.Result) }
	s.pairs.Pair = func(g, h source.Result) { s.of(g.Rules).AddPair(g.South, g.North, g.Result, h.Result) }
	return s
}

// of is the data of a rule set.
func (s *standings) of(rules string) *ratings.Data {
	if s.into != nil && s.last == rules {
		return s.into
	}
	d, ok := s.data[rules]
	if !ok {
		d = new(ratings.Data)
		s.data[rules] = d
		s.order = append(s.order, rules)
	}
	s.last, s.into = rules, d
	return d
}

// all is all rule sets together.
func (s *standings) all() *ratings.Data {
	s.pairs.Flush()
	d := new(ratings.Data)
	for _, name := range s.order {
		d.Merge(s.data[name])
	}
	return d.Renamed(s.labels())
}

// labels are the names that specs have for their players, by the specs; those
// that several players have are left out.
func (s *standings) labels() map[string]string {
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

// playerNames gives each player one name: its label, or if another player has that, its
// spec. The zero value is ready to use.
type playerNames struct{ of, taken map[string]string } // names by specs, and specs by names

func (n *playerNames) name(spec string) string {
	if name, ok := n.of[spec]; ok {
		return name
	}
	if n.of == nil {
		n.of, n.taken = map[string]string{}, map[string]string{}
	}
	name := agents.LabelOf(spec)
	if other, taken := n.taken[name]; taken && other != spec {
		name = spec
	}
	n.of[spec], n.taken[name] = name, spec
	return name
}

// add counts a recorded game, if it was played.
func (s *standings) add(g *record.Game) {
	if g.NotPlayed() {
		return
	}
	s.pairs.Add(source.Result{South: g.South.Agent, North: g.North.Agent, Rules: g.Rules, Result: record.RatingResult(g.Result)},
		strconv.AppendInt(nil, g.Pair, 10))
}

// split takes every player for two, one on each side.
func (s *standings) split() {
	s.pairs.Flush()
	labels := s.labels()
	for name, d := range s.data {
		s.data[name] = d.Renamed(labels).PerSide()
	}
	s.into = nil
}

// tables fits one table for each rule set and, if it is wanted, one for all games.
// An anchor counts where its player has played; it must have somewhere.
func (s *standings) tables(ctx context.Context, o ratings.Options, pool, wantAll bool) (table.Tables, error) {
	s.pairs.Flush()
	b := table.Tables{Pool: pool}
	labels := s.labels()
	fit := func(title string, d *ratings.Data) (table.Table, error) {
		r, err := ratings.Fit(ctx, d, present(o, d.Players()))
		return table.Table{Title: title, Ratings: r}, err
	}
	for _, name := range s.order {
		t, err := fit(s.title(name), s.data[name].Renamed(labels))
		if err != nil {
			return b, err
		}
		b.All = t
		if name != "" || len(s.order) > 1 {
			b.Parts = append(b.Parts, t)
		}
	}
	if len(s.order) == 1 || !pool && !wantAll {
		return b, nil
	}
	var err error
	b.All, err = fit("All rules together", s.all())
	return b, err
}

// title is that of a rule set's table. Games that name no rules need none where
// there are no others.
func (s *standings) title(name string) string {
	switch {
	case name != "":
		return "Rules " + name
	case len(s.order) > 1:
		return "Rules not named"
	}
	return ""
}

// present leaves out the anchors and offsets of players that are not there.
func present(o ratings.Options, players []string) ratings.Options {
	missing := func(name string) bool {
		_, ok := slices.BinarySearch(players, name)
		return !ok
	}
	o.Anchors = slices.DeleteFunc(slices.Clone(o.Anchors), func(a ratings.Anchor) bool { return missing(a.Name) })
	o.Offsets = slices.DeleteFunc(slices.Clone(o.Offsets), func(f ratings.Offset) bool { return missing(f.Name) || missing(f.Than) })
	return o
}

// listed names a few and counts the rest.
func listed(names []string) string {
	const most = 8
	text := ""
	for i, n := range names {
		if i == most {
			return text + fmt.Sprintf(" and %d more", len(names)-most)
		}
		if i > 0 {
			text += ", "
		}
		text += n
	}
	return text
}

// formatFlag is the --format of commands that print rating tables.
type formatFlag struct {
	Format string `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown are rounded, the others have every digit."`
}

func (f formatFlag) format() table.Format { return table.Format(f.Format) }

// forPeople reports whether lines of text may stand beside the tables.
func (f formatFlag) forPeople() bool {
	return f.format() == table.Text || f.format() == table.Markdown
}

// write prints the tables with their crosstables.
func (f formatFlag) write(w io.Writer, b table.Tables) error {
	return table.Write(w, f.format(), table.View{Crosstable: true}, b)
}
