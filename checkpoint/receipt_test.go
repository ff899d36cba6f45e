package checkpoint_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/record"
	"veridice/seed"
	"veridice/vectors"
	"veridice/verify"
)

func vectorNamed[T any](t testing.TB, name string) (v T) {
	t.Helper()
	lines, err := vectors.Lines(logVectors)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if bytes.HasPrefix(line, []byte(`{"name":"`+name+`"`)) {
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no vector %s", name)
	return v
}

// signerOf makes a signer whose secret is a hash of its name.
func signerOf(t testing.TB, name string, algorithm checkpoint.Algorithm) checkpoint.Signer {
	t.Helper()
	s, err := checkpoint.NewSigner(name, algorithm, seed.LeafHash([]byte("checkpoint test "+name)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A club is a log with n witnesses, k of which must cosign.
type club struct {
	log       checkpoint.Signer
	witnesses []checkpoint.Signer
	policy    *checkpoint.Policy
}

func newClub(t testing.TB, n, k int) club {
	t.Helper()
	c := club{log: signerOf(t, "log.example/club", checkpoint.Plain)}
	text := "log " + c.log.Key().String() + "\n"
	members := ""
	for i := range n {
		w := signerOf(t, fmt.Sprintf("w%d.example", i+1), checkpoint.Cosigning)
		c.witnesses = append(c.witnesses, w)
		text += fmt.Sprintf("witness w%d %s\n", i+1, w.Key())
		members += fmt.Sprintf(" w%d", i+1)
	}
	if k == 0 {
		text += "quorum none\n"
	} else {
		text += fmt.Sprintf("group g %d%s\nquorum g\n", k, members)
	}
	c.policy = policyOf(t, text)
	return c
}

// note signs the tree of some size by the log and the first witnesses.
func (c club) note(t testing.TB, size int64, hashes tlog.HashReader, witnesses ...int) []byte {
	t.Helper()
	root, err := tlog.TreeHash(size, hashes)
	if err != nil {
		t.Fatal(err)
	}
	head := checkpoint.Checkpoint{Origin: c.log.Key().Name, Size: size, Root: root}
	signatures := []record.Signature{c.log.Sign(head, 0)}
	for _, w := range witnesses {
		signatures = append(signatures, c.witnesses[w].Sign(head, 1790000000+int64(w)))
	}
	return head.Note(signatures...)
}

// TestSizes makes and checks the receipt of every entry of logs around the borders of
// their trees, and growth between small sizes; the library for module proxies says
// the same of each path.
func TestSizes(t *testing.T) {
	sizes := []int64{1, 2, 3, 7, 8, 9, 255, 256, 257, 65536}
	if testing.Short() {
		sizes = sizes[:len(sizes)-1]
	}
	entries := make([][]byte, sizes[len(sizes)-1])
	for i := range entries {
		entries[i] = fmt.Appendf(nil, "entry %d\n", i)
	}
	hashes := stored(t, entries)
	c := newClub(t, 1, 1)
	key, err := note.NewVerifier(c.log.Key().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes {
		signed := c.note(t, size, hashes, 0)
		n, err := note.Open(signed, note.VerifierList(key))
		if err != nil || len(n.Sigs) != 1 || len(n.UnverifiedSigs) != 1 {
			t.Fatalf("size %d: %v", size, err)
		}
		head, _, err := checkpoint.Open(signed)
		if err != nil {
			t.Fatal(err)
		}
		step := int64(1)
		if size > 1000 {
			step = 251 // of a large log some hundred entries, and the last
		}
		for index := int64(0); index < size; index++ {
			if index%step != 0 && index != size-1 {
				continue
			}
			r, err := checkpoint.Prove(index, signed, hashes)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.policy.Receipt(entries[index], r.Marshal())
			if err != nil || got.Index != uint64(index) || got.Size != uint64(size) || got.Witnesses != 1 || got.Time != 1790000000 {
				t.Fatalf("entry %d of %d: %+v, %v", index, size, got, err)
			}
			if tlog.CheckRecord(r.Path, size, head.Root, index, tlog.RecordHash(entries[index])) != nil {
				t.Fatalf("entry %d of %d: the library does not agree", index, size)
			}
			if _, err := c.policy.Receipt(entries[(index+1)%int64(len(entries))], r.Marshal()); codeOf(err) != "bad-receipt" {
				t.Fatalf("entry %d of %d proves another: %v", index, size, err)
			}
		}
		if _, err := checkpoint.Prove(size, signed, hashes); err == nil {
			t.Errorf("size %d: an entry behind the last has a receipt", size)
		}
	}
	at := func(size int64) checkpoint.Checkpoint {
		root, err := tlog.TreeHash(size, hashes)
		if err != nil {
			t.Fatal(err)
		}
		return checkpoint.Checkpoint{Origin: "o", Size: size, Root: root}
	}
	for later := int64(0); later <= 20; later++ {
		for earlier := int64(0); earlier <= later; earlier++ {
			proof, err := checkpoint.ProveGrowth(earlier, later, hashes)
			if err != nil || checkpoint.CheckGrowth(at(earlier), at(later), proof) != nil {
				t.Errorf("%d to %d: not grown, %v", earlier, later, err)
			}
			if earlier > 0 && earlier < later && checkpoint.CheckGrowth(at(later), at(earlier), proof) == nil {
				t.Errorf("%d to %d: it may shrink", later, earlier)
			}
			wrong := at(earlier)
			wrong.Root[0]++
			if checkpoint.CheckGrowth(wrong, at(later), proof) == nil {
				t.Errorf("%d to %d: another tree has grown too", earlier, later)
			}
		}
	}
}

// TestEveryLine changes, drops and doubles each line of a receipt whose witnesses are
// just enough.
func TestEveryLine(t *testing.T) {
	entries := [][]byte{[]byte("a\n"), []byte("b\n"), []byte("c\n"), []byte("d\n"), []byte("e\n")}
	c := newClub(t, 3, 3)
	hashes := stored(t, entries)
	r, err := checkpoint.Prove(1, c.note(t, 5, hashes, 0, 1, 2), hashes)
	if err != nil {
		t.Fatal(err)
	}
	text := string(r.Marshal())
	if _, err := c.policy.Receipt(entries[1], []byte(text)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	refused := func(what string, line int, changed []string) {
		t.Helper()
		if got, err := c.policy.Receipt(entries[1], []byte(strings.Join(changed, ""))); err == nil || got != (verify.Logged{}) {
			t.Errorf("line %d %s: got %+v, %v", line+1, what, got, err)
		}
	}
	signed := len(lines) - 4 // the first signature line
	for i := range lines {
		refused("dropped", i, slices.Delete(slices.Clone(lines), i, i+1))
		if i < signed { // a signature that stands twice is as good as one
			refused("doubled", i, slices.Insert(slices.Clone(lines), i, lines[i]))
		}
		for at := range len(lines[i]) {
			if testing.Short() && at%7 != 0 {
				continue
			}
			for _, bit := range []byte{1, 0x20, 0x80} {
				changed := slices.Clone(lines)
				b := []byte(lines[i])
				b[at] ^= bit
				changed[i] = string(b)
				refused("changed", i, changed)
			}
		}
	}
}

// TestEveryByte takes a proof file with nothing to spare and changes each byte by
// three bits, leaves it out, doubles it, and cuts the file there: never proven.
func TestEveryByte(t *testing.T) {
	v := vectorNamed[proofVector](t, "proof-unsigned")
	o := v.options(t)
	text := []byte(v.Text)
	if got := verify.Text(text, o); got.Verdict != verify.Proven {
		t.Fatal(got.Code)
	}
	step := 1
	if testing.Short() {
		step = 17
	}
	tried := 0
	one := func(what string, i int, changed []byte) {
		tried++
		if got := verify.Text(changed, o); got.Verdict == verify.Proven {
			t.Errorf("%s at byte %d: proven", what, i)
		}
	}
	for i := 0; i < len(text); i += step {
		one("cut", i, text[:i])
		one("left out", i, append(bytes.Clone(text[:i]), text[i+1:]...))
		one("doubled", i, append(bytes.Clone(text[:i+1]), text[i:]...))
		for _, bit := range []byte{1, 0x20, 0x80} {
			changed := bytes.Clone(text)
			changed[i] ^= bit
			one("a bit changed", i, changed)
		}
	}
	if tried < 900 {
		t.Errorf("only %d texts were tried", tried)
	}
}

// TestQuorums recomputes the table of docs/spec/log.md: the least k of n witnesses
// with which f that are the server's friends cannot give two histories a quorum
// each. For each smaller k two such histories are made, and both get one.
func TestQuorums(t *testing.T) {
	table := [][]int{{1}, {2, 2}, {2, 3, 3}, {3, 3, 4, 4}, {3, 4, 4, 5}, {4, 4, 5, 5}, {4, 5, 5, 6}} // n from 1, f from 0
	histories := [2]tlog.HashReaderFunc{stored(t, [][]byte{[]byte("one opening\n")}), stored(t, [][]byte{[]byte("another opening\n")})}
	for i, row := range table {
		n := i + 1
		for f, least := range row {
			if 2*least <= n+f || 2*(least-1) > n+f {
				t.Errorf("n %d, f %d: %d is not the least k above (n + f) / 2", n, f, least)
			}
			for k := 1; k <= n; k++ {
				// Friends sign both histories, honest witnesses the one that they are shown.
				c := newClub(t, n, k)
				half := f + (n-f+1)/2
				sides := [2][]int{numbers(0, half), append(numbers(0, f), numbers(half, n)...)}
				both := true
				for side, witnesses := range sides {
					_, err := c.policy.Open(c.note(t, 1, histories[side], witnesses...))
					both = both && err == nil
				}
				if both != (k < least) {
					t.Errorf("n %d, f %d, k %d: two histories %t, though the least k is %d", n, f, k, both, least)
				}
			}
		}
	}
}

func numbers(from, to int) []int {
	var all []int
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// TestSigners holds what is signed to the library for signed notes and, of a witness,
// to the text that c2sp.org/tlog-cosignature says.
func TestSigners(t *testing.T) {
	log, witness := signerOf(t, "log.example/x", checkpoint.Plain), signerOf(t, "w.example", checkpoint.Cosigning)
	head := checkpoint.Checkpoint{Origin: "log.example/x", Size: 7}
	v, err := note.NewVerifier(log.Key().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := note.Open(head.Note(log.Sign(head, 5)), note.VerifierList(v)); err != nil {
		t.Error(err)
	}
	s := witness.Sign(head, 1679315147)
	k := witness.Key()
	text := "cosignature/v1\ntime 1679315147\nlog.example/x\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
	if len(s.Bytes) != 72 || !ed25519.Verify(k.Public[:], []byte(text), s.Bytes[8:]) || seed.Hex(s.Bytes[:8]) != "00000000641850cb" {
		t.Errorf("got %x", s.Bytes)
	}
	for _, shown := range []string{fmt.Sprint(witness), fmt.Sprintf("%+v", witness), fmt.Sprintf("%#v", witness)} {
		if shown != "signer(w.example)" {
			t.Errorf("shown as %s", shown)
		}
	}
	for _, bad := range []string{"", "a b", "a+b", "a\u2003b", "\xff"} {
		if _, err := checkpoint.NewSigner(bad, checkpoint.Plain, [32]byte{}); err == nil {
			t.Errorf("%q is a name", bad)
		}
	}
	if _, err := checkpoint.NewSigner("a", 6, [32]byte{}); err == nil {
		t.Error("algorithm 6 is known")
	}
}

func FuzzReceipt(f *testing.F) {
	for _, name := range []string{"receipt-good", "receipt-extra-line", "receipt-no-path", "receipt-only-entry"} {
		f.Add([]byte(vectorNamed[struct{ Receipt string }](f, name).Receipt))
	}
	c := newClub(f, 3, 2)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := checkpoint.ParseReceipt(text)
		if (r == nil) == (err == nil) {
			t.Fatal(r, err)
		}
		if err == nil && !bytes.Equal(r.Marshal(), text) {
			t.Fatalf("written again it is %q", r.Marshal())
		}
		if got, err := c.policy.Receipt([]byte("x\n"), text); err == nil || got != (verify.Logged{}) {
			t.Fatalf("proven without a key: %+v", got)
		}
	})
}

func FuzzPolicy(f *testing.F) {
	for _, name := range []string{"policy-three-of-four", "policy-groups-of-groups", "policy-comments-blanks-urls", "policy-refused-k-zero"} {
		f.Add([]byte(vectorNamed[struct{ Text string }](f, name).Text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := checkpoint.ParsePolicy(text)
		if err != nil {
			if p != nil || codeOf(err) != "bad-policy" {
				t.Fatal(p, err)
			}
			return
		}
		written := p.Marshal()
		again, err := checkpoint.ParsePolicy(written)
		if err != nil || !bytes.Equal(again.Marshal(), written) {
			t.Fatalf("%q is read as %v, %v", written, again, err)
		}
	})
}

func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte("o\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := checkpoint.ParseCheckpoint(text)
		if err == nil && !bytes.Equal(c.Marshal(), text) || err != nil && c != (checkpoint.Checkpoint{}) {
			t.Fatalf("%+v, %v", c, err)
		}
	})
}

// FuzzProofFile: no input makes the check panic, and proven always has its ground.
func FuzzProofFile(f *testing.F) {
	v := vectorNamed[proofVector](f, "proof-whole")
	for _, name := range []string{"proof-whole", "proof-tavli", "proof-aborted", "proof-head-alone", "proof-split-cut"} {
		f.Add([]byte(vectorNamed[proofVector](f, name).Text))
	}
	o := v.options(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		got := verify.Text(text, o)
		if got.Verdict == verify.Proven && (got.Rolls == 0 || got.Fit != got.Rolls || got.Source != verify.FromLog || got.Began == nil || got.Began.Witnesses < 3) {
			t.Fatalf("proven without ground: %+v", got)
		}
		verify.EvidenceUnder(text, []byte(v.Text), [32]byte{1}, o.Policy)
	})
}

// TestLongestPath: 63 hashes are enough for every log.
func TestLongestPath(t *testing.T) {
	for n, ok := range map[int]bool{63: true, 64: false} {
		r := checkpoint.Receipt{Path: make([]tlog.Hash, n), Note: []byte("note\n")}
		if _, err := checkpoint.ParseReceipt(r.Marshal()); (err == nil) != ok {
			t.Errorf("%d hashes: %v", n, err)
		}
	}
}
