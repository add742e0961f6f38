package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/texel"
	"gyges/rules"
	"gyges/tournament/training"
)

// knownWeights are those that determine the results of the test's positions.
func knownWeights(t *testing.T) eval.Weights {
	w := eval.Default(eval.Standard)
	*w.Feature("only3"), *w.Feature("shared1"), *w.Feature("near") = 30, -20, 40
	return w
}

// writePositions writes a folder of training positions: positions of random play under a rule
// set, won as often as result says.
func writePositions(t *testing.T, r *rules.Rules, counts [dataset.NumSplits]int,
	result func(p rules.Position, u float64) bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "positions")
	var splits [dataset.NumSplits][]*dataset.Position
	rng, seen := rand.New(rand.NewPCG(1, 1)), map[rules.Position]bool{}
	game := int64(0)
	for split, n := range counts {
		for len(splits[split]) < n {
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
			if seen[p] {
				continue
			}
			seen[p] = true
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
			splits[split] = append(splits[split], &s)
		}
	}
	require.NoError(t, dataset.Write(t.Context(), dir, splits, map[string]string{"seed": "7"}))
	return dir
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
	data := writePositions(t, r, [dataset.NumSplits]int{6000, 500, 2000}, func(p rules.Position, u float64) bool {
		return u < 0.2 == (p.At(0) == 0 || p.At(rules.NumSquares-1) == 0)
	})
	out := filepath.Join(t.TempDir(), "out")
	parent := filepath.Join("..", "..", "results", "reference", "training", "handset-simplified.json")
	config := writeConfig(t,
		"rules: simplified\nscale: 0.006\nleaves: true\nnetwork: {epochs: 3, rate: 0.001}\npolicy: {epochs: 8}\nweights: "+parent+"\ndata: "+data+"\n")
	code, text, errText := gyges(t.Context(), "", "tune", "texel", config, "--out", out)
	require.Zero(t, code, errText)
	require.Contains(t, text, "; with a network of 256 units, of which 256 are live\n")
	file := filepath.Join(out, training.WeightsFile)
	w, err := eval.Load(agents.Config{Registry: new(agents.Registry), Values: agents.Values{"weights": file}}, r)
	require.NoError(t, err)
	require.NotNil(t, w.Network)
	require.NotNil(t, w.Policy)
	// The moves have nothing to do with the evaluations, which are the larger part of the target.
	require.Regexp(t, `Policy: fitted to \d+ moves, loss 2\.\d+, was 3\.\d+, on those of \d+ test positions\nAmong the first 1: `, text)
	require.Regexp(t, `\nAmong the first 8: 9\d\.\d %, was 2\d\.\d %\n`, text)
	require.Greater(t, w.Provenance.Gain.Value, w.Provenance.Gain.Margin)
	manifest, err := os.ReadFile(filepath.Join(out, training.ManifestFile))
	require.NoError(t, err)
	require.Contains(t, string(manifest), `"network.epochs": 3`)

	code, text, errText = gyges(t.Context(), "", "analyse", "321123/000000/000000/000000/000000/321123 s", "--rules",
		"simplified", "--agent", "greedy:weights="+file)
	require.Zero(t, code, errText)
	require.Regexp(t, `(?m)^ network +-?[0-9.]+ +0\.01 +`, text)
}

// From training positions in files to a weights file: weights that the results follow are
// found again: they predict the results of the test positions as well as the true ones.
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
	require.NoError(t, errors.Join(err, in.Close()))
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

	varies := map[int]bool{} // features by their number
	for p, err := range dataset.Read(data, dataset.Train, r) {
		require.NoError(t, err)
		var v eval.Vector
		e.Extract(p.Position, &v, new(inputs.List))
		for j, value := range v {
			varies[j] = varies[j] || value != 0
		}
	}
	tuned := 0
	for j, f := range result.Features {
		require.InDelta(t, f.Weight, got.Values[j], 1e-3*math.Abs(f.Weight)+1e-9)
		require.Equal(t, !varies[j], f.Frozen, f.Name)
		if f.Frozen {
			continue
		}
		tuned++
	}
	require.Greater(t, tuned, 10)
	best, n := 0.0, 0.0 // the loss of the weights that the results follow
	for p, err := range dataset.Read(data, dataset.Test, r) {
		require.NoError(t, err)
		x := scale * float64(e.Score(p.Position))
		best += math.Log1p(math.Exp(x)) - p.Result()*x
		n++
	}
	require.InDelta(t, best/n, result.Test.Loss, 0.003)

	historyFile, err := os.Open(filepath.Join(out, training.HistoryFile))
	require.NoError(t, err)
	lines, err := training.ReadHistory(t.Context(), historyFile, "history")
	require.NoError(t, errors.Join(err, historyFile.Close()))
	require.Equal(t, 0, lines[0].Step)
	require.Less(t, *lines[len(lines)-1].Loss, *lines[0].Loss)
	require.InDelta(t, *got.Feature("near"), lines[len(lines)-1].Parameters["near"], 1e-3)

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

func TestTexelRefusesBadData(t *testing.T) {
	r := rules.MustParse("standard")
	coin := func(_ rules.Position, u float64) bool { return u < 0.5 }
	whole := writePositions(t, r, [dataset.NumSplits]int{50, 50, 0}, coin)
	truncated := filepath.Join(t.TempDir(), "positions")
	require.NoError(t, os.CopyFS(truncated, os.DirFS(whole)))
	shards, err := filepath.Glob(truncated + "/train*")
	require.NoError(t, err)
	require.NoError(t, os.Truncate(shards[0], 300))

	// A folder given twice counts once, which is said; it may be given by the flag alone.
	code, text, errText := gyges(t.Context(), "", "tune", "texel", writeConfig(t, "scale: 0.006\n"), "--data", whole+","+whole+"/.",
		"--out", filepath.Join(t.TempDir(), "out"))
	require.Zero(t, code, errText)
	require.Contains(t, errText, "training positions given twice count once")
	require.Contains(t, text, "Positions: 50 training, 50 validation, 0 test; ")
	require.Regexp(t, `\nVerdict: not compared with the weights at the start; how they play, a match tells\n$`, text)
	for name, c := range map[string]struct{ config, want string }{
		"no folder": {"data: " + t.TempDir() + "/none", "no such file or directory"},
		"no validation": {"data: " + writePositions(t, r, [dataset.NumSplits]int{50, 0, 0}, coin),
			"expected validation positions, found none"},
		"other rules": {"rules: kang\ndata: " + whole,
			"expected training positions of rules kang, found some of standard"},
		"broken shard": {"data: " + truncated, "train-"},
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
