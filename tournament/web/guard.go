package web

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"golang.org/x/time/rate"
)

// contentPolicy lets pages load scripts, styles and data of this server alone.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'"

// Handler returns the handler of all requests, which is the guard: it refuses some as
// [Server.refusal] says, and bounds the others in size and time. Its long requests end when the
// server is closed.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = s.client(r.RemoteAddr) // from here on
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if e := s.refusal(r); e.Status != 0 {
			if e.Status == http.StatusTooManyRequests {
				h.Set("Retry-After", "1")
			}
			s.Refuse(w, e.Status, e.Text)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		stop := context.AfterFunc(s.ctx, cancel) // what waits ends with the server
		defer stop()
		s.mux.ServeHTTP(w, r.WithContext(ctx))
	})
}

// refusal returns why a request is not handled; its status is 0 if it is.
func (s *Server) refusal(r *http.Request) Error {
	if !s.knownHost(r.Host) {
		return Error{http.StatusMisdirectedRequest,
			"this server has another name; use its address, or name it with --host"}
	}
	if s.isForeign(r) {
		return Error{http.StatusForbidden, "only this server's own pages may request this"}
	}
	if r.Method != http.MethodPost && r.ContentLength != 0 {
		return Error{http.StatusBadRequest, "expected a request without a body"}
	}
	if !s.limiter.allow(r.RemoteAddr) {
		return Error{http.StatusTooManyRequests, "too many requests; wait a second"}
	}
	return Error{}
}

// PageHeader is in requests of this server's pages. Pages of another origin can't send it: a
// browser would ask first whether they may.
const PageHeader = "Gyges-Page"

// isForeign reports whether a page of another origin makes the request, other than by a link to a
// page. It relies on what the browser says of the request: where a browser that says nothing
// matters, [PageHeader] is required.
func (s *Server) isForeign(r *http.Request) bool {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	isPage := reads && !strings.HasPrefix(r.URL.Path, "/api/")
	if isPage && r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		return false
	}
	asked := *r
	asked.Method = http.MethodPost // the check lets GET pass
	return s.cross.Check(&asked) != nil
}

// knownHost reports whether a request names this server. A page of a site that resolves to this
// machine (DNS rebinding) names the site.
func (s *Server) knownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	// DNS rebinding needs a name, so an open server may have any address.
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return s.Open || ip.Unmap().IsLoopback()
	}
	return slices.Contains(s.Hosts, host)
}

// Quota bounds a number, such as the number of games, for each client.
type Quota struct {
	Max int // 0: any number

	mu   sync.Mutex
	used map[string]int
}

// Acquire reports whether the client may have one more; Release returns it.
func (q *Quota) Acquire(client string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.Max > 0 && q.used[client] >= q.Max {
		return false
	}
	if q.used == nil {
		q.used = map[string]int{}
	}
	q.used[client]++
	return true
}

// Release returns what [Quota.Acquire] gave.
func (q *Quota) Release(client string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used[client]--
	if q.used[client] == 0 {
		delete(q.used, client)
	}
}

// limiter bounds the rate of requests of each client, with bursts of requestBurst.
type limiter struct {
	limit   rate.Limit
	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

// allow reports whether a client may make a request now.
func (l *limiter) allow(client string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clients[client] == nil && len(l.clients) >= maxClients {
		// Clients that have made no request for a while make room.
		maps.DeleteFunc(l.clients, func(_ string, c *rate.Limiter) bool {
			return c.Tokens() >= requestBurst
		})
		if len(l.clients) >= maxClients {
			client = "" // further clients share one limiter
		}
	}
	if l.clients[client] == nil {
		l.clients[client] = rate.NewLimiter(l.limit, requestBurst)
	}
	return l.clients[client].Allow()
}

// client names who makes a request, for the bounds on what each client has. The name is the
// address at the other end of the connection. Beyond the machine's own networks it is the
// network of 64 bits of an IPv6 address, which is what one customer has.
func (s *Server) client(remote string) string {
	address, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := address.Addr().Unmap()
	if ip.Is4() || ip.IsLinkLocalUnicast() {
		return ip.String()
	}
	// Networks may change while the server runs.
	own, _ := s.interfaces() // after an error there are none
	isNear := slices.ContainsFunc(own, func(a net.Addr) bool {
		network, err := netip.ParsePrefix(a.String())
		return err == nil && network.Contains(ip)
	})
	if isNear {
		return ip.String()
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
}
