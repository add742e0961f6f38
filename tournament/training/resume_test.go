package training

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/ratings/sprt"
	"gyges/rules/base/problems"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// stopAt runs a training until a number of games have been reported.
func stopAt(t *testing.T, c *Generations, games int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := c.Run(ctx, testEnv(Observer{Game: func(*record.Record) {
		if games--; games == 0 {
			cancel()
		}
	}}))
	require.ErrorIs(t, err, context.Canceled)
}

// A training whose folder is moved, wherever it stands, goes on there to the same end; records name weights by their
// path in it.
func TestMovedTrainingsResume(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Workers = 1
	_, err := c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	want := contents(t, c.Out)
	require.Contains(t, want["gen-001/match/games.jsonl"], "weights=gen-000/weights.json")

	c.Out = filepath.Join(t.TempDir(), "0")
	for i, games := range []int{60, 185, 300} { // of self-play, a match, and the generation after it
		stopAt(t, &c, games)
		moved := filepath.Join(t.TempDir(), string(rune('1'+i)))
		require.NoError(t, os.Rename(c.Out, moved))
		c.Out = moved
	}
	_, err = c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	require.Equal(t, want, contents(t, c.Out))
	moved := c.Out + "-again"
	require.NoError(t, os.Rename(c.Out, moved))
	c.Out, c.Count = moved, 3
	_, err = c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
}

// checksums are those of records.
var checksums = regexp.MustCompile(`,"crc32c":"\w+"`)

