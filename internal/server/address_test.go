package server

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestAddressOfARequest(t *testing.T) {
	direct := new(Server)
	behind := &Server{proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::1/128")}}
	for _, c := range []struct {
		server     *Server
		from, want string
		said       []string
	}{
		{direct, "192.0.2.7:1234", "192.0.2.7", nil},
		{direct, "[::ffff:192.0.2.7]:1", "192.0.2.7", nil},
		{direct, "[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64", nil},
		{direct, "[fe80::1%eth0]:80", "fe80::/64", nil},
		{direct, "[::1]:80", "::/64", nil},
		{direct, "@", "@", nil},
		// Nobody is believed who was not named.
		{direct, "127.0.0.1:80", "127.0.0.1", []string{"203.0.113.9"}},
		{behind, "192.0.2.7:80", "192.0.2.7", []string{"203.0.113.9"}},
		// The proxy's own word is the last one; what a client put before it is not.
		{behind, "127.0.0.1:80", "203.0.113.9", []string{"203.0.113.9"}},
		{behind, "[::1]:80", "203.0.113.9", []string{"203.0.113.9"}},
		{behind, "[::ffff:127.0.0.1]:80", "203.0.113.9", []string{"198.51.100.1, 203.0.113.9"}},
		{behind, "127.0.0.1:80", "203.0.113.9", []string{"198.51.100.1", "203.0.113.9"}},
		{behind, "127.0.0.1:80", "203.0.113.9", []string{"198.51.100.1,203.0.113.9 , 10.1.2.3"}},
		{behind, "127.0.0.1:80", "2001:db8:1:2::/64", []string{"2001:db8:1:2:3:4:5:6"}},
		// Two proxies and nobody before them; and what is no address.
		{behind, "127.0.0.1:80", "10.1.2.3", []string{"10.1.2.3"}},
		{behind, "127.0.0.1:80", "127.0.0.1", nil},
		{behind, "127.0.0.1:80", "127.0.0.1", []string{"203.0.113.9, unknown"}},
		{behind, "127.0.0.1:80", "10.1.2.3", []string{"198.51.100.1, , 10.1.2.3"}},
	} {
		if got := c.server.address(&http.Request{RemoteAddr: c.from, Header: http.Header{"X-Forwarded-For": c.said}}); got != c.want {
			t.Errorf("%s, %q: got %s, want %s", c.from, c.said, got, c.want)
		}
	}
}
