package publog

import (
	"context"
	"errors"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/internal/match"
)

// ErrGivenUp says that the log in the store is another one by now.
var ErrGivenUp = errors.New("publog: the log was given up for another one; start the server again")

// later is the part of a keeper that one log has, behind those that were given up.
type later struct {
	Keeper
	name  string
	start match.LogStart
}

// Log is [match.Store].
func (k later) Log(ctx context.Context, from uint64, limit int) ([][]byte, error) {
	return k.Keeper.Log(ctx, k.start.Entries+from, limit)
}

// Hashes is [match.Store].
func (k later) Hashes(ctx context.Context, numbers []int64) ([][32]byte, error) {
	there := make([]int64, len(numbers))
	for i, n := range numbers {
		there[i] = int64(k.start.Hashes) + n
	}
	return k.Keeper.Hashes(ctx, there)
}

// Tree is [match.Store].
func (k later) Tree(ctx context.Context) (match.Tree, error) {
	tree, err := k.Keeper.Tree(ctx)
	if name := tree.Log(); err == nil && name != "" && name != k.name {
		err = ErrGivenUp
	}
	return tree, err
}

// GiveUp gives up the log in a store, of which a part was lost or whose key is no longer
// safe, and begins another one under another name and key (docs/spec/log.md, "Writing",
// rule 3). No server may write to the store meanwhile. It gives [match.ErrNotFound] if
// there is no log, and [match.ErrLogName] if the name was a log's before.
func GiveUp(ctx context.Context, store match.Store, another checkpoint.Signer) error {
	root, err := tlog.TreeHash(0, nil)
	if err != nil {
		return err
	}
	head := checkpoint.Checkpoint{Origin: another.Key().Name, Root: root}
	return match.GiveUpLog(ctx, store, head.Origin, head.Note(another.Sign(head, 0)))
}