// A run of a version that named weights by the path of the run goes on, with these names, moved or not.
func TestTrainingsWithPathsResume(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	stopAt(t, &c, 185)
	old := "/somewhere else/run/"
	for _, name := range []string{"selfplay/manifest.json", "selfplay/games.jsonl", "match/manifest.json", "match/games.jsonl"} {
		path := c.path(1, name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var lines strings.Builder
		for line := range strings.Lines(string(text)) {
			line = checksums.ReplaceAllString(line, "")
			lines.WriteString(strings.ReplaceAll(line, "weights=gen-", "weights="+old+"gen-"))
		}
		require.NoError(t, os.WriteFile(path, []byte(lines.String()), 0o600))
	}
	_, err := c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	text, err := os.ReadFile(c.path(1, "match/games.jsonl"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "weights=gen-")
	text, err = os.ReadFile(c.path(2, "selfplay/games.jsonl"))
	require.NoError(t, err)
	require.NotContains(t, string(text), old)
}

// What a run stopped with, a fit that fails or too few pairs, may change when it goes on, for what is to come.
func TestSettingsMayChange(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.SelfPlay.Split.Validation = 0 // a fit without which is refused
	_, err := c.Run(t.Context(), testEnv(Observer{}))
	require.ErrorContains(t, err, "expected validation positions, found none")
	c.Settings.Patience, c.Window = 7, 1
	c.SelfPlay.Split.Validation, c.SelfPlay.Pairs = 30, 95
	stopAt(t, &c, 190+2)
	pairs := 50
	if _, err := os.Stat(c.path(2, "selfplay")); err == nil { // the match was over before the stop took hold
		pairs = 95 // which what has begun keeps
	}
	c.Match.Pairs, c.SelfPlay.Pairs = 20, 40 // the match keeps its pairs, and the self-play
	c.Match.SPRT.Elo1 = 50
	c.SelfPlay.Stages = []Stage{{From: 2, Pairs: 50}}
	c.Settings.Iterations = 100
	s, err := c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	require.Len(t, s.Generations, 2)
	m, err := tournament.ReadManifest(os.DirFS(c.path(1, "selfplay")))
	require.NoError(t, err)
	require.Equal(t, 95, m.Config.Pairs)
	m, err = tournament.ReadManifest(os.DirFS(c.path(2, "selfplay")))
	require.NoError(t, err)
	require.Equal(t, pairs, m.Config.Pairs)
	c.Agent = c.Agent.With("depth", "2")
	_, err = c.Run(t.Context(), testEnv(Observer{}))
	require.ErrorContains(t, err, "holds a run of another configuration; agent was")
}

// A list of openings is compared by its content, unless the run is of a version that didn't keep it.
func TestOpeningsCompareByContent(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Count, c.Match.Pairs, c.Match.SPRT, c.Rating.Pairs = 1, 0, sprt.Test{}, 0
	list := filepath.Join(t.TempDir(), "list")
	load := func(text string) {
		require.NoError(t, os.WriteFile(list, []byte(text), 0o600))
		var err error
		c.SelfPlay.Openings, err = schedule.LoadOpenings(list)
		require.NoError(t, err)
	}
	const a, b = "213132/000000/000000/000000/000000/121323 s\n", "213132/000000/000000/000000/000000/123321 s\n"
	load(a)
	_, err := c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	load("# the same\n" + a)
	_, err = c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	load(a + b)
	_, err = c.Run(t.Context(), testEnv(Observer{}))
	require.ErrorContains(t, err, "list has changed since the run began: its SHA-256 was ")
	path := filepath.Join(c.Out, ManifestFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var manifest map[string]any
	require.NoError(t, json.Unmarshal(text, &manifest))
	delete(manifest, "files")
	manifest["config"].(map[string]any)["selfplay_openings_content"] = "1a"
	text, err = json.Marshal(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	var log strings.Builder
	env := testEnv(Observer{})
	env.Log = slog.New(slog.NewTextHandler(&log, nil))
	_, err = c.Run(t.Context(), env)
	require.NoError(t, err)
	require.Contains(t, log.String(), tournament.NoSums)
}

// What can't work is refused before anything is played.
func TestTrainingsThatCannotWork(t *testing.T) {
	t.Parallel()
	for message, change := range map[string]func(*Generations){
		"selfplay.split: expected more pairs or another share: none of the 90 pairs of generation 1 gives validation positions": func(c *Generations) { c.SelfPlay.Split.Validation = 0 },
		"none of the 2 pairs of generation 1 gives validation": func(c *Generations) {
			c.SelfPlay.Pairs, c.SelfPlay.Split = 2, Split{5, 5}
		},
		"gives train positions": func(c *Generations) { c.SelfPlay.Pairs, c.SelfPlay.Split = 2, Split{Validation: 90} },
		"match.pairs: expected more: no candidate is adopted, as elo0=0,elo1=50,alpha=0.05,beta=0.05,model=logistic " +
			"accepts elo1 by none of 22 pairs, all won": func(c *Generations) { c.Match.Pairs = 22 },
		"rating.each: expected 0 without rating.reference": func(c *Generations) { c.Rating.Each = 2 },
		"tune.features: expected some":                     func(c *Generations) { c.Settings.Features = []string{} },
		"tune.positions: expected 0, which is all, or 2":   func(c *Generations) { c.Choice.Positions = 1 },
	} {
		c := testConfig(t)
		change(&c)
		err := c.Validate(registry())
		require.ErrorContains(t, err, message)
		require.Len(t, problems.Split(err), 1, message)
	}
	c := testConfig(t)
	c.Match.Pairs = 23
	require.NoError(t, c.Validate(registry()))
	c.Data = []string{writeSplits(t, c.Rules, [3]string{"a", "b", ""})}
	c.SelfPlay.Split.Validation = 0
	require.NoError(t, c.Validate(registry()), "others validate")
	shards, err := filepath.Glob(filepath.Join(c.Data[0], "test-*"))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(shards[0], 100))
	require.ErrorContains(t, c.Validate(registry()), "tune.data[0]: "+shards[0]+": expected a file with the checksum")
}

// A generation under way when the time is over is stopped, with the reason, and resumes with a
// longer one to the same end. One that would take longer than the rest isn't begun.
func TestTimeOfGenerations(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Workers = 1
	_, err := c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	want := contents(t, c.Out)

	c.Out, c.Time = filepath.Join(t.TempDir(), "run"), time.Nanosecond
	s, err := c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	require.Empty(t, s.Generations)
	require.Equal(t, "Generation 1 was stopped, as the 1ns are over; a longer --time goes on with it.", s.Ended)
	require.FileExists(t, s.Weights)
	m, err := os.ReadFile(filepath.Join(c.Out, ManifestFile))
	require.NoError(t, err)
	require.Contains(t, string(m), `"ended": "Generation 1 was stopped`)

	c.Time = 0
	s, err = c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	require.Empty(t, s.Ended)
	require.Equal(t, want, contents(t, c.Out))

	c.Time, c.Count = time.Nanosecond, 3
	s, err = c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	require.Len(t, s.Generations, 2)
	require.Regexp(t, `^Generation 3 was not begun, as 0s of 1ns are left and the one before took .*; a longer --time makes it\.$`,
		s.Ended)
}
