package play

import (
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/web/internal/browsertest"
)

// line passes requests and answers on while it is not locked. A connection stays open meanwhile, but nothing comes.
type line struct {
	sync.Mutex
	server http.Handler
}

// newLine returns a line to a server, and its address. It must not be locked at the end of the test.
func newLine(t *testing.T, s *testServer) (*line, string) {
	t.Helper()
	l := &line{server: s.Handler()}
	return l, browsertest.Serve(t, l, s.Close)
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.Lock()
	l.Unlock() //nolint:staticcheck // it waits until the line isn't locked
	l.server.ServeHTTP(heldAnswer{w, l}, r)
}

// heldAnswer is an answer that waits while the line is locked.
type heldAnswer struct {
	http.ResponseWriter
	line *line
}

func (a heldAnswer) Write(text []byte) (int, error) {
	a.line.Lock()
	defer a.line.Unlock()
	return a.ResponseWriter.Write(text)
}

// Unwrap is for [http.ResponseController].
func (a heldAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// silence sets how long, in seconds, the page that is shown bears to hear nothing of its server.
func silence(b *browsertest.Tab, seconds string) {
	b.Eval("void (document.documentElement.dataset.silence = "+seconds+")", nil)
}

// While nothing comes from the server, the page of a game says so: as it waits for the opponent's move, and after a move
// of the person's. It is as the server has it once that answers again.
func TestBrowserLostGame(t *testing.T) {
	s := newTestServer(t)
	p := begun(t, s, 2)
	b := browsertest.Open(t)
	line, url := newLine(t, s)
	b.Visit(url + "/play#game=" + p.now.ID)
	yourTurn(b, 2)
	line.Lock()
	silence(b, "1")
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	b.Wait(headline + ` === "Not connected; trying again …"`)
	silence(b, "45")
	line.Unlock() // the move comes late, or never
	b.Wait(`!` + headline + `.startsWith("Not connected")`)
	b.Wait(`!document.querySelector("#play").classList.contains("thinking")`)

	waiting := s.begin("sleeps", "standard", "north", "random")
	b.VisitAnew(url + "/play#game=" + waiting.ID)
	b.Wait(headline + ` === "South is thinking …"`)
	line.Lock()
	silence(b, "1")
	b.Wait(headline + ` === "Not connected; trying again …"`)
	require.Equal(t, "Not connected; trying again …", b.Text(`document.querySelector("#announcement").textContent`))
	silence(b, "45")
	line.Unlock()
	s.games.endIdle(time.Now().Add(2 * maxIdleTime)) // otherwise the answer comes after longPoll
	b.Wait(headline + `.includes("ended")`)
}

// What a proxy says of a server that it doesn't reach is no answer of the server: the page tries again.
func TestBrowserProxyWithoutServer(t *testing.T) {
	s := newTestServer(t)
	p := begun(t, s, 2)
	var down atomic.Bool
	handler := s.Handler()
	behind := browsertest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		handler.ServeHTTP(w, r)
	}), s.Close)
	b := browsertest.Open(t)
	b.Visit(behind + "/play#game=" + p.now.ID)
	yourTurn(b, 2)
	down.Store(true)
	b.Click("#hint")
	b.Wait(headline + ` === "Not connected; trying again …"`)
	down.Store(false)
	b.Wait(`!` + headline + `.startsWith("Not connected")`)
	require.Empty(t, b.Text(`document.querySelector("#problem").textContent`))

	b.Visit("about:blank")
	const progress = `document.getElementById("progress").textContent`
	b.Visit(behind + "/analyse#" + question().Encode())
	b.Wait(progress + ` === "searching"`)
	down.Store(true)
	b.Eval(`void document.getElementById("multi").dispatchEvent(new Event("change"))`, nil)
	b.Wait(progress + ` === "not connected"`)
	down.Store(false)
	b.Wait(progress + ` === "searching"`)
}

const badge = `document.querySelector("[data-badge]").textContent`

// A connection that no longer passes anything on is seen, and another one follows: after a time, and at once when the
// page is seen again.
func TestBrowserLostConnection(t *testing.T) {
	s := newTestServer(t)
	dir := filepath.Join(s.results, "match")
	writeRun(t, dir, "running", lines(drawPair(0)...))
	b := browsertest.Open(t)
	line, url := newLine(t, s)
	b.Visit(url + "/run/match")
	b.Wait(badge + ` === "live"`)
	line.Lock()
	silence(b, "1")
	b.Wait(badge + ` === "not connected"`)
	runtest.AppendTo(t, filepath.Join(dir, tournament.GamesFile), lines(drawPair(1)...))
	silence(b, "45")
	b.Eval(`void (window.setInterval = () => 0)`, nil) // the timers of the next connection stand
	line.Unlock()
	b.Wait(`document.querySelector(".top dd").textContent === "4"`)
	b.Wait(badge + ` === "live"`)

	line.Lock()
	b.Eval(`void ((now) => (Date.now = () => now() + 44_000))(Date.now)`, nil)
	b.Eval(`void document.dispatchEvent(new Event("visibilitychange"))`, nil)
	require.Equal(t, "live", b.Text(badge))
	b.Eval(`void ((now) => (Date.now = () => now() + 2_000))(Date.now)`, nil)
	require.Equal(t, "live", b.Text(badge))
	b.Eval(`void document.dispatchEvent(new Event("visibilitychange"))`, nil)
	b.Wait(badge + ` === "not connected"`)
	line.Unlock()
	b.Wait(badge + ` === "live"`)

	// so it is on the list of runs
	const lost = `String(document.querySelector("[data-lost]").hidden)`
	b.Visit(url)
	b.Wait(`document.querySelector(".runs")`)
	require.Equal(t, "true", b.Text(lost))
	line.Lock()
	silence(b, "1")
	b.Wait(lost + ` === "false"`)
	silence(b, "45")
	line.Unlock()
	b.Wait(lost + ` === "true"`)
}
