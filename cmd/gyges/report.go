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
	"reflect"
	"slices"

	"gyges/ratings/source"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/report"
	"gyges/tournament/runs"
)

type reportCmd struct {
	Runs []string `arg:"" name:"run" what:"a run" sep:"none" help:"Folders of runs, or their files of records (games.jsonl), and folders of tuning runs. Several make one page."`
	ratingFlags
	Games int    `check:"0..100000" default:"500" placeholder:"N" help:"Most games that can be replayed on the page, and 120 times as many plies; drawn with --seed where there are more. 0 for none. Default: 500."`
	Seed  uint64 `default:"1" placeholder:"N" help:"Seed of that draw. Default: 1."`
	Out   string `short:"o" placeholder:"FILE" help:"HTML file to write, - for the standard output. Default: report.html in the run's folder, and in the current one if there are several runs."`
}

// Run reads the games and writes the page. Its file is opened before.
func (c *reportCmd) Run(ctx context.Context, e *env) error {
	files, err := filesOfRuns(c.Runs)
	if err := errors.Join(c.check(), err); err != nil {
		return err
	}
	path := cmp.Or(c.Out, filepath.Join(c.folder(), "report.html"))
	if isFolder(path) {
		return fmt.Errorf("--out: expected a file, found the folder %s", path)
	}
	about := ""
	toFile, err := writeOut(e, path, func(w io.Writer) error {
		page, err := c.page(ctx, e, files)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		about = cmp.Or(page.Sampled, "Charts of a tuning run, without games.")
		return asFailure(report.WriteHTML(w, page))
	})
	if err == nil && toFile {
		e.out.printf("%s: %s\n", textfmt.Escape(path), about)
	}
	return err
}

// check finds mistakes in the flags that are independent of the games.
func (c *reportCmd) check() error {
	_, err := formatOf("", "--out", c.Out, "html")
	errs := []error{err}
	for _, path := range c.Runs {
		if path == "-" {
			errs = append(errs, errors.New("run: expected folders or files, found - for the standard input"))
		}
	}
	return errors.Join(errs...)
}

// page reads and rates the games.
func (c *reportCmd) page(ctx context.Context, e *env, files []string) (*report.Page, error) {
	collector := report.NewCollector(report.Options{Games: c.Games, Seed: c.Seed})
	in, all := new(runs.Reader), collector.Standings
	options, err := c.prepare(all)
	if err != nil {
		return nil, err
	}
	for i, path := range files {
		about := report.ReadRun(ctx, c.Runs[i])
		collector.AddRun(about)
		if path == "" {
			continue
		}
		file, err := openGames(ctx, e, path, about.Manifest)
		if err != nil {
			return nil, err
		}
		format, err := file.Sniff()
		if err == nil && format != source.Records {
			err = fmt.Errorf("%s: expected records of games, as runs write them; gyges rate reads other files", file.Name)
		}
		if err == nil {
			err = collector.Read(ctx, in, file, collector.Sample)
		}
		if err != nil {
			return nil, err
		}
	}
	played := slices.DeleteFunc(slices.Clone(files), func(path string) bool { return path == "" })
	if len(played) > 0 {
		if err := c.found(e, in, all, played); err != nil {
			return nil, err
		}
	}
	input := report.Input{Title: c.title(), Commands: c.commands(files), Program: version(), Labels: all.Labels()}
	if !all.Empty() {
		if input.Tables, err = c.fit(ctx, in, all, options, c.Pool); err != nil {
			return nil, err
		}
	}
	return report.Build(collector, input), nil
}

// filesOfRuns returns the files of games of runs, "" for a tuning run that has none.
func filesOfRuns(runs []string) ([]string, error) {
	const none = "-"
	runs = slices.Clone(runs)
	for i, run := range runs {
		_, err := os.Stat(filepath.Join(run, tournament.GamesFile))
		if errors.Is(err, fs.ErrNotExist) && report.HasHistory(run) {
			runs[i] = none
		}
	}
	files, err := gameFiles(runs)
	for i, f := range files {
		if f == none {
			files[i] = ""
		}
	}
	return files, err
}

// title names the runs.
func (c *reportCmd) title() string {
	var list []string
	for _, path := range c.Runs {
		list = append(list, runName(path))
	}
	return listed(list)
}

// commands are the command lines that reproduce the ratings and the page.
func (c *reportCmd) commands(files []string) []string {
	own := *c
	if c.Out == "-" {
		own.Out = ""
	}
	line := func(command string, runs, flags []string) string {
		line := "gyges " + command
		for _, w := range slices.Concat(runs, flags) {
			line += " " + report.ShellWord(w)
		}
		return line
	}
	list := []string{line("report", c.Runs, givenFlags(reflect.ValueOf(own)))}
	var played []string
	for i, f := range files {
		if f != "" {
			played = append(played, c.Runs[i])
		}
	}
	if played != nil {
		list = append([]string{line("rate", played, givenFlags(reflect.ValueOf(c.ratingFlags)))}, list...)
	}
	return list
}

// folder is where the page is written unless --out names a file: beside the records of a single run.
func (c *reportCmd) folder() string {
	if len(c.Runs) > 1 {
		return ""
	}
	if dir, ok := tournament.RunFolder(c.Runs[0]); ok {
		return dir
	}
	return filepath.Dir(c.Runs[0])
}

// isFolder reports whether a path is that of a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
