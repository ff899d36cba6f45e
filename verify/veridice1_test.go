package verify_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"veridice/record"
	"veridice/seed"
	"veridice/vectors"
	"veridice/vectors/vectortest"
	"veridice/verify"
)

const veridice1 = "veridice1.ndjson"

type chainVector struct {
	Name, Kind, Text, Opening string
	Heads                     []string
	Want                      struct {
		Verdict, Code, Place, Source string
		Rolls                        int
		Signed                       []int
		Account                      []string
	}
}

func (v chainVector) options(t *testing.T) verify.Options {
	t.Helper()
	o := verify.Options{Heads: nil}
	for _, h := range v.Heads {
		o.Heads = append(o.Heads, []byte(h))
	}
	if v.Opening != "" {
		opening, err := seed.ParseSeal(v.Opening)
		if err != nil {
			t.Fatal(err)
		}
		o.Seal = &opening
	}
	return o
}

func TestChainRecords(t *testing.T) {
	vectortest.EachKind(t, veridice1, "record", func(t *testing.T, v chainVector) {
		got := verify.Text([]byte(v.Text), v.options(t))
		w := v.Want
		if string(got.Verdict) != w.Verdict || string(got.Code) != w.Code || got.Place.String() != w.Place || got.Rolls != w.Rolls ||
			string(got.Source) != w.Source || !slices.Equal(got.Signed, w.Signed) || !slices.Equal(got.Account, w.Account) {
			t.Errorf("got %s %s %q, %d rolls, source %q, signed %v, account %v; want %+v",
				got.Verdict, got.Code, got.Place, got.Rolls, got.Source, got.Signed, got.Account, w)
		}
		steps := 0
		for _, s := range got.Steps {
			if s.State == verify.Failed {
				steps++
			}
		}
		if got.Record != nil && (steps == 0) != (got.Verdict == verify.Proven) {
			t.Errorf("%d steps failed: %v", steps, got.Steps)
		}
	})
}

func TestEvidence(t *testing.T) {
	type vector struct {
		Name, Kind, Key, Code, Place string
		Notes                        []string
	}
	vectortest.EachKind(t, veridice1, "evidence", func(t *testing.T, v vector) {
		key, err := seed.ParseSeal(v.Key)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range [][2]int{{0, 1}, {1, 0}} {
			code, place := verify.Evidence([]byte(v.Notes[order[0]]), []byte(v.Notes[order[1]]), key)
			if string(code) != v.Code || place.String() != v.Place {
				t.Errorf("got %q %q, want %q %q", code, place, v.Code, v.Place)
			}
		}
	})
}

// TestMoreEvidence finds no evidence in what nobody signed.
func TestMoreEvidence(t *testing.T) {
	a, key := vectorNamed(t, "record-signed-by-the-server"), [32]byte{}
	for _, b := range []string{"", "\n\n", a.Text, "x" + a.Text, a.Text[1:]} {
		if code, place := verify.Evidence([]byte(a.Text), []byte(b), key); code != "" || place.Kind != "" {
			t.Errorf("%q: got %q %q", b, code, place)
		}
	}
}

// TestSignatures hangs each signature on the record of a match with the key. The
// name is that of a role whose lines are made for it, so that what is checked is
// the signature alone.
func TestSignatures(t *testing.T) {
	type vector struct {
		Name, Kind, Key, Message, Signature string
		Valid                               bool
	}
	vectortest.EachKind(t, veridice1, "ed25519", func(t *testing.T, v vector) {
		message, _ := seed.ParseHex(v.Message)
		signature, _ := seed.ParseHex(v.Signature)
		key, err := seed.ParseSeal(v.Key)
		if err != nil {
			t.Fatal(err)
		}
		if got := verify.Signed(message, key, signature); got != v.Valid {
			t.Errorf("got %t, want %t", got, v.Valid)
		}
	})
}

