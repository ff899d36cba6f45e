package record_test

import (
	"errors"
	"strings"
	"testing"

	"veridice/internal/needs"
	"veridice/record"
)

// reader reads a message by its first line and writes it again.
var readers = map[string]func([]byte) ([]byte, error){
	"offer": again(record.ParseOffer), "join": again(record.ParseJoin), "ready": again(record.ParseReady), "roll": again(record.ParseAsk),
	"head": again(record.ParseReceipt), "move": again(record.ParseStep), "close": again(record.ParseClosing),
	"open": func(text []byte) ([]byte, error) {
		c, err := record.ParseOpening(text)
		if err != nil {
			return nil, err
		}
		return c.Opening(), nil
	},
}

func again[M any, P interface {
	*M
	Marshal() []byte
}](parse func([]byte) (P, error)) func([]byte) ([]byte, error) {
	return func(text []byte) ([]byte, error) {
		m, err := parse(text)
		if err != nil {
			if m != nil {
				return nil, errors.New("beside an error there is something of the message: " + err.Error())
			}
			return nil, err
		}
		return m.Marshal(), nil
	}
}

func readMessage(text string) ([]byte, error) {
	first, _, _ := strings.Cut(text, "\n")
	read, ok := readers[strings.TrimPrefix(first, "veridice/1 ")]
	if !ok {
		return nil, errors.New("no message begins like this")
	}
	return read([]byte(text))
}

// The examples of docs/spec/veridice-1.md.
var messages = []string{
	`veridice/1 offer
match ad1bdd8d5acf8199bfdc5782cb4b0fa6
seq 1
rules e5506e35a12fa87c99cc29aaf24d5b017c0948a58391f7bee30c927c51c27f20
links 64
seats 2
role 0 ae1d5c274194dc220141c880d7896f3ca793d38b9785ca06f6b7484d38566ed0 0e7dd59838443bd1e4429edc4be48a35208c55fa67d50596029434484ea945ad
expires 1694865590
`, `veridice/1 join
match ad1bdd8d5acf8199bfdc5782cb4b0fa6
offer bf7593b068e6689e31d86e8b55039729f196ae6beacfb26d1ac0711abb755b84
role 1 fc127f9abe0315429cf590b100a7aa7d48e6448ec9d42a77a32c6b49917347af 488489c52d4a01facfd20f468928fcd0fece0400ac1624f32f570a96de91c69a
`, `veridice/1 open
match ad1bdd8d5acf8199bfdc5782cb4b0fa6
seq 1
rules e5506e35a12fa87c99cc29aaf24d5b017c0948a58391f7bee30c927c51c27f20
links 64
role 0 ae1d5c274194dc220141c880d7896f3ca793d38b9785ca06f6b7484d38566ed0 0e7dd59838443bd1e4429edc4be48a35208c55fa67d50596029434484ea945ad
role 1 fc127f9abe0315429cf590b100a7aa7d48e6448ec9d42a77a32c6b49917347af 488489c52d4a01facfd20f468928fcd0fece0400ac1624f32f570a96de91c69a
role 2 bf1927df57e3b8b9ee15e6aa19df15f15908176505bde59b216edb6328d55d4c bde828cffa8d513277ffaa22cbdb9a2d22f6c15370a663ac7e52c2e02a5509d7
expires 1694865590
`, `veridice/1 ready
match ad1bdd8d5acf8199bfdc5782cb4b0fa6
leaf 2ff77ac73d8d34e151f39627091c9f072ec482d653d133337e3b15d68950658a
role 2
`, `veridice/1 roll
match ad1bdd8d5acf8199bfdc5782cb4b0fa6
roll 1
actor 1
faces 6,6
head f5bd3530b4448e985d1f1e0bcdce73bada918a636a8fa9804d7df283afd6c718
`, `veridice/1 head
match ad1bdd8d5acf8199bfdc5782cb4b0fa6
roll 1
head 2e119a20c8056c0ea70933a1c720d529c0f18e47400e3bbd7b2ae96dfba9b2f3
`, `veridice/1 move
match ad1bdd8d5acf8199bfdc5782cb4b0fa6
role 1
head 2e119a20c8056c0ea70933a1c720d529c0f18e47400e3bbd7b2ae96dfba9b2f3
move 24/20 13/11
`, `veridice/1 close
match cff22a00311b476f767d7850143e451d
open 8 ec50d89f43378aa2cbba3ca7c7c0ade4853cc8f86066ffee0833d3eaf41fbf86
state aborted 2
rolls 2
head b2e9dce5032c7d759b1c3cd2f6167e561ac4c5317ce18ef0b998afed19553fc6
pending 3 bb34dcdebac327cdc6fe9a0070c5c52b9080ccb68bfb8e7d1f7f8be91174f1e9
record f8e016d8c658c4ecd4d5b28cf6dcb4f8dbfebeaa40e920777a474d440b42f87c
`, `veridice/1 close
match cff22a00311b476f767d7850143e451d
open 0 ec50d89f43378aa2cbba3ca7c7c0ade4853cc8f86066ffee0833d3eaf41fbf86
state aborted -
rolls 0
head b2e9dce5032c7d759b1c3cd2f6167e561ac4c5317ce18ef0b998afed19553fc6
pending -
record f8e016d8c658c4ecd4d5b28cf6dcb4f8dbfebeaa40e920777a474d440b42f87c
`,
}

