package trace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/store/memory"
)

// clear takes away what the machine's own environment says.
func clear(t *testing.T) {
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER",
	} {
		t.Setenv(name, "")
	}
}

func TestEnvironment(t *testing.T) {
	const there = "http://localhost:1"
	for _, c := range []struct {
		set   string // NAME=VALUE with blanks between
		on    bool
		fails string
	}{
		{"", false, ""},
		{"OTEL_SERVICE_NAME=x", false, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + there, true, ""},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + there, true, ""},
		{"OTEL_TRACES_EXPORTER=otlp", true, ""},
		{"OTEL_TRACES_EXPORTER=none OTEL_EXPORTER_OTLP_ENDPOINT=" + there, false, ""},
		{"OTEL_SDK_DISABLED=TRUE OTEL_TRACES_EXPORTER=otlp", false, ""},
		{"OTEL_SDK_DISABLED=false OTEL_TRACES_EXPORTER=otlp", true, ""},
		{"OTEL_TRACES_EXPORTER=zipkin", false, "OTEL_TRACES_EXPORTER: there are otlp and none"},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc", false, "OTEL_EXPORTER_OTLP_PROTOCOL: traces are sent by"},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc OTEL_EXPORTER_OTLP_PROTOCOL=http/json", false, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json OTEL_EXPORTER_OTLP_PROTOCOL=grpc", true, ""},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_RESOURCE_ATTRIBUTES=no-value", false, "OTEL_RESOURCE_ATTRIBUTES: "},
		{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", false, ""}, // of something else
	} {
		t.Run(c.set, func(t *testing.T) {
			clear(t)
			for pair := range strings.FieldsSeq(c.set) {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			tr, err := Start(t.Context(), slog.New(slog.DiscardHandler))
			if (tr != nil) != c.on || (err != nil) != (c.fails != "") || err != nil && !strings.HasPrefix(err.Error(), c.fails) {
				t.Errorf("got %v, %v; want %v, %q", tr != nil, err, c.on, c.fails)
			}
			if tr != nil {
				tr.Stop()
			}
		})
	}
}