func vectorNamed(t testing.TB, name string) (v chainVector) {
	t.Helper()
	lines, err := vectors.Lines(veridice1)
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

// TestEveryByte cuts a good signed record at every length, and changes each of
// its bytes by three bits, leaves it out and doubles it: never proven.
func TestEveryByte(t *testing.T) {
	text := []byte(vectorNamed(t, "record-signed-by-the-server").Text)
	if got := verify.Text(text, verify.Options{}); got.Verdict != verify.Proven {
		t.Fatal(got.Code)
	}
	tried := 0
	one := func(what string, i int, changed []byte) {
		tried++
		if got := verify.Text(changed, verify.Options{}); got.Verdict == verify.Proven {
			t.Errorf("%s at byte %d: proven", what, i)
		}
	}
	for i := range text {
		one("cut", i, text[:i])
		one("left out", i, append(bytes.Clone(text[:i]), text[i+1:]...))
		one("doubled", i, append(bytes.Clone(text[:i+1]), text[i:]...))
		for _, bit := range []byte{1, 0x20, 0x80} {
			changed := bytes.Clone(text)
			changed[i] ^= bit
			one("a bit changed", i, changed)
		}
	}
	if tried < 6000 {
		t.Errorf("only %d texts were tried", tried)
	}
}

// TestEverySpoiltSignature has signatures to spare: with the seats' beside the
// server's, a change of a name or key id leaves the record proven, without the
// seat; nothing else does.
func TestEverySpoiltSignature(t *testing.T) {
	text := vectorNamed(t, "record-signed-by-all").Text
	at := strings.LastIndex(text[:len(text)-1], "\n") + 1 // the last signature, of seat 2
	for i := at; i < len(text); i++ {
		changed := []byte(text)
		changed[i] ^= 1
		got := verify.Text(changed, verify.Options{})
		if got.Verdict == verify.Proven && !slices.Equal(got.Signed, []int{0, 1}) {
			t.Errorf("byte %d: proven with signatures of %v", i, got.Signed)
		}
	}
}

// TestNotedRolls compares with the reader's own rolls. They never stand in for
// rolls that a record does not have.
func TestNotedRolls(t *testing.T) {
	v := vectorNamed(t, "record-signed-by-the-server")
	r, err := record.Parse([]byte(v.Text))
	if err != nil {
		t.Fatal(err)
	}
	var noted [][]uint32
	for _, e := range r.Rolls() {
		noted = append(noted, e.Dice)
	}
	if got := verify.Text([]byte(v.Text), verify.Options{Rolls: noted}); got.Verdict != verify.Proven {
		t.Errorf("got %s %s", got.Verdict, got.Code)
	}
	if got := verify.Text([]byte(v.Text), verify.Options{Rolls: noted[:5]}); got.Verdict != verify.Unknown || got.Code != verify.CountDiffers {
		t.Errorf("fewer noted: got %s %s", got.Verdict, got.Code)
	}
	more := append(slices.Clone(noted), []uint32{1})
	if got := verify.Text([]byte(v.Text), verify.Options{Rolls: more}); got.Verdict != verify.Broken || got.Code != verify.OtherRolls ||
		got.Place.Number != len(more) {
		t.Errorf("a record that is over lacks a roll: got %s %s %s", got.Verdict, got.Code, got.Place)
	}
	running := vectorNamed(t, "record-running-and-signed")
	noted = nil
	r, err = record.Parse([]byte(running.Text))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Rolls() {
		noted = append(noted, e.Dice)
	}
	more = append(noted, []uint32{1})
	if got := verify.Text([]byte(running.Text), verify.Options{Rolls: more}); got.Verdict != verify.Unknown || got.Code != verify.EndsEarly ||
		got.Place.Number != len(more) {
		t.Errorf("a match that went on: got %s %s %s", got.Verdict, got.Code, got.Place)
	}
	none := vectorNamed(t, "record-no-rolls")
	if got := verify.Text([]byte(none.Text), verify.Options{Rolls: noted}); got.Verdict == verify.Proven || got.Rolls != 0 {
		t.Errorf("without rolls: got %s %s, %d rolls", got.Verdict, got.Code, got.Rolls)
	}
}

func TestChainLimits(t *testing.T) {
	limits := func(name string) string {
		v := vectorNamed(t, name)
		var all []string
		for _, f := range verify.Text([]byte(v.Text), v.options(t)).NotProven {
			all = append(all, strings.Join(append([]string{string(f.Code)}, f.Args...), " "))
		}
		return strings.Join(all, ", ")
	}
	for name, want := range map[string]string{
		"record-signed-by-all":                      "not-logged, veto",
		"record-signed-by-the-server":               "not-logged, seal-shown-before, seats-unsigned 1 2, veto",
		"record-signed-by-the-server-and-a-seat":    "not-logged, seal-shown-before, seats-unsigned 1, veto",
		"record-running-and-signed":                 "not-logged, not-finished, seats-unsigned 2, veto",
		"record-own-head-of-the-last-roll":          "not-logged, seal-shown-before, only-head, seats-unsigned 1 2, veto",
		"record-unsigned":                           "",
		"record-signed-by-the-seats-alone":          "",
		"record-one-good-and-one-bad-of-the-server": "",
	} {
		if got := limits(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// long is a record of 8192 rolls and 17 roles.
func long(t testing.TB) (text []byte, head string) {
	t.Helper()
	lines, err := vectors.Lines(veridice1)
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Kind, Open, Shown, Head, Sum string
		Last                         []string
	}
	for _, line := range lines {
		if v.Kind = ""; bytes.HasPrefix(line, []byte(`{"name":"long"`)) {
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if v.Kind == "" {
		t.Fatal("no long record")
	}
	var b strings.Builder
	b.WriteString("veridice record 1\nscheme veridice/1\n" + v.Open)
	for i := range len(v.Shown) / 2 {
		b.WriteString("roll " + strconv.Itoa(i+1) + " " + strconv.Itoa(i%17) + " 6,6 " + v.Shown[2*i:2*i+1] + "," + v.Shown[2*i+1:2*i+2] + "\n")
	}
	for i, link := range v.Last {
		b.WriteString("last " + strconv.Itoa(i) + " 8192 " + link + "\n")
	}
	b.WriteString("rolls 8192\nhead " + v.Head + "\nstate finished\n")
	if sum := sha256.Sum256([]byte(b.String())); seed.Hex(sum[:]) != v.Sum {
		t.Fatal("the record was made otherwise")
	}
	b.WriteString("sum " + v.Sum + "\n")
	match := v.Open[len("match "):][:32]
	return []byte(b.String()), "veridice/1 head\nmatch " + match + "\nroll 8192\nhead " + v.Head + "\n"
}

func TestLongRecord(t *testing.T) {
	type vector struct {
		Name, Kind, Open, Shown, Head, Sum string
		Last                               []string
	}
	vectortest.EachKind(t, veridice1, "long", func(t *testing.T, _ vector) {
		text, head := long(t)
		from := time.Now()
		got := verify.Text(text, verify.Options{Heads: [][]byte{[]byte(head)}})
		if got.Verdict != verify.Proven || got.Rolls != 8192 || got.Fit != 8192 {
			t.Errorf("got %s %s %s, %d rolls, %d of them fit", got.Verdict, got.Code, got.Place, got.Rolls, got.Fit)
		}
		t.Logf("took %v", time.Since(from))
	})
}

func BenchmarkLongRecord(b *testing.B) {
	text, head := long(b)
	for b.Loop() {
		if got := verify.Text(text, verify.Options{Heads: [][]byte{[]byte(head)}}); got.Verdict != verify.Proven {
			b.Fatal(got.Code)
		}
	}
}

func TestTooLongRecord(t *testing.T) {
	text := vectorNamed(t, "record-signed-by-the-server").Text
	long := text + strings.Repeat("x", record.MaxSize+1-len(text))
	if got := verify.Text([]byte(long), verify.Options{}); got.Verdict != verify.Unknown || got.Code != record.TooLong {
		t.Errorf("got %s %s", got.Verdict, got.Code)
	}
}

// FuzzChain: no input makes it panic, and proven always means that the text
// under the server's signature, or the head, is the one of the vectors.
func FuzzChain(f *testing.F) {
	head := vectorNamed(f, "record-receipt-of-the-last-roll").Heads[0]
	for _, name := range []string{"record-signed-by-the-server", "record-running-and-signed", "record-unsigned", "record-aborted-by-a-seat"} {
		f.Add([]byte(vectorNamed(f, name).Text), []byte(head))
	}
	f.Fuzz(func(t *testing.T, text, head []byte) {
		got := verify.Text(text, verify.Options{Heads: [][]byte{head}})
		if got.Verdict == verify.Proven && (got.Rolls == 0 || got.Fit != got.Rolls || got.Code != "" || got.Source == "" ||
			got.Record.Chain != nil && len(got.Account) == 0) {
			t.Fatalf("proven without ground: %+v", got)
		}
		verify.Evidence(text, head, [32]byte{1})
	})
}

// TestMadeByHand: a record that no text can hold is unknown.
func TestMadeByHand(t *testing.T) {
	for _, c := range []*record.Chain{{}, {Last: make([]record.Last, 1)}, {Roles: make([]record.Role, 300)}} {
		r := &record.Record{Scheme: "veridice/1", State: record.Finished, Chain: c}
		report := verify.Record(r, verify.Options{Heads: [][]byte{[]byte("veridice/1 head\n")}})
		if report.Verdict != verify.Unknown || report.Code != record.Syntax {
			t.Errorf("got %s %s", report.Verdict, report.Code)
		}
	}
}

// TestEvidenceOfSeats: a roll text is the word of role 16 as of any other, and there is no
// role 17.
func TestEvidenceOfSeats(t *testing.T) {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	key := [32]byte(private.Public().(ed25519.PublicKey))
	for role, want := range map[uint8]record.Code{0: verify.TwoRolls, 16: verify.TwoRolls, 17: ""} {
		var notes [2][]byte
		for i, faces := range []uint32{6, 20} {
			s := verify.Role([16]byte{1}, role, key)
			text := (&record.Ask{Match: [16]byte{1}, Number: 1, Actor: 1, Faces: []uint32{faces}}).Marshal()
			line := record.Signature{Name: s.Name, KeyID: s.KeyID(), Bytes: ed25519.Sign(private, text)}
			notes[i] = (&record.Note{Text: text, Signatures: []record.Signature{line}}).Marshal()
		}
		if code, _ := verify.Evidence(notes[0], notes[1], key); code != want {
			t.Errorf("role %d: got %q, want %q", role, code, want)
		}
		// A proof file stands for its record. One in another does not, however deep it goes.
		for _, expected := range []record.Code{want, ""} {
			notes[0] = (&record.Proof{Parts: []record.Part{{Name: record.PartRecord, Text: notes[0]}}}).Marshal()
			if code, _ := verify.Evidence(notes[0], notes[1], key); code != expected {
				t.Errorf("role %d in a proof: got %q, want %q", role, code, expected)
			}
		}
	}
}

// TestSignedOnceBadly: of two signatures of one signer both must be good.
func TestSignedOnceBadly(t *testing.T) {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	s := verify.Role([16]byte{1}, 1, [32]byte(private.Public().(ed25519.PublicKey)))
	good := record.Signature{Name: s.Name, KeyID: s.KeyID(), Bytes: ed25519.Sign(private, []byte("text"))}
	bad := good
	bad.Bytes = ed25519.Sign(private, []byte("another"))
	stranger := bad
	stranger.KeyID[0]++
	for _, c := range []struct {
		of   []record.Signature
		want bool
	}{{nil, false}, {[]record.Signature{good}, true}, {[]record.Signature{good, stranger}, true}, {[]record.Signature{good, bad}, false}, {[]record.Signature{bad, good}, false}} {
		if got := s.Signed([]byte("text"), c.of); got != c.want {
			t.Errorf("%d signatures: got %v", len(c.of), got)
		}
	}
}
