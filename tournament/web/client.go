package web

import (
	"net"
	"net/netip"
	"slices"
)

// client names who makes a request, for the bounds on what each client has: the address at the other end of the
// connection; of IPv6 beyond the machine's own networks the network of 64 bits, which is what one customer has.
func (s *Server) client(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	ip := at.Addr().Unmap()
	near := func(a net.Addr) bool {
		own, err := netip.ParsePrefix(a.String())
		return err == nil && own.Contains(ip)
	}
	if !ip.Is4() && !ip.IsLinkLocalUnicast() {
		list, _ := s.interfaces() // after an error there are none
		if !slices.ContainsFunc(list, near) {
			return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
		}
	}
	return ip.String()
}
