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
	if ip.Is4() || ip.IsLinkLocalUnicast() || s.near(ip) {
		return ip.String()
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().String()
}

// near reports whether an address is in a network of the machine's interfaces.
func (s *Server) near(ip netip.Addr) bool {
	list, _ := s.interfaces() // after an error there are none
	return slices.ContainsFunc(list, func(a net.Addr) bool {
		own, err := netip.ParsePrefix(a.String())
		return err == nil && own.Contains(ip)
	})
}
