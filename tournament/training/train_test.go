package training

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/eval"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
	"gyges/tournament"
	"gyges/tournament/record"
)

// registry has the kinds that self-play needs.
func registry() *agents.Registry { return builtin.Registry() }

// testEnv returns an env with an observer, whose other functions do nothing.
func testEnv(o Observer) Env {
	or(&o.Stage, func(int, string, int64) {})
	or(&o.Progress, func(int64, int64, string) {})
	or(&o.Game, func(*record.Record) {})
	or(&o.Generation, func(Generation) {})
	or(&o.Step, func([]Line) {})
	return Env{Registry: registry(), Version: "v1", Log: slog.New(slog.DiscardHandler), Observer: o}
}

func or[F any](f *F, other F) {
	if reflect.ValueOf(*f).IsNil() {
		*f = other
	}
}

// testConfig trains for a second from weights of 0 but that of mobility, which has the
// wrong sign, so that the first candidate wins.
func testConfig(t *testing.T) Generations {
	t.Helper()
	c := DefaultGenerations()
	c.Rules = rules.MustParse("simplified")
	c.Match.Openings.ForMatch(c.Rules)
	c.Agent = agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "depth", Value: "1"},
		{Name: "hash", Value: "1"}}}
	c.Weights = eval.Weights{Rules: eval.Simplified, Provenance: eval.Provenance{Method: "hand-set"}}
	for j, name := range eval.Names() {
		if name == "mobility" {
			c.Weights.Values[j] = -50
		}
	}
	c.Count, c.Rating.Pairs, c.Settings.Scale = 2, 10, 0.005
	c.SelfPlay.Pairs = 90
	c.SelfPlay.Split.Validation, c.SelfPlay.Split.Test = 20, 20
	c.Match.Pairs = 100
	c.Match.SPRT = sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic}
	c.Out = filepath.Join(t.TempDir(), "run")
	return c
}

// train runs a training to its end.
func train(t *testing.T, c *Generations) Trained {
	t.Helper()
	s, err := c.Run(t.Context(), testEnv(Observer{}))
	require.NoError(t, err)
	return s
}

// timings are the times of generations in an indented file.
var timings = regexp.MustCompile(`(?s)"timing": \{.*?\}`)

// contents are a run's files without clock readings and folders, by their names.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == tournament.ManifestFile {
			return err
		}
		text, err := os.ReadFile(path)
		var b strings.Builder
		for line := range strings.Lines(string(text)) {
			same, _, _ := strings.Cut(line, `,"timing":`)
			b.WriteString(same + "\n")
		}
		name, _ := filepath.Rel(dir, path)
		all[name] = timings.ReplaceAllString(strings.ReplaceAll(b.String(), dir, "DIR"), "")
		return err
	}))
	return all
}

