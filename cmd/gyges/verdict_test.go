package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/ratings/sprt"
)

// matchVerdict has the keys of the object of gyges match and gyges sprt.
type matchVerdict struct {
	testVerdict
	Games   int64 `json:"games"`
	Results struct {
		Wins   int64 `json:"wins"`
		Draws  int64 `json:"draws"`
		Losses int64 `json:"losses"`
	} `json:"results"`
	Faults []struct {
		Player string `json:"player"`
		Kind   string `json:"kind"`
		Games  int64  `json:"games"`
	} `json:"faults"`
	Moves []struct {
		Player   string   `json:"player"`
		Plies    *float64 `json:"plies"`
		Depth    *float64 `json:"depth"`
		Nodes    *float64 `json:"nodes"`
		Time     *float64 `json:"time_ms"`
		Longest  *float64 `json:"longest_ms"`
		Clock    *float64 `json:"clock_percent"`
		Left     *float64 `json:"left_ms"`
		Overruns int64    `json:"overruns"`
		Faults   int64    `json:"faults"`
	} `json:"moves"`
	Players []string `json:"players"`
	Rules   []string `json:"rules"`
	Status  string   `json:"status"`
	Seconds float64  `json:"seconds"`
	Folder  string   `json:"folder"`
}

// testVerdict has those of gyges sprt --penta.
type testVerdict struct {
	Verdict *string  `json:"verdict"`
	LLR     *float64 `json:"llr"`
	Bounds  struct {
		Lower *float64 `json:"lower"`
		Upper *float64 `json:"upper"`
	} `json:"bounds"`
	Test        string     `json:"test"`
	Pairs       int64      `json:"pairs"`
	Pentanomial sprt.Pairs `json:"pentanomial"`
	Elo         *float64   `json:"elo"`
	EloMargin   *float64   `json:"elo_margin"`
	NElo        *float64   `json:"nelo"`
	NEloMargin  *float64   `json:"nelo_margin"`
	LOS         *float64   `json:"los"`
	Corrected   bool       `json:"corrected"`
}

// tunedVerdict has those of gyges tune spsa.
type tunedVerdict struct {
	Verdict    string     `json:"verdict"`
	Folder     string     `json:"folder"`
	Parameters []string   `json:"parameters"`
	Before     []float64  `json:"before"`
	After      []float64  `json:"after"`
	Start      string     `json:"start"`
	Agent      string     `json:"agent"`
	Gain       *eval.Gain `json:"gain"`
	Pairs      sprt.Pairs `json:"pairs"`
	Steps      int        `json:"steps"`
	Games      int        `json:"games"`
	Weights    string     `json:"weights"`
}

// The keys of gyges tune texel and gyges train.
var (
	fittedKeys = []string{
		"verdict", "folder", "weights", "positions", "left_out", "scale", "iterations", "early_stop", "loss", "validation_loss", "test", "features",
	}
	trainedKeys = []string{"verdict", "folder", "weights", "best", "generations", "rating", "gain", "timing", "rating_games"}
)

// verdictOf reads an output that is one object with all the keys of T and no other ones.
func verdictOf[T any](t *testing.T, out string) (v T) {
	t.Helper()
	in := json.NewDecoder(strings.NewReader(out))
	in.DisallowUnknownFields()
	require.NoError(t, in.Decode(&v), out)
	require.False(t, in.More(), out)
	var keys map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(out), &keys))
	for _, key := range topKeys(reflect.TypeFor[T]()) {
		require.Contains(t, keys, key)
	}
	return v
}

func topKeys(of reflect.Type) (keys []string) {
	if of.Kind() != reflect.Struct {
		return nil
	}
	for _, field := range reflect.VisibleFields(of) {
		if !field.Anonymous {
			keys = append(keys, field.Tag.Get("json"))
		}
	}
	return keys
}

// judge runs gyges sprt on a folder.
func judge(t *testing.T, args ...string) matchVerdict {
	t.Helper()
	code, out, errText := gyges(t.Context(), "", append([]string{"sprt", "--format", "json"}, args...)...)
	require.Zero(t, code, errText)
	return verdictOf[matchVerdict](t, out)
}

