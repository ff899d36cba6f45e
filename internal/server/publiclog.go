package server

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"time"

	"veridice/internal/match"
	"veridice/internal/monitor"
	"veridice/internal/publog"
)

// The read side of the public log (c2sp.org/tlog-tiles). All but the checkpoint never
// changes.

func (s *Server) logCheckpoint(w http.ResponseWriter, r *http.Request) error {
	head, err := s.publog.Head(r.Context())
	if err != nil {
		return err
	}
	return sendFile(w, "text/plain; charset=utf-8", fresh, head)
}

func (s *Server) logTile(w http.ResponseWriter, r *http.Request) error {
	tile, err := s.publog.Tile(r.Context(), "tile/"+r.PathValue("path"))
	if err != nil {
		return err
	}
	return sendFile(w, "application/octet-stream", immutable, tile)
}

// logGrowth sends the proof that a tree is an earlier one, grown: base64 of each hash in
// a line.
func (s *Server) logGrowth(w http.ResponseWriter, r *http.Request) error {
	earlier, okEarlier := whole(r.PathValue("earlier"))
	later, okLater := whole(r.PathValue("later"))
	if !okEarlier || !okLater {
		return &problem{status: http.StatusNotFound, code: "no-such-address"}
	}
	proof, err := s.publog.Growth(r.Context(), int64(earlier), int64(later))
	if err != nil {
		return err
	}
	var out []byte
	for _, h := range proof {
		out = append(base64.StdEncoding.AppendEncode(out, h[:]), '\n')
	}
	return sendFile(w, "text/plain; charset=utf-8", immutable, out)
}

func sendFile(w http.ResponseWriter, kind, cache string, content []byte) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", cache)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	w.Write(content) // an error is the reader's going away
	return nil
}

// A watchedLog is the server's own, followed as anybody may follow it.
type watchedLog struct {
	turn   chan struct{} // holds a value while somebody uses the rest
	log    *monitor.Log
	report monitor.Report
	seen   time.Time // when it was read last
}

const (
	stale    = 5 * time.Second // how old a view of the log may be
	readWait = 5 * time.Second // for a newer one: after a start all of the log is read
)

func newWatchedLog(l *publog.Log) *watchedLog {
	return &watchedLog{turn: make(chan struct{}, 1), log: monitor.New(l.Fetch, l.Policy)}
}

// view brings the log up to date and looks at it. A request that has waited long enough is
// told to come again, and the reading goes on.
func (w *watchedLog) view(ctx context.Context, look func(*watchedLog)) error {
	late, cancel := context.WithTimeoutCause(ctx, readWait, match.ErrBusy)
	defer cancel()
	select {
	case w.turn <- struct{}{}:
	case <-late.Done():
		return context.Cause(late)
	}
	read := make(chan error, 1)
	go func() { read <- w.update(context.WithoutCancel(ctx)) }()
	select {
	case err := <-read:
		if err == nil {
			look(w)
		}
		<-w.turn
		return err
	case <-late.Done():
		go func() {
			<-read
			<-w.turn
		}()
		return context.Cause(late)
	}
}

func (w *watchedLog) update(ctx context.Context) error {
	if time.Since(w.seen) <= stale {
		return nil
	}
	if err := w.log.Update(ctx); err != nil && !errors.Is(err, match.ErrNotFound) {
		return err
	}
	w.seen = time.Now()
	w.report = w.log.Report(w.seen)
	return nil
}

// maxListed is the most matches that a report lists; the oldest come first.
const maxListed = 1000

// logReport sends what the log shows: which matches are not closed yet among it.
func (s *Server) logReport(w http.ResponseWriter, r *http.Request) error {
	var report monitor.Report
	if err := s.follow.view(r.Context(), func(l *watchedLog) { report = l.report }); err != nil {
		return err
	}
	opened := len(report.Open)
	report.Open = report.Open[:min(opened, maxListed)]
	report.Findings = report.Findings[:min(len(report.Findings), maxListed)]
	return sendJSON(w, http.StatusOK, struct {
		monitor.Report
		Opened int    `json:"opened"` // how many are not closed, of which the oldest are listed
		Key    string `json:"key"`
	}{report, opened, s.publog.Key().String()})
}

type loggedEntry struct {
	Index   uint64 `json:"index"`
	Text    string `json:"text"`
	Receipt string `json:"receipt"`
}

// logMatch sends the entries of a match with their receipts under the latest checkpoint.
func (s *Server) logMatch(w http.ResponseWriter, r *http.Request) error {
	var indexes []uint64
	err := s.follow.view(r.Context(), func(l *watchedLog) {
		if begin, end, ok := l.log.Entries(r.PathValue("match")); ok {
			indexes = append(indexes, begin)
			if end != nil {
				indexes = append(indexes, *end)
			}
		}
	})
	if err != nil {
		return err
	}
	if len(indexes) == 0 {
		return match.ErrNotFound
	}
	entries := []loggedEntry{}
	for _, index := range indexes {
		entry, receipt, err := s.publog.Find(r.Context(), index)
		if err != nil {
			return err
		}
		entries = append(entries, loggedEntry{index, string(entry), string(receipt)})
	}
	return sendJSON(w, http.StatusOK, map[string]any{"match": r.PathValue("match"), "entries": entries})
}
