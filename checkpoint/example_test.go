package checkpoint_test

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
)

// A log signs the tree of its entries, a witness cosigns it, and whoever has entry,
// receipt and policy can check that the entry was there.
func Example() {
	log, _ := checkpoint.NewSigner("log.example/table", checkpoint.Plain, [32]byte{1})
	witness, _ := checkpoint.NewSigner("w1.example", checkpoint.Cosigning, [32]byte{2})
	policy, err := checkpoint.ParsePolicy([]byte("log " + log.Key().String() + "\nwitness w1 " + witness.Key().String() + "\nquorum w1\n"))
	if err != nil {
		fmt.Println(err)
		return
	}

	entry := []byte("veridice/1 seal\n")
	hashes := tlog.HashReaderFunc(func([]int64) ([]tlog.Hash, error) { return []tlog.Hash{tlog.RecordHash(entry)}, nil })
	head := checkpoint.Checkpoint{Origin: "log.example/table", Size: 1, Root: tlog.RecordHash(entry)}
	receipt, err := checkpoint.Prove(0, head.Note(log.Sign(head, 0), witness.Sign(head, 1790000000)), hashes)
	if err != nil {
		fmt.Println(err)
		return
	}
	logged, err := policy.Receipt(entry, receipt.Marshal())
	fmt.Println(logged.Index, logged.Size, logged.Witnesses, logged.Time, err)
	_, err = policy.Receipt([]byte("another entry\n"), receipt.Marshal())
	fmt.Println(err)
	// Output:
	// 0 1 1 1790000000 <nil>
	// record: the path does not lead from this entry to the root
}
