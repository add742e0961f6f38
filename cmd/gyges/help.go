package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"

	"github.com/alecthomas/kong"

	"gyges/agents"
	"gyges/agents/tuning"
	"gyges/agents/ugi"
	"gyges/cmd/gyges/internal/manual"
	"gyges/configs"
	"gyges/ratings"
	"gyges/results"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/suggest"
	"gyges/tournament"
	"gyges/tournament/live"
	"gyges/tournament/queue"
	"gyges/tournament/record"
	"gyges/tournament/report"
	"gyges/tournament/review"
	"gyges/tournament/training"
)

// topic is a manual, and its file from the root of the repository.
type topic struct{ name, file, manual string }

// topics are the manuals in the order in which they are listed.
var topics = []topic{
	{"rules", "rules/README.md", rules.Manual},
	{"agents", "agents/README.md", agents.Manual},
	{"ugi", "agents/ugi/README.md", ugi.Manual},
	{"tuning", "agents/tuning/README.md", tuning.Manual},
	{"tournament", "tournament/README.md", tournament.Manual},
	{"games", "tournament/record/README.md", record.Manual},
	{"review", "tournament/review/README.md", review.Manual},
	{"training", "tournament/training/README.md", training.Manual},
	{"queue", "tournament/queue/README.md", queue.Manual},
	{"report", "tournament/report/README.md", report.Manual},
	{"live", "tournament/live/README.md", live.Manual},
	{"ratings", "ratings/README.md", ratings.Manual},
	{"configs", "configs/README.md", configs.Manual},
	{"results", "results/README.md", results.Manual},
}

// helpCmd prints manuals and the help of commands.
type helpCmd struct {
	Format  string   `enum:"text,markdown" default:"text" placeholder:"FORMAT" help:"Output of a manual: text (default) or markdown, which is its source."`
	NoPager bool     `help:"Print a manual without a pager."`
	Words   []string `arg:"" optional:"" name:"topic" help:"Topic of a manual, or a command. Without it, the topics are listed."`
}

func (helpCmd) Help() string {
	return "Where a topic has the name of a command, the manual is printed; COMMAND --help prints its flags.\n\n" +
		"On a terminal a manual is shown by a pager: $GYGES_PAGER or $PAGER if they are set, else less. Its lines are as " +
		"wide as the terminal, or $COLUMNS, from 40 to 100 columns; elsewhere 80. $NO_COLOR turns off bold text and colours."
}

func (helpCmd) examples() []example {
	return []example{
		{"gyges help", "the topics"},
		{"gyges help ratings", "a manual"},
		{"gyges help games list", "the same as gyges games list --help"},
		{"gyges help rules --format markdown > rules.md", ""},
	}
}

// Run prints the topics, a manual or the help of a command.
func (c *helpCmd) Run(ctx context.Context, e *env, k *kong.Context) error {
	if len(c.Words) == 0 {
		return c.list(e)
	}
	word := c.Words[0]
	isCommand := slices.ContainsFunc(k.Model.Children, func(n *kong.Node) bool { return n.Name == word })
	i := slices.IndexFunc(topics, func(t topic) bool { return t.name == word })
	switch {
	case i >= 0 && len(c.Words) == 1:
		return c.manual(ctx, e, topics[i], isCommand)
	case i >= 0 && !isCommand:
		return fmt.Errorf("unexpected argument %.60s; see gyges help", c.Words[1])
	case !isCommand:
		return fmt.Errorf("unknown topic or command %.60q%s; see gyges help", word, suggest.DidYouMean(word, helpWords(k)))
	case c.Format != "text":
		return fmt.Errorf("--format %s: expected a topic, found the command %s", c.Format, word)
	}
	_, err := parse(k.Kong, append(slices.Clone(c.Words), "--help"))
	if errors.Is(err, errHelp) {
		return nil
	}
	return err
}

// helpWords lists the topics and the commands.
func helpWords(k *kong.Context) (words []string) {
	for _, t := range topics {
		words = append(words, t.name)
	}
	for _, n := range k.Model.Children {
		if !slices.Contains(words, n.Name) {
			words = append(words, n.Name)
		}
	}
	return words
}

// list prints the topics.
func (c *helpCmd) list(e *env) error {
	t := grid.Grid{Header: []string{"Topic", "Manual", "What it is about"}}
	for _, topic := range topics {
		title, about := manual.Summary(topic.manual)
		t.Add(topic.name, title, about)
	}
	if err := printTable(e.out, &t, c.Format == "markdown"); err != nil {
		return err
	}
	e.out.printf("\ngyges help TOPIC prints a manual, gyges --help lists the commands, and\n" +
		"gyges COMMAND --help prints the flags of a command.\n")
	return nil
}

// manual prints a topic's manual.
func (c *helpCmd) manual(ctx context.Context, e *env, t topic, isCommand bool) error {
	if c.Format == "markdown" {
		_, err := io.WriteString(e.out, t.manual)
		return err
	}
	text := manual.Render(t.manual, manual.Options{Columns: columns(e.out), Styles: styles(e.out), Address: t.address})
	if isCommand {
		text += fmt.Sprintf("\ngyges %s --help prints the flags of the command.\n", t.name)
	}
	if c.NoPager {
		_, err := io.WriteString(e.out, text)
		return err
	}
	return page(ctx, e, text)
}

// address returns what stands behind a link in a manual: a web address, the command
// that prints another manual, or another file's path from the root of the repository.
func (t topic) address(destination string) string {
	u, err := url.Parse(destination)
	if err != nil || u.Scheme != "" {
		return destination
	}
	if u.Path == "" { // a section of this manual
		return ""
	}
	file := path.Join(path.Dir(t.file), u.Path)
	for _, other := range topics {
		switch {
		case file != other.file && file != path.Dir(other.file):
		case other.file == t.file:
			return ""
		default:
			return "gyges help " + other.name
		}
	}
	return file
}
