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
	"gyges/rules/base/lists"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
	"gyges/tournament"
	"gyges/tournament/training"
)

// topic is a manual, and its file from the root of the repository; "" if it is made of the program's own tags.
type topic struct{ name, file string }

var topics = []topic{
	{"rules", "rules/README.md"}, {"agents", "agents/README.md"}, {"ugi", "agents/ugi/README.md"},
	{"tuning", "agents/tuning/README.md"}, {"tournament", "tournament/README.md"},
	{"games", "tournament/record/README.md"}, {"review", "tournament/review/README.md"},
	{"training", "tournament/training/README.md"}, {"queue", "tournament/queue/README.md"},
	{"report", "tournament/web/report/README.md"}, {"live", "tournament/web/live/README.md"},
	{"play", "tournament/web/play/README.md"}, {"ratings", "ratings/README.md"}, {"sprt", "ratings/sprt/README.md"},
	{"configs", "configs/README.md"}, {"results", "results/README.md"}, {"extend", "cmd/gyges/extend.md"},
	{"settings", ""},
}

// manuals has the files of topics, by the folders that their paths begin with.
var manuals = map[string]embed.FS{
	"rules": rules.Manuals, "agents": agents.Manuals, "tournament": tournament.Manuals, "ratings": ratings.Manuals,
	"configs": configs.Manuals, "results": results.Manuals,
}

// extendManual is the manual of who extends the program in Go.
//
//go:embed extend.md
var extendManual string

func (t topic) manual() string {
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

type helpCmd struct {
	Words []string `arg:"" optional:"" name:"topic" help:"Topic of a manual, or a command. Without it, the topics are listed."`
}

// Run prints the topics, a manual or the help of a command.
func (c *helpCmd) Run(e *env, k *kong.Context) error {
	if len(c.Words) == 0 {
		return c.list(e)
	}
	i := slices.IndexFunc(topics, func(t topic) bool { return t.name == c.Words[0] })
	if i >= 0 && len(c.Words) == 1 {
		text := topics[i].manual()
		if e.out.terminal() != nil {
			text = joinLines(text)
		}
		e.out.print(text)
		return nil
	}
	_, err := parse(k.Kong, append(slices.Clone(c.Words), "--help"))
	if errors.Is(err, errHelp) {
		return nil
	}
	word, known := strings.Join(c.Words, " "), lists.Map(topics, func(t topic) string { return t.name })
	known = append(known, lists.Map(k.Model.Children, func(n *kong.Node) string { return n.Name })...)
	slices.Sort(known)
	hint := suggest.DidYouMean(word, slices.Compact(known))
	return fmt.Errorf("unknown topic or command %.60q%s; see gyges help", word, hint)
}

// lineBreak is one inside a paragraph of Markdown.
var lineBreak = regexp.MustCompile(`([^\n|])\n {0,3}([^\s|#>\d-]|\d[^.])`)

func joinLines(text string) string {
	parts := strings.Split(text, "\n```") // every second one is code
	for i := 0; i < len(parts); i += 2 {
		parts[i] = lineBreak.ReplaceAllString(parts[i], "$1 $2")
	}
	return strings.Join(parts, "\n```")
}

func (c *helpCmd) list(e *env) error {
	t := grid.New("", 3, "Topic", "Manual", "What it is about")
	for _, topic := range topics {
		title, about := topic.summary()
		t.Add(topic.name, title, about)
	}
	if err := printTable(e.out, t, grid.Text, 0); err != nil {
		return err
	}
	e.out.printf("\ngyges help TOPIC prints a manual, gyges --help lists the commands, and\n" +
		"gyges COMMAND --help prints the flags of a command.\n")
	return nil
}

var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// summary returns the heading of the manual and the first sentence below it, without marks.
func (t topic) summary() (title, sentence string) {
	heading, rest, _ := strings.Cut(t.manual(), "\n\n")
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	plain := strings.NewReplacer("`", "", "**", "", "\n", " ").Replace(link.ReplaceAllString(paragraph, "$1"))
	sentence, _, cut := strings.Cut(plain, ". ")
	if cut {
		sentence += "."
	}
	return strings.TrimPrefix(heading, "# "), sentence
}

// settingsManual returns the settings of runs as Markdown tables, from the tags of their configs.
func settingsManual() string {
	games, selfplay := tournament.DefaultConfig(), training.DefaultSelfPlay()
	fit, tuned, train := training.DefaultTexel(), training.DefaultSPSA(), training.DefaultGenerations()
	features := ""
	for _, f := range eval.Features() {
		features += fmt.Sprintf("| `%s` | %s |\n", f.Name, f.Doc)
	}
	return "# Settings of runs\n\nThe keys of YAML files, and the flags that override them.\n\n" +
		settings.Table(&games, "") + "\n## Self-play\n\nThe keys of tournaments, and these.\n\n" +
		settings.Table(&selfplay.Explore, "explore.") + "\n" + settings.Table(&selfplay.Split, "split.") +
		"\n## Fits: gyges tune texel\n\n" + settings.Table(&fit, "") +
		"\nThe keys of a network, which needs `epochs`:\n\n" + settings.Table(&texel.Network{Seed: 1}, "network.") +
		"\nThe keys of a policy, which needs `epochs`:\n\n" + settings.Table(&ranking.Settings{Seed: 1}, "policy.") +
		"\n## SPSA: gyges tune spsa\n\nThe keys below, and `parameters`, a mapping of the parameters\nthat are tuned.\n\n" +
		settings.Table(&tuned, "") +
		"\nThe keys of each parameter, which needs `c`:\n\n" + settings.Table(&spsa.Param{}, "parameters.NAME.") +
		"\n## Training: gyges train\n\nThose of `tune` are the keys of fits, with `tune.network` and `tune.policy`.\n\n" +
		settings.Table(&train, "") + "\nThe keys of a change of the self-play:\n\n" +
		settings.Table(&training.Stage{}, "selfplay.stages.") +
		"\n## Features of the evaluation\n\nThose of weights files, and parameters `weight.FEATURE` of agents. A " +
		"difference is the mover's count minus\nthe opponent's. A side controls what it could land on if it were to " +
		"move.\n\n| feature | what it counts |\n|---|---|\n" + features
}
