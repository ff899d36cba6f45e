package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/store/group"
)

// BenchmarkDurableRolls measures rolls that are on disk before they are answered:
// event, counter and answer in one transaction; bare ones have no answer to keep
// under an idempotency key. Compare
//
//	group/64 with single/64   group commit against a commit for each roll
//	group/64 with log/64      against a file to which as much is appended and synced
//
// in one run on a quiet machine; the ratios are what counts.
func BenchmarkDurableRolls(b *testing.B) {
	for _, clients := range []int{1, 64} {
		for _, kind := range []struct {
			name   string
			batch  int
			answer bool
		}{{"group", group.MaxBatch, true}, {"single", 1, true}, {"group-bare", group.MaxBatch, false}, {"single-bare", 1, false}} {
			b.Run(fmt.Sprintf("%s/%d", kind.name, clients), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "veridice.db")
				create(b, path).Close()
				s, err := open(path, 0, kind.batch)
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				for i := range clients {
					if err := s.Create(b.Context(), newMatch(byte(i))); err != nil {
						b.Fatal(err)
					}
				}
				keys := make([]int, clients)
				run(b, clients, func(client int) error {
					keys[client]++
					key := fmt.Sprintf("key-%d", keys[client])
					return s.Update(context.Background(), newMatch(byte(client)).ID, key, func(m *match.Match) error {
						if !kind.answer {
							return roll(m)
						}
						m.Answer = &match.Answer{Key: key, Body: []byte(`{"roll":12,"dice":[6,3],"seat":1,"game":1}`)}
						return roll(m)
					})
				})
			})
		}
		b.Run(fmt.Sprintf("log/%d", clients), func(b *testing.B) {
			l := newLog(b)
			run(b, clients, func(int) error { return l.append(bytes.Repeat([]byte{'x'}, 200)) })
		})
	}
}

// run shares b.N operations among clients and reports rolls per second and the
// median and 99th percentile of the time that one takes.
func run(b *testing.B, clients int, do func(client int) error) {
	b.Helper()
	var all sync.WaitGroup
	took := make([][]time.Duration, clients)
	left := make(chan struct{}, b.N)
	for range b.N {
		left <- struct{}{}
	}
	close(left)
	b.ResetTimer()
	used := processorTime()
	for c := range clients {
		all.Go(func() {
			for range left {
				start := time.Now()
				if err := do(c); err != nil {
					b.Error(err)
					return
				}
				took[c] = append(took[c], time.Since(start))
			}
		})
	}
	all.Wait()
	b.StopTimer()
	used = processorTime() - used
	times := slices.Concat(took...)
	slices.Sort(times)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rolls/s")
	b.ReportMetric(float64(used.Nanoseconds())/1e3/float64(b.N), "µs-cpu/op")
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
}

// A log is the least that durability costs: a file, appended to in groups.
type log struct {
	queue chan *entry
}

type entry struct {
	line []byte
	done chan error
}

func newLog(b *testing.B) *log {
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	l := &log{queue: make(chan *entry, group.MaxBatch)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for first := range l.queue {
			batch := []*entry{first}
			for len(l.queue) > 0 {
				batch = append(batch, <-l.queue)
			}
			var lines []byte
			for _, e := range batch {
				lines = append(lines, e.line...)
			}
			_, err := f.Write(lines)
			if err == nil {
				err = datasync(f)
			}
			for _, e := range batch {
				e.done <- err
			}
		}
	}()
	b.Cleanup(func() { close(l.queue); <-ended; f.Close() })
	return l
}

func (l *log) append(line []byte) error {
	e := &entry{line, make(chan error, 1)}
	l.queue <- e
	return <-e.done
}
