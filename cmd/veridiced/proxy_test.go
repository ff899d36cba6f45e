package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A proxy stands between phones and server: it notes what is asked, and it can
// withhold, break or change answers.
type proxy struct {
	url string

	mu     sync.Mutex
	to     *url.URL
	asked  []asked
	hold   map[string]chan struct{}           // answers to paths with these ends wait until the channel is closed
	stall  map[string]chan struct{}           // so do requests, before the server hears of them
	broken bool                               // every answer is a 502
	change func(path string, b []byte) []byte // of answers that are no stream; nil for none
}

// asked is a request that changes something.
type asked struct{ path, key, body string }

// between starts a proxy before a server.
func between(t *testing.T, s *testServer) *proxy {
	t.Helper()
	p := &proxy{hold: map[string]chan struct{}{}, stall: map[string]chan struct{}{}}
	p.leads(s)
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			p.mu.Lock()
			r.SetURL(p.to)
			p.mu.Unlock()
			r.Out.Host = r.In.Host
		},
		FlushInterval:  -1, // events at once
		ModifyResponse: p.answer,
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		broken := p.broken
		p.mu.Unlock()
		if broken {
			http.Error(w, "bad gateway", http.StatusBadGateway)
			return
		}
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body) // what is missing, the server will miss too
			r.Body = io.NopCloser(bytes.NewReader(body))
			p.mu.Lock()
			p.asked = append(p.asked, asked{r.URL.Path, r.Header.Get("Idempotency-Key"), string(body)})
			p.mu.Unlock()
			p.wait(p.stall, r)
		}
		r.Header.Del("Accept-Encoding") // what may be changed must be plain
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	p.url = h.URL
	return p
}

// leads has it go on to where a server listens now.
func (p *proxy) leads(s *testServer) {
	to, err := url.Parse(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	p.set(func(p *proxy) { p.to = to })
}

func (p *proxy) answer(r *http.Response) error {
	p.wait(p.hold, r.Request)
	p.mu.Lock()
	change := p.change
	p.mu.Unlock()
	if change == nil || strings.HasSuffix(r.Request.URL.Path, "/events") {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	body = change(r.Request.URL.Path, body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

// wait returns when nothing withholds a request's path any more.
func (p *proxy) wait(held map[string]chan struct{}, r *http.Request) {
	p.mu.Lock()
	var until chan struct{}
	for end, c := range held {
		if strings.HasSuffix(r.URL.Path, end) {
			until = c
		}
	}
	p.mu.Unlock()
	if until == nil {
		return
	}
	select {
	case <-until:
	case <-r.Context().Done():
	}
}

// set changes what the proxy does.
func (p *proxy) set(change func(*proxy)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// posts lists the requests to paths with an end.
func (p *proxy) posts(end string) []asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []asked
	for _, a := range p.asked {
		if strings.HasSuffix(a.path, end) {
			found = append(found, a)
		}
	}
	return found
}
