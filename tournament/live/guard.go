package live

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// guard stands before all handlers.
func (s *Server) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection() // Sec-Fetch-Site, or else Origin
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.refuse(w, http.StatusForbidden, "this can be asked from this server's own pages only")
	}))
	next = origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.knownHost(r.Host):
			s.refuse(w, http.StatusMisdirectedRequest, "this server isn't called so; ask for it by its address, or name it with --host")
		case r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate":
			s.refuse(w, http.StatusForbidden, "this can be asked from this server's own pages only")
		case r.Method != http.MethodPost && r.ContentLength != 0:
			s.refuse(w, http.StatusBadRequest, "expected a request without a body")
		case !s.limiter.allow(client(r.RemoteAddr)):
			h.Set("Retry-After", "1")
			s.refuse(w, http.StatusTooManyRequests, "too many requests; wait a second")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			next.ServeHTTP(w, r)
		}
	})
}

// knownHost reports whether a request may name the server so. A page of another
// site that had its own name lead here (DNS rebinding) would name that.
func (s *Server) knownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return s.config.Open || ip.Unmap().IsLoopback()
	}
	if host == "localhost" {
		return true
	}
	for _, name := range s.config.Hosts {
		if host == strings.ToLower(name) {
			return true
		}
	}
	return false
}

// client is the address that asks, without the port; of IPv6 the network of 64
// bits, all of which one customer has.
func client(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := at.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	network, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return remote
	}
	return network.String()
}

// share bounds how many of something each client has at a time.
type share struct {
	most int // 0: any number

	mu   sync.Mutex
	used map[string]int
}

// take reports whether the client may have one more; give returns it.
func (s *share) take(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 && s.used[who] >= s.most {
		return false
	}
	if s.used == nil {
		s.used = map[string]int{}
	}
	s.used[who]++
	return true
}

func (s *share) give(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used[who]--; s.used[who] == 0 {
		delete(s.used, who)
	}
}

// limiter bounds the rate of requests of each client to ratePerSecond, with bursts
// of rateBurst. Its zero value needs now.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	clients map[string]*rate.Limiter
	swept   time.Time // when those at rest were last forgotten
}

// allow reports whether the client may ask now.
func (l *limiter) allow(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.clients == nil {
		l.clients = map[string]*rate.Limiter{}
	}
	if l.clients[who] == nil && len(l.clients) >= maxPersonNames {
		if now.Sub(l.swept) >= time.Second {
			l.swept = now
			maps.DeleteFunc(l.clients, func(_ string, c *rate.Limiter) bool { return c.TokensAt(now) >= rateBurst })
		}
		if len(l.clients) >= maxPersonNames {
			who = "" // they share one
		}
	}
	if l.clients[who] == nil {
		l.clients[who] = rate.NewLimiter(ratePerSecond, rateBurst)
	}
	return l.clients[who].AllowN(now, 1)
}

// limitListener returns a listener with at most n connections open at a time, of
// each client no more than its share. Beyond n, connections wait; beyond the
// share, they are answered with 429 and closed.
func limitListener(l net.Listener, n int, each *share) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, n), refusals: make(chan struct{}, n), share: each, closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots    chan struct{}
	refusals chan struct{} // connections being refused
	share    *share
	once     sync.Once
	closed   chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			<-l.slots
			return nil, err
		}
		who := client(c.RemoteAddr().String())
		if l.share.take(who) {
			return &limitedConn{Conn: c, free: func() { l.share.give(who); <-l.slots }}, nil
		}
		select {
		case l.refusals <- struct{}{}:
			go func() {
				defer func() { <-l.refusals }()
				refuseConn(c)
			}()
		default:
			_ = c.Close()
		}
	}
}

// refuseConn answers the request of a connection beyond the client's share, and reads
// on for a second at most: a connection closed before would be reset, and the
// answer lost.
func refuseConn(c net.Conn) {
	defer func() { _ = c.Close() }() // its error changes nothing
	const text = "too many connections from your address; close some\n"
	err := c.SetDeadline(time.Now().Add(time.Second))
	if err == nil {
		_, err = c.Read(make([]byte, 512)) // browsers ignore an answer that precedes the request
	}
	if err == nil {
		_, err = fmt.Fprintf(c, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: %s\r\nContent-Type: text/plain; charset=utf-8\r\n"+
			"Content-Length: %d\r\nConnection: close\r\n\r\n%s", retryAfter, len(text), text)
	}
	if half, ok := c.(interface{ CloseWrite() error }); err == nil && ok && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(c, maxHeader)) // until the other side closes it
	}
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	once sync.Once
	free func()
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.free)
	return err
}
