package report

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// Comparison is how two runs, A and B, differ.
type Comparison struct {
	Parts  [][]ComparedRow // tables
	Game   *ComparedGame   // the first one that differs; nil: none does, or the runs are of different schedules
	Charts []Chart         // curves of trainings and tunings, both runs in one
	Notes  []string
}

// ComparedRow is a value of both runs, or of one of them.
type ComparedRow struct {
	Part  string // the title of its table
	Name  string // whose value it is, such as a player
	A, B  any    // as in package grid; nil: none
	Less  any    // of a rating, B less A
	Error any    // of that, half the 95 % interval
}

// ComparedGame is the first game in which two runs of one schedule differ.
type ComparedGame struct {
	Game int64
	Ply  int // of A's game, in which it may be the last one; 0 for placements
	At   int // number of the move, placements counted
}

// ComparedColumns are those of a table; row is one of its rows.
func ComparedColumns(row *ComparedRow) []grid.Column[ComparedRow] {
	columns := []grid.Column[ComparedRow]{
		{Key: "part", Value: func(r ComparedRow) any { return r.Part }},
		{Key: "name", Title: "Name", Left: true, Value: func(r ComparedRow) any { return r.Name }},
		{Key: "a", Title: "A", Left: row.Less == nil, Value: func(r ComparedRow) any { return r.A }},
		{Key: "b", Title: "B", Left: row.Less == nil, Value: func(r ComparedRow) any { return r.B }},
		{Key: "b_less_a", Value: func(r ComparedRow) any { return r.Less }},
		{Key: "error", Value: func(r ComparedRow) any { return r.Error }},
	}
	if row.Less != nil {
		columns[4].Title = "B less A"
	}
	return columns
}

// Section returns the comparison as a section of a page.
func (c *Comparison) Section() Section {
	s := Section{ID: "comparison", Title: "Comparison"}
	for _, rows := range c.Parts {
		s.table(tableOf(textfmt.Visible(rows[0].Part), "short", ComparedColumns(&rows[0]), rows))
	}
	for i, chart := range c.Charts {
		chart.add(&s, fmt.Sprintf("curve-%d", i+1))
	}
	for _, note := range c.Notes {
		s.note(note)
	}
	return s
}

// Compare compares the runs of two folders: settings, ratings, curves and games. Of each one's records at
// most most bytes are read.
func Compare(ctx context.Context, a, b fs.FS, most int64) (*Comparison, error) {
	c := new(Comparison)
	var runs [2]Run
	var tables [2][]table.Table
	for i, folder := range []fs.FS{a, b} {
		runs[i] = ReadRunFS(ctx, folder, "AB"[i:i+1])
		s := standings.New()
		s.Begin(runs[i].Manifest)
		notes, err := readGames(ctx, folder, tournament.GamesFile, most, s)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		rated, err := s.Fit(ctx, ratings.Options{}, false)
		if err != nil {
			return nil, err
		}
		tables[i] = rated.Parts
		for _, note := range slices.Concat(runs[i].Notes, notes) {
			c.Notes = append(c.Notes, runs[i].Name+": "+note)
		}
	}
	c.settings(settingsOf(&runs[0]), settingsOf(&runs[1]))
	c.ratings(tables[0], tables[1])
	c.charts(runs[0].Charts, runs[1].Charts)
	err := c.games(ctx, a, b, most)
	c.Parts = slices.DeleteFunc(c.Parts, func(rows []ComparedRow) bool { return len(rows) == 0 })
	return c, err
}

// settingsOf returns what a run's manifest says of its settings, and of programs and machines, as texts.
func settingsOf(r *Run) map[string]string {
	text := ""
	if r.Manifest != nil {
		text = r.Manifest.Text
	} else if r.Tuning != nil {
		text = r.Tuning.Text
	}
	var whole map[string]any
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	_ = in.Decode(&whole) // it has been read before, or there is none
	list := map[string]string{}
	var add func(key string, value any)
	add = func(key string, value any) {
		switch value := value.(type) {
		case nil:
		case map[string]any:
			for k, v := range value {
				add(key+"."+k, v)
			}
		case []any:
			for i, v := range value {
				add(fmt.Sprintf("%s[%d]", key, i), v)
			}
		default:
			list[key] = fmt.Sprint(value)
		}
	}
	for _, key := range []string{"method", "config", "version", "program", "host"} {
		add(key, whole[key])
	}
	return list
}

// maxSetting bounds what is shown of a setting, in bytes.
const maxSetting = 1000

