package main

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/ranking"
	"gyges/agents/tuning/spsa"
	"gyges/agents/tuning/texel"
	"gyges/configs"
	"gyges/ratings"
	"gyges/results"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
	"gyges/tournament"
	"gyges/tournament/training"
)

// topic is a manual, and its file from the root of the repository; "" if it is made of the
// program's own tags.
type topic struct{ name, file string }

// topics are the manuals, in the order in which they are listed.
var topics = []topic{
	{"rules", "rules/README.md"},
	{"agents", "agents/README.md"},
	{"ugi", "agents/ugi/README.md"},
	{"protocol", "agents/ugi/PROTOCOL.md"},
	{"tuning", "agents/tuning/README.md"},
	{"tournament", "tournament/README.md"},
	{"games", "tournament/record/README.md"},
	{"review", "tournament/review/README.md"},
	{"training", "tournament/training/README.md"},
	{"queue", "tournament/queue/README.md"},
	{"report", "tournament/web/report/README.md"},
	{"live", "tournament/web/live/README.md"},
	{"play", "tournament/web/play/README.md"},
	{"ratings", "ratings/README.md"},
	{"sprt", "ratings/sprt/README.md"},
	{"configs", "configs/README.md"},
	{"results", "results/README.md"},
	{"extend", "cmd/gyges/extend.md"},
	{"settings", ""},
}

// manuals has the files of topics, by the folders that their paths begin with.
var manuals = map[string]embed.FS{
	"rules":      rules.Manuals,
	"agents":     agents.Manuals,
	"tournament": tournament.Manuals,
	"ratings":    ratings.Manuals,
	"configs":    configs.Manuals,
	"results":    results.Manuals,
}

// extendManual is the manual of who extends the program in Go.
//
//go:embed extend.md
var extendManual string

// manual returns the text of the manual, in Markdown.
func (t topic) manual() string {
	// Manuals are embedded by the packages in whose folders they are.
	folder, path, _ := strings.Cut(t.file, "/")
	switch t.name {
	case "settings":
		return settingsManual()
	case "extend":
		return extendManual
	}
	text, err := manuals[folder].ReadFile(path)
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(text)
}

// helpCmd prints a manual or the help of a command.
type helpCmd struct {
	Words []string `arg:"" optional:"" name:"topic" help:"Topic of a manual, or a command. Without it, the topics are listed."`
}

// Run prints the topics, a manual or the help of a command.
func (c *helpCmd) Run(e *env, k *kong.Context) error {
	if len(c.Words) == 0 {
		// The titles and the first sentences of all manuals.
		t := grid.New("", 3, "Topic", "Manual", "What it is about")
		for _, topic := range topics {
			title, about := topic.summary()
			t.Add(topic.name, title, about)
		}
		printTable(e.out, t, grid.Text, 0)
		e.out.printf("\ngyges help TOPIC prints a manual, gyges --help lists the commands, and\n" +
			"gyges COMMAND --help prints the flags of a command.\n")
		return nil
	}
	word := strings.Join(c.Words, " ")
	var known []string
	for _, t := range topics {
		if t.name == word {
			t.print(e.out)
			return nil
		}
		known = append(known, t.name)
	}
	// Anything else is read as a command, whose help is printed where it is parsed.
	args := append(slices.Clone(c.Words), "--help")
	_, err := parse(k.Kong, args)
	if errors.Is(err, errHelp) {
		return nil
	}
	for _, command := range k.Model.Children {
		known = append(known, command.Name)
	}
	slices.Sort(known)
	hint := suggest.DidYouMean(word, slices.Compact(known))
	return fmt.Errorf("unknown topic or command %.60q%s; see gyges help", word, hint)
}

// lineBreak is one inside a paragraph of Markdown.
var lineBreak = regexp.MustCompile(`([^\n|])\n {0,3}([^\s|#>\d-]|\d[^.])`)

// print prints the manual. A terminal breaks the lines of its paragraphs.
func (t topic) print(out *output) {
	text := t.manual()
	if out.terminal() != nil {
		const fence = "\n```"
		parts := strings.Split(text, fence) // every second one is code
		for i := 0; i < len(parts); i += 2 {
			parts[i] = lineBreak.ReplaceAllString(parts[i], "$1 $2")
		}
		text = strings.Join(parts, fence)
	}
	out.print(text)
}

// link is a link in Markdown, whose text is in the first group.
var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// summary returns the heading of the manual and the first sentence below it, without marks.
func (t topic) summary() (title, sentence string) {
	heading, rest, _ := strings.Cut(t.manual(), "\n\n")
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	paragraph = link.ReplaceAllString(paragraph, "$1")
	paragraph = strings.NewReplacer("`", "", "**", "", "\n", " ").Replace(paragraph)
	sentence, _, cut := strings.Cut(paragraph, ". ")
	if cut {
		sentence += "."
	}
	return strings.TrimPrefix(heading, "# "), sentence
}

// settingsManual returns the settings of runs as Markdown tables, from the tags of their configs.
func settingsManual() string {
	games, selfplay := tournament.DefaultConfig(), training.DefaultSelfPlay()
	fit, tuned := training.DefaultTexel(), training.DefaultSPSA()
	train := training.DefaultGenerations()
	// A text stands before each table.
	sections := []struct {
		text   string // before the table
		config any
		prefix string // of the keys
	}{
		{"# Settings of runs\n\n" +
			"The keys of YAML files, and the flags that override them.\n\n", &games, ""},
		{"\n## Self-play\n\n" +
			"The keys of tournaments, and these.\n\n", &selfplay.Explore, "explore."},
		{"\n", &selfplay.Split, "split."},
		{"\n## Fits: gyges tune texel\n\n", &fit, ""},
		{"\nThe keys of a network, which needs `epochs`:\n\n",
			&texel.Network{Seed: 1}, "network."},
		{"\nThe keys of a policy, which needs `epochs`:\n\n",
			&ranking.Settings{Seed: 1}, "policy."},
		{"\n## SPSA: gyges tune spsa\n\n" +
			"The keys below, and `parameters`, a mapping of the parameters\n" +
			"that are tuned.\n\n", &tuned, ""},
		{"\nThe keys of each parameter, which needs `c`:\n\n",
			&spsa.Param{}, "parameters.NAME."},
		{"\n## Training: gyges train\n\n" +
			"Those of `tune` are the keys of fits, with `tune.network` and `tune.policy`.\n\n",
			&train, ""},
		{"\nThe keys of a change of the self-play:\n\n",
			&training.Stage{}, "selfplay.stages."},
	}
	// Each table has a row for a setting, with its default, its flag and what it means.
	var manual strings.Builder
	for _, s := range sections {
		manual.WriteString(s.text)
		manual.WriteString(settings.Table(s.config, s.prefix))
	}
	manual.WriteString("\n## Features of the evaluation\n\n" +
		"Those of weights files, and parameters `weight.FEATURE` of agents. " +
		"A difference is the mover's count minus\nthe opponent's. " +
		"A side controls what it could land on if it were to move.\n\n" +
		"| feature | what it counts |\n|---|---|\n")
	for _, f := range eval.Features() {
		fmt.Fprintf(&manual, "| `%s` | %s |\n", f.Name, f.Doc)
	}
	return manual.String()
}