// A match ends with its object, whose text is beside it on stderr, and gyges sprt says the same of its folder.
func TestVerdictOfAMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, args string
		code       int
		verdict    any
		status     string
	}{
		{"decided", "random random:name=b --rules simplified --sprt elo0=0,elo1=60 --seed 2", exitOK, "H0", "finished"},
		{"undecided", "random random:name=b --rules simplified,kang --sprt elo0=0,elo1=5 --pairs 6", exitOK, "undecided", "finished"},
		{"without a test", "random random:name=b --rules simplified --pairs 6", exitOK, nil, "finished"},
		{"all won", "greedy random --rules simplified --sprt elo0=0,elo1=9 --pairs 3", exitOK, "undecided", "finished"},
		{"lost by faults", "alphabeta:depth=3,name=slow random --movetime 1ns --time-margin 0s --sprt elo0=0,elo1=1 --pairs 9",
			exitNo, "undecided", "finished"},
		{"too few agents", "alphabeta:depth=9,clock=1ms,name=slow random --pairs 100 --suspend 4 --sprt elo0=0,elo1=5",
			exitNo, "stopped", "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "run")
			args := append([]string{"match", "--format", "json", "--out", out}, strings.Fields(c.args)...)
			code, text, errText := gyges(t.Context(), "", args...)
			require.Equal(t, c.code, code, errText)
			v := verdictOf[matchVerdict](t, text)
			require.Regexp(t, `(?m)^Pairs \d+: `, errText)
			require.Equal(t, []string{c.status, out}, []string{v.Status, v.Folder})
			require.Equal(t, v.Pairs, v.Pentanomial.N())
			require.Equal(t, v.Results.Wins+v.Results.Draws+v.Results.Losses, v.Games)
			require.Positive(t, v.Seconds)
			require.Equal(t, v.EloMargin == nil, v.LOS == nil)
			if code == exitNo {
				require.Equal(t, agents.LabelOf(v.Players[0]), v.Faults[0].Player)
				require.Equal(t, v.Moves[0].Player, v.Faults[0].Player)
				require.Equal(t, "timeout", v.Faults[0].Kind)
				require.Positive(t, v.Faults[0].Games)
			} else {
				require.Empty(t, v.Faults)
			}

			again := judge(t, out)
			if c.verdict == nil { // gyges sprt has a test
				require.Nil(t, v.Verdict)
				require.Equal(t, sprt.Default().String(), again.Test)
				again.Test, again.LLR, again.Bounds, again.Verdict = "", v.LLR, v.Bounds, nil
			} else {
				require.Equal(t, c.verdict, *v.Verdict)
			}
			require.Equal(t, v, again)
		})
	}
}

// A match that is interrupted ends with its object and the usual exit code. What judges it by other bounds
// and what was killed is told, too.
func TestVerdictOfAStoppedMatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	ctx, cancel := context.WithCancel(t.Context())
	go stopAtNextStep(ctx, cancel, filepath.Join(run, "games.jsonl"))
	code, text, errText := gyges(ctx, "", "match", "greedy", "random", "--rules", "simplified", "--pairs", "1000000",
		"--sprt", "elo0=0,elo1=1,alpha=1e-9,beta=1e-9", "--out", run, "--format", "json")
	require.Equal(t, exitInterrupted, code)
	v := verdictOf[matchVerdict](t, text)
	require.Equal(t, []string{"stopped", "interrupted"}, []string{*v.Verdict, v.Status})
	require.Contains(t, errText, "Stopped. Go on with the same command and --out "+run)
	require.Equal(t, v, judge(t, run))

	// One that was killed before it could write how it ended.
	manifest := filepath.Join(run, "manifest.json")
	ended, err := os.ReadFile(manifest)
	require.NoError(t, err)
	cut := bytes.Replace(ended, []byte(`"status": "interrupted"`), []byte(`"status": "running"`), 1)
	cut = regexp.MustCompile(`\n *"end": .*`).ReplaceAll(cut, nil)
	require.NoError(t, os.WriteFile(manifest, cut, 0o600))
	killed := judge(t, run, "--elo1", "200", "--beta", "0.4", "--alpha", "0.4")
	require.Equal(t, "elo0=0,elo1=200,alpha=0.4,beta=0.4,model=normalized", killed.Test)
	require.Equal(t, []string{"H1", "running"}, []string{*killed.Verdict, killed.Status})
	require.Equal(t, v.Pentanomial, killed.Pentanomial)
	require.Equal(t, "undecided", *judge(t, run).Verdict)
}

