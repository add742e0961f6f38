package live

import (
	"net/http"
	"net/http/httptest"
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
		"/":                        {200, `href="/run/group/two%20%C3%A9"`},
		"/run/one":                 {200, "Standings"},
		"/run/group/two%20%C3%A9":  {200, "Standings"},
		"/run/one/deep/match":      {200, "Standings"},
		"/run/empty":               {200, "Reproducibility"},
		"/live.js":                 {200, "keepReceiving("},
		"/run/none":                {404, "no such run"},
		"/run/":                    {404, "no such run"},
		"/run/group":               {404, "no such run"},
		"/run/one/games.jsonl":     {404, "no such run"},
		"/run/secret.txt":          {404, "no such run"},
		"/run/..%2Fresults%2Fone":  {404, "no such run"},
		"/run-events/none":         {404, "no such run"},
		"/results/one/games.jsonl": {404, "no such page"},
		"/games.jsonl":             {404, "no such page"},
		"/assets/live.js":          {404, "no such page"},
	} {
		w := s.get(path)
		require.Equal(t, want.status, w.Code, path)
		require.Contains(t, w.Body.String(), want.text, path)
		require.NotContains(t, w.Body.String(), "secret</", path)
	}
	require.NotContains(t, s.get("/").Body.String(), `href="/run/one/deep/match"`, "it is in a run")
	require.Contains(t, s.get("/").Body.String(), `href="?in=one"`)
	require.Contains(t, s.get("/?in=one").Body.String(), `href="/run/one/deep/match"`)
	require.NotContains(t, s.get("/?in=one").Body.String(), `href="/run/empty"`)
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

	for _, id := range []string{"link", "relative", "../outside", "inside/../../outside", ".hidden", outside, ".", "..", "/",
		"inside/.", `..\outside`, `one\..`, "one\x00", "inside/../inside", "/etc", strings.Repeat("a/", 600)} {
		for _, path := range []string{"/run/" + id, "/run/" + url.PathEscape(id)} {
			r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
			r.URL.Path, r.URL.RawPath = "/run/"+id, path
			require.NotEqual(t, http.StatusOK, s.do(r).Code, path)
		}
		_, err := s.catalog.find(id)
		require.Equal(t, errNoRun, err, id)
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

// Runs that the operator named have names of their own, and commands with their own folders, wherever the results are.
func TestNamedRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRun(t, filepath.Join(dir, "a", "run"), "running", lines(drawPair(0)...))
	writeRun(t, filepath.Join(dir, "b", "run"), "finished", lines(drawPair(0)...))
	s := newTestServer(t, filepath.Join(dir, "a", "run"), filepath.Join(dir, "b", "run", tournament.GamesFile))
	require.Equal(t, http.StatusOK, s.get("/run/run").Code)
	require.Equal(t, http.StatusOK, s.get("/run/run-2").Code)
	require.Equal(t, http.StatusNotFound, s.get("/run/run-3").Code)
	page := s.get("/run/run-2").Body.String()
	require.Contains(t, page, "finished")
	require.Contains(t, page, "gyges rate "+filepath.Join(dir, "b", "run")+"\n")
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
	err = review.Run(t.Context(), 200, 1, drawPair(0), make([]*review.Review, 2), func(g *review.Review) error { return f.Append(g) })
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Eventually(t, func() bool {
		return strings.Contains(s.get("/run/one").Body.String(), "2 of 2 games reviewed")
	}, time.Minute, 50*time.Millisecond)
}

// A folder of runs, named like a run, has its runs in the list, each once; one with neither is refused.
func TestFolderOfRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRun(t, filepath.Join(dir, "runs", "one"), "running", lines(drawPair(0)...))
	writeTraining(t, filepath.Join(dir, "runs", "group", "learned"))
	s := newTestServer(t, filepath.Join(dir, "runs"))
	list := s.get("/").Body.String()
	require.Contains(t, list, `href="/run/runs/one"`)
	require.Contains(t, list, `href="/run/runs/group/learned"`)
	require.NotContains(t, list, "0001-01-01")
	require.NotContains(t, list, `href="/run/runs"`)
	require.Equal(t, http.StatusOK, s.get("/run/runs/one").Code)
	require.Equal(t, http.StatusOK, s.get("/run/runs/group/learned/gen-001/match").Code)
	require.Equal(t, http.StatusNotFound, s.get("/run/runs").Code)
	require.Equal(t, http.StatusNotFound, s.get("/run/runs/..%2Fruns").Code)

	learned := newTestServer(t, filepath.Join(dir, "runs", "group", "learned"))
	require.Contains(t, learned.get("/?in=learned").Body.String(), `href="/run/learned/gen-001/match"`)

	same := &catalog{pages: s.Pages, path: s.results}
	require.NoError(t, same.add(s.results))
	require.Empty(t, same.named, "it is shown already")

	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o755))
	require.ErrorContains(t, same.add(empty), "run: expected the folder of a run, or one with runs in it, found neither in "+empty)
}

// The address of the list says which runs are shown, and in which order; runs in others come with searches alone.
func TestListQuery(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "Alpha"), "", lines(append(drawPair(0), drawPair(1)...)...))
	writeManifest(t, filepath.Join(s.results, "Alpha"),
		`{"rules":["kang","standard"],"agents":["x","y","z"],"schedule":"gauntlet"}`)
	writeSwiss(t, filepath.Join(s.results, "beta"))
	writeTraining(t, filepath.Join(s.results, "gamma"))
	writeRun(t, filepath.Join(s.results, "delta"), "", lines(drawGame("standard", 0, "Ann", "Bob")))
	require.NoError(t, os.WriteFile(filepath.Join(s.results, "delta", tournament.ManifestFile),
		[]byte(`{"status":"imported","from":"league.pgn","players":24,"games":{"scheduled":1,"played":1},"config":{}}`), 0o644))
	shown := func(query string) string {
		w := s.get("/?" + query)
		require.Equal(t, http.StatusOK, w.Code, query)
		var names []string
		for _, part := range strings.Split(w.Body.String(), `<th scope="row"><a href="/run/`)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			names = append(names, name)
		}
		return strings.Join(names, " ")
	}
	for query, want := range map[string]string{
		"sort=run":                     "Alpha beta delta gamma",
		"sort=-run":                    "gamma delta beta Alpha",
		"sort=-games&q=l":              "Alpha gamma delta",
		"sort=games&q=l":               "delta gamma Alpha",
		"sort=run&rules=standard":      "Alpha beta delta gamma",
		"rules=kang":                   "Alpha",
		"format=swiss":                 "beta",
		"format=gauntlet":              "Alpha",
		"format=training":              "gamma",
		"format=import&status=&rules=": "delta",
		"q=aNN+LEAGUE":                 "delta",
		"q=gen-001":                    "gamma/gen-001/match",
		"in=gamma":                     "gamma/gen-001/match",
		"in=gamma&format=match":        "",
		"in=beta":                      "",
		"status=none":                  "",
	} {
		require.Equal(t, want, shown(query), query)
	}
	page := s.get("/?format=import&sort=-games&q=" + url.QueryEscape(hostile)).Body.String()
	require.NotContains(t, page, "<script>alert")
	require.Contains(t, page, "<option selected>import</option>")
	require.Contains(t, page, "No run is like that.")
	page = s.get("/?q=delta&sort=games").Body.String()
	require.Contains(t, page, "24 players: Ann, Bob, … · from league.pgn")
	require.Contains(t, page, `aria-sort="ascending"><a href="?q=delta&amp;sort=-games"`)
	require.Contains(t, s.get("/").Body.String(), "1 run in it")
}