func TestGenerations(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	var stages []string
	games, done, steps, seconds := 0, 0, 0, 0.0
	c.Time = time.Hour
	c.Rating.Reference, c.Rating.Each = "default", 3
	s, err := c.Run(t.Context(), testEnv(Observer{
		Stage: func(k int, stage string, count int64) {
			stages = append(stages, stage)
			p, err := ReadProgress(os.DirFS(c.Out))
			require.NoError(t, err)
			require.Equal(t, Progress{
				Time: p.Time, Generation: k, Generations: 2, Stage: stage, All: count, Unit: "games", Seconds: p.Seconds,
				Budget: 3600,
			}, *p)
			require.GreaterOrEqual(t, p.Seconds, seconds)
			seconds = p.Seconds
		},
		Game: func(*record.Record) { games++ },
		Progress: func(done, all int64, _ string) {
			require.LessOrEqual(t, done, all)
			steps++
		},
		Generation: func(g Generation) { done++; require.Equal(t, done, g.Number) },
	}))
	require.NoError(t, err)
	var want []string
	for _, g := range s.Generations {
		if want = append(want, "selfplay", "tune", "match"); g.Adopted {
			want = append(want, "reference")
		}
	}
	require.Equal(t, append(want, "rating"), stages)
	require.Positive(t, games)
	require.Positive(t, steps)
	require.Positive(t, seconds)
	require.NoFileExists(t, filepath.Join(c.Out, ProgressFile), "it is over")
	require.Len(t, s.Generations, 2)
	require.EqualValues(t, c.Rating.Each, s.Generations[0].ReferencePairs.N())
	require.NotEmpty(t, s.Generations[0].AgainstReference())
	first := s.Generations[0]
	require.True(t, first.Adopted)
	require.Positive(t, first.Test.Positions)
	require.Positive(t, first.Test.Gain)
	require.Positive(t, *first.Elo)
	require.Equal(t, 1, s.Generations[1].Parent)

	// The best weights are those of the last generation adopted.
	best, err := os.ReadFile(s.Weights)
	require.NoError(t, err)
	candidate, err := os.ReadFile(filepath.Join(c.Out, GenerationName(s.Best), WeightsFile))
	require.NoError(t, err)
	require.Equal(t, string(candidate), string(best))
	w, err := files.Load(s.Weights, eval.Read)
	require.NoError(t, err)
	require.Equal(t, "Elo", w.Provenance.Gain.Measure)
	require.Equal(t, "v1", w.Provenance.Version)
	require.NotEqual(t, c.Weights.Values, w.Values)

	// The manifest says the same.
	m := manifestOf(t, c.Out)
	require.Equal(t, tournament.Finished, m.Status)
	require.Equal(t, s.Generations, m.Result.Generations)
	require.Equal(t, s.Best, m.Result.Best)
}

// A training that was stopped again and again, at every stage, by another number of workers, and whose folder was moved
// each time, ends with the same files as one that wasn't. Records name weights by their path in the folder.
func TestGenerationsResume(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Workers = 1
	train(t, &c)
	want := contents(t, c.Out)
	require.Contains(t, want["gen-001/match/games.jsonl"], "weights=gen-000/weights.json")

	c.Out = filepath.Join(t.TempDir(), "run")
	stops := 0
	for n := 1; ; n += 41 {
		c.Workers = 1 + stops%3
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		_, err := c.Run(ctx, testEnv(Observer{
			Stage: func(int, string, int64) {
				if stops%4 == 3 { // as a stage begins
					cancel()
				}
			},
			Game: func(*record.Record) {
				if seen++; seen == n {
					cancel()
				}
			},
		}))
		cancel()
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		stops++
		moved := filepath.Join(t.TempDir(), "run")
		require.NoError(t, os.Rename(c.Out, moved))
		c.Out = moved
	}
	require.Greater(t, stops, 5)
	require.Equal(t, want, contents(t, c.Out))

	c.Seed = 2
	_, err := c.Run(t.Context(), testEnv(Observer{}))
	require.ErrorContains(t, err, `holds a run of another configuration; seed was "1", now "2"`)
}

// A run that has ended goes on with more generations, and then rates all that were
// adopted; with more pairs for the rating it plays those that are missing.
func TestGenerationsGoOn(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Match.SPRT = sprt.Test{Elo0: -200, Elo1: -100, Alpha: 0.05, Beta: 0.05, Model: sprt.Logistic} // adopts
	c.SelfPlay.Pairs, c.Count, c.Rating.Pairs = 60, 1, 2
	first := train(t, &c)
	require.Equal(t, 1, first.Best)
	c.Count = 2
	second := train(t, &c)
	require.Equal(t, 2, second.Best)
	require.NotEqual(t, first.Rating, second.Rating)
	games := 0
	c.Rating.Pairs = 3
	_, err := c.Run(t.Context(), testEnv(Observer{Game: func(*record.Record) { games++ }}))
	require.NoError(t, err)
	require.Equal(t, 3*3*2, games)
	c.Rating = Rating{Pairs: 1, Every: 2, Reference: eval.DefaultName}
	third := train(t, &c)
	require.Equal(t, c.path(0, "../rating-002-2"), third.RatingGames)
}

