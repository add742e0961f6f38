package main

import (
	"cmp"
	_ "embed"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/human"
	"gyges/agents/ugi"
	"gyges/configs"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/training"
)

// cli is the command line: one field for each command, with what it does. The fields of a command
// are its flags and arguments; the rest of its help is in help.md, or what its method Help returns.
type cli struct {
	Play    playCmd    `cmd:"" group:"Play:" help:"Play one game and print it."`
	Moves   movesCmd   `cmd:"" group:"Play:" help:"List the legal moves in a position."`
	Diagram diagramCmd `cmd:"" group:"Play:" help:"Draw a position, and the course of a move, as text or SVG."`
	Rules   rulesCmd   `cmd:"" group:"Play:" help:"List the rule sets and their options."`
	Levels  levelsCmd  `cmd:"" group:"Play:" help:"List the levels of play: agents of fixed strength."`
	Agents  agentsCmd  `cmd:"" group:"Play:" help:"List the kinds of agents, the parameters of one, or the options of an engine."`

	Tournament tournamentCmd `cmd:"" group:"Tournaments:" help:"Let agents play each other, record the games and rate the players."`
	Match      matchCmd      `cmd:"" group:"Tournaments:" help:"Play a match of two agents, with a sequential test (SPRT) or a fixed length."`
	Init       initCmd       `cmd:"" group:"Tournaments:" help:"Write a YAML file with every key of a run and what it means."`
	Openings   openingsCmd   `cmd:"" group:"Tournaments:" help:"Make or screen a list of openings."`
	Games      struct {
		List  gamesListCmd  `cmd:"" default:"withargs" help:"List games."`
		Show  gamesShowCmd  `cmd:"" help:"Replay a game."`
		Stats gamesStatsCmd `cmd:"" help:"Count what happens in games."`
	} `cmd:"" group:"Tournaments:" help:"List recorded games, replay one, or count what happens in them."`
	Review reviewCmd `cmd:"" group:"Tournaments:" help:"Judge the moves of recorded games, and show where games are lost."`
	Report reportCmd `cmd:"" group:"Tournaments:" help:"Write a report of recorded runs: tables, plots, games to replay."`
	Serve  serveCmd  `cmd:"" group:"Tournaments:" help:"Show runs live in a browser, and let people play there."`
	Export exportCmd `cmd:"" group:"Tournaments:" help:"Write recorded games as PGN, CSV or JSON lines."`
	Import importCmd `cmd:"" group:"Tournaments:" help:"Import games in PGN or CSV as a run."`

	Rate rateCmd `cmd:"" group:"Ratings:" help:"Rate the players of recorded tournaments, PGN or CSV."`
	SPRT sprtCmd `cmd:"" group:"Ratings:" name:"sprt" help:"Sequential probability ratio test (SPRT) of pair counts."`

	Selfplay selfplayCmd `cmd:"" group:"Learning:" help:"Play games of agents with themselves and make training positions."`
	Data     struct {
		Make dataMakeCmd `cmd:"" help:"Convert the games of a run to training positions."`
	} `cmd:"" group:"Learning:" help:"Make and count training positions."`
	Tune struct {
		Texel tuneTexelCmd `cmd:"" help:"Fit evaluation weights to training positions by logistic regression."`
		SPSA  tuneSPSACmd  `cmd:"" name:"spsa" help:"Tune agent parameters by matches (SPSA)."`
	} `cmd:"" group:"Learning:" help:"Tune agent parameters."`
	Train trainCmd `cmd:"" group:"Learning:" help:"Train weights, generation by generation, each tested by a match."`

	Analyse analyseCmd `cmd:"" group:"Study:" help:"Search a position and show the best lines."`
	Solve   solveCmd   `cmd:"" group:"Study:" help:"Prove wins and losses in a position."`
	Tactics struct {
		Run tacticsRunCmd `cmd:"" help:"Test agents on a suite."`
	} `cmd:"" group:"Study:" help:"Test agents on positions with proven best moves."`
	Perft perftCmd `cmd:"" group:"Study:" help:"Count the move sequences of a given length from a position."`
	Bench struct {
		Search benchSearchCmd `cmd:"" default:"withargs" help:"Search fixed positions: the number of nodes is the search's signature."`
	} `cmd:"" group:"Study:" help:"Measure how fast the program searches and generates moves."`

	UGI    ugiCmd `cmd:"" group:"Engines and many machines:" name:"ugi" help:"Run an agent as a UGI engine."`
	Engine struct {
		Check engineCheckCmd `cmd:"" help:"Test that an engine follows the UGI protocol."`
	} `cmd:"" group:"Engines and many machines:" help:"Test an external UGI engine."`
	Worker workerCmd `cmd:"" group:"Engines and many machines:" help:"Play games for tournaments on other machines."`

	Help       helpCmd       `cmd:"" group:"About the program:" help:"Print a manual, the list of manuals, or the help of a command."`
	Completion completionCmd `cmd:"" group:"About the program:" help:"Print a completion script for a shell."`
	Version    versionCmd    `cmd:"" group:"About the program:" help:"Print the version."`

	HelpFlag  helpFlag `name:"help" short:"h" help:"Show help."`
	Verbose   bool     `short:"v" help:"Log details to stderr."`
	EngineLog string   `placeholder:"DIR" help:"Write all that external engines read and write, their stderr included, to a file for each process in this folder."`
}

