package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/texel"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/training"
)

// knownWeights are those that determine the results of the test's positions.
func knownWeights(t *testing.T) eval.Weights {
	w, err := eval.Default(eval.Standard)
	require.NoError(t, err)
	w.Values[eval.Only3], w.Values[eval.Shared1], w.Values[eval.Near] = 30, -20, 40
	return w
}

// writePositions writes a folder of training positions: positions of random play under a rule
// set, won as often as result says.
func writePositions(t *testing.T, r *rules.Rules, counts [dataset.NumSplits]int,
	result func(p rules.Position, u float64) bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "positions")
	w, err := dataset.Create(dir, map[string]string{"seed": "7"})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	game := int64(0)
	for split, n := range counts {
		for range n {
			g := rules.NewGame(r, r.RandomSetup(rng))
			for range rng.IntN(12) {
				moves := g.Legal()
				if g.PlayLegal(moves.At(rng.IntN(moves.Len()))); r.Outcome(g.Position()) != rules.Undecided {
					g.Undo()
					break
				}
			}
			p, err := r.ParsePosition(r.FormatPosition(g.Position()))
			require.NoError(t, err)
			s := dataset.Position{Rules: r, Position: p, Game: game, ToEnd: 1, Quiet: dataset.Quiet(r, p)}
			if moves := g.Legal(); moves.Len() > 0 {
				s.Move = moves.At(0)
			}
			if result(p, rng.Float64()) {
				s.Wins = 1
			} else {
				s.Losses = 1
			}
			game++
			require.NoError(t, w.Write(dataset.Split(split), &s))
		}
	}
	require.NoError(t, w.Close())
	return dir
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// readResult reads what tune texel writes of its result.
func readResult(t *testing.T, dir string) texel.Result {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, training.ManifestFile))
	require.NoError(t, err)
	var m struct{ Result texel.Result }
	require.NoError(t, json.Unmarshal(data, &m))
	return m.Result
}

// A network is fitted to training positions in files, written, and used.
func TestTexelFitsNetworks(t *testing.T) {
	r := rules.MustParse("simplified")
	// corners decide
	data := writePositions(t, r, [dataset.NumSplits]int{3000, 500, 1000}, func(p rules.Position, u float64) bool {
		return u < 0.2 == (p.At(0) == 0 || p.At(rules.NumSquares-1) == 0)
	})
	out := filepath.Join(t.TempDir(), "out")
	parent := filepath.Join("..", "..", "results", "reference", "training", "handset-simplified.json")
	config := writeConfig(t,
		"rules: simplified\nscale: 0.006\nleaves: true\nnetwork: {epochs: 3}\npolicy: {epochs: 2}\nweights: "+parent+"\ndata: "+data+"\n")
	code, text, errText := gyges(t.Context(), "", "tune", "texel", config, "--out", out)
	require.Zero(t, code, errText)
	require.Contains(t, text, "; with a network of 256 units\n")
	file := filepath.Join(out, training.WeightsFile)
	source, err := eval.Load(file)
	require.NoError(t, err)
	w, err := source.Weights(r)
	require.NoError(t, err)
	require.NotNil(t, w.Network)
	require.NotNil(t, w.Policy)
	require.Regexp(t, `Policy: fitted to \d+ moves, loss 1\.\d+, was 3\.\d+, on those of \d+ test positions\nAmong the first 1: `, text)
	require.Greater(t, w.Provenance.Gain.Value, w.Provenance.Gain.Margin)
	manifest, err := os.ReadFile(filepath.Join(out, training.ManifestFile))
	require.NoError(t, err)
	require.Contains(t, string(manifest), `"epochs": 3`)

	code, text, errText = gyges(t.Context(), "", "analyse", "321123/000000/000000/000000/000000/321123 s", "--rules",
		"simplified", "--agent", "greedy:weights="+file)
	require.Zero(t, code, errText)
	require.Regexp(t, `(?m)^ network +-?[0-9.]+ +0\.01 +`, text)
}

