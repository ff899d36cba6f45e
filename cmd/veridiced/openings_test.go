package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"veridice/checkpoint"
	"veridice/internal/match"
	"veridice/internal/publog"
	"veridice/internal/store/sqlite"
	"veridice/internal/witness"
)

// BenchmarkOpenings counts matches that are opened, sealed and have their receipt in
// hand, on SQLite, from 1, 64 and 512 clients, with and without three witnesses of which
// two must cosign.
func BenchmarkOpenings(b *testing.B) {
	for _, witnesses := range []int{0, 3} {
		for _, clients := range []int{1, 64, 512} {
			b.Run(fmt.Sprintf("witnesses=%d/clients=%d", witnesses, clients), func(b *testing.B) {
				benchmarkOpenings(b, witnesses, clients)
			})
		}
	}
}

func benchmarkOpenings(b *testing.B, witnesses, clients int) {
	store, err := sqlite.Create(filepath.Join(b.TempDir(), "veridice.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	vault, err := match.NewVault(make([]byte, match.KeySize))
	if err != nil {
		b.Fatal(err)
	}
	service := match.New(store, vault, match.System{}, rand.Reader)
	signer, err := checkpoint.NewSigner("log.example", checkpoint.Plain, [32]byte{1})
	if err != nil {
		b.Fatal(err)
	}
	policy := &checkpoint.Policy{Logs: []checkpoint.Log{{Key: signer.Key()}}, Quorum: checkpoint.None}
	group := checkpoint.Group{Name: "two", Least: 2}
	for i := range witnesses {
		name := fmt.Sprintf("w%d", i)
		w, err := checkpoint.NewSigner(name+".example", checkpoint.Cosigning, [32]byte{byte(2 + i)})
		if err != nil {
			b.Fatal(err)
		}
		folder := b.TempDir()
		if err := witness.Add(folder, signer.Key()); err != nil {
			b.Fatal(err)
		}
		s := httptest.NewServer(witness.New(folder, w, time.Now, func(string) {}))
		defer s.Close()
		policy.Witnesses = append(policy.Witnesses, checkpoint.Witness{Name: name, Key: w.Key(), URL: s.URL})
		group.Members = append(group.Members, name)
		policy.Groups, policy.Quorum = []checkpoint.Group{group}, group.Name
	}
	var mu sync.Mutex
	waiting := map[string]chan []byte{} // by match
	public, err := publog.New(b.Context(), publog.Options{
		Keeper: store, Signer: signer, Policy: policy, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Receipt: func(ctx context.Context, entry []byte, index uint64, receipt []byte) error {
			if err := service.Receipt(ctx, entry, index, receipt); err != nil {
				return err
			}
			id := strings.TrimPrefix(strings.Split(string(entry), "\n")[1], "match ")
			mu.Lock()
			defer mu.Unlock()
			waiting[id] <- receipt
			delete(waiting, id)
			return nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	service.UseLog(public.Wake)
	ctx, stop := context.WithCancel(b.Context())
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		public.Run(ctx)
	}()
	defer func() {
		stop()
		<-ran
	}()
	size := 0
	open := func() error {
		body, err := service.Create(ctx, "", rand.Text(), nil, match.Table{Scheme: "yayay/1", Seats: 1})
		if err != nil {
			return err
		}
		var made match.CreatedAnswer
		if err := json.Unmarshal(body, &made); err != nil {
			return err
		}
		receipt := make(chan []byte, 1)
		mu.Lock()
		waiting[made.Match] = receipt
		mu.Unlock()
		if _, err := service.Acknowledge(ctx, match.Call{Match: made.Match, Token: made.Seats[0].Token, Key: "a"}, made.Seal, ""); err != nil {
			return err
		}
		got := <-receipt
		mu.Lock()
		size = max(size, len(got))
		mu.Unlock()
		return nil
	}
	b.ResetTimer()
	next := make(chan struct{})
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range next {
				if err := open(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for range b.N {
		next <- struct{}{}
	}
	close(next)
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "openings/s")
	b.ReportMetric(float64(size), "bytes/receipt")
}
