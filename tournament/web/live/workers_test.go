package live

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament/queue/status"
)

// workersText is the file about the workers of a run.
func workersText(at time.Time, ended bool, waiting int, names ...string) string {
	list := []map[string]any{}
	for _, name := range names {
		list = append(list, map[string]any{
			"name": name, "version": name, "state": name, "cores": 16, "workers": 12, "playing": 11, "pairs": 1234567, "speed": 54321.6,
		})
	}
	file := map[string]any{
		"time": at, "ended": ended, "games": 8000, "games_per_second": 2469.1,
		"count": len(names), "workers": list, "more": "of later versions",
	}
	if !ended {
		file["queue"] = map[string]int{"waiting": waiting, "playing": 7, "redelivered": 3}
	}
	text, err := json.Marshal(file)
	if err != nil {
		panic(err) // it is plain data
	}
	return string(text)
}

// workers is the section on the workers of a run; "" without one.
func (s *testServer) workers(id string) string {
	for _, part := range s.run(id).feed.now(0).page.Sections {
		if part.ID == "workers" {
			return string(part.HTML)
		}
	}
	return ""
}

// The page shows who works and what is queued, and follows the file by events that hold nothing else.
func TestWorkers(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(drawPair(0)...))
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "next"), []byte(text), 0o644))
		require.NoError(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, status.FileName)))
	}
	part := func() string {
		return s.workers("match")
	}
	require.Empty(t, part())
	step := 0
	eventsOf(t, listen(t, s)+"/run-events/match?after=", func(_ string, parts map[string]json.RawMessage) bool {
		step++
		switch step {
		case 1:
			require.NotContains(t, parts, "section workers")
			write(workersText(time.Now(), false, 1500, "first", "second"))
			return true
		case 2:
			require.Len(t, parts, 3, "nothing else has changed")
			require.Contains(t, string(parts["state"]), "waiting for workers")
			require.Contains(t, string(parts["contents"]), `"Standings"},{"id":"workers","title":"Workers"},`)
			write(workersText(time.Now(), false, 1400, "first", "second"))
			return true
		}
		require.Len(t, parts, 1)
		require.Contains(t, string(parts["section workers"]), "1,400")
		return false
	})
	text := part()
	for _, want := range []string{"first", "second", ">7<", ">3<", ">2,469<", "8,000", "1,234,567", "54,322",
		"Workers: 2"} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "Out of date")
	page := s.get("/run/match").Body.String()
	require.Contains(t, page, text)

	for age, old := range map[time.Duration]bool{ // it turns old by itself
		16 * time.Second: true, 10 * time.Second: false, -10 * time.Second: false, -time.Minute: true,
	} {
		write(workersText(time.Now().Add(-age), false, 0, "first"))
		require.Equal(t, old, strings.Contains(part(), "Out of date"), age)
	}
	write(workersText(time.Now().Add(-time.Hour), true, 0, "first"))
	require.Contains(t, part(), "The last state of the run")
	require.NotContains(t, part(), "Out of date")
	require.NotContains(t, part(), "redelivered")
	require.NoError(t, os.Remove(filepath.Join(dir, status.FileName)))
	require.Empty(t, part())
	require.NotContains(t, s.get("/run/match").Body.String(), "section workers")
}

// Whatever stands in the file, the page is as it would be without it, or says it as text.
func TestHostileWorkers(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	path := filepath.Join(dir, status.FileName)
	writeRun(t, dir, "running", lines(drawPair(0)...))
	good := workersText(time.Now(), false, 1, "name")
	for _, bad := range []string{
		"", "x", "null", "[]", "{}", good[:len(good)-1], good + "{}", `{"time":"yesterday"}`, strings.Replace(good,
			"2469.1", "1e999", 1),
		strings.Replace(good, `"name":"name"`, `"name":7`, 1), good +
			strings.Repeat(" ", status.MaxSize), strings.Repeat("[", 100_000),
	} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o644))
		require.Empty(t, s.workers("match"), "%.80q", bad)
		require.Equal(t, http.StatusOK, s.get("/run/match").Code)
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	require.Empty(t, s.workers("match"))
	require.NoError(t, os.Remove(path))

	many := []string{hostile, strings.Repeat("n", 5000), "\x1b[2J", "é" + strings.Repeat("é", 60)}
	for i := range status.MaxWorkers {
		many = append(many, fmt.Sprint("worker", i))
	}
	text := strings.ReplaceAll(workersText(time.Now(), false, -5, many...), "54321.6", "-1e300")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	part := s.workers("match")
	require.NotContains(t, part, "<dd>-")
	for _, where := range []string{part, s.get("/run/match").Body.String()} {
		require.Contains(t, where, "alert(1)")
		require.NotContains(t, where, "<script>alert")
		require.NotContains(t, where, "<img")
		require.NotContains(t, where, "\x1b")
		require.NotContains(t, where, strings.Repeat("n", 101))
		require.NotContains(t, where, "worker253")
		require.Contains(t, where, "Workers: 260, the first 256 listed")
	}
}