// A run that goes on is judged by the games that are on the disk, those ahead of a slow one included.
func TestVerdictOfARunThatGoesOn(t *testing.T) {
	t.Parallel()
	run := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() {
		code, _, _ := gyges(ctx, "", "match", "greedy", "random", "--rules", "simplified", "--pairs", "1000000", "--out", run)
		done <- code
	}()
	defer func() {
		cancel()
		require.Equal(t, exitInterrupted, <-done)
	}()
	require.Eventually(t, func() bool {
		info, err := os.Stat(filepath.Join(run, "games.jsonl"))
		return err == nil && info.Size() > 100_000
	}, time.Minute, 10*time.Millisecond)
	v := judge(t, run)
	require.Equal(t, "running", v.Status)
	require.Positive(t, v.Pairs)
	require.Greater(t, v.Games, v.Pairs)
}

// What isn't a run of two players is refused in a line.
func TestVerdictOfOtherFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	finish := func(args ...string) {
		code, _, errText := gyges(t.Context(), "", args...)
		require.Zero(t, code, errText)
	}
	finish("tournament", "--agent", "random", "--agent", "greedy", "--agent", "random:name=b", "--rules", "simplified",
		"--pairs", "1", "--out", path("three"))
	finish("match", "random", "greedy", "--rules", "simplified", "--pairs", "2", "--out", path("damaged"))
	finish("match", "random", "greedy", "--rules", "simplified", "--pairs", "2", "--out", path("empty"))
	finish("export", path("damaged"), "-o", path("games.pgn"))
	finish("import", path("games.pgn"), "--out", path("imported"))
	require.NoError(t, os.Mkdir(path("folder"), 0o700))
	require.NoError(t, os.Truncate(path("empty/games.jsonl"), 0))
	require.NoError(t, os.Truncate(path("damaged/manifest.json"), 9))
	const none = "expected the folder of a run, found none"
	for name, message := range map[string]string{
		"three":    "expected a run of two players, found 3",
		"imported": "expected a run of two players, found 0",
		"folder":   none, "nowhere": none,
		"games.pgn": "not a directory", "damaged": "expected a manifest",
	} {
		code, out, errText := gyges(t.Context(), "", "sprt", path(name), "--format", "json")
		require.Equal(t, exitUsage, code, name)
		require.Empty(t, out, name)
		require.Regexp(t, clearLine, errText)
		require.Contains(t, errText, message, name)
	}
	v := judge(t, path("empty"))
	require.Equal(t, "undecided", *v.Verdict)
	require.Zero(t, v.Games)
	require.NoError(t, os.WriteFile(path("empty/games.jsonl"), []byte("{}\n"), 0o600))
	code, out, errText := gyges(t.Context(), "", "sprt", path("empty"))
	require.Equal(t, exitUsage, code)
	require.Empty(t, out)
	require.Regexp(t, `^gyges: .*games\.jsonl:1: `, errText)
}

// Counts of any origin have the part of the object that they can have.
func TestVerdictOfCounts(t *testing.T) {
	t.Parallel()
	for counts, verdict := range map[string]string{
		"362,0,1,0,0": "H0", "0,0,1,0,362": "H1", "13,37,50,25,3": "undecided", "0,0,0,0,0": "undecided", "0,0,0,0,1": "undecided",
	} {
		code, out, errText := gyges(t.Context(), "", "sprt", "--penta", counts, "--format", "json")
		require.Zero(t, code, errText)
		v := verdictOf[testVerdict](t, out)
		require.Equal(t, verdict, *v.Verdict, counts)
		require.NotNil(t, v.LLR)
		require.NotNil(t, v.Bounds.Upper)
	}
}

