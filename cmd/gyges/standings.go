package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gyges/ratings"
	"gyges/tournament/record"
)

// standings gathers results by rule set, game by game.
type standings struct {
	order []string // rule sets, as they were first met
	data  map[string]*ratings.Data
	all   ratings.Data // all rule sets together
}

func newStandings() *standings { return &standings{data: map[string]*ratings.Data{}} }

// add counts a game.
func (s *standings) add(g *record.Game) {
	d, ok := s.data[g.Rules]
	if !ok {
		d = new(ratings.Data)
		s.data[g.Rules] = d
		s.order = append(s.order, g.Rules)
	}
	result := ratings.Draw
	switch g.Result {
	case "1-0":
		result = ratings.Win
	case "0-1":
		result = ratings.Loss
	}
	d.Add(g.South.Agent, g.North.Agent, result)
	s.all.Add(g.South.Agent, g.North.Agent, result)
}

// tables fits one table for each rule set and, if asked, one for all games. An
// anchor counts where its player has played; it must have somewhere.
func (s *standings) tables(o ratings.Options, pool bool) ([]ratings.Table, error) {
	var errs []error
	everybody := s.all.Players()
	for _, a := range o.Anchors {
		if !slices.Contains(everybody, a.Name) {
			errs = append(errs, fmt.Errorf("--anchor: %q has not played; the players are %s", a.Name, listed(everybody)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var tables []ratings.Table
	add := func(title string, d *ratings.Data) error {
		r, err := ratings.Fit(d, present(o, d.Players()))
		tables = append(tables, ratings.Table{Title: title, Ratings: r, Crosstable: true})
		return err
	}
	for _, name := range s.order {
		if err := add("Rules "+name, s.data[name]); err != nil {
			return nil, err
		}
	}
	if pool && len(s.order) > 1 {
		if err := add("All rules together", &s.all); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// present leaves out the anchors that are not among the players.
func present(o ratings.Options, players []string) ratings.Options {
	o.Anchors = slices.DeleteFunc(slices.Clone(o.Anchors), func(a ratings.Anchor) bool {
		return !slices.Contains(players, a.Name)
	})
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
	Format string `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

func (f formatFlag) format() ratings.Format { return ratings.Format(f.Format) }

// forPeople tells whether lines of text may stand beside the tables.
func (f formatFlag) forPeople() bool {
	return f.format() == ratings.Text || f.format() == ratings.Markdown
}

// write prints the tables.
func (f formatFlag) write(w io.Writer, tables []ratings.Table) error {
	return ratings.WriteTable(w, f.format(), tables...)
}
