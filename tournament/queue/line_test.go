package queue

import (
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// line is a network connection that can be cut, and that keeps its address when the
// server at its other end has another one.
type line struct {
	listener net.Listener

	mu      sync.Mutex
	to      string
	down    bool
	lingers []int // of the next connections, which are closed at once: 0 resets them, -1 ends them
	conns   map[net.Conn]bool
	wait    sync.WaitGroup
}

func newLine(t testing.TB, url string, lingers ...int) *line {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &line{listener: listener, to: hostOf(url), lingers: lingers, conns: map[net.Conn]bool{}}
	l.wait.Go(l.accept)
	t.Cleanup(func() {
		_ = listener.Close() // it is a test's
		l.cut()
		l.wait.Wait()
	})
	return l
}

func (l *line) url() string { return "nats://" + l.listener.Addr().String() }

func (l *line) accept() {
	for {
		in, err := l.listener.Accept()
		if err != nil {
			return
		}
		to, linger := l.next()
		if linger != nil {
			_ = in.(*net.TCPConn).SetLinger(*linger) // it is a test's
			_ = in.Close()
			continue
		}
		out, err := net.Dial("tcp", to)
		if err != nil || !l.join(in, out) {
			_ = in.Close() // nobody listens
			continue
		}
		for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
			l.wait.Go(func() {
				_, _ = io.Copy(way[0], way[1]) // until it is cut
				_ = way[0].Close()
			})
		}
	}
}

// join notes two connections, unless the line is down.
func (l *line) join(a, b net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		_ = b.Close() // nobody listens
		return false
	}
	l.conns[a], l.conns[b] = true, true
	return true
}

// next returns where the next connection leads, or how it is closed.
func (l *line) next() (to string, linger *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lingers) > 0 {
		linger, l.lingers = &l.lingers[0], l.lingers[1:]
	}
	return l.to, linger
}

// connect lets new connections lead to another server.
func (l *line) connect(url string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to = hostOf(url)
}

// hostOf returns the host and the port of a server's URL.
func hostOf(url string) string { return url[strings.Index(url, "//")+2:] }

// dial returns a connection over the line.
func (l *line) dial(t testing.TB, log *slog.Logger) *nats.Conn {
	nc, err := Connect(Access{URL: l.url()}, "test", log)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for c := range l.conns {
		_ = c.Close() // that is the point
	}
	clear(l.conns)
}

func (l *line) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}

// A worker that starts while its server is killed waits for the next one: a
// connection that is reset or closed before the server's greeting is temporary.
func TestAwaitServerThatIsKilled(t *testing.T) {
	t.Parallel()
	line := newLine(t, testServer(t).URL(), 0, -1)
	var log logged
	nc, err := Await(t.Context(), Access{URL: line.url()}, "test", log.log())
	require.NoError(t, err)
	nc.Close()
	require.Contains(t, log.String(), "waiting for the NATS server")
}
