// Package schemetest is the contract that every scheme passes: what the packages
// after it in the pipeline rely on.
package schemetest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"veridice/scheme"
	"veridice/seed"
)

// Run tests a scheme.
func Run(t *testing.T, s scheme.Scheme) {
	t.Run("Name", func(t *testing.T) { name(t, s) })
	t.Run("Same", func(t *testing.T) { same(t, s) })
	t.Run("Read", func(t *testing.T) { read(t, s) })
	t.Run("Cursor", func(t *testing.T) { cursor(t, s) })
	t.Run("Account", func(t *testing.T) { account(t, s) })
	t.Run("Numbers", func(t *testing.T) { numbers(t, s) })
	t.Run("Server", func(t *testing.T) { servers(t, s) })
	t.Run("Clients", func(t *testing.T) { clients(t, s) })
	t.Run("Different", func(t *testing.T) { different(t, s) })
	t.Run("Copies", func(t *testing.T) { copies(t, s) })
	t.Run("Secret", func(t *testing.T) { secret(t, s) })
	t.Run("MAC", func(t *testing.T) { mac(t, s) })
	t.Run("Together", func(t *testing.T) { together(t, s) })
}

// Inputs makes parts that a scheme accepts, other ones for another n.
func Inputs(t testing.TB, s scheme.Scheme, n int) scheme.Inputs {
	t.Helper()
	return inputs(t, s, n, max(s.MinServer, min(32, s.MaxServer)), max(s.MinClients, min(2, s.MaxClients)))
}

func inputs(t testing.TB, s scheme.Scheme, n, length, clients int) scheme.Inputs {
	t.Helper()
	text := strings.Repeat(fmt.Sprintf("%08d server seed ", n), length/21+1)
	server, err := seed.NewServer([]byte(text[:length]))
	if err != nil {
		t.Fatal(err)
	}
	in := scheme.Inputs{Server: server}
	for i := range clients {
		in.Clients = append(in.Clients, seed.Client(fmt.Sprintf("seat-%d-%d", i+1, n)))
	}
	return in
}

// take gives the first bytes of a number's stream.
func take(t testing.TB, s scheme.Scheme, in scheme.Inputs, number uint64, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	st := stream(t, s, in, number, 0)
	for i := range b {
		b[i] = st.Byte()
	}
	return b
}

