package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/needs"
)

// BenchmarkDurableDraws measures draws of seed pairs as package pair stores them: each is a
// change of a book with a line and an answer. In "one" all are of the same user.
func BenchmarkDurableDraws(b *testing.B) {
	p := needs.Postgres(b, "max_wal_size=4GB", "shared_buffers=512MB")
	for _, users := range []struct {
		name    string
		clients int
		user    func(client int) string
	}{
		{"each/1", 1, strconv.Itoa},
		{"each/64", 64, strconv.Itoa},
		{"one/16", 16, func(int) string { return "0" }},
	} {
		b.Run(users.name, func(b *testing.B) {
			s := connect(b, database(b, p))
			state := `{"draws":%d,"rest":"` + strings.Repeat("x", 600) + `"}`
			draw := strings.Repeat("y", 400)
			shared(b, users.clients, func(client, made int) error {
				key := fmt.Sprint(client, "-", made)
				return ledger.Amend(context.Background(), s, "pair", "op/"+users.user(client), key, func(book *ledger.Book) error {
					n := book.Version + 1
					book.State = fmt.Appendf(nil, state, n)
					text := fmt.Appendf(nil, `{"draw":%d,"rest":%q}`, n, draw)
					book.Lines = []ledger.Line{{Shelf: "draw", Number: n, Text: text}}
					book.Answer = &match.Answer{Key: key, Body: text}
					return nil
				})
			})
		})
	}
}

// shared shares b.N calls among clients.
func shared(b *testing.B, clients int, do func(client, made int) error) {
	var all sync.WaitGroup
	took := make([][]time.Duration, clients)
	left := make(chan struct{}, b.N)
	for range b.N {
		left <- struct{}{}
	}
	close(left)
	b.ResetTimer()
	for c := range clients {
		all.Go(func() {
			made := 0
			for range left {
				made++
				start := time.Now()
				err := do(c, made)
				if err != nil {
					b.Error(err)
					return
				}
				took[c] = append(took[c], time.Since(start))
			}
		})
	}
	all.Wait()
	b.StopTimer()
	times := slices.Concat(took...)
	slices.Sort(times)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
}
