// Package publog publishes the log of openings and closings that a server keeps: it
// hashes new entries into the tree, signs its head, asks the witnesses of a policy to
// cosign it, and hands out the receipts.
//
// An entry is durable with its match, in one transaction and in order, before this
// package hears of it. What follows from the entries, hashes and a signed head, is made
// for all that wait at once and stored in a transaction of its own, that only one of
// several servers on a store can win; so no signing and no witness stands in the way of
// a roll, and a crash between the two leaves nothing but work. Three rules hold
// (docs/spec/log.md): a head is durable before anybody sees it, what lacks cosignatures
// is sent to the witnesses again after a restart, and a log that is shorter than what
// was shown is not gone on with.
package publog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/internal/match"
	"veridice/internal/repeat"
)

// maxBatch is the most entries in one step.
const maxBatch = 1024

// A Keeper keeps what the log needs: [match.Store] has it.
type Keeper interface {
	Log(ctx context.Context, from uint64, limit int) ([][]byte, error)
	Tree(ctx context.Context) (match.Tree, error)
	Grow(ctx context.Context, next match.Tree, hashes [][32]byte) error
	Hashes(ctx context.Context, numbers []int64) ([][32]byte, error)
}

// Options are what a log is made of.
type Options struct {
	Keeper Keeper
	Signer checkpoint.Signer  // of the log; its name is the origin
	Policy *checkpoint.Policy // who must cosign before an entry counts; nil for nobody
	Logger *slog.Logger

	// Receipt is given the receipt of every entry, once or more often, of several at the
	// same time.
	Receipt func(ctx context.Context, entry []byte, index uint64, receipt []byte) error

	// Start is where the log begins in what Keeper keeps; zero unless logs were given up
	// before it.
	Start match.LogStart

	Poll    time.Duration // how often to look without being told; 2 s if 0
	Timeout time.Duration // for a witness to answer; 5 s if 0
}

// A Log is the publisher. New makes one.
type Log struct {
	Options
	wake      chan struct{}
	witnesses []*witness
}

// New makes a log and checks that what is stored is its own: the stored head is signed
// by it and is that of the stored hashes.
func New(ctx context.Context, o Options) (*Log, error) {
	if o.Policy == nil {
		o.Policy = &checkpoint.Policy{Logs: []checkpoint.Log{{Key: o.Signer.Key()}}, Quorum: checkpoint.None}
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	o.Keeper = later{o.Keeper, o.Signer.Key().Name, o.Start}
	l := &Log{Options: o, wake: make(chan struct{}, 1)}
	known := false
	for _, log := range o.Policy.Logs {
		known = known || log.Key == o.Signer.Key()
	}
	if !known {
		return nil, errors.New("the policy does not name this log: log " + o.Signer.Key().String())
	}
	for _, w := range o.Policy.Witnesses {
		if w.URL == "" {
			return nil, errors.New("the policy does not say where the witness " + w.Name + " is reached")
		}
		l.witnesses = append(l.witnesses, newWitness(w, o.Timeout))
	}
	tree, err := o.Keeper.Tree(ctx)
	if err != nil {
		return nil, err
	}
	return l, l.checkStored(ctx, tree)
}

// checkStored recomputes the root from the stored hashes, and the last leaf from its
// entry.
func (l *Log) checkStored(ctx context.Context, tree match.Tree) error {
	if len(tree.Checkpoint) == 0 {
		return nil
	}
	own := &checkpoint.Policy{Logs: []checkpoint.Log{{Key: l.Signer.Key()}}, Quorum: checkpoint.None}
	head, err := own.Open(tree.Checkpoint)
	if err != nil {
		return fmt.Errorf("the stored head of the log is not signed by its key: %v", err)
	}
	root, err := tlog.TreeHash(int64(tree.Size), l.reader(ctx, nil))
	if err != nil {
		return fmt.Errorf("hashes of the log are missing: %v", err)
	}
	if head.Size != int64(tree.Size) || head.Root != root {
		return errors.New("the stored hashes of the log are not those of its signed head")
	}
	if tree.Size == 0 {
		return nil
	}
	entries, err := l.Keeper.Log(ctx, tree.Size-1, 1)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return errors.New("entries of the log are missing that its signed head has; a log is not restored from a backup")
	}
	leaf, err := l.Keeper.Hashes(ctx, []int64{tlog.StoredHashIndex(0, int64(tree.Size)-1)})
	if err != nil {
		return err
	}
	if tlog.RecordHash(entries[0]) != tlog.Hash(leaf[0]) {
		return errors.New("the last published entry of the log is not the one that its signed head has")
	}
	return nil
}

// Key is the log's public key.
func (l *Log) Key() checkpoint.Key { return l.Signer.Key() }

// Wake tells that there may be new entries. It never waits.
func (l *Log) Wake() {
	select {
	case l.wake <- struct{}{}:
	default: // it is told already
	}
}

