package live

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/review"
	"gyges/tournament/training"
)

// The pages of runs are answered, and no other runs are.
func TestPages(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "one"), "running", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "group", "two é"), "", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "empty"), "running", "")
	writeRun(t, filepath.Join(s.results, "one", "deep", "match"), "running", lines(drawPair(0)...))
	require.NoError(t, os.WriteFile(filepath.Join(s.results, "secret.txt"), []byte("secret"), 0o644))
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/":                                 {200, `href="/run/group/two%20%C3%A9"`},
		"/run/one":                          {200, "Standings"},
		"/run/group/two%20%C3%A9":           {200, "Standings"},
		"/run/one/deep/match":               {200, "Standings"},
		"/run/empty":                        {200, "Reproducibility"},
		"/live.js":                          {200, "receive("},
		"/run/none":                         {404, "no such run"},
		"/run/":                             {404, "no such run"},
		"/run/group":                        {404, "no such run"},
		"/run/one/games.jsonl":              {404, "no such run"},
		"/run/secret.txt":                   {404, "no such run"},
		"/run/one%2F..%2Fone":               {404, "no such run"},
		"/run/%2Fetc":                       {404, "no such run"},
		"/run/one%00":                       {404, "no such run"},
		"/run/..%2Fresults%2Fone":           {404, "no such run"},
		"/run/one%5C..":                     {404, "no such run"},
		"/run/" + strings.Repeat("a/", 600): {404, "no such run"},
		"/run-events/none":                  {404, "no such run"},
		"/results/one/games.jsonl":          {404, "no such page"},
		"/games.jsonl":                      {404, "no such page"},
		"/assets/live.js":                   {404, "no such page"},
	} {
		w := s.get(path)
		require.Equal(t, want.status, w.Code, path)
		require.Contains(t, w.Body.String(), want.text, path)
		require.NotContains(t, w.Body.String(), "secret</", path)
	}
	require.Contains(t, s.get("/").Body.String(), `href="/run/one/deep/match"`)
}

// A path that leads out of the folder of results is no run, however it is written:
// with dots, by a link, or through a link to a file.
func TestNothingOutsideIsServed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	outside := filepath.Join(filepath.Dir(s.results), "outside")
	writeRun(t, outside, "running", lines(drawPair(0)...))
	writeRun(t, filepath.Join(s.results, "inside"), "running", lines(drawPair(1)...))
	writeRun(t, filepath.Join(s.results, ".hidden"), "running", lines(drawPair(0)...))
	require.NoError(t, os.Symlink(outside, filepath.Join(s.results, "link")))
	require.NoError(t, os.Symlink("../outside", filepath.Join(s.results, "relative")))
	require.NoError(t, os.Symlink("inside", filepath.Join(s.results, "alias")))
	mixed := filepath.Join(s.results, "mixed")
	writeRun(t, mixed, "", lines(drawPair(2)...))
	require.NoError(t, os.Symlink(filepath.Join(outside, tournament.ManifestFile),
		filepath.Join(mixed, tournament.ManifestFile)))

	for _, path := range []string{"/run/link", "/run/relative", "/run/../outside", "/run/..%2Foutside",
		"/run/inside%2F..%2F..%2Foutside", "/run/.hidden", "/run/" + url.PathEscape(outside)} {
		w := s.get(path)
		require.NotEqual(t, http.StatusOK, w.Code, path)
	}
	require.Equal(t, http.StatusOK, s.get("/run/alias").Code, "a link that stays inside")
	list := s.get("/").Body.String()
	for _, name := range []string{"link", "relative", ".hidden", "outside"} {
		require.NotContains(t, list, "/run/"+name+`"`)
	}
	require.Contains(t, list, `/run/inside"`)
	page := s.get("/run/mixed")
	require.Equal(t, http.StatusOK, page.Code)
	require.NotContains(t, page.Body.String(), "elo1=200", "the manifest lies outside")
	require.Contains(t, page.Body.String(), "manifest.json: ", "and a note says so")
}

// A pipe in a run's place blocks nobody.
func TestNoPipeIsOpened(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "pipe")
	require.NoError(t, os.Mkdir(dir, 0o755))
	makePipe(t, filepath.Join(dir, tournament.GamesFile))
	require.Equal(t, http.StatusNotFound, s.get("/run/pipe").Code)
	half := filepath.Join(s.results, "half")
	writeRun(t, half, "", lines(drawPair(0)...))
	makePipe(t, filepath.Join(half, tournament.ManifestFile))
	makePipe(t, filepath.Join(half, training.HistoryFile))
	w := s.get("/run/half")
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), "expected a regular file")
	require.Equal(t, http.StatusOK, s.get("/").Code)
}

func TestNamedRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRun(t, filepath.Join(dir, "a", "run"), "running", lines(drawPair(0)...))
	writeRun(t, filepath.Join(dir, "b", "run"), "finished", lines(drawPair(0)...))
	s := newTestServer(t, filepath.Join(dir, "a", "run"), filepath.Join(dir, "b", "run", tournament.GamesFile))
	require.Equal(t, http.StatusOK, s.get("/run/run").Code)
	require.Equal(t, http.StatusOK, s.get("/run/run-2").Code)
	require.Equal(t, http.StatusNotFound, s.get("/run/run-3").Code)
	require.Contains(t, s.get("/run/run-2").Body.String(), "finished")
	_, err := New(s.Server, "", []string{filepath.Join(dir, "none"), filepath.Join(dir, "a", "run", tournament.ManifestFile)})
	require.ErrorContains(t, err, "none")
	require.ErrorContains(t, err, "manifest.json")
}

// Reviews in the run's folder are shown, also those that come while the page is open.
func TestReviewSection(t *testing.T) {
	s := newTestServer(t)
	dir := filepath.Join(s.results, "one")
	writeRun(t, dir, "finished", lines(drawPair(0)...))
	require.NotContains(t, s.get("/run/one").Body.String(), "Where games are lost")
	f, err := review.Open(t.Context(), filepath.Join(dir, review.FileName), 200, "test", nil)
	require.NoError(t, err)
	err = review.Run(t.Context(), 200, 1, drawPair(0), make([]*review.Game, 2), func(g *review.Game) error { return f.Append(g) })
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Eventually(t, func() bool {
		return strings.Contains(s.get("/run/one").Body.String(), "2 of 2 games reviewed")
	}, time.Minute, 50*time.Millisecond)
}
