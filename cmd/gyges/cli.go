package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"gyges/agents"
)

// levelVerbose is what --verbose logs from; without it only warnings are.
const levelVerbose = slog.LevelDebug

// cli is the command line: one field for each command.
type cli struct {
	Moves      movesCmd      `cmd:"" help:"List the legal moves in a position."`
	Perft      perftCmd      `cmd:"" help:"Count the sequences of so many plies from a position."`
	Play       playCmd       `cmd:"" help:"Play one game and print it."`
	Tournament tournamentCmd `cmd:"" help:"Let agents play each other, record the games and rate the players."`
	Rate       rateCmd       `cmd:"" help:"Rate the players of recorded tournaments, PGN or CSV."`
	Report     reportCmd     `cmd:"" help:"Make a page of recorded runs to look at: tables, plots, games."`
	Serve      serveCmd      `cmd:"" help:"Show runs live in a browser, and let people play there."`
	Games      gamesCmd      `cmd:"" help:"List recorded games, or replay one."`
	Export     exportCmd     `cmd:"" help:"Write recorded games as PGN, CSV or Parquet."`
	Import     importCmd     `cmd:"" help:"Make a run of games in PGN or CSV."`
	Match      matchCmd      `cmd:"" help:"Let two agents play until it is clear which is the stronger one."`
	Worker     workerCmd     `cmd:"" help:"Play for tournaments on other machines."`
	Selfplay   selfplayCmd   `cmd:"" help:"Let agents play for training positions to tune evaluations on."`
	Data       dataCmd       `cmd:"" help:"Make and count training positions."`
	Openings   openingsCmd   `cmd:"" help:"Make or screen a list of openings."`
	SPRT       sprtCmd       `cmd:"" name:"sprt" help:"Test pair counts: which of two players is the stronger one."`
	UGI        ugiCmd        `cmd:"" name:"ugi" help:"Answer another program by the UGI protocol."`
	Engine     engineCmd     `cmd:"" help:"Try out an engine that speaks the UGI protocol."`
	Analyse    analyseCmd    `cmd:"" help:"Search a position and show the best lines."`
	Solve      solveCmd      `cmd:"" help:"Prove wins and losses in a position."`
	Tactics    tacticsCmd    `cmd:"" help:"Test agents on positions with proven best moves."`
	Tune       tuneCmd       `cmd:"" help:"Tune agent parameters."`
	Train      trainCmd      `cmd:"" help:"Train weights, generation by generation, each tested by a match."`
	Rules      rulesCmd      `cmd:"" help:"List the rule sets and their options."`
	Agents     agentsCmd     `cmd:"" help:"List the kinds of agents and their parameters."`
	Bench      benchCmd      `cmd:"" help:"Measure how fast the program searches and generates moves."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Version    versionCmd    `cmd:"" help:"Print the version."`

	Help    helpFlag `short:"h" help:"Show help."`
	Verbose bool     `short:"v" help:"Log details to stderr."`
}

// env is what commands work with.
type env struct {
	in       io.Reader
	out      *output // results
	err      *output // everything else
	log      *slog.Logger
	level    *slog.LevelVar
	registry *agents.Registry
}

func newEnv(in io.Reader, stdout, stderr io.Writer) *env {
	out, err := &output{w: stdout}, &output{w: stderr}
	level := new(slog.LevelVar)
	level.Set(slog.LevelWarn)
	return &env{
		in: in, out: out, err: err,
		log:      slog.New(slog.NewTextHandler(err, &slog.HandlerOptions{Level: level})),
		level:    level,
		registry: newRegistry(in, out),
	}
}

func newParser(c *cli, e *env) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("gyges"),
		kong.Description("Gyges plays the board game Gygès: agents, tournaments, ratings."),
		kong.NoDefaultHelp(),
		kong.Writers(e.out, e.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Help(printHelp),
		kong.KindMapper(reflect.Int, kong.MapperFunc(wholeNumber)),
		kong.KindMapper(reflect.Uint64, kong.MapperFunc(wholeNumber)),
		kong.KindMapper(reflect.Int64, kong.MapperFunc(wholeNumber)),
		kong.KindMapper(reflect.Float64, kong.MapperFunc(number)),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(duration)),
	)
}

// wholeNumber reads an int or a uint64. Kong's own mapper speaks of bits.
func wholeNumber(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().IsEOL() {
		return errors.New("expected a whole number, found the end")
	}
	text := ctx.Scan.Pop().String() // a negative one, too, which looks like a flag
	n, err := strconv.ParseInt(text, 10, target.Type().Bits())
	u, errU := strconv.ParseUint(text, 10, 64)
	switch {
	case target.Kind() != reflect.Uint64 && err == nil:
		target.SetInt(n)
	case target.Kind() == reflect.Uint64 && errU == nil:
		target.SetUint(u)
	case target.Kind() == reflect.Uint64:
		return fmt.Errorf("expected a whole number from 0 to 2^64-1, found %.60q", text)
	default:
		return fmt.Errorf("expected a whole number, found %.60q", text)
	}
	return nil
}

// number reads a finite number. Kong's own takes a negative one for a flag.
func number(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().IsEOL() {
		return errors.New("expected a number, found the end")
	}
	text := ctx.Scan.Pop().String()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("expected a number, found %.60q", text)
	}
	target.SetFloat(x)
	return nil
}

// duration reads a time. Kong's own takes a negative one for a flag.
func duration(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().IsEOL() {
		return errors.New("expected a time like 500ms or 1m, found the end")
	}
	text := ctx.Scan.Pop().String()
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("expected a time like 500ms or 1m, found %.60q", text)
	}
	target.SetInt(int64(d))
	return nil
}

// errHelp says that help has been printed and nothing is left to do.
var errHelp = errors.New("help has been printed")

// helpFlag prints the help of the command it stands behind. Kong's own would
// end the process.
type helpFlag bool

// BeforeReset is called by kong where the flag is given, before anything is checked.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errHelp
}

// helpFirst turns "help COMMAND" into "COMMAND --help", and --version, which
// people try first, into the command.
func helpFirst(args []string) ([]string, error) {
	switch {
	case len(args) == 0:
		return nil, errors.New("expected a command; gyges --help lists them")
	case args[0] == "help" && (len(args) == 1 || !strings.HasPrefix(args[1], "-")):
		return append(append([]string(nil), args[1:]...), "--help"), nil
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...), nil
	default:
		return args, nil
	}
}

// printHelp prints kong's help and, below it, the command's examples.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	target := ctx.Model.Target
	if n := ctx.Selected(); n != nil {
		target = n.Target
	}
	text := "\nExamples:\n"
	for _, x := range examplesOf(target) {
		if x.doc != "" {
			text += "  # " + x.doc + "\n"
		}
		text += "  " + x.command + "\n"
	}
	_, err := io.WriteString(ctx.Stdout, text)
	return err
}

// examplesOf returns the examples of a command, given as kong's target. Every
// command has some.
func examplesOf(target reflect.Value) []example {
	if c, ok := target.Addr().Interface().(interface{ examples() []example }); ok {
		return c.examples()
	}
	return nil
}

// example is a command line that a command's help shows.
type example struct{ command, doc string }

func (cli) examples() []example {
	return []example{
		{"gyges moves '321123/000000/000000/000000/000000/321123 s'", ""},
		{"gyges play --south human --north greedy", "play a game yourself"},
		{"gyges tournament --agent random --agent greedy --pairs 20", "let agents play, and rate them"},
	}
}
