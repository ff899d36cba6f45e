package match_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/store/memory"
)

// A match of veridice/1 goes on while the server's clock is set back and forward an hour
// before every step, and the phones', which have it too.
func TestPlayWithAClockThatJumps(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6"})
	r.service.UseLog(func() {})
	jumps := 0
	jump := func() {
		jumps++
		r.clock.time = noon.time.Add([]time.Duration{-time.Hour, time.Hour, 0}[jumps%3])
	}
	receipts := func() {
		t.Helper()
		log, err := r.store.Log(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		for i, entry := range log {
			if err := r.service.Receipt(t.Context(), entry, uint64(i), []byte("a receipt\n")); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 { // the opening, and after its receipt the start
		for seat := range r.phones {
			jump()
			r.hear(seat)
			if seat == 0 {
				continue
			}
			due, err := r.phones[seat].Due()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range due {
				jump()
				if _, err := r.send(seat, m); err != nil && !errors.Is(err, match.ErrNotOffered) {
					t.Fatal(err)
				}
			}
		}
		receipts()
	}
	r.settle()
	const rolls = 9
	for range rolls {
		jump()
		r.roll(6, 6)
	}
	jump()
	r.end()
	jump()
	_, report := r.signed(r.seats()...)
	wantRoom(t, report, rolls, 0, 1, 2)
	r.closing()
	if r.rolls() != rolls {
		t.Errorf("%d rolls fell", r.rolls())
	}
}

// What a clock that is set does to a deadline, as docs/operator.md says: back, and it comes
// later; forward, and it is there at once. The record names the same role.
func TestDeadlineWithAClockThatJumps(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6", Wait: 60})
	r.settle()
	r.roll(6, 6)
	asked := r.clock.time.Truncate(time.Millisecond)
	r.ask(6, 6)
	silent := 3 - r.holder()
	r.settle(silent)
	r.clock.time = asked.Add(-time.Hour)
	var early *match.NotOverdueError
	if err := r.abort(r.holder(), false); !errors.As(err, &early) || !early.Until.Equal(asked.Add(time.Minute)) {
		t.Errorf("an hour back: got %v; asked at %v", err, asked)
	}
	r.clock.time = asked.Add(time.Hour)
	wantCode(t, "an hour forward", r.abort(r.holder(), false), "")
	for seat := range r.phones {
		r.hear(seat)
	}
	if c := r.closing(); c.Silent != silent {
		t.Errorf("silent was %d, and the closing names %d", silent, c.Silent)
	}
	r.clock.time = asked.Add(-time.Hour)
	events, err := r.service.Events(t.Context(), r.id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Number != uint64(i+1) {
			t.Errorf("event %d stands at place %d", e.Number, i+1)
		}
	}
}

// A phone that is months off says that the offer's end is not to be believed; one that is
// an hour off takes it.
func TestPhoneWithAnotherClock(t *testing.T) {
	for _, off := range []time.Duration{-time.Hour, time.Hour, -70 * 24 * time.Hour, 31 * 24 * time.Hour} {
		r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6"})
		events, err := r.service.Events(t.Context(), r.id, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(events, func(e match.Event) bool { return e.Type == match.Offered })
		if at < 0 {
			t.Fatal("no offer")
		}
		err = deliver(t, r.phones[1], events[at], noon.time.Add(off))
		if far := off.Abs() > 24*time.Hour; (err != nil) != far || far && !strings.Contains(fmt.Sprint(err), "expiry") {
			t.Errorf("off by %v: got %v", off, err)
		}
	}
}
