package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"veridice/internal/match"
	"veridice/seed"
)

// An eventView is an event as everybody with the match's id may see it.
type eventView struct {
	Event   uint64          `json:"event"`
	Type    match.EventType `json:"type"`
	At      string          `json:"at"` // RFC 3339, UTC, milliseconds
	Seat    int             `json:"seat,omitempty"`
	Name    *string         `json:"name,omitempty"`
	Roll    uint64          `json:"roll,omitempty"`
	Dice    []uint32        `json:"dice,omitempty"`
	Game    int             `json:"game,omitempty"`
	After   uint64          `json:"after,omitempty"` // of game: the last roll of the game before
	Scheme  string          `json:"scheme,omitempty"`
	Kind    string          `json:"kind,omitempty"` // of dice
	Terms   string          `json:"terms,omitempty"`
	Seats   int             `json:"seats,omitempty"`
	Seal    *seed.Seal      `json:"seal,omitempty"`
	Clients []seed.Client   `json:"clients,omitempty"`
	Server  string          `json:"server,omitempty"`
}

func viewOf(e match.Event) eventView {
	v := eventView{
		Event: e.Number, Type: e.Type, At: e.At.UTC().Format("2006-01-02T15:04:05.000Z"), Seat: e.Seat, Roll: e.Roll, Dice: e.Dice,
		Game: e.Game, Scheme: e.Scheme, Kind: e.Kind, Terms: e.Terms, Seats: e.Seats, Seal: e.Seal, Clients: e.Clients, Server: seed.Hex(e.Server),
	}
	switch e.Type {
	case match.Acknowledged:
		v.Name = &e.Name
	case match.NewGame:
		v.Roll, v.After = 0, e.Roll
	}
	return v
}

// marshal writes the event with the members of more, a JSON object or nothing.
func (v eventView) marshal(more []byte) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	if len(more) > len("{}") {
		data = append(append(data[:len(data)-1], ','), more[1:]...)
	}
	return data
}

// after reads from which event on the stream is wanted. A reconnect by the browser
// repeats the old address and adds the header; the larger counts.
func after(r *http.Request) (uint64, error) {
	var n uint64
	for _, text := range append(r.URL.Query()["after"], r.Header.Values("Last-Event-ID")...) {
		if text == "" {
			continue
		}
		m, ok := whole(text)
		if !ok {
			return 0, &problem{status: 400, code: "bad-field", field: "after"}
		}
		n = max(n, m)
	}
	return n, nil
}

// keptBuffer is the most bytes that a stream without news holds: a reader who was sent a long
// match would hold all of it.
const keptBuffer = 4 << 10

// events streams the events of a match, each with its number, from any one on.
// A reader that does not take them is cut off and comes back for the rest.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	from, err := after(r)
	if err != nil {
		return err
	}
	id := r.PathValue("match")
	if _, err := s.match.State(r.Context(), id); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	if r.Method == http.MethodHead {
		return nil
	}
	leave, ok := s.streams.enter(s.address(r), s.limits.streams, s.limits.totalStreams)
	if !ok {
		return &problem{status: http.StatusTooManyRequests, code: "too-many-streams", retry: 10}
	}
	defer leave()
	// The watch begins before the first look, so that nothing falls between.
	hint, stop := s.match.Watch(id)
	defer stop()

	out := http.NewResponseController(w)
	flush := func(b *bytes.Buffer) error {
		if err := out.SetWriteDeadline(time.Now().Add(s.limits.flush)); err != nil {
			return err
		}
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
		if b.Reset(); b.Cap() > keptBuffer {
			*b = bytes.Buffer{}
		}
		return out.Flush()
	}
	var b bytes.Buffer
	b.WriteString("retry: 1000\n\n")
	heartbeat := time.NewTimer(s.limits.heartbeat)
	defer heartbeat.Stop()
	for {
		for {
			events, err := s.match.Events(r.Context(), id, from, s.limits.eventsPerBatch)
			if err != nil {
				s.failed(r, "stream failed", err)
				panic(http.ErrAbortHandler) // the reader comes back; the header is out
			}
			for _, e := range events {
				data := viewOf(e).marshal(e.Data)
				from = e.Number
				b.WriteString("id: ")
				b.Write(strconv.AppendUint(b.AvailableBuffer(), from, 10))
				b.WriteString("\ndata: ")
				b.Write(data)
				b.WriteString("\n\n")
			}
			if b.Len() > 0 {
				if flush(&b) != nil {
					return nil // the reader went away or is too slow
				}
				heartbeat.Reset(s.limits.heartbeat)
			}
			if len(events) < s.limits.eventsPerBatch {
				break
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-s.closing:
			return nil
		case <-hint:
		case <-heartbeat.C: // and a look: a hint may not come
			b.WriteString(": still here\n\n")
		}
	}
}

// streams counts the open streams. The zero value has none.
type streams struct {
	mu    sync.Mutex
	by    map[string]int
	total int
}

// enter takes a place for an address, if there is one, and gives the function
// that frees it.
func (s *streams) enter(from string, most, total int) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[from] >= most || s.total >= total {
		return nil, false
	}
	if s.by == nil {
		s.by = make(map[string]int)
	}
	s.by[from]++
	s.total++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.total--
		if s.by[from]--; s.by[from] == 0 {
			delete(s.by, from)
		}
	}, true
}
