package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"gyges/agents/tuning/sample"
	"gyges/ratings/csvfile"
	"gyges/ratings/grid"
	"gyges/ratings/textfmt"
	"gyges/tournament/selfplay"
)

// dataCmd is for samples that evaluations are tuned on.
type dataCmd struct {
	Make  dataMakeCmd  `cmd:"" help:"Make samples of the games of a tournament."`
	Stats dataStatsCmd `cmd:"" help:"Say what is in a folder of samples."`
}

func (dataCmd) examples() []example {
	return append(dataStatsCmd{}.examples(), dataMakeCmd{}.examples()...)
}

// dataMakeCmd makes samples of recorded games.
type dataMakeCmd struct {
	Dir        string `arg:"" placeholder:"DIR" help:"Folder of a run."`
	Validation int    `default:"5" placeholder:"PERCENT" help:"Share of the game pairs whose samples choose when a fit stops. Default: 5."`
	Test       int    `default:"5" placeholder:"PERCENT" help:"Share of the game pairs whose samples measure the result of a fit, once. Default: 5."`
	dataFormatFlag
}

// Help is the part of the help below the summary.
func (dataMakeCmd) Help() string {
	return "Replays the games in DIR and writes their positions to its folder samples, anew if it is there: what gyges selfplay does when its games are over. " +
		"Games that a fault decided are left out, and positions without a score in games that have scores."
}

func (dataMakeCmd) examples() []example {
	return []example{{"gyges data make results/quick --validation 10", "samples of a tournament"}}
}

// Run makes the samples and says what is in them.
func (c *dataMakeCmd) Run(ctx context.Context, e *env) error {
	about := map[string]string{"program": version()}
	made, err := c.extract(ctx, e, c.Dir, selfplay.Split{Validation: c.Validation, Test: c.Test}, about)
	if err != nil {
		return plainFileError(flagErrors(err))
	}
	to := e.err
	if c.forPeople() {
		to = e.out
	}
	tellSamples(to, made)
	return nil
}

// extract makes samples and prints what is in them.
func (f dataFormatFlag) extract(ctx context.Context, e *env, dir string, split selfplay.Split, about map[string]string) (selfplay.Summary, error) {
	made, err := selfplay.Extract(ctx, dir, split, about)
	if err != nil {
		return made, err
	}
	stats, err := sample.Summarize(ctx, filepath.Join(dir, selfplay.SamplesDir))
	if err != nil {
		return made, err
	}
	return made, f.write(e.out, stats)
}

// tellSamples prints where the positions have gone.
func tellSamples(w *output, made selfplay.Summary) {
	w.printf("\n%d samples of %d positions: %d met before", made.Samples, made.Plies, made.Repeats)
	if made.RandomMoves > 0 {
		w.printf(", %d before a move drawn at random", made.RandomMoves)
	}
	w.printf(", %d held out that another split has\n", made.HeldBack)
}

// dataStatsCmd says what is in a folder of samples.
type dataStatsCmd struct {
	Dir string `arg:"" placeholder:"DIR" help:"Folder of samples: samples in that of a self-play run."`
	dataFormatFlag
}

// Help is the part of the help below the summary.
func (dataStatsCmd) Help() string {
	return "Counts samples, and how often they were met, by split, rule set, ply and number of meetings. Won, drawn and lost are from the " +
		"side to move and count every meeting; quiet are samples in which neither side could win at once."
}

func (dataStatsCmd) examples() []example {
	return []example{
		{"gyges data stats results/selfplay/samples", ""},
		{"gyges data stats results/selfplay/samples --format json", ""},
	}
}

// Run prints the tables.
func (c *dataStatsCmd) Run(ctx context.Context, e *env) error {
	stats, err := sample.Summarize(ctx, c.Dir)
	if err != nil {
		return plainFileError(err)
	}
	return c.write(e.out, stats)
}

// dataFormatFlag is the --format of commands that print counts of samples.
type dataFormatFlag struct {
	Format string `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

// forPeople reports whether lines of text may stand beside the tables.
func (f dataFormatFlag) forPeople() bool { return f.Format == "text" || f.Format == "markdown" }

func (f dataFormatFlag) write(w *output, s sample.Stats) error {
	switch f.Format {
	case "json":
		return writeJSON(w, s)
	case "csv":
		return writeStatsCSV(w, s)
	}
	g := grid.Grid{Header: []string{"By", "", "Samples", "Met", "Games", "Won", "Drawn", "Lost", "Quiet", "Scored", "South", "To end"}}
	last := ""
	for _, x := range s.Groups {
		kind := x.Kind
		if kind == last {
			kind = ""
		}
		last = x.Kind
		name := x.Name
		if name == x.Kind {
			name = ""
		}
		g.Add(
			kind, textfmt.Escape(name), fmt.Sprint(x.Samples), fmt.Sprint(x.Met), fmt.Sprint(x.Games),
			percent(x.Won, x.Met), percent(x.Drawn, x.Met), percent(x.Lost, x.Met),
			percent(x.Quiet, x.Samples), percent(x.Scored, x.Samples), percent(x.South, x.Samples), fmt.Sprintf("%.1f", x.ToEnd),
		)
	}
	return g.Write(w, f.Format == "markdown")
}

func percent(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

func writeStatsCSV(w *output, s sample.Stats) error {
	c := csvfile.NewWriter(w)
	_ = c.Write([]string{"group", "name", "samples", "met", "games", "won", "drawn", "lost", "quiet", "scored", "south", "to_end"})
	for _, x := range s.Groups {
		row := []string{x.Kind, x.Name}
		for _, n := range []int64{x.Samples, x.Met, x.Games, x.Won, x.Drawn, x.Lost, x.Quiet, x.Scored, x.South} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		_ = c.Write(append(row, strconv.FormatFloat(x.ToEnd, 'g', -1, 64)))
	}
	c.Flush()
	return c.Error()
}
