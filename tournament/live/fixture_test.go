package live

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/internal/browsertest"
	"gyges/tournament/record"
	"gyges/tournament/training"
	"gyges/tournament/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(browsertest.Main{M: m}) }

// drawGame is a game of moves drawn at random, that wins where it can.
func drawGame(set string, number int64, south, north string) *record.Game {
	rng := rand.New(rand.NewPCG(7, uint64(number)))
	r := rules.MustParse(set)
	opening := r.RandomSetup(rand.New(rand.NewPCG(8, uint64(number/2))))
	game := rules.NewGame(r, opening)
	g := &record.Game{
		Game: number, Pair: number / 2, Rules: set, Opening: r.FormatPosition(opening), Policy: "random",
		South: record.Player{Agent: south}, North: record.Player{Agent: north}, Moves: []string{},
		Timing: record.Timing{Start: time.Date(2026, 1, 2, 3, 4, int(number%60), 0, time.UTC), Seconds: 1},
	}
	for {
		outcome, reason := game.Outcome()
		if outcome != rules.Undecided || game.Ply() >= 60 {
			g.Result, g.Reason = outcome.String(), string(reason)
			if outcome == rules.Undecided {
				g.Result, g.Reason, g.Adjudication = "1/2-1/2", record.AdjudicatedLength, "plies=60"
			}
			break
		}
		m := chooseMove(rng, game)
		g.Moves = append(g.Moves, m.String())
		game.PlayLegal(m)
	}
	g.Plies = game.Ply()
	return g
}

// chooseMove draws a move, and wins where it can.
func chooseMove(rng *rand.Rand, game *rules.Game) rules.Move {
	for m := range game.Legal().Goals() {
		return m
	}
	return game.Legal().At(rng.IntN(game.Legal().Len()))
}

// drawPair is the two games of a pair of the players a and b.
func drawPair(pair int64) []*record.Game {
	return []*record.Game{drawGame("standard", 2*pair, "a", "b"), drawGame("standard", 2*pair+1, "b", "a")}
}

// lines are games as a file has them.
func lines(games ...*record.Game) string {
	text, err := record.Lines(games...)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// writeRun makes a run's folder.
func writeRun(t testing.TB, dir, status, games string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, tournament.GamesFile), []byte(games), 0o644))
	if status != "" {
		manifest := fmt.Sprintf(`{"schema":1,"status":%q,"games":{"scheduled":100,"played":0},"config":{"agents":["a","b"],"rules":["standard"],"sprt":"elo0=0,elo1=200"}}`, status)
		require.NoError(t, os.WriteFile(filepath.Join(dir, tournament.ManifestFile), []byte(manifest), 0o644))
	}
}

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

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, errors.Join(err, f.Close()))
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
	results := filepath.Join(t.TempDir(), "results")
	require.NoError(t, os.Mkdir(results, 0o755))
	s := web.New(web.Config{Rate: math.MaxFloat64})
	p, err := New(s, results, runs)
	require.NoError(t, err)
	p.pollInterval = 100 * time.Millisecond
	t.Cleanup(s.Close)
	return &testServer{s, p, t, results}
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