// TestMessages: a message has one encoding. Every byte changed, left out or doubled
// and every cut gives an error, or another message with that very text.
func TestMessages(t *testing.T) {
	check := func(text string) bool {
		back, err := readMessage(text)
		if err == nil && string(back) != text {
			t.Fatalf("%q is written again as %q", text, back)
		}
		return err == nil
	}
	for _, text := range messages {
		if !check(text) {
			t.Fatalf("%q is refused", text)
		}
		for i := range len(text) {
			if check(text[:i]) {
				t.Errorf("%q is read, though it is cut", text[:i])
			}
			for bit := range 8 {
				if testing.Short() && bit%3 != 0 {
					continue
				}
				check(text[:i] + string([]byte{text[i] ^ 1<<bit}) + text[i+1:])
			}
			check(text[:i] + text[i+1:])
			check(text[:i] + text[i:i+1] + text[i:])
		}
		if check(text+"\n") || check(text+text) || check("\n"+text) {
			t.Errorf("%q is read with something around it", text)
		}
	}
}

// TestMessageFaults: what is refused is named, with its line.
func TestMessageFaults(t *testing.T) {
	for _, c := range []struct {
		message  int
		old, new string
		line     int
		words    string
	}{
		{0, "links 64", "links 8193", 5, "number is above 8192"},
		{0, "seats 2", "seats 17", 6, "number is above 16"},
		{0, "seq 1", "seq 0", 3, "number is below 1"},
		{1, "role 1", "role 0", 4, "number is below 1"},
		{2, "role 2 bf", "role 3 bf", 8, "number is above 2"},
		{3, "role 2\n", "", 4, "the text ends before its role line"},
		{4, "faces 6,6", "faces 6,1", 5, "number in a list is below 2"},
		{6, "move 24", "move  24", 5, "a move begins or ends with a blank"},
		{7, "state aborted 2", "state running", 4, "state is not finished, or aborted with a role or -"},
	} {
		text := strings.Replace(messages[c.message], c.old, c.new, 1)
		_, err := readMessage(text)
		var fault *record.SyntaxError
		if !errors.As(err, &fault) || fault.Line != c.line || fault.Words != c.words {
			t.Errorf("%s: %v\nwant line %d: %s", c.new, err, c.line, c.words)
		}
	}
}

// TestPublishedMessages reads every message of the neighbouring vectors, where they
// are, and finds the same bytes in it.
func TestPublishedMessages(t *testing.T) {
	var all struct {
		Matches []struct {
			Offer, Open, Close string
			Notes              []struct{ Note string }
		}
	}
	needs.SharedJSON(t, "vectors/veridice-1.json", &all)
	read := 0
	for _, m := range all.Matches {
		texts := []string{m.Offer, m.Open, m.Close}
		for _, n := range m.Notes {
			note, err := record.ParseNote([]byte(n.Note))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(note.Text))
		}
		for _, text := range texts {
			if text == "" {
				continue
			}
			if back, err := readMessage(text); err != nil || string(back) != text {
				t.Errorf("%q: %v, written again as %q", text, err, back)
			}
			read++
		}
	}
	if read < 50 {
		t.Errorf("only %d messages were read", read)
	}
}

// TestNoteIsNotWrittenInto: what is appended to the text of a note leaves its signatures.
func TestNoteIsNotWrittenInto(t *testing.T) {
	whole := []byte("text\n\n— name AAAAAAA=\n")
	n, err := record.ParseNote(whole)
	if err != nil {
		t.Fatal(err)
	}
	before := string(whole)
	if _ = append(n.Text, "more"...); string(whole) != before {
		t.Errorf("got %q", whole)
	}
}