// From training positions in files to a weights file: weights that the results follow are
// found again within their stated confidence. With 16 weights and 4 standard
// errors, a right implementation fails in one of 1,000 choices of the seed.
func TestTexelRecoversWeightsFromFiles(t *testing.T) {
	const scale = 0.006
	r := rules.MustParse("standard")
	e, err := eval.New(knownWeights(t), r)
	require.NoError(t, err)
	data := writePositions(t, r, [dataset.NumSplits]int{12000, 1500, 2000}, func(p rules.Position, u float64) bool {
		return u < 1/(1+math.Exp(-scale*float64(e.Score(p))))
	})
	out := filepath.Join(t.TempDir(), "out")
	config := writeConfig(t, "name: recovery\nscale: 0.006\npatience: -1\ndata: "+data+"\n")
	code, text, errText := gyges(t.Context(), "", "tune", "texel", config, "--out", out)
	require.Zero(t, code, errText)
	require.Contains(t, text, "Positions: 12000 training, 1500 validation, 2000 test; scale 0.00600")

	in, err := os.Open(filepath.Join(out, training.WeightsFile))
	require.NoError(t, err)
	got, err := eval.Read(in, "got")
	require.NoError(t, errJoin(err, in.Close()))
	p := got.Provenance
	require.Equal(t, []any{"texel", "recovery", "default/standard", uint64(7), version()},
		[]any{p.Method, p.Run, p.Parent, p.Seed, p.Version})
	require.Equal(t, "12000 positions of "+data, p.Data)
	require.Equal(t, "test loss", p.Gain.Measure)
	require.Greater(t, p.Gain.Value, 0.0)
	require.EqualValues(t, 2000, p.Gain.Count)

	result := readResult(t, out)
	require.Equal(t, p.Gain.Value, result.Test.Gain)
	require.Contains(t, text, fmt.Sprintf("Test loss %.6f, was %.6f: gain", result.Test.Loss, result.Test.ParentLoss))

	want := knownWeights(t).Values
	tuned := 0
	for j, f := range result.Features {
		require.InDelta(t, f.Weight, got.Values[j], 1e-3*math.Abs(f.Weight)+1e-9)
		if f.Frozen {
			require.Contains(t, []string{"goals", "hand1", "hand2", "hand3", "wait_own", "wait_opp"}, f.Name)
			continue
		}
		tuned++
		require.InDelta(t, want[j], f.Weight, 4**f.Error, f.Name)
	}
	require.Equal(t, 16, tuned)

	historyFile, err := os.Open(filepath.Join(out, training.HistoryFile))
	require.NoError(t, err)
	lines, _, err := training.ReadHistory(historyFile, "history")
	require.NoError(t, errJoin(err, historyFile.Close()))
	require.Equal(t, 0, lines[0].Step)
	require.Less(t, *lines[len(lines)-1].Loss, *lines[0].Loss)
	require.InDelta(t, got.Values[eval.Near], lines[len(lines)-1].Parameters["near"], 1e-3)

	require.Equal(t, knownWeights(t).Network, got.Network, "a network that is not fitted stays")

	// What is written can be used, and a folder that holds a result is left alone.
	code, _, errText = gyges(t.Context(), "", "match", "greedy:weights="+filepath.Join(out, training.WeightsFile),
		"random", "--pairs", "1", "--out", filepath.Join(t.TempDir(), "m"))
	require.Zero(t, code, errText)
	finished := folderFiles(t, out)
	code, _, errText = gyges(t.Context(), "", "tune", "texel", config, "--out", out)
	require.Equal(t, exitUsage, code)
	require.Contains(t, errText, "expected a new folder, found the result of another run")
	require.Equal(t, finished, folderFiles(t, out))

	// A fit that was killed before its result begins anew.
	var manifest training.Manifest
	require.NoError(t, json.Unmarshal([]byte(finished[training.ManifestFile]), &manifest))
	manifest.Result = nil
	unfinished, err := json.Marshal(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(out, training.ManifestFile), unfinished, 0o600))
	code, _, errText = gyges(t.Context(), "", "tune", "texel", config, "--out", out)
	require.Zero(t, code, errText)
	require.Equal(t, finished, folderFiles(t, out))
}

// folderFiles returns the files of a folder by their names.
func folderFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(text)
	}
	return all
}

