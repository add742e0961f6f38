package live

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// guard checks all requests before next handles them.
func (s *Server) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection() // Sec-Fetch-Site, or else Origin
	foreign := func(w http.ResponseWriter, _ *http.Request) {
		s.refuse(w, http.StatusForbidden, "only this server's own pages may request this")
	}
	origin.SetDenyHandler(http.HandlerFunc(foreign))
	next = origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "+
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.knownHost(r.Host):
			s.refuse(w, http.StatusMisdirectedRequest, "this server has another name; use its address, or name it with --host")
		case r.Header.Get("Sec-Fetch-Site") == "cross-site" &&
			(r.Header.Get("Sec-Fetch-Mode") != "navigate" || strings.HasPrefix(r.URL.Path, "/api/")):
			foreign(w, r)
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

// knownHost reports whether a name in a request is one of this server. A page of
// another site whose name resolves to this server (DNS rebinding) uses that name.
func (s *Server) knownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return s.config.Open || ip.Unmap().IsLoopback()
	}
	return host == "localhost" ||
		slices.ContainsFunc(s.config.Hosts, func(name string) bool { return host == strings.ToLower(name) })
}

// client returns the address of a request without the port; of IPv6 the network of
// 64 bits, which is what one customer has.
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

// quota bounds a number, such as that of connections, for each client.
type quota struct {
	most int // 0: any number

	mu   sync.Mutex
	used map[string]int
}

// acquire reports whether the client may have one more; release returns it.
func (q *quota) acquire(client string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.most > 0 && q.used[client] >= q.most {
		return false
	}
	if q.used == nil {
		q.used = map[string]int{}
	}
	q.used[client]++
	return true
}

func (q *quota) release(client string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.used[client]--; q.used[client] == 0 {
		delete(q.used, client)
	}
}

// limiter bounds the rate of requests of each client, with bursts of requestBurst.
type limiter struct {
	limit rate.Limit

	mu      sync.Mutex
	clients map[string]*rate.Limiter
	swept   time.Time // when idle clients were removed last
}

// allow reports whether the client may send a request now.
func (l *limiter) allow(client string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients[client] == nil && len(l.clients) >= maxClients {
		if time.Since(l.swept) >= time.Second {
			l.swept = time.Now()
			maps.DeleteFunc(l.clients, func(_ string, c *rate.Limiter) bool { return c.Tokens() >= requestBurst })
		}
		if len(l.clients) >= maxClients {
			client = "" // further clients share one limiter
		}
	}
	if l.clients == nil {
		l.clients = map[string]*rate.Limiter{}
	}
	if l.clients[client] == nil {
		l.clients[client] = rate.NewLimiter(l.limit, requestBurst)
	}
	return l.clients[client].Allow()
}

// clientListener accepts the connections within each client's quota. Others are answered
// with 429 and closed.
type clientListener struct {
	net.Listener
	quota    *quota
	refusals chan struct{} // connections being refused
}

func newClientListener(l net.Listener, q *quota) *clientListener {
	return &clientListener{l, q, make(chan struct{}, maxConns)}
}

func (l *clientListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := client(c.RemoteAddr().String())
		if l.quota.acquire(client) {
			return &clientConn{c, sync.OnceFunc(func() { l.quota.release(client) })}, nil
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

// clientConn releases its place in the quota when it is closed.
type clientConn struct {
	net.Conn
	release func()
}

func (c *clientConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// refuseConn answers the request of a connection beyond the client's quota, and reads
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
		_, err = fmt.Fprintf(c, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: %s\r\n"+
			"Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			retryAfter, len(text), text)
	}
	if half, ok := c.(interface{ CloseWrite() error }); err == nil && ok && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(c, maxHeader)) // until the other side closes it
	}
}
