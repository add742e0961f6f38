// Package runtest makes the folders of runs, for tests.
package runtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/record"
)

// DrawGame returns a game of moves drawn at random, where nobody misses a win. It is the same for
// the same number; the games of a pair have the same opening.
func DrawGame(set string, number int64, south, north string) *record.Record {
	rng := rand.New(rand.NewPCG(7, uint64(number)))
	r := rules.MustParse(set)
	opening := r.RandomSetup(rand.New(rand.NewPCG(8, uint64(number/2))))
	game := rules.NewGame(r, opening)
	g := &record.Record{
		Game: number, Pair: number / 2,
		Rules: set, Opening: r.FormatPosition(opening), Policy: "random",
		South: record.Player{Agent: south}, North: record.Player{Agent: north}, Moves: []string{},
		Timing: record.Timing{Start: time.Date(2026, 1, 2, 3, 4, int(number%60), 0, time.UTC),
			Seconds: 1},
	}
	for {
		outcome, reason := game.Outcome()
		if outcome != rules.Undecided || game.Ply() >= 60 {
			g.Result, g.Reason = outcome.String(), string(reason)
			if outcome == rules.Undecided {
				g.Result = "1/2-1/2"
				g.Reason = record.Adjudicated + "length"
				g.Adjudication = "plies=60"
			}
			break
		}
		m := ChooseMove(rng, game)
		g.Moves = append(g.Moves, m.String())
		game.PlayLegal(m)
	}
	g.Plies = game.Ply()
	return g
}

// ChooseMove draws a move, and wins where it can.
func ChooseMove(rng *rand.Rand, game *rules.Game) rules.Move {
	for m := range game.Legal().Goals() {
		return m
	}
	return game.Legal().At(rng.IntN(game.Legal().Len()))
}

// Config returns a config of a manifest, with every default left out, from JSON.
func Config(text string) (c tournament.Config) {
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		panic(err)
	}
	return c
}

// DrawPair returns the two games of a pair of the players a and b.
func DrawPair(pair int64) []*record.Record {
	return []*record.Record{DrawGame("standard", 2*pair, "a", "b"),
		DrawGame("standard", 2*pair+1, "b", "a")}
}

// Lines returns games as a file has them.
func Lines(games ...*record.Record) string {
	text, err := record.Lines(games...)
	if err != nil {
		panic(err)
	}
	return string(text)
}

var checksum = regexp.MustCompile(`,"crc32c":"[0-9a-f]{8}"`)

// WithoutSums returns records without their checksums, as other programs write them, for tests that
// change them.
func WithoutSums(records string) string { return checksum.ReplaceAllString(records, "") }

// WriteRun makes or changes the folder of a run with these lines of games. Its manifest has the
// status, or there is none without one. A running one is locked until the test ends.
func WriteRun(t testing.TB, dir, status, games string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, tournament.GamesFile), []byte(games), 0o644))
	if status == string(tournament.Running) {
		f, err := os.OpenFile(filepath.Join(dir, tournament.GamesFile), os.O_RDWR, 0)
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		if err := files.Lock(f); !errors.Is(err, files.ErrInUse) { // it was running before
			require.NoError(t, err)
		}
	}
	if status != "" {
		manifest := fmt.Sprintf(`{"schema":1,"status":%q,"games":{"scheduled":100,"played":0},
			"config":{"agents":["a","b"],"rules":["standard"],"sprt":"elo0=0,elo1=200"}}`, status)
		require.NoError(t,
			os.WriteFile(filepath.Join(dir, tournament.ManifestFile), []byte(manifest), 0o644))
	}
}

// AppendTo appends to a file.
func AppendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, errors.Join(err, f.Close()))
}
