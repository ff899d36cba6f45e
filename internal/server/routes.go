// Package server serves the live table: its API, its events and its pages.
//
// The API is docs/openapi.json. A request is refused with problem details (RFC
// 9457); [errors.go] alone decides their status and code. Nothing about a match
// is kept here; two servers on one store are as good as one.
package server

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"veridice/internal/apikey"
	"veridice/internal/hook"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/pair"
	"veridice/internal/publog"
	"veridice/seed"
)

// Options are what a server is made of.
type Options struct {
	Match  *match.Service
	Log    *slog.Logger
	Files  fs.FS  // of package web; nil for the API alone
	Origin string // of the pages as their readers see it, "" for the Host of each request

	// PublicLog is the log of openings and closings, nil for none.
	PublicLog *publog.Log

	// Trace begins to follow a request, if it is set. It gives the context in which to
	// answer, the id of the trace for the log, and a function that is told the route's
	// pattern and the answer's status in the end.
	Trace func(*http.Request) (ctx context.Context, id string, end func(route string, status int))

	// What operators use; all of them or none.
	Ledger ledger.Store
	Keys   *apikey.Service
	Pairs  *pair.Service
	Hooks  *hook.Service

	// CORS are the origins of other sites whose pages may call the API.
	CORS []string

	// Contact is an address for whoever finds a mismatch, "" for nobody: see [ValidContact].
	Contact string

	// Proxies are the reverse proxies that are believed when they say for whom
	// they ask.
	Proxies []netip.Prefix
}

// Times and limits of a server. Tests change them.
type limits struct {
	body           int64         // bytes of a request's body
	streams        int           // open event streams of one address
	totalStreams   int           // of all addresses
	heartbeat      time.Duration // silence of a stream after which it says that it is there, and looks
	flush          time.Duration // time for the reader of a stream to take what was written
	header         time.Duration // time for a request's header to arrive
	request        time.Duration // for all of it
	answer         time.Duration // for an answer that is no stream
	idle           time.Duration // between two requests on a connection
	eventsPerBatch int           // read from the store at once
}

var usual = limits{
	body: 16 << 10, streams: 64, totalStreams: 20_000,
	heartbeat: 15 * time.Second, flush: 10 * time.Second,
	header: 10 * time.Second, request: 20 * time.Second, answer: 30 * time.Second, idle: 2 * time.Minute,
	eventsPerBatch: 256,
}

// A Server answers requests. New makes one.
type Server struct {
	match  *match.Service
	log    *slog.Logger
	pages  *pages // nil without files
	limits limits
	cross  http.CrossOriginProtection

	proxies []netip.Prefix
	publog  *publog.Log // nil without one
	follow  *watchedLog // of it

	ledger ledger.Store // nil without operators
	keys   *apikey.Service
	pairs  *pair.Service
	hooks  *hook.Service
	cors   []string

	rates                                 rates
	callers, addresses, wrongKeys, tables buckets
	counted                               counts
	trace                                 func(*http.Request) (context.Context, string, func(string, int)) // or nil
	outages                               outages

	closing chan struct{} // closed by Close: streams end
	close   sync.Once
	streams streams
}

