package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"gyges/agents/tuning/dataset"
	"gyges/rules/base/csvfile"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/training"
)

// dataCmd has the commands for training positions.
type dataCmd struct {
	Make  dataMakeCmd  `cmd:"" help:"Convert the games of a run to training positions."`
	Stats dataStatsCmd `cmd:"" help:"Count the training positions in a folder."`
}

// dataMakeCmd converts recorded games to training positions.
type dataMakeCmd struct {
	Dir        string `arg:"" placeholder:"DIR" help:"Folder of a run."`
	Validation int    `default:"5" placeholder:"PERCENT" help:"Share of the game pairs for validation positions (early stopping). Default: 5."`
	Test       int    `default:"5" placeholder:"PERCENT" help:"Share of the game pairs for test positions (to measure the result of a fit). Default: 5."`
	dataFormatFlag
}

func (dataMakeCmd) Help() string {
	return "Replays the games in DIR and writes their positions to its folder positions, which is replaced: the last " +
		"step of gyges selfplay. Games that a fault decided are omitted, and positions without a score in games " +
		"that have scores."
}

func (dataMakeCmd) examples() []example {
	return []example{{"gyges data make results/quick --validation 10", "training positions of a tournament"}}
}

// Run extracts the training positions and prints their counts.
func (c *dataMakeCmd) Run(ctx context.Context, e *env) error {
	provenance := map[string]string{"program": version()}
	split := training.Split{Validation: c.Validation, Test: c.Test}
	made, err := c.extract(ctx, e, c.Dir, split, provenance)
	if err != nil {
		return plainFileError(flagErrors(err))
	}
	summarizeExtraction(c.texts(e), made)
	return nil
}

// extract converts games to training positions and prints their counts.
func (f dataFormatFlag) extract(
	ctx context.Context, e *env, dir string, split training.Split, provenance map[string]string,
) (training.Extraction, error) {
	made, err := training.Extract(ctx, dir, split, provenance)
	if err != nil {
		return made, err
	}
	stats, err := dataset.Summarize(ctx, filepath.Join(dir, training.PositionsDir))
	if err != nil {
		return made, err
	}
	return made, f.write(e.out, stats)
}

// summarizeExtraction prints how many positions were written and omitted.
func summarizeExtraction(w *output, made training.Extraction) {
	w.printf("\n%d training positions of %d positions in games: %d repeated", made.Written, made.Plies, made.Repeated)
	if made.RandomMoves > 0 {
		w.printf(", %d before a random move", made.RandomMoves)
	}
	w.printf(", %d in another split\n", made.Duplicates)
}

// dataStatsCmd counts the training positions in a folder.
type dataStatsCmd struct {
	Dir string `arg:"" placeholder:"DIR" help:"Folder of training positions: positions in that of a self-play run."`
	dataFormatFlag
}

func (dataStatsCmd) Help() string {
	return "Counts training positions and their occurrences by split, rule set, ply and number of occurrences. Won, " +
		"drawn and lost are from the side to move and count every occurrence; quiet are positions in which " +
		"neither side could win at once."
}

func (dataStatsCmd) examples() []example {
	return []example{
		{"gyges data stats results/selfplay/positions", ""},
		{"gyges data stats results/selfplay/positions --format json", ""},
	}
}

// Run prints the counts.
func (c *dataStatsCmd) Run(ctx context.Context, e *env) error {
	stats, err := dataset.Summarize(ctx, c.Dir)
	if err != nil {
		return plainFileError(err)
	}
	return c.write(e.out, stats)
}

// dataFormatFlag is the --format of commands that print counts of training positions.
type dataFormatFlag struct {
	Format string `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

// texts returns where texts beside the counts are printed: standard error if the counts
// are for programs.
func (f dataFormatFlag) texts(e *env) *output {
	if f.Format == "text" || f.Format == "markdown" {
		return e.out
	}
	return e.err
}

func (f dataFormatFlag) write(w *output, s dataset.Stats) error {
	switch f.Format {
	case "json":
		return writeJSON(w, s)
	case "csv":
		return writeStatsCSV(w, s)
	}
	g := grid.Grid{Header: []string{
		"By", "", "Positions", "Occurrences", "Games", "To end", "Scored", "Won", "Drawn", "Lost", "Quiet", "South",
	}, Left: map[int]bool{0: true, 1: true}, Fold: 2}
	last := ""
	for _, x := range s.Groups {
		kind, name := x.Kind, x.Name
		if kind == last {
			kind = ""
		}
		last = x.Kind
		if name == x.Kind {
			name = ""
		}
		g.Add(
			kind, textfmt.Escape(name), fmt.Sprint(x.Positions), fmt.Sprint(x.Occurrences), fmt.Sprint(x.Games),
			fmt.Sprintf("%.1f", x.ToEnd), percent(x.Scored, x.Positions),
			percent(x.Won, x.Occurrences), percent(x.Drawn, x.Occurrences), percent(x.Lost, x.Occurrences),
			percent(x.Quiet, x.Positions), percent(x.South, x.Positions),
		)
	}
	return printTable(w, &g, f.Format == "markdown")
}

func percent(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return textfmt.Percent(float64(part) / float64(whole))
}

func writeStatsCSV(w *output, s dataset.Stats) error {
	rows := [][]string{{
		"group", "name", "positions", "occurrences", "games", "won", "drawn", "lost", "quiet", "scored", "south", "to_end",
	}}
	for _, x := range s.Groups {
		row := []string{x.Kind, x.Name}
		for _, n := range []int64{
			x.Positions, x.Occurrences, x.Games, x.Won, x.Drawn, x.Lost, x.Quiet, x.Scored, x.South,
		} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		rows = append(rows, append(row, strconv.FormatFloat(x.ToEnd, 'g', -1, 64)))
	}
	return csvfile.NewWriter(w).WriteAll(rows)
}