// titles returns the titles of the columns of rows.
func titles(rows []Row) string {
	return strings.Join(lists.Map(Columns(rows), func(c grid.Column[Row]) string { return c.Title }), ", ")
}

// A table of generations has no column that holds nothing.
func TestColumns(t *testing.T) {
	t.Parallel()
	rated := []Rated{{Player: GenerationName(7)}}
	require.Equal(t, "Generation, Verdict, Positions, Training loss, Validation loss, Minutes", titles(Rows([]Generation{{Number: 1}}, rated)))
	played := Generation{Number: 7, Pairs: sprt.Pairs{1}, LiveUnits: 3, Test: &texel.Test{}, ReferencePairs: sprt.Pairs{0, 1}}
	require.Equal(t, "Generation, Verdict, Pairs, LLR, Parent, Live units, Elo to the reference, Positions, Training loss, "+
		"Validation loss, Test loss, Test gain, Minutes, Rating", titles(Rows([]Generation{{Number: 1}, played}, rated)), "no Elo is finite")
}

// manifest is that of a run of generations.
type manifest struct {
	Status tournament.Status
	Result Result
}

func manifestOf(t *testing.T, dir string) (m manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &m))
	return m
}

// A generation under way when the time is over is stopped, with the reason, and resumes with a longer one to the same
// end; what passed before counts. One that would take longer than the rest isn't begun.
func TestTimeOfGenerations(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Workers = 1
	train(t, &c)
	want := contents(t, c.Out)

	c.Out, c.Time = filepath.Join(t.TempDir(), "run"), time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	_, err := c.Run(ctx, testEnv(Observer{Stage: func(_ int, stage string, _ int64) {
		if stage == "tune" {
			cancel()
		}
	}}))
	require.ErrorIs(t, err, context.Canceled)
	stopped := manifestOf(t, c.Out).Result.Timing
	require.Positive(t, stopped.SelfPlay)

	c.Time = time.Nanosecond
	s := train(t, &c)
	require.Empty(t, s.Generations)
	require.Equal(t, "Generation 1 was stopped, as the 1ns are over; a longer --time goes on with it.", s.Ended)
	require.FileExists(t, s.Weights)
	m := manifestOf(t, c.Out)
	require.Equal(t, s.Ended, m.Result.Ended)
	require.GreaterOrEqual(t, m.Result.Timing.SelfPlay, stopped.SelfPlay)

	c.Time = 0
	s = train(t, &c)
	require.Empty(t, s.Ended)
	require.Equal(t, want, contents(t, c.Out))
	first := s.Generations[0].Timing
	require.Greater(t, first.SelfPlay, stopped.SelfPlay)

	c.Time, c.Count = time.Nanosecond, 3
	s = train(t, &c)
	require.Len(t, s.Generations, 2)
	require.Equal(t, first, s.Generations[0].Timing)
	require.Regexp(t, `^Generation 3 was not begun, as 0s of 1ns are left and the one before took .*; a longer --time makes it\.$`,
		s.Ended)
}

