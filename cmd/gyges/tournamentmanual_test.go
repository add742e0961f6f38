package main

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/settings"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/record/columnar"
	"gyges/tournament/record/pgn"
)

// The manuals of tournaments and games name every key of a config, a record, a manifest and an
// event, every column and tag of an export and every flag, each in its section.
func TestTournamentManual(t *testing.T) {
	sections := map[string][]string{
		"Config reference": append(flagNames(observerFlags{}), "--set", "--extend", "--format"),
		"Choose who meets whom": texts(tournament.RoundRobin, tournament.Gauntlet, tournament.Ladder,
			tournament.Swiss, tournament.Knockout, tournament.SelfPlay),
		"Choose the openings": texts(tournament.RandomOpenings, tournament.AgentOpenings, tournament.SetupOpenings),
		"End games early": {record.AdjudicatedResign, record.AdjudicatedDraw, record.AdjudicatedProven,
			record.AdjudicatedLength},
		"When an agent fails": slices.Concat(texts(record.FaultIllegal, record.FaultPanic, record.FaultError,
			record.FaultCrash, record.FaultTimeout, record.FaultProtocol, record.FaultSuspended),
			texts(agents.Forfeit, agents.AskNext, agents.Allow)),
		"The run folder": slices.Concat(jsonNames(tournament.Manifest{}), []string{tournament.GamesFile,
			tournament.ManifestFile}, texts(tournament.Running, tournament.Finished, tournament.Interrupted,
			tournament.Failed, tournament.Imported)),
		"The record": slices.Concat(jsonNames(record.Game{}), texts(rules.ByGoal, rules.ByPasses, rules.ByLength),
			[]string{record.AdjudicatedResign, record.AdjudicatedDraw, record.AdjudicatedProven, record.AdjudicatedLength,
				record.Imported}),
		"Follow a run from a program": slices.Concat(
			jsonNames(runEvent{}, gameEvent{}, ratingEvent{}, matchEvent{}, endEvent{}, planJSON{}),
			[]string{"start", "game", "rating", "match", "end", "plan"}),
		"List and replay games":   slices.Concat(grid.Keys(gameColumns), jsonNames(shownGame{}, shownMove{}), flagNames(gameFilter{}), []string{"--ply", "--quiet", "--format"}),
		"Export and import games": slices.Concat(pgnTags(t), grid.Keys(exportColumns), parquetColumns(t)),
	}
	config := tournament.DefaultConfig()
	require.Contains(t, tournament.Manual, settings.Table(&config, ""), "as gyges help settings prints it")
	for title, names := range sections {
		text := manualSection(t, tournament.Manual+record.Manual, title)
		missing := slices.DeleteFunc(names, func(name string) bool {
			return regexp.MustCompile("`(timing\\.)?" + regexp.QuoteMeta(name) + "([ :=][^`]*)?`").MatchString(text)
		})
		assert.Empty(t, missing, title)
	}
}

// manualSection returns a section of a manual, without its code blocks.
func manualSection(t *testing.T, manual, title string) string {
	t.Helper()
	_, text, found := strings.Cut(manual, "\n## "+title+"\n")
	require.True(t, found, title)
	text, _, _ = strings.Cut(text, "\n## ")
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
}

func texts[T ~string](list ...T) []string {
	var names []string
	for _, x := range list {
		names = append(names, string(x))
	}
	return names
}

// jsonNames returns the keys of structs as JSON, those of the structs in them too.
func jsonNames(structs ...any) []string {
	var names []string
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || !strings.HasPrefix(t.PkgPath(), "gyges/") && t.PkgPath() != "main" {
			return
		}
		for field := range t.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
				names = append(names, name)
				add(field.Type)
			}
		}
	}
	for _, x := range structs {
		add(reflect.TypeOf(x))
	}
	return names
}

// flagNames returns the flags of structs that commands embed.
func flagNames(structs ...any) []string {
	var names []string
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for field := range t.Fields() {
			if field.Anonymous {
				add(field.Type)
				continue
			}
			if _, ok := field.Tag.Lookup("help"); !ok {
				continue
			}
			name := field.Tag.Get("name")
			if name == "" {
				name = strings.ToLower(regexp.MustCompile("([a-z])([A-Z])").ReplaceAllString(field.Name, "$1-$2"))
			}
			names = append(names, "--"+name)
		}
	}
	for _, x := range structs {
		add(reflect.TypeOf(x))
	}
	return names
}

// pgnTags returns the tags of a game in PGN that has them all.
func pgnTags(t *testing.T) []string {
	t.Helper()
	g := &record.Game{
		Game: 1, Pair: 1, Rules: "standard", Opening: "x", Policy: "random",
		South: record.Player{Agent: "random:name=a", Seed: 1}, North: record.Player{Agent: "random:name=b", Seed: 1},
		Limits:       record.Limits{Depth: 1, Nodes: 1, MoveTime: "1s", Clock: "1s"},
		OnRepetition: "allow", Adjudication: "plies=1", Moves: []string{"a1"}, Plies: 1, Result: "1-0", Reason: "illegal",
		Fault: &record.Fault{Side: "north", Kind: record.FaultIllegal, Detail: "x"},
	}
	g.Timing.Start = g.Timing.Start.AddDate(2000, 0, 0)
	text, err := pgn.Append(nil, g, "x", agents.LabelOf)
	require.NoError(t, err)
	var tags []string
	for _, m := range regexp.MustCompile(`(?m)^\[(\w+) `).FindAllSubmatch(text, -1) {
		tags = append(tags, string(m[1]))
	}
	return tags
}

// parquetColumns returns the columns of games as Parquet.
func parquetColumns(t *testing.T) []string {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, columnar.NewWriter(&file).Close())
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	var columns []string
	for _, field := range f.Schema().Fields() {
		columns = append(columns, field.Name())
	}
	return columns
}
