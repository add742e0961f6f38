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

func (a *waiting) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	select {
	case <-a.moves:
	case <-ctx.Done():
		return agents.Decision{}, ctx.Err()
	}
	return a.picker.Choose(ctx, g, lim)
}

// slowRunner plays a pair whose agents wait for moves. backdate lets the present game have
// begun long ago; wait returns the games of the pair.
type slowRunner struct {
	*Runner
	moves chan bool
	games chan []*record.Game
}

func newSlowRunner(t *testing.T, c *Config) *slowRunner {
	s := &slowRunner{moves: make(chan bool), games: make(chan []*record.Game, 1)}
	s.Runner = NewRunner(c, func(agents.Spec) (agents.Agent, error) {
		return &waiting{picker{scored: true}, s.moves}, nil
	})
	go func() {
		games, _ := s.Play(t.Context(), Job{Agents: [2]int{0, 1}, Games: [2]bool{true, true}}, 1)
		s.games <- games
	}()
	return s
}

func (s *slowRunner) backdate() {
	s.display.mu.Lock()
	defer s.display.mu.Unlock()
	s.display.start = s.display.start.Add(-2 * playingAge)
}

func (s *slowRunner) playing(now time.Time) *Playing { return PlayingOf([]*Runner{s.Runner}, now) }

// underWay waits until the game with that number has had so many moves.
func (s *slowRunner) underWay(t *testing.T, game int64, moves int) *record.Game {
	var g *record.Game
	require.Eventually(t, func() bool {
		_, g = s.display.games(time.Now().Add(playingAge))
		return g != nil && g.Game == game && len(g.Moves) == moves
	}, time.Minute, time.Millisecond)
	return g
}

func readPlaying(t *testing.T, dir string) *Playing {
	p, err := ReadPlaying(os.DirFS(dir))
	require.NoError(t, err)
	return p
}

// The file has the game under way with the moves so far, and the first game of the pair once that
// is over; it changes when they do, and is written from time to time anyway.
func TestPlayingFile(t *testing.T) {
	c := testConfig(t, "random", "scored")
	c.Rules = c.Rules[2:]
	r := newSlowRunner(t, &c)
	w := playingWriter{config: &c, source: r.playing}
	path, now := filepath.Join(c.Out, PlayingFile), time.Now()
	require.NoError(t, w.update(now))
	require.NoFileExists(t, path, "the game has only just begun")

	for range 3 {
		r.moves <- true
	}
	r.underWay(t, 0, 3)
	now = now.Add(playingAge + time.Second)
	require.NoError(t, w.update(now))
	p := readPlaying(t, c.Out)
	require.True(t, p.Time.Equal(now))
	require.Len(t, p.Games, 1)
	require.Equal(t, 1, p.Count)
	g := p.Games[0]
	require.Equal(t, []any{"random", "scored", "", "", 3, 3, 3},
		[]any{g.South.Agent, g.North.Agent, g.Result, g.Reason, g.Plies, len(g.Nodes), len(g.Timing.MoveMS)})

	require.NoError(t, os.Remove(path))
	require.NoError(t, w.update(now.Add(time.Second)))
	require.NoFileExists(t, path, "nothing has changed")
	require.NoError(t, w.update(now.Add(playingBeat)))
	require.Equal(t, g, readPlaying(t, c.Out).Games[0])

	r.backdate()
	for r.underWayGame() == 0 {
		select {
		case r.moves <- true:
		case <-time.After(time.Millisecond): // the game is over, and the next one begins
		}
	}
	require.NoError(t, w.update(time.Now().Add(playingAge)))
	p = readPlaying(t, c.Out)
	require.Len(t, p.Games, 2)
	require.EqualValues(t, []int64{1, 0}, []int64{p.Games[0].Game, p.Games[1].Game})
	require.Equal(t, 1, p.Count)
	_, err := record.Replay(p.Games[1])
	require.NoError(t, err, "the one that is over is whole")

	close(r.moves)
	games := <-r.games
	require.Len(t, games, 2)
	require.Equal(t, games[0].Moves, p.Games[1].Moves)
	require.NoError(t, w.update(time.Now().Add(playingAge)))
	require.Zero(t, readPlaying(t, c.Out).Count)
	r.display.clear()
	require.NoError(t, w.update(time.Now()))
	require.NoFileExists(t, path)
}

// underWayGame returns the number of the game under way, 0 if there is none.
func (s *slowRunner) underWayGame() int64 {
	if _, g := s.display.games(time.Now().Add(playingAge)); g != nil {
		return g.Game
	}
	return 0
}

// A run leaves no such file behind, be it finished or interrupted, nor one of an earlier
// process that was killed.
func TestPlayingFileRemoved(t *testing.T) {
	for _, agent := range []string{"random:id=1", "block"} {
		c := testConfig(t, "random", agent)
		path := filepath.Join(c.Out, PlayingFile)
		require.NoError(t, os.WriteFile(path, []byte("{}"), 0o644))
		ctx, cancel := context.WithCancel(t.Context())
		c.OnBegin = func(int64) {
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
	r := newSlowRunner(t, &c)
	r.moves <- true
	r.underWay(t, 0, 1)
	c.Out = filepath.Join(c.Out, "missing")
	w := playingWriter{config: &c, source: r.playing}
	for range 3 {
		w.note(w.update(time.Now().Add(playingAge)))
	}
	require.Equal(t, 1, strings.Count(log.String(), "can't be shown"))
	close(r.moves)
	<-r.games
}

// What is read is bounded.
func TestReadPlaying(t *testing.T) {
	dir := t.TempDir()
	for text, message := range map[string]string{
		"":                           "EOF",
		"[]":                         "expected an object, found a list",
		`{"games":[null]}`:           "expected at most 16 games",
		`{"games":[],"other":1}`:     "other: there is no such field",
		`{"games":[{"moves":"e1"}]}`: "games[0].moves: expected a list, found a text",
		`{"games":[` + strings.Repeat(`{},`, 16) + `{}]}`:                          "expected at most 16 games",
		`{"games":[{"moves":[` + strings.Repeat(`"",`, maxPlayingMoves) + `""]}]}`: "of 1000 moves",
		strings.Repeat(" ", maxPlayingSize+1):                                      "expected at most 1048576 bytes",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, PlayingFile), []byte(text), 0o644))
		_, err := ReadPlaying(os.DirFS(dir))
		require.ErrorContains(t, err, message)
	}
}