// New makes a server.
func New(o Options) (*Server, error) {
	if o.Match == nil || o.Log == nil {
		return nil, errors.New("server: has no match service or no log")
	}
	if o.Origin != "" && !ValidOrigin(o.Origin) {
		return nil, errors.New("server: the origin is not of the form https://host")
	}
	if o.Contact != "" && !ValidContact(o.Contact) {
		return nil, errors.New("server: the contact is neither a mail address nor one of http or https")
	}
	s := &Server{match: o.Match, log: slog.New(logged{o.Log.Handler()}), trace: o.Trace, limits: usual, proxies: o.Proxies, publog: o.PublicLog, closing: make(chan struct{})}
	s.ledger, s.keys, s.pairs, s.hooks, s.cors, s.rates = o.Ledger, o.Keys, o.Pairs, o.Hooks, o.CORS, usualRates
	for _, origin := range o.CORS {
		if !ValidOrigin(origin) {
			return nil, errors.New("server: an origin of CORS is not of the form https://host")
		}
		if err := s.cross.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	if o.PublicLog != nil {
		s.follow = newWatchedLog(o.PublicLog)
	}
	if o.Files != nil {
		key, err := o.Match.ServerKey(context.Background())
		if err != nil {
			return nil, err
		}
		p, err := newPages(o.Files, about{origin: o.Origin, serverKey: seed.Hex(key[:]), contact: o.Contact, logPolicy: policyText(o.PublicLog)})
		if err != nil {
			return nil, err
		}
		s.pages = p
	}
	return s, nil
}

// policyText is what phones pin of a log.
func policyText(l *publog.Log) string {
	if l == nil {
		return ""
	}
	return string(l.Policy.Marshal())
}

// Close ends all event streams. Other requests are not touched.
func (s *Server) Close() { s.close.Do(func() { close(s.closing) }) }

// Serve answers on a listener until ctx is done; then it ends the streams and
// gives other requests the time of wait. What is still running then is cut off.
func (s *Server) Serve(ctx context.Context, l net.Listener, wait time.Duration) error {
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: s.limits.header,
		ReadTimeout:       s.limits.request,
		WriteTimeout:      s.limits.answer, // a stream sets its own
		IdleTimeout:       s.limits.idle,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(quiet{s.log.Handler()}, slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.Close()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	if err := h.Shutdown(late); err != nil {
		return errors.Join(err, h.Close())
	}
	return nil
}

// A route is an address and who answers there.
type route struct {
	method, path string
	handle       func(http.ResponseWriter, *http.Request) error
}

// routes lists the API. Whatever changes something is a POST.
func (s *Server) routes() []route {
	all := []route{
		{"GET", "/healthz", s.health},
		{"GET", "/readyz", s.ready},
		{"POST", "/v1/matches", s.create},
		{"GET", "/v1/matches/{match}", s.snapshot},
		{"GET", "/v1/matches/{match}/events", s.events},
		{"GET", "/v1/matches/{match}/record", s.record},
		{"GET", "/v1/matches/{match}/proof", s.proof},
		{"POST", "/v1/matches/{match}/acknowledge", s.acknowledge},
		{"POST", "/v1/matches/{match}/seed", s.textStep("client", s.match.Seed)},
		{"POST", "/v1/matches/{match}/roll", s.afterStep(s.match.Roll)},
		{"POST", "/v1/matches/{match}/game", s.afterStep(s.match.NewGame)},
		{"POST", "/v1/matches/{match}/end", s.afterStep(s.match.End)},
		{"POST", "/v1/matches/{match}/end/withdraw", s.withdraw},

		{"POST", "/v1/matches/{match}/join", s.textStep("note", s.match.Join)},
		{"POST", "/v1/matches/{match}/ready", s.textStep("note", s.match.Ready)},
		{"POST", "/v1/matches/{match}/ask", s.textStep("note", s.match.Ask)},
		{"POST", "/v1/matches/{match}/link", s.link},
		{"POST", "/v1/matches/{match}/move", s.textStep("note", s.match.Move)},
		{"POST", "/v1/matches/{match}/wish", s.afterStep(s.match.Wish)},
		{"POST", "/v1/matches/{match}/abort", s.abort},
		{"POST", "/v1/matches/{match}/sign", s.textStep("signature", s.match.Sign)},
		{"POST", "/v1/matches/{match}/next", s.goOn},
	}
	all = append(all, s.referenceRoutes()...)
	if s.publog != nil {
		all = append(all,
			route{"GET", "/log/checkpoint", s.logCheckpoint},
			route{"GET", "/log/tile/{path...}", s.logTile},
			route{"GET", "/log/growth/{earlier}/{later}", s.logGrowth},
			route{"GET", "/log/report", s.logReport},
			route{"GET", "/log/match/{match}", s.logMatch},
		)
	}
	if s.keys != nil {
		all = append(all, s.pairRoutes()...)
		all = append(all, s.hookRoutes()...)
	}
	return all
}

// Handler serves everything.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	allowed := map[string][]string{}
	for _, r := range s.routes() {
		mux.Handle(r.method+" "+r.path, s.answer(r.handle))
		allowed[r.path] = append(allowed[r.path], r.method)
		if r.method == http.MethodGet {
			allowed[r.path] = append(allowed[r.path], http.MethodHead)
		}
	}
	for path, methods := range allowed {
		slices.Sort(methods)
		allow := strings.Join(methods, ", ")
		mux.Handle(path, s.answer(func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Allow", allow)
			return &problem{status: http.StatusMethodNotAllowed, code: "wrong-method"}
		}))
	}
	nothingHere := s.answer(func(http.ResponseWriter, *http.Request) error {
		return &problem{status: http.StatusNotFound, code: "no-such-address"}
	})
	mux.Handle("/v1/", nothingHere)
	if s.pages != nil {
		s.pages.register(mux)
	} else {
		mux.Handle("/", nothingHere)
	}
	return s.watched(withHeaders(s.withCORS(s.sameOrigin(mux))))
}

// answer turns a handler's error into its answer.
func (s *Server) answer(handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			s.refuse(w, r, err)
		} else if r.Method == http.MethodPost {
			s.worked(r.Context()) // what a POST changes is stored
		}
	})
}

// sameOrigin refuses what another site's page sends with a reader's browser.
func (s *Server) sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.cross.Check(r) != nil {
			s.refuse(w, r, &problem{status: http.StatusForbidden, code: "cross-origin"})
			return
		}
		next.ServeHTTP(w, r)
	})
}
