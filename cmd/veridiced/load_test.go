package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/server"
	"veridice/internal/store/group"
	"veridice/internal/store/memory"
	"veridice/internal/store/postgres"
	"veridice/internal/store/sqlite"
	"veridice/seed"
)

// The lanes of a load take turns, each for loadTurn in each of loadRounds: what else the
// machine does meets all of them. Ratios are medians over the rounds.
const (
	loadRounds = 12
	loadTurn   = 300 * time.Millisecond
)

// A lane is one way to make something durable, or to answer without.
type lane struct {
	name string
	do   func(client, n int) error // the n-th time for this client

	done  []int // by client
	rates []float64
	took  []time.Duration
	used  time.Duration // of this process's processors
}

// BenchmarkLoad counts durable rolls, with the raw log and the endpoint without a store
// beside them: "make bench-server". The table is its result, and not the time it takes.
func BenchmarkLoad(b *testing.B) {
	pg := needs.Postgres(b, "max_wal_size=4GB", "shared_buffers=512MB")
	for b.Loop() {
		for _, clients := range []int{1, 64, 512} {
			fmt.Println("\n" + load(b, pg, clients)) // a benchmark cuts its log
		}
	}
}

func load(b *testing.B, pg *needs.PostgresServer, clients int) string {
	path := filepath.Join(b.TempDir(), "veridice.db")
	address := pg.Create(fmt.Sprint("load", clients))
	made, err := sqlite.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	made.Close()
	if _, err := postgres.Migrate(b.Context(), address); err != nil {
		b.Fatal(err)
	}
	store := func(s match.Store, err error) match.Store {
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		return s
	}
	onSQLite, onPostgres := store(sqlite.OpenBatch(path, group.MaxBatch)), store(postgres.OpenBatch(b.Context(), address, group.MaxBatch))
	lanes := []*lane{
		{name: "raw log", do: rawLog(b)},
		{name: "SQLite", do: rolls(b, onSQLite, clients, true)},
		{name: "SQLite, no answer kept", do: rolls(b, onSQLite, clients, false)},
		{name: "SQLite, one by one", do: rolls(b, store(sqlite.OpenBatch(path, 1)), clients, true)},
		{name: "PostgreSQL", do: rolls(b, onPostgres, clients, true)},
		{name: "PostgreSQL, one by one", do: rolls(b, store(postgres.OpenBatch(b.Context(), address+"&patience=1m", 1)), clients, true)}, // the last of 512 waits long
		{name: "HTTP, no store", do: requests(b, memory.New(), clients)},
		{name: "HTTP, SQLite", do: requests(b, onSQLite, clients)},
		{name: "HTTP, PostgreSQL", do: requests(b, onPostgres, clients)},
	}
	for round := range loadRounds {
		for i := range lanes {
			lanes[(round+i)%len(lanes)].turn(b, clients)
		}
	}

	var out strings.Builder
	fmt.Fprintf(&out, "%d clients\n%-24s %8s %9s %9s %9s %9s\n", clients, "", "per s", "p50 ms", "p99 ms", "µs cpu", "raw log")
	of := map[string]*lane{}
	for _, l := range lanes {
		of[l.name] = l
		slices.Sort(l.took)
		fmt.Fprintf(&out, "%-24s %8.0f %9.2f %9.2f %9.1f %9.2f\n", l.name, median(l.rates), ms(l.percentile(50)), ms(l.percentile(99)),
			float64(l.used.Microseconds())/float64(len(l.took)), over(l.rates, lanes[0].rates))
	}
	goal := func(what string, got float64, want string) { fmt.Fprintf(&out, "%-46s %6.2f   %s\n", what, got, want) }
	for _, s := range []struct{ name, groups, log string }{{"SQLite", "10 at 64", "0.4 at 64"}, {"PostgreSQL", "8 at 64", "0.25 at 64"}} {
		goal(s.name+": groups over one by one", over(of[s.name].rates, of[s.name+", one by one"].rates), s.groups)
		goal(s.name+" over the raw log", over(of[s.name].rates, of["raw log"].rates), s.log)
		goal("HTTP, "+s.name+" over HTTP without a store", over(of["HTTP, "+s.name].rates, of["HTTP, no store"].rates), "0.45")
		goal("HTTP, "+s.name+": p99 over the bare store's", ms(of["HTTP, "+s.name].percentile(99))/ms(of[s.name].percentile(99)), "below 3")
	}
	return out.String()
}

