package server

import (
	"net/http"
	"regexp"
	"strings"
)

// A pageKind decides which Content-Security-Policy it gets: the narrowest
// with which it works.
type pageKind string

const (
	textPage  pageKind = "text"     // no script but our own, no requests
	checkPage pageKind = "checking" // reads secrets of the reader; may fetch the Go core and nothing else
	tablePage pageKind = "table"    // talks to the API of this server
)

// everywhere stands first in the policy of every page.
const everywhere = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'; "

// policies hold what each kind of page adds. CORE is the full address of the Go core.
var policies = map[pageKind]string{
	textPage:  "script-src 'self'; form-action 'none'",
	checkPage: "script-src 'self' 'wasm-unsafe-eval'; connect-src CORE; form-action 'none'",
	tablePage: "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; form-action 'self'",
}

// nothing is the policy of everything that is not a page.
const nothing = "default-src 'none'; frame-ancestors 'none'"

// headers go with every answer.
var headers = [][2]string{
	{"Content-Security-Policy", nothing},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
}

const (
	fresh     = "no-cache"                            // pages: ask each time
	immutable = "public, max-age=31536000, immutable" // files with a hash in their address
)

// withHeaders sets the headers of every answer; a page replaces the policy by its own.
func withHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, h := range headers {
			w.Header().Set(h[0], h[1])
		}
		next.ServeHTTP(w, r)
	})
}

// plainHost is a name or IPv4 address and perhaps a port. Anything else in a Host
// header, such as a semicolon, could write into the policy. An address of IPv6 has no form
// in a policy at all.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9._-]+(:[0-9]{1,5})?$`)

// ValidOrigin reports whether a text is an origin as [Options] takes it, such as
// https://dice.example: http or https, a name or IPv4 address, perhaps a port.
func ValidOrigin(text string) bool {
	scheme, host, _ := strings.Cut(text, "://")
	return (scheme == "http" || scheme == "https") && plainHost.MatchString(host)
}

// origin is what the address of the Go core begins with in a policy: the configured
// one, or else the host that was asked, without its scheme, which then is the page's
// own. It is empty if the host is nothing that a policy can hold; such a page does
// without the core.
func origin(configured string, r *http.Request) string {
	switch {
	case configured != "":
		return configured
	case plainHost.MatchString(r.Host):
		return r.Host
	}
	return ""
}
