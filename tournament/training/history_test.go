package training

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gyges/rules/base/files"

	"github.com/stretchr/testify/require"
)

func line(step int) Line {
	loss := 0.5 / float64(step+1)
	return Line{
		Step: step, Loss: &loss, Games: 4,
		Parameters: map[string]float64{"near": math.Pi * float64(step), "front": -1e-9},
	}
}

// A history is read as it was written, and goes on there. What can't be read again isn't written.
func TestHistoriesResume(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range 3 {
		f, err := openFolder(t.Context(), dir, Manifest{})
		require.NoError(t, err)
		require.Len(t, f.kept.lines, n)
		for i := range n {
			require.Equal(t, line(i), f.kept.lines[i])
		}
		_, err = openFolder(t.Context(), dir, Manifest{})
		require.ErrorIs(t, err, files.ErrInUse)
		bad := line(n)
		bad.Parameters["near"] = math.NaN()
		require.ErrorContains(t, f.append(bad), fmt.Sprintf("step %d: json: unsupported value: NaN", n))
		bad = line(n)
		*bad.Loss = math.Inf(1)
		require.Error(t, f.append(bad))
		require.NoError(t, errors.Join(f.append(line(n)), f.history.Close()))
	}
}

func TestInvalidHistories(t *testing.T) {
	t.Parallel()
	good := `{"step":1,"parameters":{"a":1}}` + "\n"
	for text, want := range map[string]string{
		good + "no json\n":                           "h:2: expected a step of a tuning run: expected JSON",
		good + good:                                  "h:2: expected a step of a tuning run: expected one after 1, found 1",
		`{"step":1}` + "\n":                          "h:1: expected a step of a tuning run: expected a step from 0 and parameters",
		`{"step":-1,"parameters":{}}` + "\n":         "h:1: expected a step of a tuning run: expected a step from 0",
		`{"step":1,"parameters":{},"x":1}` + "\n":    "x: there is no such field",
		`{"step":1,"parameters":{}} {}` + "\n":       "after top-level value",
		strings.Repeat(" ", maxLine) + good:          "expected at most 1048576 bytes",
		`{"step":1,"parameters":{"a":"NaN"}}` + "\n": "parameters.a: expected a number, found a text",
		`{"step":1,"parameters":{"a":1e999}}` + "\n": "parameters.a: expected a smaller number, found 1e999",
		`{"step":1.5,"parameters":{"a":1}}` + "\n":   "step: expected a whole number, found 1.5",
	} {
		_, err := ReadHistory(t.Context(), strings.NewReader(text), "h")
		require.ErrorContains(t, err, want)
	}
	lines, err := ReadHistory(t.Context(), strings.NewReader(good+"{"), "h")
	require.NoError(t, err)
	require.Len(t, lines, 1)
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

// A folder of something else is refused, and so is that of another method or configuration: one that lacks a key, and
// one whose seed differs in its last digit.
func TestForeignFolders(t *testing.T) {
	t.Parallel()
	const seed = uint64(1) << 63
	before := map[string]any{"seed": seed, "search": map[string]any{"tree": 2, "agent": nil}, "data": nil}
	dir, other := t.TempDir(), t.TempDir()
	f, err := openFolder(t.Context(), dir, Manifest{Method: "train", Config: before})
	require.NoError(t, err)
	require.NoError(t, f.history.Close())
	refused := func(path, want string, m Manifest) {
		t.Helper()
		_, err := openFolder(t.Context(), path, m)
		require.ErrorContains(t, err, path+want)
		require.ErrorAs(t, err, new(*FolderError))
	}
	refused(dir, ": holds a run of another method; it was train, now spsa", Manifest{Method: "spsa", Config: before})
	now := maps.Clone(before)
	delete(now, "search")
	refused(dir, `: holds a run of another configuration; search was {"agent":null,"tree":2}, now nothing`,
		Manifest{Method: "train", Config: now})
	now = maps.Clone(before)
	now["seed"] = seed + 1
	refused(dir, ": holds a run of another configuration; seed was 9223372036854775808, now 9223372036854775809",
		Manifest{Method: "train", Config: now})
	now = maps.Clone(before)
	delete(now, "data")
	f, err = openFolder(t.Context(), dir, Manifest{Method: "train", Config: now})
	require.NoError(t, err)
	require.NoError(t, f.history.Close())

	require.NoError(t, os.WriteFile(filepath.Join(other, "games.jsonl"), nil, 0o600))
	refused(other, ": expected a new folder, or one of a tuning run, found one that holds games.jsonl", Manifest{})
	refused(filepath.Join(other, "games.jsonl", "run"), "", Manifest{})
	require.NoError(t, os.WriteFile(filepath.Join(other, ManifestFile), []byte("{"), 0o600))
	refused(other, "/tuning.json: expected the manifest of a tuning run", Manifest{})
}
