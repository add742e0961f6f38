package live

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
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
		case !s.limiter.allow(client(r)):
			h.Set("Retry-After", "1")
			s.refuse(w, http.StatusTooManyRequests, "too many requests; wait a second")
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			next.ServeHTTP(w, r)
		}
	})
}

// knownHost tells whether a request may name the server so. A page of another
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

// client is who asks: its address without the port.
func client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// limiter bounds the rate of requests of each client: a bucket of tokens that
// fills by ratePerSecond up to rateBurst. Its zero value needs now.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	buckets map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// allow takes a token, if there is one.
func (l *limiter) allow(who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.buckets == nil {
		l.buckets = map[string]bucket{}
	}
	b, ok := l.buckets[who]
	if !ok && len(l.buckets) >= maxPersonNames {
		l.forget(now)
		if len(l.buckets) >= maxPersonNames {
			who = "" // they share one
			b, ok = l.buckets[who]
		}
	}
	if !ok {
		b = bucket{rateBurst, now}
	}
	b.tokens = min(rateBurst, b.tokens+ratePerSecond*now.Sub(b.at).Seconds())
	b.at = now
	if b.tokens < 1 {
		l.buckets[who] = b
		return false
	}
	b.tokens--
	l.buckets[who] = b
	return true
}

// forget drops the buckets that are full again.
func (l *limiter) forget(now time.Time) {
	for who, b := range l.buckets {
		if b.tokens+ratePerSecond*now.Sub(b.at).Seconds() >= rateBurst {
			delete(l.buckets, who)
		}
	}
}

// limitListener returns a listener with at most n connections open at a time;
// further ones wait.
func limitListener(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

type limited struct {
	net.Listener
	slots  chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{Conn: c, free: func() { <-l.slots }}, nil
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