func errJoin(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestTexelRefusesBadData(t *testing.T) {
	r := rules.MustParse("standard")
	coin := func(_ rules.Position, u float64) bool { return u < 0.5 }
	won := func(rules.Position, float64) bool { return true }
	whole := writePositions(t, r, [dataset.NumSplits]int{50, 50, 0}, coin)
	good := t.TempDir()
	weights, err := eval.Default(eval.Standard)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, weights.Write(&text))
	file := func(name, text string) string {
		path := filepath.Join(good, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	truncated := filepath.Join(t.TempDir(), "positions")
	require.NoError(t, os.CopyFS(truncated, os.DirFS(whole)))
	shards, err := filepath.Glob(truncated + "/train*")
	require.NoError(t, err)
	require.NoError(t, os.Truncate(shards[0], 300))

	for name, c := range map[string]struct{ config, want string }{
		"no folder":    {"data: " + good + "/none", "no such file or directory"},
		"no positions": {"data: " + good, "expected training positions, files like train-"},
		"empty": {"data: " + writePositions(t, r, [dataset.NumSplits]int{}, coin),
			"expected training positions, found none"},
		"no validation": {"data: " + writePositions(t, r, [dataset.NumSplits]int{50, 0, 0}, coin),
			"expected validation positions, found none"},
		"one class": {"data: " + writePositions(t, r, [dataset.NumSplits]int{50, 50, 0}, won),
			"expected positions that were won and positions that were lost, found the result 1 in all 50"},
		"other rules": {"rules: kang\ndata: " + whole,
			"expected training positions of rules kang, found some of standard"},
		"broken shard": {"data: " + truncated, "train-"},
		"NaN": {"data: " + whole + "\nweights: " + file("nan.json",
			strings.Replace(text.String(), `"tempo": `, `"tempo": NaN, "x": `, 1)), ":2: weights: weights " + good +
			"/nan.json: expected a weights file"},
		"other features": {"data: " + whole + "\nweights: " + file("other.json",
			strings.Replace(text.String(), `"near"`, `"far"`, 1)), `unknown feature "far"`},
		"other family": {"data: " + whole + "\nrules: simplified\nweights: " + file("family.json", text.String()),
			":3: weights: weights " + good + "/family.json are for standard rules"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			code, stdout, errText := gyges(t.Context(), "", "tune", "texel", writeConfig(t, c.config+"\n"), "--out", out)
			require.Equal(t, exitUsage, code, errText)
			require.Empty(t, stdout)
			require.Contains(t, errText, c.want)
			require.NoDirExists(t, out)
		})
	}
}

const smallSPSA = `
agent: alphabeta:depth=1,hash=1
rules: simplified
parameters:
  weight.mobility: {c: 20, start: -50, r: 0.05}
  lmp_move_count: {c: 10, min: 5, max: 200}
steps: 12
pairs: 3
verification: {every: 5, pairs: 4}
`

const smallTD = `
agent: alphabeta:depth=1,hash=1,weight.mobility=0
rules: simplified
steps: 8
games: 6
openings: {policy: random, plies: 4}
verification: {every: 3, pairs: 4}
`

// history and weights of a run are the same whatever the workers, and when it is
// stopped in the middle of anything and gone on with.
func TestTuningRunsRepeatThemselves(t *testing.T) {
	for method, text := range map[string]string{"spsa": smallSPSA, "td": smallTD} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			config := writeConfig(t, text)
			dir := t.TempDir()
			tune := func(ctx context.Context, out string, more ...string) (int, string) {
				code, _, errText := gyges(ctx, "", append([]string{"tune", method, config, "--out", filepath.Join(dir, out)},
					more...)...)
				return code, errText
			}
			files := func(out string) string {
				var all string
				for _, name := range []string{training.HistoryFile, training.WeightsFile, training.ManifestFile} {
					data, err := os.ReadFile(filepath.Join(dir, out, name))
					require.NoError(t, err)
					all += string(data)
				}
				entries, err := os.ReadDir(filepath.Join(dir, out))
				require.NoError(t, err)
				require.Len(t, entries, 3, "the games of steps are gone")
				return all
			}
			code, errText := tune(t.Context(), "one", "--workers", "1")
			require.Zero(t, code, errText)
			code, errText = tune(t.Context(), "three", "--workers", "3")
			require.Zero(t, code, errText)
			require.Equal(t, files("one"), files("three"))

			// All steps were made, but not the result: as after a kill in between.
			code, errText = tune(t.Context(), "three")
			require.Zero(t, code, errText)
			require.Equal(t, files("one"), files("three"))

			stops := 0
			for code = exitInterrupted; code == exitInterrupted; stops++ {
				require.Less(t, stops, 200)
				ctx, cancel := context.WithCancel(t.Context())
				path := filepath.Join(dir, "stopped", training.HistoryFile)
				go stopAtNextStep(ctx, cancel, path)
				code, errText = tune(ctx, "stopped")
				if cancel(); code == exitInterrupted {
					require.Contains(t, errText, "Stopped. Go on with the same command and --out "+filepath.Join(dir, "stopped"))
				}
			}
			require.Zero(t, code, errText)
			require.Greater(t, stops, 1)
			require.Equal(t, files("one"), files("stopped"))

			path := filepath.Join(dir, "one", training.HistoryFile)
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(whole), "mobility", "charm")), 0o600))
			code, errText = tune(t.Context(), "one")
			require.Equal(t, exitUsage, code)
			require.Contains(t, errText, "expected the history of this run, found one of other parameters")

			code, errText = tune(t.Context(), "one", "--seed", "9")
			require.Equal(t, exitUsage, code)
			require.Contains(t, errText, "holds a run of another configuration; seed was 1, now 9")
			code, _, errText = gyges(t.Context(), "", "tune", "texel",
				writeConfig(t, "data: "+writePositions(t, rules.MustParse("standard"),
					[dataset.NumSplits]int{9, 9, 9}, func(_ rules.Position,
						u float64) bool {
						return u < 0.5
					})+"\n"), "--out", filepath.Join(dir, "one"))
			require.Equal(t, exitUsage, code)
			require.Contains(t, errText, "holds a run of another method; it was "+method+", now texel")
		})
	}
}

