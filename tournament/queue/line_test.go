package queue

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// line is a network connection that can be cut, and that keeps its address when the
// server at its other end has another one.
type line struct {
	listener net.Listener

	mu    sync.Mutex
	to    string
	down  bool
	conns map[net.Conn]bool
	wait  sync.WaitGroup
}

func newLine(t *testing.T, to string) *line {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &line{listener: listener, to: to, conns: map[net.Conn]bool{}}
	l.wait.Go(l.accept)
	t.Cleanup(func() {
		_ = listener.Close() // it is a test's
		l.cut()
		l.wait.Wait()
	})
	return l
}

func (l *line) address() string { return l.listener.Addr().String() }

func (l *line) accept() {
	for {
		in, err := l.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", l.target())
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

func (l *line) target() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to
}

// connect lets new connections lead to another address.
func (l *line) connect(to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to = to
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