// What tunes and trains ends with its object, also when it is stopped.
func TestVerdictOfLearning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	learn := func(ctx context.Context, args ...string) (code int, out, errText string) {
		return gyges(ctx, "", append(args, "--format", "json")...)
	}
	words := regexp.MustCompile(`^(H0|H1|undecided)$`)

	config := writeConfig(t, strings.Replace(smallSPSA, "every: 5, ", "", 1))
	ctx, cancel := context.WithCancel(t.Context())
	go stopAtNextStep(ctx, cancel, path("spsa/history.jsonl"))
	code, out, _ := learn(ctx, "tune", "spsa", config, "--out", path("spsa"))
	require.Equal(t, exitInterrupted, code)
	stopped := verdictOf[tunedVerdict](t, out)
	require.Equal(t, []string{"stopped", path("spsa")}, []string{stopped.Verdict, stopped.Folder})
	require.Less(t, stopped.Steps, 12)
	code, out, errText := learn(t.Context(), "tune", "spsa", config, "--out", path("spsa"))
	require.Zero(t, code, errText)
	require.Contains(t, errText, "Verdict: ")
	spsa := verdictOf[tunedVerdict](t, out)
	require.Regexp(t, words, spsa.Verdict)
	require.Equal(t, []string{"weight.mobility", "lmp_share"}, spsa.Parameters)
	require.Equal(t, []float64{-50, 250}, spsa.Before)
	require.Equal(t, stopped.Start, spsa.Start)
	require.Len(t, spsa.After, 2)
	require.Equal(t, []int{12, 72, 4}, []int{spsa.Steps, spsa.Games, int(spsa.Pairs.N())})
	require.Equal(t, path("spsa/weights.json"), spsa.Weights)
	code, out, errText = learn(t.Context(), "tune", "spsa", config, "--out", path("spsa"), "--seed", "9")
	require.Equal(t, exitUsage, code)
	require.Empty(t, out)
	require.Contains(t, errText, "holds a run of another configuration")

	config = writeConfig(t, "rules: simplified\nagent: alphabeta:depth=1,hash=1\ngenerations: 2\n"+
		"selfplay: {pairs: 40, split: {validation: 20}}\ntune: {scale: 0.005}\nmatch: {sprt: 'elo0=0,elo1=50', pairs: 30}\nrating: {pairs: 5}")
	ctx, cancel = context.WithCancel(t.Context())
	go stopAtNextStep(ctx, cancel, path("train/history.jsonl"))
	code, out, _ = learn(ctx, "train", config, "--out", path("train"))
	require.Equal(t, exitInterrupted, code)
	train := verdictOf[map[string]any](t, out)
	require.Equal(t, []any{"stopped", path("train")}, []any{train["verdict"], train["folder"]})
	require.Len(t, train["generations"], 1)
	code, out, errText = learn(t.Context(), "train", config, "--out", path("train"))
	require.Zero(t, code, errText)
	require.Contains(t, errText, "The weights of generation ")
	train = verdictOf[map[string]any](t, out)
	require.Regexp(t, words, train["verdict"])
	require.Len(t, train["generations"], 2)
	require.ElementsMatch(t, trainedKeys, slices.Collect(maps.Keys(train)))

	config = writeConfig(t, "rules: simplified\nleaves: true\ndata: "+path("train/gen-001/selfplay/positions"))
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	code, out, _ = learn(ctx, "tune", "texel", config, "--out", path("texel"))
	require.Equal(t, exitInterrupted, code)
	require.Equal(t, "stopped", verdictOf[map[string]any](t, out)["verdict"])
	require.NoDirExists(t, path("texel"))
	code, out, errText = learn(t.Context(), "tune", "texel", config, "--out", path("texel"))
	require.Zero(t, code, errText)
	require.Contains(t, errText, "Validation loss ")
	texel := verdictOf[map[string]any](t, out)
	require.Regexp(t, words, texel["verdict"])
	require.ElementsMatch(t, fittedKeys, slices.Collect(maps.Keys(texel)))
	require.Equal(t, path("texel/weights.json"), texel["weights"])
}

// The manual has every key.
func TestManualHasTheKeysOfVerdicts(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "ratings", "sprt", "README.md"))
	require.NoError(t, err)
	keys := slices.Concat(topKeys(reflect.TypeFor[matchVerdict]()), topKeys(reflect.TypeFor[tunedVerdict]()), fittedKeys, trainedKeys)
	for _, key := range keys {
		require.Regexp(t, "(?m)^\\|.*`"+key+"`.*\\|", string(text))
	}
}