// Run publishes until ctx is done. What fails is tried again.
func (l *Log) Run(ctx context.Context) {
	repeat.Run(ctx, l.Poll, l.wake, l.Publish, func(err error) {
		if err != nil {
			l.Logger.WarnContext(ctx, "the log is not published", "error", err)
		} else {
			l.Logger.WarnContext(ctx, "the log is published again")
		}
	})
}

// Publish takes all entries that wait through every step. Without error everything is
// published, or waits for witnesses.
func (l *Log) Publish(ctx context.Context) error {
	for {
		tree, err := l.Keeper.Tree(ctx)
		if err != nil {
			return err
		}
		again, err := l.step(ctx, tree)
		if errors.Is(err, match.ErrConflict) {
			continue // another server was faster
		}
		if err != nil || !again {
			return err
		}
	}
}

// step does what is due first: hash and sign new entries, have the head cosigned, or
// give out receipts. It reports whether it did something.
func (l *Log) step(ctx context.Context, tree match.Tree) (bool, error) {
	if tree.Receipted < tree.ShownSize {
		return true, l.receipts(ctx, tree)
	}
	if tree.ShownSize < tree.Size {
		shown, err := l.cosign(ctx, tree)
		if err != nil {
			return false, err
		}
		next := tree
		next.Version++
		next.Shown, next.ShownSize = shown, tree.Size
		return true, l.Keeper.Grow(ctx, next, nil)
	}
	return l.grow(ctx, tree)
}

// grow hashes new entries into the tree and signs its head.
func (l *Log) grow(ctx context.Context, tree match.Tree) (bool, error) {
	entries, err := l.Keeper.Log(ctx, tree.Size, maxBatch)
	if err != nil || len(entries) == 0 {
		return false, err
	}
	first := tlog.StoredHashCount(int64(tree.Size))
	var fresh []tlog.Hash
	reader := l.reader(ctx, func(n int64) (tlog.Hash, bool) {
		if n < first || n >= first+int64(len(fresh)) {
			return tlog.Hash{}, false
		}
		return fresh[n-first], true
	})
	size := int64(tree.Size)
	for _, entry := range entries {
		added, err := tlog.StoredHashes(size, entry, reader)
		if err != nil {
			return false, err
		}
		fresh = append(fresh, added...)
		size++
	}
	root, err := tlog.TreeHash(size, reader)
	if err != nil {
		return false, err
	}
	head := checkpoint.Checkpoint{Origin: l.Signer.Key().Name, Size: size, Root: root}
	next := tree
	next.Version++
	next.Size, next.Checkpoint = uint64(size), head.Note(l.Signer.Sign(head, 0))
	if l.Policy.Quorum == checkpoint.None && len(l.witnesses) == 0 {
		next.Shown, next.ShownSize = next.Checkpoint, next.Size // nobody sees it before it is stored
	}
	hashes := make([][32]byte, len(fresh))
	for i, h := range fresh {
		hashes[i] = h
	}
	return true, l.Keeper.Grow(ctx, next, hashes)
}

// receipts hands out what the shown head proves.
func (l *Log) receipts(ctx context.Context, tree match.Tree) error {
	entries, err := l.Keeper.Log(ctx, tree.Receipted, int(min(tree.ShownSize-tree.Receipted, maxBatch)))
	if err != nil {
		return err
	}
	// All at once: a store writes what comes at the same time together.
	reader := l.reader(ctx, nil)
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	places := make(chan struct{}, 256)
	for i, entry := range entries {
		index := tree.Receipted + uint64(i)
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			r, err := checkpoint.Prove(int64(index), tree.Shown, reader)
			if err == nil {
				err = l.Receipt(ctx, entry, index, r.Marshal())
			}
			if err != nil {
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if failed != nil {
		return failed
	}
	next := tree
	next.Version++
	next.Receipted += uint64(len(entries))
	return l.Keeper.Grow(ctx, next, nil)
}

// reader reads hashes, from fresh ones first.
func (l *Log) reader(ctx context.Context, fresh func(int64) (tlog.Hash, bool)) tlog.HashReader {
	return tlog.HashReaderFunc(func(numbers []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(numbers))
		var stored []int64
		var at []int
		for i, n := range numbers {
			if fresh != nil {
				if h, ok := fresh(n); ok {
					out[i] = h
					continue
				}
			}
			stored, at = append(stored, n), append(at, i)
		}
		if len(stored) == 0 {
			return out, nil
		}
		hashes, err := l.Keeper.Hashes(ctx, stored)
		if err != nil {
			return nil, err
		}
		for i, h := range hashes {
			out[at[i]] = h
		}
		return out, nil
	})
}

// Growth proves that the tree of a later size is that of an earlier one, grown. Both
// are at most the shown size.
func (l *Log) Growth(ctx context.Context, earlier, later int64) ([]tlog.Hash, error) {
	tree, err := l.Keeper.Tree(ctx)
	if err != nil {
		return nil, err
	}
	if earlier < 0 || earlier > later || later > int64(tree.ShownSize) {
		return nil, match.ErrNotFound
	}
	return checkpoint.ProveGrowth(earlier, later, l.reader(ctx, nil))
}