// turn lets the clients do what the lane does for a while.
func (l *lane) turn(b *testing.B, clients int) {
	if l.done == nil {
		l.done = make([]int, clients)
	}
	took := make([][]time.Duration, clients)
	var all sync.WaitGroup
	start, used := time.Now(), processorTime()
	for c := range clients {
		all.Go(func() {
			for time.Since(start) < loadTurn {
				began := time.Now()
				l.done[c]++
				if err := l.do(c, l.done[c]); err != nil {
					b.Errorf("%s: %v", l.name, err)
					return
				}
				took[c] = append(took[c], time.Since(began))
			}
		})
	}
	all.Wait()
	l.used += processorTime() - used
	n := 0
	for _, t := range took {
		n += len(t)
		l.took = append(l.took, t...)
	}
	l.rates = append(l.rates, float64(n)/time.Since(start).Seconds())
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// percentile is that of the times, which are in order.
func (l *lane) percentile(p int) time.Duration { return l.took[(len(l.took)-1)*p/100] }

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// over is the median of the ratios of two lanes, round by round.
func over(a, b []float64) float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return median(r)
}

// rawLog is the least that durability costs: a file, to which as much as a roll is appended
// in groups, and synced.
func rawLog(b *testing.B) func(int, int) error {
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	line, lines := bytes.Repeat([]byte{'x'}, 200), []byte(nil)
	q := group.NewQueue(group.MaxBatch, func(batch []*group.Op) {
		lines = lines[:0]
		for range batch {
			lines = append(lines, line...)
		}
		_, err := f.Write(lines)
		if err == nil {
			err = datasync(f)
		}
		for _, o := range batch {
			o.Err = err
		}
	})
	b.Cleanup(func() { q.Close(); f.Close() })
	return func(int, int) error { return q.Submit(context.Background(), new(group.Op)) }
}

