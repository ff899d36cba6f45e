package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// address is whom a request comes from: an IPv4 address, or the /64 network of
// an IPv6 one, which one household has to itself. A proxy of [Options.Proxies] is
// believed when it says in X-Forwarded-For who asked it. Of that list the last
// address counts that is no such proxy: anybody can make up what stands before it.
func (s *Server) address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = plain(ip)
	for _, said := range slices.Backward(strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")) {
		if !s.isProxy(ip) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(said))
		if err != nil {
			break
		}
		ip = plain(before)
	}
	if ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

// plain is an address without what only one machine knows of it.
func plain(ip netip.Addr) netip.Addr { return ip.Unmap().WithZone("") }

func (s *Server) isProxy(ip netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}
