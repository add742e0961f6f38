package tournament

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// waiting waits before each move for a value, or for the channel to be closed.
type waiting struct {
	picker
	moves <-chan bool
}

func (a *waiting) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	select {
	case <-a.moves:
	case <-ctx.Done():
		return agents.Decision{}, ctx.Err()
	}
	return a.picker.Choose(ctx, g, q)
}

// slowRunner plays a pair whose agents wait for moves.
type slowRunner struct {
	*Runner
	moves chan bool
	games chan []*record.Record
}

func newSlowRunner(t *testing.T, c *Config) *slowRunner {
	s := &slowRunner{moves: make(chan bool), games: make(chan []*record.Record, 1)}
	s.Runner = NewRunner(c, func(agents.Spec, ...*rules.Rules) (agents.Agent, error) {
		return &waiting{picker{Scored: true}, s.moves}, nil
	})
	go func() {
		games, _ := s.Play(t.Context(), Job{Agents: [2]int{0, 1}, Wanted: [2]bool{true, true}}, 1)
		s.games <- games
	}()
	return s
}

func (s *slowRunner) playing(now time.Time) *Playing { return PlayingOf([]*Runner{s.Runner}, now) }

// underWay waits until the game with that number has had a number of moves.
func (s *slowRunner) underWay(t *testing.T, game int64, moves int) *record.Record {
	var g *record.Record
	require.Eventually(t, func() bool {
		g = s.referee.Playing()
		return g != nil && g.Game == game && len(g.Moves) == moves
	}, time.Minute, time.Millisecond)
	return g
}

func readPlaying(t *testing.T, dir string) *Playing {
	p, err := ReadPlaying(os.DirFS(dir))
	require.NoError(t, err)
	return p
}

// The file has the game under way with the moves so far. It is there while one is played.
func TestPlayingFile(t *testing.T) {
	c := testConfig(t, "random", "scored")
	c.Rules = c.Rules[2:]
	r := newSlowRunner(t, &c)
	path := filepath.Join(c.Out, PlayingFile)
	file := Shown{Config: &c}
	for range 3 {
		r.moves <- true
	}
	require.Empty(t, r.playing(time.Now()).Games, "the game has only just begun")
	r.underWay(t, 0, 3)
	require.Eventually(t, func() bool {
		now := time.Now()
		file.Show(r.playing(now), now)
		_, err := os.Stat(path)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	p := readPlaying(t, c.Out)
	require.WithinDuration(t, time.Now(), p.Time, PlayingFresh)
	require.Len(t, p.Games, 1)
	require.Equal(t, 1, p.Count)
	g := p.Games[0]
	require.Equal(t, []any{"random", "scored", "", "", 3, 3, 3},
		[]any{g.South.Agent, g.North.Agent, g.Result, g.Reason, g.Plies, len(g.Nodes), len(g.Timing.MoveMS)})
	close(r.moves)
	require.Len(t, <-r.games, 2)
	file.Show(r.playing(time.Now().Add(time.Hour)), time.Now())
	require.NoFileExists(t, path)
}

// A run leaves no such file behind, be it finished or interrupted, nor one of an earlier process
// that was killed.
func TestPlayingFileRemoved(t *testing.T) {
	for _, agent := range []string{"random:id=1", "block"} {
		c := testConfig(t, "random", agent)
		path := filepath.Join(c.Out, PlayingFile)
		require.NoError(t, os.WriteFile(path, []byte("{}"), 0o644))
		ctx, cancel := context.WithCancel(t.Context())
		c.OnBegin = func(int64, func(int64) bool) {
			require.NoFileExists(t, path)
			if agent == "block" {
				cancel()
			}
		}
		_, err := Run(ctx, c, testRegistry(nil), nil)
		require.Equal(t, agent == "block", err != nil)
		require.NoFileExists(t, path)
		cancel()
	}
}

// A file that can't be written is logged once and doesn't stop a run.
func TestPlayingFileFails(t *testing.T) {
	c := testConfig(t, "random", "scored")
	var log strings.Builder
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	c.Out = filepath.Join(c.Out, "missing")
	file := Shown{Config: &c}
	for range 2 {
		file.Show(&Playing{Games: []*record.Record{{}}}, time.Now())
	}
	require.Equal(t, 1, strings.Count(log.String(), "can't be shown"))
}

// What is read is bounded.
func TestReadPlaying(t *testing.T) {
	dir := t.TempDir()
	for text, message := range map[string]string{
		"":                           "cut short",
		"[]":                         "expected an object, found a list",
		`{"games":[null]}`:           "expected at most 8 games",
		`{"games":[],"other":1}`:     "other: there is no such field",
		`{"games":[{"moves":"e1"}]}`: "games[0].moves: expected a list, found a text",
		`{"games":[` + strings.Repeat(`{},`, 8) + `{}]}`:                           "expected at most 8 games",
		`{"games":[{"moves":[` + strings.Repeat(`"",`, maxPlayingMoves) + `""]}]}`: "of 1000 moves",
		strings.Repeat(" ", maxPlayingSize+1):                                      "expected at most 1048576 bytes",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, PlayingFile), []byte(text), 0o644))
		_, err := ReadPlaying(os.DirFS(dir))
		require.ErrorContains(t, err, message)
	}
}
