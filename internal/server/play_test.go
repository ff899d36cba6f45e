package server

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"veridice/protocol"
	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
)

// A shelf keeps what a Go phone must not forget.
type shelf map[string][]byte

func (s shelf) Once(key string, value []byte) ([]byte, error) {
	if _, ok := s[key]; !ok {
		s[key] = value
	}
	return s[key], nil
}

func (s shelf) Get(key string) ([]byte, error) { return s[key], nil }

// A player is a Go phone of veridice/1 that knows the API alone: it hears events from a
// stream, and sends what is due.
type player struct {
	*phone
	match  string
	stream *stream
	core   *protocol.Phone
}

// A told event is what a player needs of it.
type told struct {
	At                            time.Time
	Type                          string
	Seat                          int
	Roll                          uint64
	Dice                          []uint32
	Note, Text, Rules, Link, Head string
	Links                         []string
	Role                          *int
}

func hexLink(t *testing.T, text string) scheme.Link {
	t.Helper()
	b, ok := seed.ParseHex(text)
	if !ok || len(b) != 32 {
		t.Fatalf("no link: %q", text)
	}
	return scheme.Link(b)
}

// hear takes events up to the first of a type, and sends what becomes due on the way.
func (p *player) hear(t *testing.T, until string) {
	t.Helper()
	for {
		var e told
		if err := json.Unmarshal([]byte(p.stream.next().data), &e); err != nil {
			t.Fatal(err)
		}
		var err error
		switch e.Type {
		case "offered":
			err = p.core.Offer([]byte(e.Note), []byte(e.Rules), uint64(e.At.Unix()))
		case "joined":
			err = p.core.Joined([]byte(e.Note))
		case "anchored":
			err = p.core.Anchored([]byte(e.Text))
		case "readied":
			err = p.core.Readied([]byte(e.Note))
		case "asked":
			err = p.core.Asked([]byte(e.Note))
		case "linked":
			err = p.core.Linked(uint8(e.Seat), e.Roll, hexLink(t, e.Link))
		case "rolled":
			var links []scheme.Link
			for _, link := range e.Links {
				links = append(links, hexLink(t, link))
			}
			err = p.core.Rolled([]byte(e.Note), links, e.Dice, []byte(e.Head))
		case "moved":
			err = p.core.Moved([]byte(e.Note))
		case "finished":
			err = p.core.Ended(record.Finished, -1, uint8(e.Seat))
		}
		if err != nil {
			t.Fatalf("seat refuses %s: %v", e.Type, err)
		}
		due, err := p.core.Due()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range due {
			p.give(m)
		}
		if e.Type == until {
			return
		}
	}
}

// give sends a message of the protocol.
func (p *player) give(m protocol.Message) {
	p.t.Helper()
	body := map[string]any{"note": string(m.Note)}
	if m.Action == "link" {
		body["roll"], body["link"] = m.Roll, seed.Hex(m.Link[:])
	}
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.post("/v1/matches/"+p.match+"/"+m.Action, string(text))
}

// TestPlay plays a match of veridice/1 over HTTP. Every event of it is held against the
// description by the streams.
func TestPlay(t *testing.T) {
	s := startNew(t, nil)
	key, err := s.match.ServerKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	creator := &phone{t: t, base: s.http.URL, name: "creator"}
	made := creator.post("/v1/matches", `{"scheme":"veridice/1","seats":2,"dice":"1-6d6","turn":"free","links":256}`)
	id := made["match"].(string)
	bits, _ := seed.ParseHex(id)
	var players []*player
	for i, seat := range made["seats"].([]any) {
		core, err := protocol.NewPhone(protocol.Setup{
			Match: scheme.Match(bits), Server: key, Seat: uint8(i + 1), Keeper: shelf{},
			Last: sha256.Sum256(fmt.Append(nil, "last", i)), Key: sha256.Sum256(fmt.Append(nil, "key", i)),
		})
		if err != nil {
			t.Fatal(err)
		}
		p := &player{
			phone: &phone{t: t, base: s.http.URL, token: seat.(map[string]any)["token"].(string), name: fmt.Sprint("seat", i+1)},
			match: id, core: core, stream: openStream(t, eventsRequest(t, s.http.URL, id, "")),
		}
		defer p.stream.close()
		p.post("/v1/matches/"+id+"/acknowledge", fmt.Sprintf(`{"seal":"%s","name":"P%d"}`, made["seal"], i+1))
		players = append(players, p)
	}
	both := func(until ...string) {
		t.Helper()
		for _, event := range until {
			for _, p := range players {
				p.hear(t, event)
			}
		}
	}
	first, second := players[0], players[1]
	both("offered", "anchored", "started")
	roll := func(p *player, faces ...uint32) {
		t.Helper()
		m, err := p.core.Roll(faces)
		if err != nil {
			t.Fatal(err)
		}
		p.give(m)
		both("asked", "rolled")
	}
	roll(first, 6, 6)
	second.post("/v1/matches/"+id+"/wish", `{"after":1}`)
	both("wished")
	for _, move := range []string{"game", "turn 2"} {
		m, err := first.core.Move(move)
		if err != nil {
			t.Fatal(err)
		}
		first.give(m)
		both("moved")
	}
	roll(second, 6, 6, 6, 6, 6)
	first.post("/v1/matches/"+id+"/end", `{"after":2}`)
	second.post("/v1/matches/"+id+"/end/withdraw", ``)
	first.post("/v1/matches/"+id+"/end", `{"after":2}`)
	second.post("/v1/matches/"+id+"/end", `{"after":2}`)
	both("finished")
	for _, p := range players {
		status, text := p.send("GET", "/v1/matches/"+id+"/record", "", "")
		line, err := p.core.Sign([]byte(text))
		if status != 200 || err != nil {
			t.Fatalf("%d, %v", status, err)
		}
		body, err := json.Marshal(map[string]string{"signature": string(line)})
		if err != nil {
			t.Fatal(err)
		}
		p.post("/v1/matches/"+id+"/sign", string(body))
	}
	both("signed", "signed")
	first.post("/v1/matches/"+id+"/next", ``)
	both("next")

	status, text := first.send("GET", "/v1/matches/"+id, "", "")
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.check(schema{Ref: "#/components/schemas/Snapshot"}, []byte(text)); status != 200 || err != nil {
		t.Errorf("%d, %v: %s", status, err, text)
	}
	_, text = first.send("GET", "/v1/matches/"+id+"/record", "", "")
	if n := strings.Count(text, "\n— "); n != 3 {
		t.Errorf("%d signatures, want those of server and both seats:\n%s", n, text)
	}
}
