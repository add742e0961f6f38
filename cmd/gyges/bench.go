package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// The bounds of the time for a measurement.
const (
	leastBenchTime = time.Millisecond
	mostBenchTime  = time.Minute
)

// benchCmd measures how fast the program's parts are.
type benchCmd struct {
	Search  benchSearchCmd  `cmd:"" default:"withargs" help:"Search fixed positions: the number of nodes is the search's signature."`
	Movegen benchMovegenCmd `cmd:"" help:"Measure how fast moves are generated."`
}

func (benchCmd) examples() []example {
	return append(benchSearchCmd{}.examples(), benchMovegenCmd{}.examples()...)
}

// benchMovegenCmd measures generation.
type benchMovegenCmd struct {
	Time    time.Duration `default:"500ms" placeholder:"TIME" help:"Time for each measurement, 1ms to 1m. Default: 0.5s."`
	Workers int           `default:"1" placeholder:"N" help:"Number of threads that work at once; 0 is one for each core. Default: 1."`
	NoPerft bool          `name:"no-perft" help:"Leave the perft counts out."`
	Format  string        `enum:"text,markdown,csv,json" default:"text" placeholder:"FORMAT" help:"Output: text (default), markdown, csv or json. Text and Markdown round, the others have every digit."`
}

// Help is the part of the help below the summary.
func (benchMovegenCmd) Help() string {
	text := "Measures generation on fixed sets of boards: the symmetric start; midgame, 50 boards from random play; one crowded " +
		"board, whose courses are very many; and 50 boards each from random play under the simplified and the Kang rules. For " +
		"each set it prints how many boards and moves a second every mode handles:\n\n"
	for _, m := range generationModes() {
		text += fmt.Sprintf("  %-8s %s\n", m.name, m.doc)
	}
	return text + "\nThen it counts perft 3 from three positions. A count that differs from the published one makes the exit code 1.\n\n" +
		"A measurement warms up, then works in rounds until its time is over, and the best round counts: other work on the machine " +
		"disturbs it least. (A perft is done twice, and again while there is time.) Still, figures differ from machine to machine and " +
		"from hour to hour: compare ratios between lines of one run, or runs made by turns on one machine. " +
		"A rate is the work of all threads together."
}

func (benchMovegenCmd) examples() []example {
	return []example{
		{"gyges bench movegen --time 5ms --no-perft", "a quick look"},
		{"gyges bench movegen --time 2s --format json > before.json", "to be compared with another build of the program"},
		{"gyges bench movegen --workers 0 > all-cores.txt", ""},
	}
}

// Run measures and prints.
func (c *benchMovegenCmd) Run(ctx context.Context, e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	b := &bench{time: c.Time, workers: c.Workers, now: time.Now}
	var counts []perftCount
	if !c.NoPerft {
		counts = perftCounts()
	}
	report, err := b.movegen(ctx, e, counts)
	if err != nil {
		return err
	}
	if err := report.write(e.out, c.Format); err != nil {
		return err
	}
	return report.mismatches(counts)
}

// check reports what is wrong with the flags, and fills in the number of workers.
func (c *benchMovegenCmd) check() error {
	var errs []error
	if c.Time < leastBenchTime || c.Time > mostBenchTime {
		errs = append(errs, fmt.Errorf("--time: expected 1ms to 1m, found %v", c.Time))
	}
	if c.Workers < 0 || c.Workers > maxWorkers {
		errs = append(errs, fmt.Errorf("--workers: expected 0 (one for each core) to %d, found %d", maxWorkers, c.Workers))
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	return errors.Join(errs...)
}

// movegen measures every mode on every set of boards, and perft.
func (b *bench) movegen(ctx context.Context, e *env, counts []perftCount) (*benchReport, error) {
	sets, err := benchBoardSets()
	if err != nil {
		return nil, failure{err}
	}
	modes := generationModes()
	report := newBenchReport(b)
	bar := benchProgress(e.err, len(sets)*len(modes)+len(counts))
	defer func() { _ = bar.Finish() }() // a terminal that is gone stops no run
	for _, s := range sets {
		for _, m := range modes {
			line, err := b.measureGeneration(ctx, s, m)
			if err != nil {
				return nil, err
			}
			report.Generation = append(report.Generation, line)
			_ = bar.Add(1)
		}
	}
	for _, c := range counts {
		line, err := b.measurePerft(ctx, c)
		if err != nil {
			return nil, err
		}
		report.Perft = append(report.Perft, line)
		_ = bar.Add(1)
	}
	return report, nil
}

// benchReport is what has been measured, as --format json prints it.
type benchReport struct {
	Version    string           `json:"version"`
	Arch       string           `json:"arch"`
	CPUs       int              `json:"cpus"`
	Workers    int              `json:"workers"`
	Time       float64          `json:"seconds_each"`
	Generation []generationLine `json:"generation"`
	Perft      []perftLine      `json:"perft"`
}

func newBenchReport(b *bench) *benchReport {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return &benchReport{
		Version: versionLine(info), Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		Workers: b.workers, Time: b.time.Seconds(),
		Generation: []generationLine{}, Perft: []perftLine{},
	}
}

// mismatches returns an error for every count that perft got wrong.
func (r *benchReport) mismatches(counts []perftCount) error {
	var errs []error
	for i, c := range counts {
		if found := r.Perft[i].Nodes; found != c.nodes {
			errs = append(errs, fmt.Errorf("perft %d of %s: expected %d, counted %d", c.depth, c.position, c.nodes, found))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return failure{err}
	}
	return nil
}

// benchProgress is a bar on a terminal, and silent elsewhere.
func benchProgress(w *output, total int) *progressbar.ProgressBar {
	f, ok := w.w.(*os.File)
	bar := progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(ok && term.IsTerminal(int(f.Fd()))),
		progressbar.OptionSetDescription("measurements"),
		progressbar.OptionShowCount(),
		progressbar.OptionFullWidth(),
		progressbar.OptionClearOnFinish(),
	)
	_ = bar.RenderBlank()
	return bar
}
