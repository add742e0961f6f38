package live

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
)

// pageOf reads the run match of a folder of results to its end, by a server of its
// own with that key, and returns the page and how many games it had to read.
func pageOf(t *testing.T, results, key string) (page map[string]string, read int64) {
	t.Helper()
	s := newTestServer(t, func(c *Config) {
		c.Results = results
		if key != "" {
			c.IndexKey = []byte(key)
		}
	})
	s.readMost = 1000
	var now snapshot
	require.Eventually(t, func() bool {
		now = s.catalog.run("match").feed.now(time.Hour)
		return now.parts["reading"].text == "false"
	}, time.Minute, time.Millisecond)
	page = map[string]string{}
	for name, p := range now.parts {
		page[name] = p.text
	}
	r := s.catalog.run("match")
	s.Close()
	return page, r.parsed
}

// With an index the page is the same as without, and games before its end aren't
// read again. It is used only where it is this program's and of these records.
func TestIndex(t *testing.T) {
	t.Parallel()
	results := t.TempDir()
	dir := filepath.Join(results, "match")
	games := filepath.Join(dir, tournament.GamesFile)
	file := filepath.Join(dir, IndexFile)
	text := ""
	for pair := range int64(20) {
		g := drawPair(pair)
		if pair%5 == 0 {
			g[1].Fault, g[1].Reason, g[1].Result = &record.Fault{Side: "south", Kind: record.FaultError}, "error", "0-1"
		}
		text += lines(g...)
	}
	writeRun(t, dir, "running", text)
	_, read := pageOf(t, results, "")
	require.Equal(t, int64(40), read)
	require.NoFileExists(t, file)
	same := func(key string, wantRead int64) {
		t.Helper()
		want, _ := pageOf(t, results, "")
		got, read := pageOf(t, results, key)
		require.Equal(t, want, got)
		require.Equal(t, wantRead, read)
	}
	same("key", 40)
	same("key", 0)
	appendTo(t, games, lines(drawPair(20)...))
	same("key", 2)
	same("key", 2) // it isn't written again for so little
	for pair := range int64(10) {
		appendTo(t, games, lines(drawPair(21+pair)...))
	}
	same("key", 22)
	same("key", 0)
	same("another program's", 62)

	whole, err := os.ReadFile(games)
	require.NoError(t, err)
	other := bytes.Replace(whole, []byte(`"result":"1-0"`), []byte(`"result":"0-1"`), 1)
	for _, text := range [][]byte{other, whole, whole[:bytes.Index(whole, []byte(`{"game":50`))]} {
		pageOf(t, results, "key")
		require.NoError(t, os.WriteFile(games, text, 0o644))
		same("key", int64(bytes.Count(text, []byte{'\n'})))
	}
	require.NoError(t, os.WriteFile(games, whole, 0o644))
	require.NoError(t, os.Remove(file))
	same("key", 62)

	signed, err := os.ReadFile(file)
	require.NoError(t, err)
	forged := strings.Replace(string(signed), `"Played":62`, `"Played":99`, 1)
	require.NotEqual(t, string(signed), forged)
	for _, text := range []string{forged, "", "\n", string(signed[:len(signed)/2])} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		same("key", 62)
	}
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Mkdir(file, 0o755)) // so that none can be written
	same("key", 62)
	same("key", 62)
	require.NoFileExists(t, file+".tmp")
}
