package training

import (
	"bytes"
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
	var h history
	f.history, err = jsonl.Open(path, maxLine, h.add)
	f.lines = h.lines
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
	require.Empty(t, f.lines)
	_, err = openTest(path)
	require.ErrorContains(t, err, "another process is at work", "two runs can't write one history")
	for i := range 3 {
		require.NoError(t, f.append(line(i)))
	}
	require.NoError(t, f.close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	// Cut anywhere, what is left is whole f.lines, and the rest can be written anew.
	for cut := range len(whole) {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		f, err := openTest(path)
		require.NoError(t, err)
		require.Len(t, f.lines, bytes.Count(whole[:cut], []byte("\n")))
		for i := range f.lines {
			require.Equal(t, line(i), f.lines[i])
		}
		for i := len(f.lines); i < 3; i++ {
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
		lines, err := ReadHistory(bytes.NewReader(data), "h")
		if err != nil {
			return
		}
		require.Equal(t, bytes.Count(data, []byte("\n")), len(lines))
	})
}
