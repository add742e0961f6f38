//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

// flipsVariable is the environment variable for how many bits TestFlippedBits flips in each file. Default: 10.
const flipsVariable = "GYGES_FLIPS"

// flipKind is a file in which bits are flipped.
type flipKind struct {
	name string
	file string // in the folder run
	make string // the program's arguments that make the folder
	read string // that go on with it, or read it
	// verify reads a run that was not refused once more; it is refused then, or
	// what verify returns must not have changed. nil: a number may have changed.
	verify func(t *testing.T, dir string) (counted string, refused bool)
}

var flipKinds = []flipKind{
	{
		name: "records", file: "games.jsonl", verify: recorded,
		make: "tournament --agent random --agent greedy --rules simplified --pairs 10 --out DIR",
		read: "tournament --agent random --agent greedy --rules simplified --pairs 10 --out DIR",
	},
	{
		name: "manifest", file: "manifest.json", verify: replayed,
		make: "tournament --agent random --agent greedy --rules simplified --pairs 10 --out DIR",
		read: "tournament --agent random --agent greedy --rules simplified --pairs 10 --out DIR",
	},
	{
		name: "training positions", file: "positions/train-*.parquet", verify: always,
		make: "selfplay --agent alphabeta:depth=1,hash=1 --rules simplified --pairs 10 --validation 30 --out DIR",
		read: "tune texel FIT --data DIR/positions --out DIR/fit",
	},
	{name: "tuning manifest", file: "tuning.json", make: "tune spsa CONFIG --out DIR", read: "tune spsa CONFIG --out DIR"},
	{name: "tuning history", file: "history.jsonl", make: "tune spsa CONFIG --out DIR",
		read: "tune spsa CONFIG --out DIR"},
}

// always is the verification of files that no flipped bit leaves readable.
func always(*testing.T, string) (string, bool) { return "read", false }

// recorded returns the games of a run without clock readings.
func recorded(t *testing.T, dir string) (string, bool) {
	text, err := os.ReadFile(filepath.Join(dir, "games.jsonl"))
	require.NoError(t, err)
	return timing.ReplaceAllString(string(text), ""), false
}

// replayed replays the games of a run, and returns what counts of them: all but clock readings, what the players said
// of their moves, and the moves themselves, of which one may have become another that leads to the same end.
func replayed(t *testing.T, dir string) (string, bool) {
	code, _, errText := gyges(t.Context(), "", "data", "make", dir)
	if code != exitOK {
		require.Regexp(t, clearLine, errText)
		return "", true
	}
	text, err := os.ReadFile(filepath.Join(dir, "games.jsonl"))
	require.NoError(t, err)
	var all strings.Builder
	for r := record.NewReader(bytes.NewReader(text), dir); ; {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all.String(), false
		}
		require.NoError(t, err)
		g.Timing, g.Moves, g.Scores, g.Depths, g.Nodes, g.Policy = record.Timing{}, nil, nil, nil, nil, ""
		line, err := json.Marshal(g)
		require.NoError(t, err)
		all.Write(append(line, '\n'))
	}
}

// TestFlippedBits flips a random bit of a run's file and goes on with the run. It is refused in one line, or has the
// same games in the end, after a flip in its manifest games that replay and in which nothing that counts has changed;
// in the files of a tuning run a number may have.
//
// GYGES_FLIPS=1000 go test -run TestFlippedBits -v ./cmd/gyges
func TestFlippedBits(t *testing.T) {
	flips := fromEnvironment(t, flipsVariable, 10)
	config := writeConfig(t,
		"rules: simplified\nagent: alphabeta:depth=1,hash=1\nparameters: {weight.mobility: {c: 5}}\nsteps: 3\npairs: 1")
	fit := writeConfig(t, "rules: simplified\ndata: positions\nscale: 0.005\n")
	for i, kind := range flipKinds {
		t.Run(kind.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			words := func(text string) []string {
				return strings.Fields(strings.NewReplacer("DIR", dir, "CONFIG", config, "FIT", fit).Replace(text))
			}
			code, _, errText := gyges(t.Context(), "", words(kind.make)...)
			require.Zero(t, code, errText)
			want := ""
			if kind.verify != nil {
				want, _ = kind.verify(t, dir)
			}
			whole := t.TempDir()
			require.NoError(t, os.CopyFS(whole, os.DirFS(dir)))
			paths, err := filepath.Glob(filepath.Join(dir, kind.file))
			require.NoError(t, err)
			require.Len(t, paths, 1)
			text, err := os.ReadFile(paths[0])
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			refused := 0
			for range flips {
				bit := rng.IntN(8 * len(text))
				flipped := bytes.Clone(text)
				flipped[bit/8] ^= 1 << (bit % 8)
				require.NoError(t, os.RemoveAll(dir))
				require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
				require.NoError(t, os.WriteFile(paths[0], flipped, 0o600))
				where := fmt.Sprintf("bit %d: %q", bit, flipped[max(0, bit/8-20):min(len(flipped), bit/8+20)])
				code, _, errText := gyges(t.Context(), "", words(kind.read)...)
				if code != exitOK {
					require.Contains(t, errText, dir, where)
					require.Regexp(t, clearLine, errText, where)
					refused++
				} else if kind.verify != nil {
					got, no := kind.verify(t, dir)
					if no {
						refused++
						continue
					}
					require.Equal(t, want, got, where)
				}
			}
			others := "nothing that counts has changed by the others"
			if kind.verify == nil {
				others = "the run has gone on with the others"
			}
			t.Logf("%s: %d bits flipped, %d refused, %s", kind.name, flips, refused, others)
		})
	}
}