// stopAtNextStep cancels when a history has grown.
func stopAtNextStep(ctx context.Context, cancel func(), path string) {
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for before := size(); ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if size() > before {
			cancel()
		}
	}
}

// emptyStart makes a folder as a run leaves it that is killed before it has
// written its manifest.
func emptyStart(t *testing.T, manifest string, empty ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, manifest+".tmp-1234567890"), []byte("{"), 0o600))
	for _, name := range empty {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	return dir
}

// A run that was killed before there was anything to go on with begins anew.
func TestEmptyStartIsAStart(t *testing.T) {
	for command, c := range map[string]struct{ config, manifest, empty string }{
		"tune spsa":  {smallSPSA, training.ManifestFile, training.HistoryFile},
		"tune td":    {smallTD, training.ManifestFile, training.HistoryFile},
		"tournament": {smallTournament, tournament.ManifestFile, tournament.GamesFile},
		"selfplay":   {smallTournament, tournament.ManifestFile, tournament.GamesFile},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := emptyStart(t, c.manifest, c.empty)
			code, _, errText := gyges(t.Context(), "", append(strings.Fields(command), writeConfig(t, c.config), "--out",
				dir)...)
			require.Zero(t, code, errText)
			left, err := filepath.Glob(filepath.Join(dir, "*.tmp-*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

const smallTournament = `
agents: ["alphabeta:depth=1,hash=1", "alphabeta:depth=1,hash=2"]
rules: [simplified]
pairs: 1
openings: {policy: random}
`

func TestTuneRefusesFolders(t *testing.T) {
	dir := t.TempDir()
	config := writeConfig(t, smallSPSA)
	full := filepath.Join(dir, "full")
	require.NoError(t, os.MkdirAll(full, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(full, "games.jsonl"), nil, 0o600))
	broken := filepath.Join(dir, "broken")
	require.NoError(t, os.MkdirAll(broken, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(broken, training.ManifestFile), []byte("{"), 0o600))
	for out, want := range map[string]string{
		full:                           "expected a new folder, or one of a tuning run, found one that holds games.jsonl",
		broken:                         "tuning.json: expected the manifest of a tuning run",
		filepath.Join(config, "under"): "--out: ",
	} {
		code, stdout, errText := gyges(t.Context(), "", "tune", "spsa", config, "--out", out)
		require.Equal(t, exitUsage, code, out)
		require.Empty(t, stdout)
		require.Contains(t, errText, want)
	}
	for _, args := range [][]string{{"spsa", config, "--workers", "-1"}, {"spsa", "none.yaml"}, {"td", config},
		{"texel", config}, {"texel"}, {}} {
		code, _, _ := gyges(t.Context(), "", append([]string{"tune"}, args...)...)
		require.Equal(t, exitUsage, code, args)
	}
}