// rolls are those of the store alone, one match a client: an event, the counters, and what
// was answered under the request's key.
func rolls(b *testing.B, s match.Store, clients int, answer bool) func(int, int) error {
	ids := make([]string, clients)
	var all sync.WaitGroup
	for c := range clients {
		m := &match.Match{
			ID: id(), Scheme: "tavli/1", Kind: "2d6", Sealed: make([]byte, 76), State: match.Running,
			Seats: []match.Seat{{Acknowledged: true, Client: "ab"}}, Game: 1, Events: 1, Created: time.UnixMilli(0).UTC(),
			Added: []match.Event{{Number: 1, Type: match.Opened}},
		}
		ids[c] = m.ID
		all.Go(func() {
			if err := s.Create(context.Background(), m); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	return func(client, n int) error {
		key := strconv.Itoa(n)
		return s.Update(context.Background(), ids[client], key, func(m *match.Match) error {
			m.Rolls++
			m.Dice += 2
			m.Events++
			m.Added = append(m.Added, match.Event{Number: m.Events, Type: match.Rolled, At: time.UnixMilli(0).UTC(), Roll: m.Rolls, Game: 1, Seat: 1, Dice: []uint32{6, 3}})
			if answer {
				m.Answer = &match.Answer{Key: key, Body: []byte(`{"roll":12,"dice":[6,3],"seat":1,"game":1}`)}
			}
			return nil
		})
	}
}

func id() string {
	b := make([]byte, 16)
	rand.Read(b)
	return seed.Hex(b)
}

// requests are rolls of tavli/1 over HTTP, one table and one connection a client.
func requests(b *testing.B, s match.Store, clients int) func(int, int) error {
	vault, err := match.NewVault(make([]byte, match.KeySize))
	if err != nil {
		b.Fatal(err)
	}
	service := match.New(s, vault, match.System{}, rand.Reader)
	answers, err := server.New(server.Options{Match: service, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	web := httptest.NewServer(answers.Handler())
	h := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	b.Cleanup(func() { h.CloseIdleConnections(); web.Close() })
	paths, tokens := make([]string, clients), make([]string, clients)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			body, err := service.Create(context.Background(), "", rand.Text(), nil, match.Table{Scheme: "tavli/1", Seats: 1})
			if err != nil {
				b.Error(err)
				return
			}
			var made match.CreatedAnswer
			if err := json.Unmarshal(body, &made); err != nil {
				b.Error(err)
				return
			}
			paths[c], tokens[c] = web.URL+"/v1/matches/"+made.Match+"/roll", made.Seats[0].Token
			call := match.Call{Match: made.Match, Token: tokens[c], Key: "a"}
			if _, err := service.Acknowledge(context.Background(), call, made.Seal, ""); err != nil {
				b.Error(err)
			}
			call.Key = "s"
			if _, err := service.Seed(context.Background(), call, fmt.Sprintf("%032x", c)); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	return func(client, n int) error {
		status, text, err := post(h, paths[client], tokens[client], strconv.Itoa(n), fmt.Sprintf(`{"after":%d}`, n-1))
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("got %d %s", status, text)
		}
		return err
	}
}

// BenchmarkStreams opens event streams that nothing happens on, one a table, and measures
// what a server's memory and processor time they take: it must have 10,000 in 1 GiB.
func BenchmarkStreams(b *testing.B) {
	const streams, openers, limit = 9_900, 64, 1 << 30 // as many as 20,000 open files allow, for both ends
	for b.Loop() {
		p := launchWith(b, build(b), "-data", filepath.Join(b.TempDir(), "data"), "-trusted-proxy", "127.0.0.1")
		host := strings.TrimPrefix(p.base, "http://")
		each := func(do func(i int) error) {
			var all sync.WaitGroup
			for o := range openers {
				all.Go(func() {
					for i := o; i < streams; i += openers {
						if err := do(i); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
		}
		h := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: openers}}
		matches := make([]string, streams)
		before, _ := costs(b, p)
		each(func(i int) error {
			status, text, err := post(h, p.base+"/v1/matches", "", rand.Text(), `{"scheme":"tavli/1","seats":2}`)
			if err != nil || status != http.StatusCreated {
				return cmp.Or(err, fmt.Errorf("got %d %s", status, text))
			}
			var made match.CreatedAnswer
			err = json.Unmarshal([]byte(text), &made)
			matches[i] = made.Match
			return err
		})
		h.CloseIdleConnections()
		tables, _ := costs(b, p)

		conns := make([]net.Conn, streams)
		readers := make([]*bufio.Reader, streams)
		until := func(i int, line string) error {
			for {
				if got, err := readers[i].ReadString('\n'); err != nil || strings.HasPrefix(got, line) {
					return err
				}
			}
		}
		each(func(i int) (err error) {
			if conns[i], err = net.Dial("tcp", host); err != nil {
				return err
			}
			readers[i] = bufio.NewReaderSize(conns[i], 512)
			fmt.Fprintf(conns[i], "GET /v1/matches/%s/events HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: 10.0.%d.%d\r\n\r\n", matches[i], host, i>>8, i&255)
			return until(i, "data:")
		})
		if b.Failed() {
			return
		}
		_, used := costs(b, p)
		start := time.Now()
		each(func(i int) error { return until(i, ": still here") }) // each within a heartbeat
		idle := time.Since(start)
		open, now := costs(b, p)
		b.ReportMetric(float64(tables-before)/streams, "B/table")
		b.ReportMetric(float64(open-tables)/streams, "B/stream")
		b.ReportMetric(float64(open)/(1<<20), "MiB")
		b.ReportMetric(100*float64(now-used)/float64(idle), "%-processor")
		if open > limit {
			b.Errorf("%d streams take %d bytes, more than %d", streams, open, limit)
		}
		for _, c := range conns {
			c.Close()
		}
		p.kill()
	}
}

// costs are the memory that a process has, and the processor time that it used.
func costs(b *testing.B, p *process) (memory int, used time.Duration) {
	folder := fmt.Sprintf("/proc/%d/", p.cmd.Process.Pid)
	status, err := os.ReadFile(folder + "statm")
	if err != nil {
		b.Skip("there is no /proc to read a process's memory from")
	}
	stat, err := os.ReadFile(folder + "stat")
	if err != nil {
		b.Fatal(err)
	}
	pages, _ := strconv.Atoi(strings.Fields(string(status))[1])
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // after the name
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return pages * os.Getpagesize(), time.Duration(user+system) * 10 * time.Millisecond
}
