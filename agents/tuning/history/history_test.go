package history

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func line(step int) Line {
	loss := 0.5 / float64(step+1)
	return Line{
		Step: step, Loss: &loss, Games: 4,
		Parameters: map[string]float64{"near": math.Pi * float64(step), "front": -1e-9},
		State:      map[string][]float64{"squares": {1, 2.5}},
	}
}

func TestHistoriesGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	w, lines, err := Append(path)
	require.NoError(t, err)
	require.Empty(t, lines)
	_, _, err = Append(path)
	require.ErrorContains(t, err, "another process is at work", "two runs can't write one history")
	for i := range 3 {
		require.NoError(t, w.Write(line(i)))
	}
	require.NoError(t, w.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	// Cut anywhere, what is left is whole lines, and the rest can be written anew.
	for cut := range len(whole) {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o600))
		w, lines, err := Append(path)
		require.NoError(t, err)
		require.Len(t, lines, bytes.Count(whole[:cut], []byte("\n")))
		for i := range lines {
			require.Equal(t, line(i), lines[i])
		}
		for i := len(lines); i < 3; i++ {
			require.NoError(t, w.Write(line(i)))
		}
		require.NoError(t, w.Close())
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, whole, again)
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.jsonl")
	good := `{"step":1,"parameters":{"a":1}}` + "\n"
	for text, want := range map[string]string{
		good + "no json\n":                           ":2: expected a step of a tuning run: invalid character",
		good + good:                                  ":2: expected a step after 1, found 1",
		`{"step":1}` + "\n":                          ":1: expected a step of a tuning run: expected a step from 0 and parameters",
		`{"step":-1,"parameters":{}}` + "\n":         ":1: expected a step of a tuning run: expected a step from 0",
		`{"step":1,"parameters":{},"x":1}` + "\n":    `unknown field "x"`,
		`{"step":1,"parameters":{}} {}` + "\n":       "something follows after its end",
		strings.Repeat(" ", maxLine) + good:          "expected at most 1048576 bytes",
		`{"step":1,"parameters":{"a":"NaN"}}` + "\n": "cannot unmarshal string",
		`{"step":1,"parameters":{"a":1e999}}` + "\n": "cannot unmarshal number",
		`{"step":1.5,"parameters":{"a":1}}` + "\n":   "cannot unmarshal number",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _, err := Append(path)
		require.ErrorContains(t, err, want)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(kept), "a file that is not ours stays as it is")
	}
}

func TestNumbersAreFinite(t *testing.T) {
	w, _, err := Append(filepath.Join(t.TempDir(), "h.jsonl"))
	require.NoError(t, err)
	l := line(1)
	l.Parameters["near"] = math.NaN()
	require.ErrorContains(t, w.Write(l), "parameter near: expected a finite number, found NaN")
	l = line(1)
	*l.Loss = math.Inf(1)
	require.Error(t, w.Write(l))
	require.NoError(t, w.Close())
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"step":1,"parameters":{"a":1}}` + "\n" + `{"step":2,"loss":0.5,"parameters":{"a":2},"state":{"s":[1]}}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "h.jsonl")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		lines, whole, err := Read(path)
		if err != nil {
			return
		}
		require.LessOrEqual(t, whole, int64(len(data)))
		require.Equal(t, bytes.Count(data, []byte("\n")), len(lines))
	})
}
