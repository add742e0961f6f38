package play

import (
	"io"
	"net"
	"net/http"
	"net/url"
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

// proxy passes what comes over connections on. While it is locked it passes nothing on, and closes nothing either.
type proxy struct {
	sync.Mutex
	URL string

	listener net.Listener
	work     sync.WaitGroup
	open     sync.Map // connections
}

// newProxy returns a proxy for a server, until the test ends. It must not be locked then.
func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	target, err := url.Parse(server)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{URL: "http://" + l.Addr().String(), listener: l}
	p.work.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			p.open.Store(client, nil)
			server, err := net.Dial("tcp", target.Host)
			if err != nil {
				_ = client.Close()
				continue
			}
			p.open.Store(server, nil)
			p.work.Go(func() { p.pass(client, server) })
			p.work.Go(func() { p.pass(server, client) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.open.Range(func(c, _ any) bool {
			_ = c.(net.Conn).Close()
			return true
		})
		p.work.Wait()
	})
	return p
}

// pass passes on what one connection gets, and its end.
func (p *proxy) pass(from, to net.Conn) {
	_, _ = io.Copy(slow{p, to}, from) // either one may be closed
	p.Lock()
	defer p.Unlock()
	_, _ = from.Close(), to.Close()
}

// slow writes to a connection while the proxy isn't locked.
type slow struct {
	proxy *proxy
	to    io.Writer
}

func (s slow) Write(text []byte) (int, error) {
	s.proxy.Lock()
	defer s.proxy.Unlock()
	return s.to.Write(text)
}

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
	line := newProxy(t, listen(t, s))
	b.Visit(line.URL + "/play#game=" + p.now.ID)
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
	b.VisitAnew(line.URL + "/play#game=" + waiting.ID)
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
	line := newProxy(t, listen(t, s))
	b.Visit(line.URL + "/run/match")
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
	b.Visit(line.URL)
	b.Wait(`document.querySelector(".runs")`)
	require.Equal(t, "true", b.Text(lost))
	line.Lock()
	silence(b, "1")
	b.Wait(lost + ` === "false"`)
	silence(b, "45")
	line.Unlock()
	b.Wait(lost + ` === "true"`)
}
