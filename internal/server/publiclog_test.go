package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"veridice/checkpoint"
	"veridice/internal/match"
	"veridice/internal/publog"
	"veridice/internal/store/memory"
	"veridice/record"
	"veridice/verify"
)

// TestPublicLog plays a match at a server with a log: it does not start before the
// receipt of its seal is there, and its proof file is proven under the log's policy. The
// log's addresses give its entries, its open matches and proofs of growth.
func TestPublicLog(t *testing.T) {
	store := memory.New()
	vault, err := match.NewVault(bytes.Repeat([]byte{7}, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	service := match.New(store, vault, fixedClock{}, &counter{name: t.Name()})
	secret, err := service.LogKeySecret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	signer, err := checkpoint.NewSigner("log.example", checkpoint.Plain, secret)
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	public, err := publog.New(t.Context(), publog.Options{Keeper: store, Signer: signer, Logger: logger, Receipt: service.Receipt})
	if err != nil {
		t.Fatal(err)
	}
	woken := 0
	service.UseLog(func() { woken++ })
	s, err := New(Options{Match: service, Log: logger, PublicLog: public})
	if err != nil {
		t.Fatal(err)
	}
	h := s.Handler()
	ask := func(method, path, token, body string) (int, http.Header, []byte) {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k"+strings.ReplaceAll(path, "/", "_")[max(0, len(path)-40):])
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if err := conforms(r, w.Code, w.Header(), w.Body.Bytes()); err != nil {
			t.Error(err)
		}
		return w.Code, w.Header(), w.Body.Bytes()
	}
	if code, _, _ := ask("GET", "/log/checkpoint", "", ""); code != 404 {
		t.Errorf("the head of an empty log: %d", code)
	}
	_, _, body := ask("POST", "/v1/matches", "", `{"scheme":"yayay/1","seats":1}`)
	var made match.CreatedAnswer
	if err := json.Unmarshal(body, &made); err != nil {
		t.Fatal(err)
	}
	base, token := "/v1/matches/"+made.Match, made.Seats[0].Token
	state := func() string {
		_, _, body := ask("GET", base, "", "")
		var view struct{ State string }
		if err := json.Unmarshal(body, &view); err != nil {
			t.Fatal(err)
		}
		return view.State
	}
	ask("POST", base+"/acknowledge", token, `{"seal":"`+made.Seal.String()+`"}`)
	if got := state(); got != "open" || woken != 1 {
		t.Errorf("before the receipt of its seal the match is %s; the log was told %d times", got, woken)
	}
	if code, _, body := ask("POST", base+"/roll", token, `{"after":0}`); code != 409 {
		t.Errorf("a roll before the receipt: %d %s", code, body)
	}
	if err := public.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != "running" {
		t.Errorf("with the receipt of its seal the match is %s", got)
	}
	_, _, early := ask("GET", "/log/report", "", "")
	s.follow.seen = time.Time{}
	ask("POST", base+"/roll", token, `{"after":0}`)
	ask("POST", base+"/end", token, `{"after":1}`)
	r := httptest.NewRequest("POST", base+"/end", strings.NewReader(`{"after":1}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "the-second")
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := public.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _, proof := ask("GET", base+"/proof", "", "")
	report := verify.Text(proof, verify.Options{Policy: public.Policy})
	if report.Verdict != verify.Proven || !strings.Contains(string(proof), "\nunseal-receipt ") {
		t.Errorf("the proof file is %s %s:\n%s", report.Verdict, report.Code, proof)
	}

	_, _, late := ask("GET", "/log/report", "", "")
	for text, want := range map[string]string{string(early): `"opened":1`, string(late): `"opened":0`} {
		if !strings.Contains(text, want) || !strings.Contains(text, `"checked":true`) {
			t.Errorf("the report lacks %s: %s", want, text)
		}
	}
	_, _, body = ask("GET", "/log/match/"+made.Match, "", "")
	var found struct{ Entries []loggedEntry }
	if err := json.Unmarshal(body, &found); err != nil || len(found.Entries) != 2 {
		t.Fatalf("entries of the match: %s", body)
	}
	for _, e := range found.Entries {
		if _, err := public.Policy.Receipt([]byte(e.Text), []byte(e.Receipt)); err != nil {
			t.Errorf("entry %d: %v", e.Index, err)
		}
	}
	if sealing, err := record.ParseSealing([]byte(found.Entries[0].Text)); err != nil || sealing.Seal != made.Seal || sealing.Seq != 1 {
		t.Errorf("the seal's entry: %+v, %v", sealing, err)
	}
	if code, _, _ := ask("GET", "/log/match/none", "", ""); code != 404 {
		t.Errorf("an unknown match: %d", code)
	}
	for path, cache := range map[string]string{
		"/log/checkpoint": fresh, "/log/tile/0/000.p/2": immutable, "/log/tile/entries/000.p/2": immutable, "/log/growth/1/2": immutable,
	} {
		if code, header, body := ask("GET", path, "", ""); code != 200 || header.Get("Cache-Control") != cache || len(body) == 0 {
			t.Errorf("%s: %d, %q, %d bytes", path, code, header.Get("Cache-Control"), len(body))
		}
	}
	for _, path := range []string{"/log/tile/0/000.p/3", "/log/tile/0/000", "/log/tile/entries/001.p/1", "/log/growth/2/3", "/log/growth/2/1", "/log/growth/x/1", "/log/growth/01/1"} {
		if code, _, _ := ask("GET", path, "", ""); code != 404 {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// TestReceiptOfNoMatch: the receipt of a match that is not here stops nothing.
func TestReceiptOfNoMatch(t *testing.T) {
	store := memory.New()
	service := match.New(store, nil, fixedClock{}, &counter{})
	if err := service.Receipt(context.Background(), []byte("veridice/1 open\nmatch 00000000000000000000000000000001\n"), 0, nil); err != nil {
		t.Error(err)
	}
}