// env is what commands use of the process and the program. Tests make one with buffers in place of
// the standard streams.
type env struct {
	in       io.Reader
	out      *output // results
	err      *output // everything else
	log      *slog.Logger
	level    *slog.LevelVar
	engines  *ugi.Log // of external programs
	registry *agents.Registry
}

// newEnv returns the env of a command, with all kinds of agents that the program has.
func newEnv(in io.Reader, stdout, stderr io.Writer) *env {
	e := &env{
		in:    in,
		out:   &output{w: stdout},
		err:   &output{w: stderr},
		level: new(slog.LevelVar),
	}
	// Warnings are always shown; --verbose shows everything.
	e.level.Set(slog.LevelWarn)
	options := &slog.HandlerOptions{Level: e.level}
	e.log = slog.New(slog.NewTextHandler(e.err, options))
	e.engines = &ugi.Log{Notes: e.log}
	// Levels are made of the built-in kinds. Persons read and write at this terminal.
	kinds := configs.Levels(builtin.Registry())
	kinds = append(kinds, human.Kind(in, e.out), ugi.Kind(e.engines))
	e.registry = builtin.Registry(kinds...)
	return e
}

// newParser returns a parser of the command line, which sets the fields of c.
func newParser(c *cli, e *env) (*kong.Kong, error) {
	// The flags that override settings have the defaults of each command's config in their help.
	games, match := tournament.DefaultConfig(), tournament.DefaultMatch()
	selfplay := training.DefaultSelfPlay()
	train, spsa := training.DefaultGenerations(), training.DefaultSPSA()
	c.Tournament.runFlags = newRunFlags(&games)
	c.Match.runFlags = newRunFlags(&match, "agents", "schedule", "rounds")
	c.Selfplay.runFlags = newRunFlags(&selfplay)
	c.SPRT.settingsFlags = newSettingsFlags(new(sprt.Settings))
	c.Train.settingsFlags = newSettingsFlags(&train)
	c.Tune.SPSA.settingsFlags = newSettingsFlags(&spsa)
	c.Data.Make.settingsFlags = newSettingsFlags(&selfplay.Positions)
	// Values are read as those of YAML files, so that both have the same messages.
	setting := kong.MapperFunc(decodeSetting)
	options := []kong.Option{
		kong.Name("gyges"),
		kong.Description("Gyges plays the board game Gygès: agents, tournaments, ratings."),
		kong.NoDefaultHelp(),
		kong.Writers(e.out, e.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Help(printHelp),
		kong.KindMapper(reflect.Int, setting),
		kong.KindMapper(reflect.Int64, setting),
		kong.KindMapper(reflect.Uint64, setting),
		kong.KindMapper(reflect.Float64, setting),
		kong.NamedMapper("signed", setting), // a number or a word
		kong.TypeMapper(reflect.TypeFor[*rules.Rules](), setting),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), setting),
	}
	return kong.New(c, options...)
}

// decodeSetting reads a number, a time or a rule set. Kong's own mappers take the minus sign of a
// number for the beginning of a flag.
func decodeSetting(ctx *kong.DecodeContext, target reflect.Value) error {
	// A word is missing where the command line ends.
	if ctx.Scan.Peek().IsEOL() && target.Kind() == reflect.String {
		return errors.New("expected a number, found the end")
	}
	text := ctx.Scan.Pop().String() // "EOL" at the end
	return settings.Set(target, text)
}

// errHelp is returned where help was asked for and has been printed.
var errHelp = errors.New("help has been printed")

// helpFlag prints the help of the command before it. Kong's own ends the process.
type helpFlag bool

// BeforeReset is called by kong where the flag is given, before anything is checked.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errHelp
}

// helpTexts has a section for each command: a text, and examples in a block.
//
//go:embed help.md
var helpTexts string

// helpOf returns the text of a command, a line a paragraph, and its examples: its own, which its
// type may have in place of the file, or else the examples of its subcommands.
func helpOf(n *kong.Node) (text, examples string) {
	// A section ends where the next one begins.
	_, section, found := strings.Cut(helpTexts, "\n## "+n.FullPath()+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if own, ok := n.Target.Interface().(kong.HelpProvider); ok && !found {
		section = own.Help()
	}
	text, examples, _ = strings.Cut(section, "```sh\n")
	examples, _, _ = strings.Cut(examples, "```")
	// A group of commands has no section of its own.
	if section == "" {
		for _, child := range n.Children {
			_, more := helpOf(child)
			examples += more
		}
	}
	return textfmt.Unwrap(text), examples
}

// printHelp prints kong's help with the command's text and, below it, its examples.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	command := cmp.Or(ctx.Selected(), ctx.Model.Node)
	text, examples := helpOf(command)
	command.Detail = text
	// All of it is printed in one go, so that it is fitted to the terminal.
	var help strings.Builder
	out := ctx.Stdout.(*output)
	ctx.Stdout = &help
	err := kong.DefaultHelpPrinter(options, ctx)
	ctx.Stdout = out
	help.WriteString("\nExamples:\n")
	for line := range strings.Lines(examples) {
		help.WriteString("  " + line)
	}
	if command == ctx.Model.Node {
		help.WriteString("\ngyges help lists the manuals.\n")
	}
	out.print(help.String())
	return err
}
