package live

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/jsonl"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/web"
)

// longLines are records of games with these numbers, of which some 70 make a block.
func longLines(t *testing.T, numbers ...int64) string {
	t.Helper()
	text := ""
	for _, n := range numbers {
		g := drawGame("standard", n, "a", "b")
		g.Timing.Trace = []string{strings.Repeat("x", 4000)}
		line, err := record.Lines(g)
		require.NoError(t, err)
		text += string(line)
	}
	return text
}

// A game is found wherever it is in the records, what was appended to them and what replaced them included; the blocks
// that it can't be in are read once.
func TestRecordIsFound(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	s.maxRead = 256 << 10
	dir := filepath.Join(s.results, "match")
	path := filepath.Join(dir, tournament.GamesFile)
	var numbers []int64
	for n := range int64(200) {
		numbers = append(numbers, n^1) // as games end
	}
	numbers = append(numbers, 1_000_000_000_000, 500)
	writeRun(t, dir, "running", longLines(t, numbers...))
	find := func(n int64) error {
		g, _, err := s.Record(t.Context(), "", "match", n)
		if err == nil {
			require.Equal(t, n, g.Game)
		}
		return err
	}
	blocks := func() []block {
		x, _ := s.catalog.indexes.Load("match")
		return x.(*index).blocks
	}
	absent := func(list ...int64) {
		t.Helper()
		for _, n := range list {
			require.Equal(t, errNoGame, find(n), n)
		}
	}
	for _, n := range numbers {
		require.NoError(t, find(n))
	}
	absent(-1, 200, 499, 501, 999_999_999, 1<<62)
	require.Greater(t, len(blocks()), 3)

	// What is appended is found, also where the end of a line is lost, and what is cut short isn't.
	more := longLines(t, 600, 601)
	appendTo(t, path, strings.Replace(more, "\n", "", 1)+`{"game":602,`)
	require.ErrorAs(t, find(601), new(*jsonl.LineError))
	absent(602)

	// Other blocks are not read again.
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	second := blocks()[1]
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt(bytes.Repeat([]byte{'x'}, int(second.start)), 0)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.NoError(t, find(second.first))
	absent(0)
	require.NoError(t, os.Remove(path))
	absent(second.first)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	require.NoError(t, find(0))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte(longLines(t, 7)+string(text)), 0o600)) // larger than before
	require.NoError(t, find(198))

	_, _, err = s.Record(t.Context(), "", "none", 0)
	require.Equal(t, errNoRun, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		end, err := s.Reads.Turn(t.Context(), "")
		require.NoError(t, err)
		defer end()
	}
	_, _, err = s.Record(ctx, "", "match", 0)
	require.Equal(t, context.Canceled, err)
}

// Runs that one address looks at don't keep another one waiting.
func TestReadsAreShared(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := newServer(t, web.Config{Open: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	writeRun(t, filepath.Join(s.results, "match"), "finished", lines(drawPair(0)...))
	end, err := s.Reads.Turn(t.Context(), "127.0.0.1")
	require.NoError(t, err)
	defer end()
	greedy, cancel := context.WithCancel(t.Context())
	waits := make(chan int)
	for i := range 10 {
		go func() {
			r := httptest.NewRequestWithContext(greedy, http.MethodGet, "http://localhost/run/match", nil)
			r.RemoteAddr = fmt.Sprintf("127.0.0.1:%d", i)
			waits <- s.do(r).Code
		}()
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost/run/match", nil)
	r.RemoteAddr = "127.0.0.2:1"
	require.Equal(t, http.StatusOK, s.do(r).Code)
	cancel()
	for range 10 {
		require.Equal(t, http.StatusServiceUnavailable, <-waits)
	}
	require.NotContains(t, log.String(), "ERROR", "who has gone is no error")
}
