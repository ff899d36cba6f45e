package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/store/group"
)

// BenchmarkDurableRolls measures rolls as the benchmark of the same name in store/sqlite
// does, which also has the raw log to compare with.
func BenchmarkDurableRolls(b *testing.B) {
	p := needs.Postgres(b, "max_wal_size=4GB")
	for _, clients := range []int{1, 64} {
		for _, kind := range []struct {
			name           string
			writers, batch int
		}{{"group", writers, group.MaxBatch}, {"group-on-two", 2, group.MaxBatch}, {"single", 1, 1}} {
			b.Run(fmt.Sprintf("%s/%d", kind.name, clients), func(b *testing.B) {
				s, err := open(b.Context(), database(b, p), kind.writers, kind.batch)
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				for i := range clients {
					if err := s.Create(b.Context(), newMatch(i)); err != nil {
						b.Fatal(err)
					}
				}
				rolls(b, s, clients)
			})
		}
	}
}

// rolls shares b.N rolls among clients.
func rolls(b *testing.B, s *Store, clients int) {
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
				key := fmt.Sprint("key-", made)
				err := s.Update(context.Background(), newMatch(c).ID, key, func(m *match.Match) error {
					m.Answer = &match.Answer{Key: key, Body: []byte(`{"roll":12,"dice":[6,3],"seat":1,"game":1}`)}
					return roll(m)
				})
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
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rolls/s")
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
}
