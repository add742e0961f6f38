package live

import (
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/training"
	"gyges/tournament/web"
	"gyges/tournament/web/internal/browsertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(browsertest.Main{M: m}) }

// The games and folders that the tests share with those of other packages.
var (
	drawGame = runtest.DrawGame
	drawPair = runtest.DrawPair
	lines    = runtest.Lines
	writeRun = runtest.WriteRun
	appendTo = runtest.AppendTo
)

// writeManifest writes the manifest of a run.
func writeManifest(t testing.TB, dir, config string) {
	t.Helper()
	text := `{"schema":1,"status":"finished","games":{"scheduled":4,"played":4},"config":` + config + `}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, tournament.ManifestFile), []byte(text), 0o644))
}

// writeSwiss makes the folder of a Swiss tournament of three players in two rounds.
func writeSwiss(t testing.TB, dir string) {
	t.Helper()
	writeRun(t, dir, "", lines(drawPair(0)...)+lines(drawGame("standard", 2, "a", "c"), drawGame("standard", 3, "c", "a")))
	writeManifest(t, dir, `{"name":"swiss","schedule":"swiss","rounds":2,"pairs":1,"rules":["standard"],"agents":["a","b","c"]}`)
}

// writeTraining makes the folder of a training that was interrupted in its second
// generation; the match of the first rejected the candidate.
func writeTraining(t testing.TB, dir string) {
	t.Helper()
	match := filepath.Join(dir, filepath.FromSlash(training.MatchFolder(1)))
	writeRun(t, match, "finished", lines(drawPair(0)...))
	for name, text := range map[string]string{
		training.ManifestFile: `{"method":"train","status":"interrupted","config":{"rules":"standard","agent":"alphabeta"},` +
			`"result":{"status":"running","best":0,"generations":[{"generation":1,"parent":0,"adopted":false,"positions":1234,` +
			`"test":{"gain":0.01,"gain_margin":0.02},"pairs":[1,0,0,0,0],"llr":-0.5,"elo":-3.5,"elo_margin":20}]}}`,
		training.HistoryFile: `{"step":1,"validation_loss":0.66,"elo":-3.5,"elo_margin":20,"parameters":{"tempo":1}}` + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
}

// testServer is a server of the runs in an empty folder.
type testServer struct {
	*web.Server
	*Pages
	t       testing.TB
	results string
}

func newTestServer(t testing.TB, runs ...string) *testServer {
	t.Helper()
	return newServer(t, web.Config{}, runs...)
}

func newServer(t testing.TB, c web.Config, runs ...string) *testServer {
	t.Helper()
	c.Rate = math.MaxFloat64
	results := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.Mkdir(results, 0o755))
	s := web.New(c)
	p, err := New(s, results, runs)
	require.NoError(t, err)
	p.pollInterval = 100 * time.Millisecond
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return &testServer{s, p, t, results}
}

// run returns a run.
func (s *testServer) run(id string) *run {
	s.t.Helper()
	r, err := s.catalog.open(id)
	require.NoError(s.t, err)
	return r
}

// entries returns the list of runs.
func (s *testServer) entries() []entry {
	s.t.Helper()
	list, err := s.catalog.entries()
	require.NoError(s.t, err)
	return list.runs
}

// get asks for a page.
func (s *testServer) get(path string) *httptest.ResponseRecorder {
	return s.do(httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
}

func (s *testServer) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}