// Spans that nobody takes are one line of the log, however many there are.
func TestNobodyTakesThem(t *testing.T) {
	clear(t)
	var mu sync.Mutex
	taken, refuses := "", true
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if refuses || err != nil {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		taken += r.URL.Path + string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_SERVICE_NAME", "dice-of-a-club")
	log := new(bytes.Buffer)
	tr, err := Start(t.Context(), slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	send := func(route string) {
		_, _, end := tr.Request(httptest.NewRequest("GET", "/", nil))
		end(route, 200)
		if err := tr.provider.ForceFlush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	send("GET /first")
	send("GET /second")
	if n := strings.Count(log.String(), "traces cannot be sent"); n != 1 {
		t.Errorf("said %d times: %s", n, log)
	}
	mu.Lock()
	refuses = false
	mu.Unlock()
	send("GET /third")
	if n := strings.Count(log.String(), "traces are sent again"); n != 1 {
		t.Errorf("said %d times: %s", n, log)
	}
	_, _, end := tr.Request(httptest.NewRequest("GET", "/", nil))
	end("GET /fourth", 200)
	tr.Stop()
	for _, words := range []string{"/v1/traces", "GET /third", "GET /fourth", "dice-of-a-club"} {
		if !strings.Contains(taken, words) {
			t.Errorf("%q did not arrive", words)
		}
	}
}

// kept is a tracer whose spans are looked at.
func kept() (*Tracer, func() tracetest.SpanStubs) {
	spans := tracetest.NewInMemoryExporter()
	p := sdk.NewTracerProvider(sdk.WithSyncer(spans))
	return &Tracer{provider: p, tracer: p.Tracer("test")}, func() tracetest.SpanStubs {
		defer spans.Reset()
		return spans.GetSpans()
	}
}

func TestRequest(t *testing.T) {
	tr, spans := kept()
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for _, c := range []struct {
		header, route        string
		status               int
		name, method, path   string
		below, sent, failing bool
	}{
		{"", "POST /v1/matches/{match}/roll", 200, "POST /v1/matches/{match}/roll", "POST", "/v1/matches/{match}/roll", false, true, false},
		{"00-" + trace + "-" + parent + "-01", "GET /readyz", 503, "GET /readyz", "GET", "/readyz", true, true, true},
		{"00-" + trace + "-" + parent + "-00", "GET /readyz", 200, "", "", "", true, false, false}, // whoever began it does not want it
		{"00-" + trace + "-0000000000000000-01", "", 404, "other", "", "", false, true, false},
		{"nonsense", "/v1/", 404, "/v1/", "", "", false, true, false},
	} {
		r := httptest.NewRequest("POST", "/v1/matches/secret?a=secret", nil)
		r.Header.Set("Traceparent", c.header)
		r.Header.Set("Tracestate", "secret=secret")
		r.Header.Set("Baggage", "secret=secret")
		_, id, end := tr.Request(r)
		end(c.route, c.status)
		if (id == trace) != c.below || len(id) != 32 {
			t.Errorf("%q: trace %s", c.header, id)
		}
		got := spans()
		if len(got) != 1 || !c.sent {
			if c.sent || len(got) != 0 {
				t.Errorf("%q: %d spans", c.header, len(got))
			}
			continue
		}
		s := got[0]
		about := map[string]string{}
		for _, a := range s.Attributes {
			about[string(a.Key)] = a.Value.String()
		}
		if s.Name != c.name || about["http.request.method"] != c.method || about["http.route"] != c.path || (s.Status.Code == codes.Error) != c.failing {
			t.Errorf("%q: got %q %v %v", c.header, s.Name, about, s.Status)
		}
		if (s.Parent.SpanID().String() == parent) != c.below || s.SpanContext.TraceState().Len() != 0 {
			t.Errorf("%q: parent %s, state %s", c.header, s.Parent.SpanID(), s.SpanContext.TraceState())
		}
	}
}

// A broken store fails in its own words.
type broken struct{ Store }

var errDisk = errors.New("a disk")

func (broken) Update(context.Context, string, string, func(*match.Match) error) error { return errDisk }

func TestStore(t *testing.T) {
	tr, spans := kept()
	s := tr.Store(memory.New())
	m := &match.Match{ID: strings.Repeat("0", 32), Scheme: "tavli/1", State: match.Open}
	refused := errors.New("by a rule")
	if err := s.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got := spans(); len(got) != 0 {
		t.Errorf("%d spans of what no request asked", len(got))
	}
	ctx, _, end := tr.Request(httptest.NewRequest("GET", "/", nil))
	for _, c := range []struct {
		name    string
		err     error
		want    error
		failing bool
	}{
		{"store create", s.Create(ctx, m), match.ErrConflict, false},
		{"store update", s.Update(ctx, m.ID, "", func(*match.Match) error { return nil }), nil, false},
		{"store update", s.Update(ctx, m.ID, "", func(*match.Match) error { return refused }), refused, false},
		{"store update", s.Update(ctx, "none", "", func(*match.Match) error { return nil }), match.ErrNotFound, false},
		{"store amend", s.Amend(ctx, "a", "b", "", func(*ledger.Book) error { return nil }), nil, false},
		{"store amend", s.Amend(ctx, "a", "b", "", func(*ledger.Book) error { return refused }), refused, false},
		{"store update", tr.Store(broken{s}).Update(ctx, m.ID, "", nil), errDisk, true},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, c.err, c.want)
		}
	}
	end("GET /", 200)
	got := spans()
	var names []string
	for _, span := range got {
		names = append(names, span.Name)
	}
	want := "store create, store update, store update, store update, store amend, store amend, store update, GET /"
	if text := strings.Join(names, ", "); text != want {
		t.Fatalf("got %s, want %s", text, want)
	}
	for i, span := range got[:len(got)-1] {
		if span.Parent.SpanID() != got[len(got)-1].SpanContext.SpanID() {
			t.Errorf("span %d is not below the request", i)
		}
		if failing := span.Status.Code == codes.Error; failing != (i == 6) || len(span.Attributes)+len(span.Events) > 0 || span.Status.Description != "" {
			t.Errorf("span %d: %v %v %v", i, span.Status, span.Attributes, span.Events)
		}
	}
}
