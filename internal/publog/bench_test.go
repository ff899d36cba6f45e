package publog

import (
	"strconv"
	"testing"
)

// BenchmarkMillion is what a log of a million entries costs: to go on with at a start,
// and to look an entry up with its receipt.
func BenchmarkMillion(b *testing.B) {
	const size = 1_000_000
	k := &keeper{}
	for i := range size {
		k.entries = append(k.entries, []byte("veridice/1 open\nmatch "+strconv.Itoa(i)+"\n"))
	}
	g := &discard{}
	l := openFor(b, k, nil, g.take)
	if err := l.Publish(b.Context()); err != nil {
		b.Fatal(err)
	}
	if got := g.receipts.Load(); got != size {
		b.Fatalf("%d receipts", got)
	}
	b.Run("start", func(b *testing.B) {
		b.ReportAllocs() // what it keeps is less
		for b.Loop() {
			openFor(b, k, nil, g.take)
		}
	})
	b.Run("receipt", func(b *testing.B) {
		var bytes int
		for i := 0; b.Loop(); i++ {
			_, receipt, err := l.Find(b.Context(), uint64(i*7919)%size)
			if err != nil {
				b.Fatal(err)
			}
			bytes = len(receipt)
		}
		b.ReportMetric(float64(bytes), "bytes/receipt")
	})
	b.Run("publish one more", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			k.add(size+i, size+i+1)
			if err := l.Publish(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
