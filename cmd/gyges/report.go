package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gyges/ratings/source"
	"gyges/tournament"
	"gyges/tournament/web/report"
)

// reportCmd writes a page on runs: ratings, plots, and games that can be replayed in it.
type reportCmd struct {
	Runs []string `arg:"" name:"run" what:"a run" sep:"none" help:"Folders of runs, or their files of records (games.jsonl), and folders of tuning runs. Several make one page."`
	ratingFlags
	Games int    `check:"0..100000" default:"500" placeholder:"N" help:"Most games that can be replayed on the page, and 120 times as many plies; drawn with --seed where there are more. 0 for none. Default: 500."`
	Seed  uint64 `default:"1" placeholder:"N" help:"Seed of that draw. Default: 1."`
	Out   string `short:"o" placeholder:"FILE" help:"HTML file to write, - for the standard output. Default: report.html in the run's folder, and in the current one if there are several runs."`
}

// Run reads the games and writes the page. Its file is opened before.
func (c *reportCmd) Run(ctx context.Context, e *env) error {
	_, err := formatOf("", "--out", c.Out, "html")
	if slices.Contains(c.Runs, "-") {
		err = errors.Join(err, errors.New(
			"run: expected folders or files, found - for the standard input"))
	}
	longestCopiesFirst(c.Runs)
	files, errFiles := filesOfRuns(c.Runs)
	if err := errors.Join(err, errFiles); err != nil {
		return err
	}
	// Unless --out names a file, the page is beside the records of a single run.
	path := c.Out
	if path == "" {
		path = "report.html"
		if len(c.Runs) == 1 {
			dir, isRun := tournament.RunFolder(c.Runs[0])
			if !isRun {
				dir = filepath.Dir(c.Runs[0])
			}
			path = filepath.Join(dir, path)
		}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("--out: expected a file, found the folder %s", path)
	}
	// The page is made while its file is open, and replaces an earlier one when it is whole.
	about := ""
	toFile, err := writeOut(e, path, func(w io.Writer) error {
		page, err := c.page(ctx, e, files)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		about = cmp.Or(page.Sampled, "Charts of a tuning run, without games.")
		return asFailure(report.WriteHTML(w, page))
	})
	if err == nil && toFile {
		e.out.printf("%s: %s\n", path, about)
	}
	return err
}

// page reads the runs, whose files of games are given, and makes the page.
func (c *reportCmd) page(ctx context.Context, e *env, files []string) (*report.Page, error) {
	collector := report.NewCollector(report.Options{Games: c.Games, Seed: c.Seed})
	games, err := c.ratedGames(collector.Standings)
	if err != nil {
		return nil, err
	}
	var names, played, rated []string // all runs, and the files and runs with games
	// A run of tuning may have no games of its own.
	for i, path := range files {
		names = append(names, runName(c.Runs[i]))
		about := report.ReadRun(ctx, c.Runs[i])
		collector.AddRun(about)
		if path == noFile {
			continue
		}
		played = append(played, path)
		rated = append(rated, c.Runs[i])
		file, err := openGames(ctx, e, path, about.Manifest)
		if err != nil {
			return nil, err
		}
		// Pages need whole records: moves, times and what agents said.
		format, err := file.Sniff()
		if err != nil {
			return nil, err
		}
		if format != source.Records {
			return nil, fmt.Errorf("%s: expected records of games, as runs write them; "+
				"gyges rate reads other files", file.Name)
		}
		err = collector.Read(ctx, &games.in, file, collector.Sample)
		if err != nil {
			return nil, err
		}
	}
	if len(played) > 0 {
		if err := games.found(played); err != nil {
			return nil, err
		}
	}
	warnUnreadable(e, &games.in)
	// Runs without games, such as a fit of weights, have charts alone.
	input := report.Input{
		Title: listed(names), Commands: c.commands(rated),
		Program: version(), Labels: games.Names(),
	}
	if games.Games() > 0 {
		input.Tables, err = games.fit(ctx, true)
		if err != nil {
			return nil, err
		}
	}
	return report.Build(collector, input), nil
}

// noFile stands for the file of games of a tuning run that has none; the standard input is not
// read.
const noFile = "-"

// filesOfRuns returns the files of games of runs, or [noFile].
func filesOfRuns(runs []string) ([]string, error) {
	// The command keeps the names as they were given.
	runs = slices.Clone(runs)
	for i, run := range runs {
		_, err := os.Stat(filepath.Join(run, tournament.GamesFile))
		if errors.Is(err, fs.ErrNotExist) && report.HasHistory(run) {
			runs[i] = noFile
		}
	}
	return gameFiles(runs)
}

// commands returns the command that prints the tables of the runs that can be rated, and the one
// that made the page.
func (c *reportCmd) commands(rated []string) (list []string) {
	flags := c.words()
	// The commands have absolute or relative paths, as they were given.
	if rated != nil {
		list = append(list, commandLine("rate", append(rated, flags...)...))
	}
	if c.Games != 500 {
		flags = append(flags, "--games", strconv.Itoa(c.Games))
	}
	if c.Seed != 1 {
		flags = append(flags, "--seed", strconv.FormatUint(c.Seed, 10))
	}
	if c.Out != "" && c.Out != "-" {
		flags = append(flags, "--out", c.Out)
	}
	return append(list, commandLine("report", slices.Concat(c.Runs, flags)...))
}
