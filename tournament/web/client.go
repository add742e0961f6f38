package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// client names who makes a request, for the bounds on what each client has: who is at the other end of the
// connection, or where that is a trusted proxy who is at the other end of the proxy's.
func (s *Server) client(r *http.Request) string {
	peer, err := parseAddr(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	var hops, standard []string
	for _, text := range r.Header.Values("X-Forwarded-For") {
		hops = append(hops, strings.Split(text, ",")...)
	}
	for _, text := range r.Header.Values("Forwarded") { // RFC 7239
		for hop := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == ';' }) {
			if name, value, _ := strings.Cut(strings.TrimSpace(hop), "="); strings.EqualFold(name, "for") {
				standard = append(standard, value)
			}
		}
	}
	at, other := s.origin(peer, hops), s.origin(peer, standard)
	switch {
	case at == peer:
		at = other
	case other != peer && other != at:
		at = peer // a proxy passes on one of the headers as the visitor has sent it
	}
	return s.name(at)
}

// origin returns the last of the addresses through which a request came that isn't a trusted proxy's: each proxy
// adds the one that it was asked by, and what stands before may be forged.
func (s *Server) origin(at netip.Addr, hops []string) netip.Addr {
	for _, hop := range slices.Backward(hops) {
		before, err := parseAddr(strings.Trim(hop, "\" \t"))
		if err != nil || !s.trusts(at) {
			break
		}
		at = before
	}
	return at
}

// parseAddr reads an address with or without a port and brackets.
func parseAddr(text string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap(), nil
	}
	ip, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return ip.Unmap(), err
}

// trusts reports whether an address is that of a proxy whose headers are believed.
func (s *Server) trusts(ip netip.Addr) bool {
	return slices.ContainsFunc(s.Proxies, func(n netip.Prefix) bool { return n.Contains(ip.WithZone("")) })
}

// name returns the address as the name of a client; of IPv6 beyond the machine's own networks the network of 64
// bits, which is what one customer has.
func (s *Server) name(ip netip.Addr) string {
	if ip.Is4() || ip.IsLinkLocalUnicast() || s.near(ip) {
		return ip.String()
	}
	network, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return ip.String()
	}
	return network.String()
}

// near reports whether an address is in a network of the machine's interfaces.
func (s *Server) near(ip netip.Addr) bool {
	list, err := s.interfaces()
	return err == nil && slices.ContainsFunc(list, func(a net.Addr) bool {
		own, err := netip.ParsePrefix(a.String())
		return err == nil && own.Contains(ip)
	})
}