// What is invalid or can't work is refused before anything is played.
func TestInvalidGenerations(t *testing.T) {
	t.Parallel()
	for message, change := range map[string]func(*Generations){
		"generations: expected a number from 1":  func(c *Generations) { c.Count = 0 },
		"agent: agent \"random\" has no weights": func(c *Generations) { c.Agent = agents.Spec{Kind: "random"} },
		"selfplay.pairs: expected":               func(c *Generations) { c.SelfPlay.Pairs = 0 },
		"selfplay.explore.temperature: expected": func(c *Generations) { c.SelfPlay.Explore.Temperature = -1 },
		"selfplay.split.validation: expected":    func(c *Generations) { c.SelfPlay.Split.Validation = 99 },
		"match.pairs: expected":                  func(c *Generations) { c.Match.Pairs = -1 },
		"match.sprt: expected a test":            func(c *Generations) { c.Match.SPRT = sprt.Test{} },
		"tune.lambda: expected":                  func(c *Generations) { c.Settings.Lambda = 0 },
		"workers: expected":                      func(c *Generations) { c.Workers = -1 },
		"time: expected":                         func(c *Generations) { c.Time = -1 },
		"rating.pairs: expected":                 func(c *Generations) { c.Rating.Pairs = -1 },
		"rating.every: expected":                 func(c *Generations) { c.Rating.Every = 0 },
		"rating.reference: weights no.json":      func(c *Generations) { c.Rating.Reference = "no.json" },
		"selfplay.stages[0].pairs: expected":     func(c *Generations) { c.SelfPlay.Stages = []Stage{{From: 2, Pairs: -1}} },
		"selfplay.stages[1].from: expected a generation from 3": func(c *Generations) {
			c.SelfPlay.Stages = []Stage{{From: 2}, {From: 2}}
		},
		"tune.scale: expected a number above 0": func(c *Generations) {
			c.Weights.Values, c.Settings.Scale = eval.Vector{}, 0
		},
		"selfplay.split: expected more pairs or another share: none of the 90 pairs of generation 1 gives validation positions": func(c *Generations) {
			c.SelfPlay.Split.Validation = 0
		},
		"none of the 2 pairs of generation 1 gives validation": func(c *Generations) { c.SelfPlay.Pairs, c.SelfPlay.Split = 2, Split{5, 5} },
		"gives train positions":                                func(c *Generations) { c.SelfPlay.Pairs, c.SelfPlay.Split = 2, Split{Validation: 90} },
		"match.pairs: expected more: no candidate is adopted, as elo0=0,elo1=50,alpha=0.05,beta=0.05,model=logistic " +
			"accepts elo1 by none of 22 pairs, all won": func(c *Generations) { c.Match.Pairs = 22 },
		"rating.each: expected 0 without rating.reference": func(c *Generations) { c.Rating.Each = 2 },
		"tune.features: expected some":                     func(c *Generations) { c.Settings.Features = []string{} },
		"tune.positions: expected 0, which is all, or 2":   func(c *Generations) { c.Choice.Positions = 1 },
		"agent: expected an agent spec":                    func(c *Generations) { c.Agent = agents.Spec{} },
		"selfplay.agent: agent \"greedier\": unknown":      func(c *Generations) { c.SelfPlay.Agent = agents.Spec{Kind: "greedier"} },
	} {
		c := testConfig(t)
		change(&c)
		err := c.Validate(registry())
		require.ErrorContains(t, err, message)
		require.Len(t, problems.Split(err), 1, message)
	}
}

// A training that was killed before there was anything to go on with begins anew.
func TestEmptyStartIsAStart(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	left := filepath.Join(c.Out, ManifestFile+".tmp-1234567890")
	require.NoError(t, os.MkdirAll(filepath.Join(c.Out, queueFolder), 0o755))
	require.NoError(t, os.WriteFile(left, []byte("{"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(c.Out, HistoryFile), nil, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := c.Run(ctx, testEnv(Observer{Stage: func(int, string, int64) { cancel() }}))
	require.ErrorIs(t, err, context.Canceled)
	require.FileExists(t, filepath.Join(c.Out, ManifestFile))
	require.NoFileExists(t, left)

	// Two at the same time are not begun.
	h, err := jsonl.Open(filepath.Join(c.Out, HistoryFile), maxLine, func([]byte) error { return nil })
	require.NoError(t, err)
	_, err = c.Run(t.Context(), testEnv(Observer{}))
	require.ErrorIs(t, err, files.ErrInUse)
	require.NoError(t, h.Close())
}