func stream(t testing.TB, s scheme.Scheme, in scheme.Inputs, number, cursor uint64) *scheme.Stream {
	t.Helper()
	o, err := s.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	st, err := o.StreamAt(number, cursor)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// name: a scheme is found by its name and version, and by nothing like it.
func name(t *testing.T, s scheme.Scheme) {
	got, err := scheme.Lookup(s.Name)
	if err != nil || got.Name != s.Name {
		t.Errorf("got %q, %v", got.Name, err)
	}
	word, version, ok := strings.Cut(s.Name, "/")
	if !ok || word == "" || version == "" || strings.ToLower(s.Name) != s.Name {
		t.Errorf("the name %q has not the form word/version", s.Name)
	}
	for _, other := range []string{"", word, word + "/", strings.ToUpper(s.Name), s.Name + " ", " " + s.Name, s.Name + "0", word + "/0" + version} {
		if got, err := scheme.Lookup(other); err != scheme.ErrUnknown || got.Name != "" {
			t.Errorf("%q: got %q, %v", other, got.Name, err)
		}
	}
}

// same: the same parts and number give the same bytes, each time.
func same(t *testing.T, s scheme.Scheme) {
	for _, number := range []uint64{s.First, s.First + 1, s.Last - 100, s.Last / 2} {
		a, b := take(t, s, Inputs(t, s, 1), number, 200), take(t, s, Inputs(t, s, 1), number, 200)
		if !bytes.Equal(a, b) {
			t.Errorf("number %d: two streams differ", number)
		}
	}
}

// read: Read gives what Byte gives, in pieces of any length.
func read(t *testing.T, s scheme.Scheme) {
	in := Inputs(t, s, 1)
	want := take(t, s, in, s.First, 300)
	for _, piece := range []int{1, 3, 4, 31, 32, 33, 300} {
		st, got := stream(t, s, in, s.First, 0), []byte(nil)
		for len(got) < len(want) {
			p := make([]byte, min(piece, len(want)-len(got)))
			if n, err := st.Read(p); n != len(p) || err != nil {
				t.Fatalf("Read gave %d of %d bytes, %v", n, len(p), err)
			}
			got = append(got, p...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("in pieces of %d other bytes", piece)
		}
	}
}

// cursor: a stream that begins later is the rest of the one from the beginning,
// and computes no block that ends before.
func cursor(t *testing.T, s scheme.Scheme) {
	in := Inputs(t, s, 1)
	all := take(t, s, in, s.First, 400)
	for at := range uint64(200) {
		st, got := stream(t, s, in, s.First, at), make([]byte, 100)
		if _, err := st.Read(got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, all[at:at+100]) {
			t.Errorf("cursor %d: other bytes", at)
		}
		first := st.Blocks()[0]
		if want := at / uint64(first.Width); uint64(first.Index) != want {
			t.Errorf("cursor %d begins with block %d, want %d", at, first.Index, want)
		}
	}
	o, err := s.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.StreamAt(s.First, 1<<63); err == nil {
		t.Error("a cursor of 2^63 is taken")
	}
}

// account: a stream can say which blocks it used, and they are what it gave.
func account(t *testing.T, s scheme.Scheme) {
	st := stream(t, s, Inputs(t, s, 1), s.First, 0)
	if len(st.Blocks()) != 0 || st.Used() != 0 {
		t.Errorf("a new stream has %d blocks and %d bytes", len(st.Blocks()), st.Used())
	}
	var got []byte
	for range 100 {
		got = append(got, st.Byte())
		if st.Used() != len(got) {
			t.Errorf("used %d, want %d", st.Used(), len(got))
		}
	}
	var joined []byte
	messages := map[string]bool{}
	for i, b := range st.Blocks() {
		if b.Index != uint32(i) || b.Width < 1 || b.Width > len(b.Sum) || messages[string(b.Message)] {
			t.Errorf("block %d: index %d, width %d, message %q", i, b.Index, b.Width, b.Message)
		}
		messages[string(b.Message)] = true
		joined = append(joined, b.Sum[:b.Width]...)
	}
	if len(joined) < len(got) || len(joined)-len(got) >= st.Blocks()[0].Width || !bytes.Equal(joined[:len(got)], got) {
		t.Error("the blocks are not the bytes that were given")
	}
}

// numbers: from First to Last, and no others.
func numbers(t *testing.T, s scheme.Scheme) {
	o, err := s.Open(Inputs(t, s, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{s.First, s.First + 1, s.Last - 1, s.Last} {
		if st, err := o.Stream(n); err != nil || st == nil {
			t.Errorf("number %d: %v", n, err)
		}
	}
	for _, n := range []uint64{s.First - 1, s.Last + 1, 1<<64 - 1} {
		if n >= s.First && n <= s.Last {
			continue
		}
		if st, err := o.Stream(n); err == nil || st != nil || !strings.HasPrefix(err.Error(), s.Name+": number ") {
			t.Errorf("number %d: %v", n, err)
		}
	}
	if s.Last > 1<<53-1 {
		t.Error("a number that JavaScript cannot hold")
	}
}

// servers: lengths from MinServer to MaxServer, and no others; no seed is refused.
func servers(t *testing.T, s scheme.Scheme) {
	for _, length := range []int{s.MinServer, s.MaxServer} {
		if err := s.Check(inputs(t, s, 1, length, s.MinClients)); err != nil {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
	refuse := func(in scheme.Inputs, what string) {
		t.Helper()
		if o, err := s.Open(in); err == nil || o != nil || !strings.HasPrefix(err.Error(), "server seed: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, length := range []int{s.MinServer - 1, s.MaxServer + 1} {
		if length > 0 && length <= seed.MaxServer {
			refuse(inputs(t, s, 1, length, s.MinClients), fmt.Sprint(length, " bytes"))
		}
	}
	in := Inputs(t, s, 1)
	in.Server = seed.Server{}
	refuse(in, "no server seed")
}

// clients: from MinClients to MaxClients, each one valid.
func clients(t *testing.T, s scheme.Scheme) {
	length := s.MinServer
	for _, n := range []int{s.MinClients, s.MaxClients} {
		if err := s.Check(inputs(t, s, 1, length, n)); err != nil {
			t.Errorf("%d client seeds: %v", n, err)
		}
	}
	for _, n := range []int{s.MinClients - 1, s.MaxClients + 1} {
		if n >= 0 {
			if o, err := s.Open(inputs(t, s, 1, length, n)); err == nil || o != nil {
				t.Errorf("%d client seeds are taken", n)
			}
		}
	}
	if s.MaxClients == 0 {
		return
	}
	for text, text1024 := range map[string]bool{"": true, "a:b": true, " a ": true, "\xff": false, strings.Repeat("c", 1025): false} {
		in := Inputs(t, s, 1)
		in.Clients[len(in.Clients)-1] = seed.Client(text)
		if err := s.Check(in); (err == nil) != (text1024 && s.TextClients) {
			t.Errorf("client seed %.20q: %v", text, err)
		}
	}
}

// different: every part counts, and the number.
func different(t *testing.T, s scheme.Scheme) {
	in := Inputs(t, s, 1)
	streams := map[string]string{}
	add := func(what string, b []byte) {
		t.Helper()
		if other := streams[string(b)]; other != "" {
			t.Errorf("%s gives the stream of %s", what, other)
		}
		streams[string(b)] = what
	}
	add("the first number", take(t, s, in, s.First, 32))
	add("the next number", take(t, s, in, s.First+1, 32))
	add("the last number", take(t, s, in, s.Last-10, 32))
	b := in.Server.Reveal()
	for _, i := range []int{0, len(b) - 1} {
		changed := bytes.Clone(b)
		changed[i] ^= 1
		other := in
		var err error
		if other.Server, err = seed.NewServer(changed); err != nil {
			t.Fatal(err)
		}
		add(fmt.Sprintf("byte %d of the server seed changed", i), take(t, s, other, s.First, 32))
	}
	for i := range in.Clients {
		other := scheme.Inputs{Server: in.Server, Clients: append([]seed.Client(nil), in.Clients...)}
		other.Clients[i] += "x"
		add(fmt.Sprintf("client seed %d changed", i+1), take(t, s, other, s.First, 32))
	}
	if len(in.Clients) == 2 {
		swapped := scheme.Inputs{Server: in.Server, Clients: []seed.Client{in.Clients[1], in.Clients[0]}}
		add("client seeds exchanged", take(t, s, swapped, s.First, 32))
	}
}

// copies: what a caller changes later does not change the rolls.
func copies(t *testing.T, s scheme.Scheme) {
	in := Inputs(t, s, 1)
	want := take(t, s, in, s.First, 32)
	o, err := s.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range in.Clients {
		in.Clients[i] = "changed"
	}
	st, err := o.Stream(s.First)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 32)
	if _, err := st.Read(got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("other bytes after the client seeds were changed outside (%v)", err)
	}
	all := scheme.All()
	all[0] = scheme.Scheme{}
	if scheme.All()[0].Name == "" {
		t.Error("the table can be changed through All")
	}
}

// secret: an opened scheme does not print its seeds.
func secret(t *testing.T, s scheme.Scheme) {
	in := Inputs(t, s, 1)
	o, err := s.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	raw := in.Server.Reveal()
	text := fmt.Sprintf("%v %s", o, o) + o.String()
	for _, hidden := range []string{string(raw[:12]), fmt.Sprintf("%x", raw[:12])} {
		if strings.Contains(text, hidden) {
			t.Errorf("an opened scheme prints as %s", text)
		}
	}
}

// mac: a test can put its own function in the place of the scheme's.
func mac(t *testing.T, s scheme.Scheme) {
	in := Inputs(t, s, 1)
	var asked [][]byte
	fake := s.WithMAC(func(key, message []byte) (sum [32]byte) {
		if !bytes.Equal(key, in.Server.Reveal()) {
			t.Errorf("the key is %x", key)
		}
		asked = append(asked, bytes.Clone(message))
		for i := range sum {
			sum[i] = byte(len(asked))
		}
		return sum
	})
	st := stream(t, fake, in, s.First, 0)
	width := 0
	for range 100 {
		st.Byte()
		width = st.Blocks()[0].Width
	}
	if want := (100 + width - 1) / width; len(asked) != want {
		t.Errorf("%d blocks were asked for, want %d", len(asked), want)
	}
	for i, b := range st.Blocks() {
		if !bytes.Equal(b.Message, asked[i]) || b.Sum[0] != byte(i+1) {
			t.Errorf("block %d is not what was asked for and given", i)
		}
	}
	if bytes.Equal(take(t, s, in, s.First, 4), []byte{1, 1, 1, 1}) {
		t.Error("the scheme itself was changed")
	}
}

// together: many may use an opened scheme at the same time.
func together(t *testing.T, s scheme.Scheme) {
	in := Inputs(t, s, 1)
	o, err := s.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	want := take(t, s, in, s.First, 100)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			st, err := o.Stream(s.First)
			if err != nil {
				t.Error(err)
				return
			}
			got := make([]byte, 100)
			if _, err := st.Read(got); err != nil || !bytes.Equal(got, want) {
				t.Errorf("other bytes beside other streams (%v)", err)
			}
		})
	}
	wg.Wait()
}
