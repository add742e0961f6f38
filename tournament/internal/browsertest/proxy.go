package browsertest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proxy passes what comes over connections on. While it is locked it passes nothing on, and closes nothing either.
type Proxy struct {
	sync.Mutex
	URL string

	listener net.Listener
	work     sync.WaitGroup
	open     sync.Map // connections
}

// NewProxy returns a proxy for a server, until the test ends. It must not be locked then.
func NewProxy(t *testing.T, server string) *Proxy {
	t.Helper()
	target, err := url.Parse(server)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &Proxy{URL: "http://" + l.Addr().String(), listener: l}
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
func (p *Proxy) pass(from, to net.Conn) {
	_, _ = io.Copy(slow{p, to}, from) // either one may be closed
	p.Lock()
	defer p.Unlock()
	_, _ = from.Close(), to.Close()
}

// slow writes to a connection while the proxy isn't locked.
type slow struct {
	proxy *Proxy
	to    io.Writer
}

func (s slow) Write(text []byte) (int, error) {
	s.proxy.Lock()
	defer s.proxy.Unlock()
	return s.to.Write(text)
}

// Silence sets how long, in seconds, the page that is shown bears to hear nothing of its server.
func (b *Tab) Silence(seconds string) {
	b.t.Helper()
	b.Eval("void (document.documentElement.dataset.silence = "+seconds+")", nil)
}
