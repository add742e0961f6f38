package training

import (
	"bytes"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/jsonl"
)

// openTest opens a history alone.
func openTest(path string) (f *folder, err error) {
	f = &folder{}
	f.history, err = jsonl.Open(path, maxLine, f.kept.add)
	return f, err
}

func line(step int) Line {
	loss := 0.5 / float64(step+1)
	return Line{
		Step: step, Loss: &loss, Games: 4,
		Parameters: map[string]float64{"near": math.Pi * float64(step), "front": -1e-9},
	}
}

func TestHistoriesResume(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	f, err := openTest(path)
	require.NoError(t, err)
	require.Empty(t, f.kept.lines)
	_, err = openTest(path)
	require.ErrorContains(t, err, "another process is at work", "two runs can't write one history")
	for i := range 3 {
		require.NoError(t, f.append(line(i)))
	}
	require.NoError(t, f.close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	// Cut anywhere, what is left is whole lines, and the rest can be written anew.
	for cut := range len(whole) {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		f, err := openTest(path)
		require.NoError(t, err)
		require.Len(t, f.kept.lines, bytes.Count(whole[:cut], []byte("\n")))
		for i := range f.kept.lines {
			require.Equal(t, line(i), f.kept.lines[i])
		}
		for i := len(f.kept.lines); i < 3; i++ {
			require.NoError(t, f.append(line(i)))
		}
		require.NoError(t, f.close())
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, whole, again)
	}
}

func TestInvalidHistories(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "h.jsonl")
	good := `{"step":1,"parameters":{"a":1}}` + "\n"
	for text, want := range map[string]string{
		good + "no json\n": ":2: expected a step of a tuning run: expected JSON",
		good + good:        ":2: expected a step of a tuning run: expected one after 1, found 1",
		`{"step":1}` +
			"\n": ":1: expected a step of a tuning run: expected a step from 0 and parameters",
		`{"step":-1,"parameters":{}}` + "\n":         ":1: expected a step of a tuning run: expected a step from 0",
		`{"step":1,"parameters":{},"x":1}` + "\n":    "x: there is no such field",
		`{"step":1,"parameters":{}} {}` + "\n":       "after top-level value",
		strings.Repeat(" ", maxLine) + good:          "expected at most 1048576 bytes",
		`{"step":1,"parameters":{"a":"NaN"}}` + "\n": "parameters.a: expected a number, found a text",
		`{"step":1,"parameters":{"a":1e999}}` + "\n": "parameters.a: expected a smaller number, found 1e999",
		`{"step":1.5,"parameters":{"a":1}}` + "\n":   "step: expected a whole number, found 1.5",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := openTest(path)
		require.ErrorContains(t, err, want)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(kept), "a file that is not ours stays as it is")
	}
}

func TestHistoryNumbersAreFinite(t *testing.T) {
	t.Parallel()
	f, err := openTest(filepath.Join(t.TempDir(), "h.jsonl"))
	require.NoError(t, err)
	l := line(1)
	l.Parameters["near"] = math.NaN()
	require.ErrorContains(t, f.append(l), "step 1: json: unsupported value: NaN")
	l = line(1)
	*l.Loss = math.Inf(1)
	require.Error(t, f.append(l))
	require.NoError(t, f.close())
}

func FuzzReadHistory(f *testing.F) {
	f.Add([]byte(`{"step":1,"parameters":{"a":1}}` + "\n" +
		`{"step":2,"loss":0.5,"parameters":{"a":2},"state":{"s":[1]}}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := ReadHistory(t.Context(), bytes.NewReader(data), "h")
		if err != nil {
			return
		}
		require.Equal(t, bytes.Count(data, []byte("\n")), len(lines))
	})
}

// A history that is too long for memory is read with lines left out: the first and the last ones are there, and
// those with an Elo.
func TestLongHistoriesAreThinned(t *testing.T) {
	t.Parallel()
	var h history
	const all, every, size = 50_000, 100, 10_000
	elo := 1.0
	for k := range all {
		l := Line{Step: k + 1}
		if l.Step%every == 0 {
			l.Elo = &elo
		}
		h.keep(l, size)
		require.LessOrEqual(t, len(h.lines), maxMemory/size)
	}
	require.Equal(t, 1, h.lines[0].Step)
	recent := h.lines[len(h.lines)-allRecent:]
	for i, l := range recent {
		require.Equal(t, all-allRecent+1+i, l.Step)
	}
	elos := 0
	for i, l := range h.lines {
		require.True(t, i == 0 || l.Step > h.lines[i-1].Step)
		if l.Elo != nil {
			elos++
		}
	}
	require.Equal(t, all/every, elos)
	require.Greater(t, len(h.lines), maxMemory/size/8)
}

// A folder is refused to a run of another configuration: one that lacks a key, and one whose seed differs in its last
// digit.
func TestFolderOfAnotherConfig(t *testing.T) {
	t.Parallel()
	const seed = uint64(1) << 63
	before := map[string]any{"seed": seed, "search": map[string]any{"tree": 2, "agent": nil}, "data": nil}
	dir := t.TempDir()
	f, err := openFolder(t.Context(), dir, Manifest{Method: "train", Config: before})
	require.NoError(t, err)
	require.NoError(t, f.close())
	for want, change := range map[string]func(config map[string]any){
		"": func(config map[string]any) { delete(config, "data") },
		"; search was {\"agent\":null,\"tree\":2}, now nothing":   func(config map[string]any) { delete(config, "search") },
		"; seed was 9223372036854775808, now 9223372036854775809": func(config map[string]any) { config["seed"] = seed + 1 },
	} {
		now := maps.Clone(before)
		change(now)
		f, err := openFolder(t.Context(), dir, Manifest{Method: "train", Config: now})
		if want != "" {
			require.EqualError(t, err, dir+": holds a run of another configuration"+want)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, f.close())
	}
}
