package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A collector takes what OpenTelemetry's exporter sends.
type collector struct {
	mu   sync.Mutex
	text string
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text += string(b) + "\n"
}

type span struct {
	Name, TraceID, SpanID, ParentSpanID string
	Attributes                          []struct{ Key string }
}

func (c *collector) spans(t *testing.T) (all []span) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for d := json.NewDecoder(strings.NewReader(c.text)); d.More(); {
		var sent struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []span }
			}
		}
		must(t, d.Decode(&sent))
		for _, r := range sent.ResourceSpans {
			for _, s := range r.ScopeSpans {
				all = append(all, s.Spans...)
			}
		}
	}
	return all
}

// A match, from its creation to its record, with a collector that listens: it hears which
// routes were asked and that the store took its time, and nothing by which to find the match,
// act for a seat or know a roll.
func TestTraces(t *testing.T) {
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	c := new(collector)
	receiver := httptest.NewServer(c)
	defer receiver.Close()
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", "OTEL_TRACES_EXPORTER": "", "OTEL_SDK_DISABLED": "",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "", "OTEL_TRACES_SAMPLER": "", "OTEL_RESOURCE_ATTRIBUTES": "",
	} {
		t.Setenv(name, value)
	}
	s := startWith(t, environment(), "-data", t.TempDir(), "-addr", "localhost:0", "-log", "debug")
	nodes := &cluster{t: t, h: http.DefaultClient, nodes: []*process{{base: s.base}}}
	table := nodes.open(0, 2)
	eventually(t, "the first roll falls", func() bool { // the log has the seal then
		status, _ := nodes.ask(table.path("roll"), table.tokens[0], "keyoffirst", `{"after":0}`)
		return status == 200
	})
	r, err := http.NewRequest("GET", s.base+"/v1/matches/"+table.id+"?secretquery=1", nil)
	must(t, err)
	r.Header.Set("Traceparent", "00-"+trace+"-"+parent+"-01")
	r.Header.Set("Tracestate", "secretstate=1")
	r.Header.Set("User-Agent", "secretagent")
	for _, path := range []string{r.URL.Path, "/en/match/" + table.id, "/secretpath", "/v1/secretpath"} {
		r.URL.Path = path
		answer, err := http.DefaultClient.Do(r)
		must(t, err)
		answer.Body.Close()
	}
	nodes.must(table.path("end"), table.tokens[0], "end-0", `{"after":1}`, nil)
	var over struct{ Server string }
	nodes.must(table.path("end"), table.tokens[1], "end-1", `{"after":1}`, &over)
	table.get("/record")
	if code := s.stop(); code != 0 { // the last spans are sent
		t.Fatalf("it ended with %d: %s", code, s.stderr)
	}

	spans, routes := c.spans(t), map[string]span{}
	for _, one := range spans {
		routes[one.Name] = one
		for _, a := range one.Attributes {
			if !slices.Contains([]string{"http.request.method", "http.route", "http.response.status_code"}, a.Key) {
				t.Errorf("an attribute %s", a.Key)
			}
		}
	}
	for _, name := range []string{
		"POST /v1/matches", "POST /v1/matches/{match}/acknowledge", "POST /v1/matches/{match}/seed", "POST /v1/matches/{match}/roll",
		"POST /v1/matches/{match}/end", "GET /v1/matches/{match}", "GET /v1/matches/{match}/record", "/v1/", "store create", "store update",
	} {
		if routes[name].SpanID == "" {
			t.Errorf("no span %q", name)
		}
	}
	if asked := routes["/v1/"]; !strings.EqualFold(asked.TraceID, trace) || !strings.EqualFold(asked.ParentSpanID, parent) {
		t.Errorf("the caller's trace: %+v", asked)
	}
	for _, below := range []struct{ name, route string }{{"store create", "POST /v1/matches"}, {"store update", "POST /v1/matches/{match}/end"}} {
		if one := routes[below.name]; one.ParentSpanID != routes[below.route].SpanID || one.TraceID != routes[below.route].TraceID {
			t.Errorf("%s is below %s: %+v", below.name, one.ParentSpanID, routes[below.route])
		}
	}
	named := false
	for line := range strings.Lines(s.stderr.String()) {
		named = named || strings.Contains(line, "route=/v1/ ") && strings.Contains(line, "trace="+trace) && strings.Contains(line, "request=")
	}
	if !named {
		t.Errorf("the log does not name the trace: %s", s.stderr)
	}

	if len(over.Server) != 64 {
		t.Fatalf("no server seed: %q", over.Server)
	}
	secrets := []string{"secret", "keyoffirst", "end-0", "ack-0", `"c1"`, "127.0.0.1"}
	for _, text := range append(table.tokens, table.id, table.seal, over.Server) {
		secrets = append(secrets, text)
		if b, err := hex.DecodeString(text); err == nil {
			secrets = append(secrets, string(b), base64.StdEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b), strings.ToUpper(text))
		}
	}
	for _, secret := range secrets {
		if strings.Contains(c.text, secret) {
			t.Errorf("%q was told", secret)
		}
	}
	if strings.Contains(s.stderr.String(), "secret") || strings.Contains(s.stderr.String(), table.id) {
		t.Errorf("the log tells what was asked: %s", s.stderr)
	}
	if !strings.Contains(c.text, `"veridiced"`) {
		t.Error("the service has no name")
	}
}