// settings adds the settings that differ.
func (c *Comparison) settings(a, b map[string]string) {
	var rows []ComparedRow
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if a[key] != b[key] {
			rows = append(rows, ComparedRow{
				Part: "Settings that differ", Name: key, A: textfmt.Cut(a[key], maxSetting), B: textfmt.Cut(b[key], maxSetting),
			})
		}
	}
	c.Parts = append(c.Parts, rows)
}

// ratings adds the ratings of the players that both runs have, from that of the first of them. The runs count as
// independent of each other.
func (c *Comparison) ratings(a, b []table.Table) {
	cell := func(elo, margin float64) grid.Cell { return grid.Cell{Text: plusMinus(elo, margin), Value: elo} }
	for _, x := range a {
		i := slices.IndexFunc(b, func(y table.Table) bool { return y.Rules == x.Rules })
		if i < 0 {
			continue
		}
		common := slices.DeleteFunc(slices.Clone(x.Ratings.Players), func(p ratings.Player) bool {
			return !slices.ContainsFunc(b[i].Ratings.Players, func(q ratings.Player) bool { return q.Name == p.Name })
		})
		var rows []ComparedRow
		for _, p := range common {
			reference := common[0].Name
			first, errA := x.Ratings.Difference(p.Name, reference)
			second, errB := b[i].Ratings.Difference(p.Name, reference)
			if errA == nil && errB == nil { // else they are one player, or not of one group
				less, margin := second.Elo-first.Elo, math.Hypot(first.Error, second.Error)
				rows = append(rows, ComparedRow{
					fmt.Sprintf("Elo under %s, from that of %s", x.Rules, reference), p.Name, cell(first.Elo, first.Error),
					cell(second.Elo, second.Error), cell(less, margin), margin,
				})
			}
		}
		c.Parts = append(c.Parts, rows)
	}
}

// charts joins the curves of the charts that both runs have, but for those of parameters and of tests.
func (c *Comparison) charts(a, b []Chart) {
	for _, x := range a {
		for _, y := range b {
			title, _, _ := strings.Cut(x.Title, " (") // without the name of a single curve
			if other, _, _ := strings.Cut(y.Title, " ("); title != other || x.Table != nil || x.noPoint {
				continue
			}
			joined := x
			joined.Title, joined.Curves = title, slices.Concat(x.Curves, y.Curves)
			for i := range joined.Curves {
				joined.Curves[i].Name = "AB"[min(i/len(x.Curves), 1):][:1] + ": " + joined.Curves[i].Name
			}
			c.Charts = append(c.Charts, joined)
		}
	}
}

// games finds the first game that differs.
func (c *Comparison) games(ctx context.Context, a, b fs.FS, most int64) error {
	_, err := files.LoadFS(a, tournament.GamesFile, func(inA io.Reader, name string) (any, error) {
		return files.LoadFS(b, tournament.GamesFile, func(inB io.Reader, _ string) (any, error) {
			return nil, c.records(ctx, record.NewReader(io.LimitReader(inA, most), name),
				record.NewReader(io.LimitReader(inB, most), name))
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// records compares records, which are in the order of the schedule.
func (c *Comparison) records(ctx context.Context, a, b *record.Reader) error {
	for same := 0; ; same++ {
		x, errA := a.Read()
		y, errB := b.Read()
		if err := cmp.Or(ctx.Err(), errA, errB); err != nil {
			if same > 0 {
				c.Notes = append(c.Notes, fmt.Sprintf("the first %s of both are the same", textfmt.Plural(same, "game")))
			}
			return ctx.Err() // what can't be read was noted with the results
		}
		first, second, at := course(x), course(y), 0
		for at < len(first) && at < len(second) && first[at] == second[at] {
			at++
		}
		if at < min(len(first), len(second)) {
			if at+same > 0 { // else they are of different schedules
				c.Game = &ComparedGame{x.Game, max(min(at-len(x.Moves), 0)+x.Plies, 0), at}
				c.Parts = append(c.Parts, []ComparedRow{{Part: "First game that differs", A: first[at], B: second[at],
					Name: fmt.Sprintf("game %d, ply %d", x.Game, c.Game.Ply)}})
			}
			return nil
		}
	}
}

// course returns the beginning, the moves and the end of a game.
func course(g *record.Game) []string {
	return slices.Concat([]string{fmt.Sprintf("game %d, %s, %s", g.Game, g.Rules, g.Opening)}, g.Moves,
		[]string{g.Result + " by " + g.Reason})
}
