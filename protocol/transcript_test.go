package protocol_test

import (
	"slices"
	"strings"
	"testing"

	"veridice/internal/needs"
	"veridice/protocol"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

func hash32(t testing.TB, text string) [32]byte {
	t.Helper()
	b, ok := seed.ParseHex(text)
	if !ok || len(b) != 32 {
		t.Fatalf("%q is no hash", text)
	}
	return [32]byte(b)
}

func step(t *protocol.Transcript, role uint8, move string) *record.Step {
	return &record.Step{Match: t.Match, Role: role, Head: t.Head, Move: move}
}

// tableMatch is a match of two seats. Openings, contexts, dice and heads were computed
// with Python's hashlib and hmac; last link r is SHA-256 of "last link r".
var tableMatch = struct {
	terms, open, start string
	entries            []tableEntry
}{
	terms: "veridice table 1\ndice 1-3d6\nturn alternate\nwait 60\nsalt ad4e61aabb0d96c15976d7d2989643d9\n",
	open: "veridice/1 open\nmatch 1d9328c55fff1e28a2a8769d8b2cff2d\nseq 7\n" +
		"rules 2eecc4b7295f3c14232b656bf46fa679a2f189beaf361e83c6af4a80768eaade\nlinks 256\n" +
		"role 0 9f88febf95b2c74941c4d1691c40cd7f45e9991a4cf6ca15aadeadac41b55a63 bda938e578c8e2a71c654d17a1b9c9303a25502587ccf527a63a1d00d7bca577\n" +
		"role 1 667bc76bc22628255b5583bb7e8c88cd8c470537b3ac041984349ec3916cf64a 3a772f3514bbc06af276b16c43b8afdf0e0358e6146e1856a6f1e4a5c32c026f\n" +
		"role 2 db0a326c16b277c136e5afdc3be9059faefcf8283648108ce0eb3c2d90304466 ec727d9833c9696a18650359030240cd83bbfca8dde880fb03c775c770728dba\n" +
		"expires 1790000000\n",
	start: "ae52d47c01bc3060c5cae70e10a8b7b8d89360a3c8442381d925b8e4ce5bd9e5",
	entries: []tableEntry{
		{1, "", []uint32{6, 6}, []uint32{1, 5}, "07f74bb020e51a234cd0cb2174f3fb1df62b8f0f7e7a40ecc7ff67afb79c07f1", "072b8b4fa769eda695384d05e0be9158128a9ef4daa2d31b9915f57bac9e6c3e"},
		{2, "", []uint32{6, 6, 6}, []uint32{6, 1, 6}, "da8f06058426edf1f8ac1c937ca0eb20c88f78838711d0cf83e47def6b2b45f4", "a5c042fae95a9140d1831a8bde24c919e7e748e0fed966ceaab4a6054b4c494a"},
		{1, "game", nil, nil, "", "a727447945fba30933879cb510eed15a55cce728fa997b3bbc2c88861dac946a"},
		{1, "", []uint32{6}, []uint32{1}, "967fb9ba6e5f8c0e77f3a95f885f1b2e45646b2be5ab0bbbea3f5c9bdf62faee", "52a22a087f2cac545bfc76e2bfefa3c08e2df5aec51b245bc15953739d1e3cfc"},
		{2, "turn 1", nil, nil, "", "ac5a8e06d71bdcf3382b76fa6a33021de6720581f7c1057bfe9468fdbe0d230a"},
		{1, "", []uint32{6, 6, 6}, []uint32{3, 5, 6}, "ce7e68521a18fe41b3fa85692c7534b175517ba9caae94d11d36895dd1db7c74", "2236a74eef75f1200b7c64783c1bb40bd3b06b9486da43199081119803f41446"},
	},
}

type tableEntry struct {
	role          uint8
	move          string
	faces, dice   []uint32
	context, head string
}

// tableChains are the chains of the match above.
func tableChains(t testing.TB, match scheme.Match, length uint32) []scheme.Chain {
	t.Helper()
	var chains []scheme.Chain
	for role, last := range []string{"last link 0", "last link 1", "last link 2"} {
		c, err := scheme.NewChain(match, uint8(role), scheme.Link(seed.SealText(last)), length)
		if err != nil {
			t.Fatal(err)
		}
		chains = append(chains, c)
	}
	return chains
}

func TestTableMatch(t *testing.T) {
	terms, err := protocol.ParseTerms([]byte(tableMatch.terms))
	if err != nil {
		t.Fatal(err)
	}
	c, err := record.ParseOpening([]byte(tableMatch.open))
	if err != nil {
		t.Fatal(err)
	}
	tr := protocol.Begin(c, terms)
	if tr.Head.String() != tableMatch.start || tr.Turn != 1 || tr.Seats() != 2 {
		t.Fatalf("begins at %s with seat %d of %d", tr.Head, tr.Turn, tr.Seats())
	}
	chains := tableChains(t, tr.Match, tr.Length)
	for i, e := range tableMatch.entries {
		if e.move != "" {
			if tr, err = tr.Move(step(&tr, e.role, e.move)); err != nil {
				t.Fatal(err)
			}
		} else {
			a, err := tr.Ask(e.role, e.faces)
			if err != nil {
				t.Fatal(err)
			}
			context := tr.Context(a)
			if seed.Hex(context[:]) != e.context {
				t.Errorf("entry %d: got context %x", i, context)
			}
			var links []scheme.Link
			for _, c := range chains {
				links = append(links, c.Link(uint32(a.Number)))
			}
			var dice []uint32
			if dice, tr, err = tr.Roll(a, links); err != nil || !slices.Equal(dice, e.dice) {
				t.Errorf("entry %d: got dice %v, %v", i, dice, err)
			}
		}
		if tr.Head.String() != e.head {
			t.Errorf("entry %d: got head %s", i, tr.Head)
		}
	}
	if tr.Rolls != 4 || tr.Game != 2 || tr.Turn != 2 {
		t.Errorf("got %d rolls, game %d, seat %d", tr.Rolls, tr.Game, tr.Turn)
	}
}

// TestPublishedMatches follows every match of the published vectors, as far as their
// dice can stand on a table, where they are beside the repository.
func TestPublishedMatches(t *testing.T) {
	var published struct {
		Matches []struct {
			Name, Open, OpenHash, T0 string
			Entries                  []struct {
				Kind, Ctx, T, Move string
				Role, Actor        uint8
				Roll               uint64
				Faces, Dice        []uint32
				Links              []string
			}
		}
	}
	needs.SharedJSON(t, "vectors/veridice-1.json", &published)
	dice, err := protocol.ParseDice("any")
	if err != nil {
		t.Fatal(err)
	}
	rolls, large := 0, 0
	for _, m := range published.Matches {
		c, err := record.ParseOpening([]byte(m.Open))
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		tr := protocol.Begin(c, protocol.Terms{Dice: dice})
		if seed.Hex(tr.Opening[:]) != m.OpenHash || tr.Head.String() != m.T0 {
			t.Errorf("%s: begins at %x, %s", m.Name, tr.Opening, tr.Head)
		}
		for i, e := range m.Entries {
			if e.Kind != "roll" {
				// Moves of games are no moves of a table.
				if tr.Head = tr.Head.Move(e.Role, e.Move); tr.Head.String() != e.T {
					t.Errorf("%s, entry %d: got head %s", m.Name, i, tr.Head)
				}
				continue
			}
			tr.Turn = e.Actor
			var links []scheme.Link
			for _, l := range e.Links {
				links = append(links, hash32(t, l))
			}
			a := &record.Ask{Match: tr.Match, Number: e.Roll, Actor: e.Actor, Faces: e.Faces, Head: tr.Head}
			if context := tr.Context(a); seed.Hex(context[:]) != e.Ctx {
				t.Errorf("%s, entry %d: got context %x", m.Name, i, context)
			}
			for role, link := range links {
				if err := tr.CheckLink(uint8(role), link); err != nil {
					t.Errorf("%s, entry %d: link of role %d: %v", m.Name, i, role, err)
				}
			}
			if !dice.Allowed(e.Faces, 0) {
				large++
				made, err := roll.Chain(e.Roll, tr.Context(a), links, e.Faces)
				if err != nil || !slices.Equal(made.Dice, e.Dice) {
					t.Errorf("%s, entry %d: got %v, %v", m.Name, i, made.Dice, err)
				}
				tr.Head, tr.Rolls, tr.Links = record.Head(hash32(t, e.T)), e.Roll, links
				continue
			}
			made, next, err := tr.Roll(a, links)
			if err != nil || !slices.Equal(made, e.Dice) || next.Head.String() != e.T {
				t.Errorf("%s, entry %d: got %v, %s, %v", m.Name, i, made, next.Head, err)
			}
			tr = next
			rolls++
		}
	}
	if rolls < 300 || rolls+large != 388 {
		t.Errorf("%d rolls and %d with large dice, want 388 in all", rolls, large)
	}
}

// TestWhatIsDue goes through the refusals of a transcript.
func TestWhatIsDue(t *testing.T) {
	terms, err := protocol.ParseTerms([]byte(strings.Replace(tableMatch.terms, "1-3d6", "deck5", 1)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := record.ParseOpening([]byte(tableMatch.open))
	if err != nil {
		t.Fatal(err)
	}
	tr := protocol.Begin(c, terms)
	chains := tableChains(t, tr.Match, tr.Length)
	links := func(n uint32) (all []scheme.Link) {
		for _, c := range chains {
			all = append(all, c.Link(n))
		}
		return all
	}
	ask := func(change func(*record.Ask)) error {
		a := &record.Ask{Match: tr.Match, Number: tr.Rolls + 1, Actor: tr.Turn, Faces: []uint32{uint32(tr.Left)}, Head: tr.Head}
		change(a)
		return tr.Check(a)
	}
	wantFault(t, "the roll that is due", ask(func(*record.Ask) {}), "")
	wantFault(t, "another match", ask(func(a *record.Ask) { a.Match[0]++ }), "other-match")
	wantFault(t, "the roll after", ask(func(a *record.Ask) { a.Number++ }), "roll-number")
	wantFault(t, "roll 0", ask(func(a *record.Ask) { a.Number = 0 }), "roll-number")
	wantFault(t, "another head", ask(func(a *record.Ask) { a.Head[31]++ }), "other-head")
	wantFault(t, "another seat", ask(func(a *record.Ask) { a.Actor = 2 }), "not-your-turn")
	wantFault(t, "the house", ask(func(a *record.Ask) { a.Actor = 0 }), "not-your-turn")
	wantFault(t, "other dice", ask(func(a *record.Ask) { a.Faces = []uint32{6} }), "other-dice")
	wantFault(t, "no dice", ask(func(a *record.Ask) { a.Faces = nil }), "other-dice")

	move := func(role uint8, text string) error {
		_, err := tr.Move(step(&tr, role, text))
		return err
	}
	wantFault(t, "a game without a roll", move(1, "game"), "no-rolls")
	wantFault(t, "a move of another seat", move(2, "turn 1"), "not-your-turn")
	wantFault(t, "a move of the house", move(0, "game"), "not-your-turn")
	for _, text := range []string{"turn 1", "turn 0", "turn 3", "turn 02", "turn", "turn  2", "turn 2 ", "Game", "game 2", "roll", ""} {
		wantFault(t, "the move "+text, move(1, text), "bad-move")
	}
	other := step(&tr, 1, "turn 2")
	other.Match[3]++
	_, err = tr.Move(other)
	wantFault(t, "a move of another match", err, "other-match")
	other = step(&tr, 1, "turn 2")
	other.Head[0]++
	_, err = tr.Move(other)
	wantFault(t, "a move over another head", err, "other-head")
	tr.Moves = record.MaxRolls
	wantFault(t, "one move too many", move(1, "turn 2"), "full")
	tr.Moves = 0

	for range 4 { // four cards of five: the last is no choice
		a, err := tr.Ask(tr.Turn, []uint32{uint32(tr.Left)})
		if err != nil {
			t.Fatal(err)
		}
		if _, tr, err = tr.Roll(a, links(uint32(a.Number))); err != nil {
			t.Fatal(err)
		}
	}
	wantFault(t, "the last card", ask(func(*record.Ask) {}), "other-dice")
	a := &record.Ask{Match: tr.Match, Number: 5, Actor: tr.Turn, Faces: []uint32{5}, Head: tr.Head}
	wantFault(t, "a whole deck in the same game", tr.Check(a), "other-dice")
	wantFault(t, "a wrong link", tr.CheckLink(1, chains[1].Link(6)), "wrong-link")
	wantFault(t, "a link of no role", tr.CheckLink(3, chains[1].Link(5)), "wrong-link")
	if tr, err = tr.Move(step(&tr, 1, "game")); err != nil || tr.Left != 5 || tr.Game != 2 {
		t.Errorf("a new game with %d cards, %v", tr.Left, err)
	}
	tr.Length = 4
	wantFault(t, "a roll after the last link", ask(func(*record.Ask) {}), "chain-spent")
}

// TestTurns: who may act after a roll.
func TestTurns(t *testing.T) {
	c, err := record.ParseOpening([]byte(tableMatch.open))
	if err != nil {
		t.Fatal(err)
	}
	for turn, want := range map[string][]uint8{"alternate": {2, 1, 2}, "free": {1, 1, 1}} {
		terms, err := protocol.ParseTerms([]byte(strings.Replace(tableMatch.terms, "alternate", turn, 1)))
		if err != nil {
			t.Fatal(err)
		}
		tr := protocol.Begin(c, terms)
		chains := tableChains(t, tr.Match, tr.Length)
		for _, seat := range want {
			a, err := tr.Ask(tr.Turn, []uint32{6})
			if err != nil {
				t.Fatal(err)
			}
			n := uint32(a.Number)
			if _, tr, err = tr.Roll(a, []scheme.Link{chains[0].Link(n), chains[1].Link(n), chains[2].Link(n)}); err != nil || tr.Turn != seat {
				t.Errorf("%s: after roll %d seat %d may act, want %d (%v)", turn, n, tr.Turn, seat, err)
			}
		}
	}
}

// TestRollLeavesTheTranscript: a roll that is refused, and one that is not, change
// nothing of the value before it.
func TestRollLeavesTheTranscript(t *testing.T) {
	c, err := record.ParseOpening([]byte(tableMatch.open))
	if err != nil {
		t.Fatal(err)
	}
	terms, err := protocol.ParseTerms([]byte(tableMatch.terms))
	if err != nil {
		t.Fatal(err)
	}
	tr := protocol.Begin(c, terms)
	before := slices.Clone(tr.Links)
	chains := tableChains(t, tr.Match, tr.Length)
	a, err := tr.Ask(1, []uint32{6})
	if err != nil {
		t.Fatal(err)
	}
	good := []scheme.Link{chains[0].Link(1), chains[1].Link(1), chains[2].Link(1)}
	for role := range good {
		links := slices.Clone(good)
		links[role] = chains[role].Link(2)
		_, _, err := tr.Roll(a, links)
		wantFault(t, "a link of the roll after", err, "wrong-link")
	}
	_, _, err = tr.Roll(a, good[:2])
	wantFault(t, "a link too few", err, "wrong-link")
	if _, _, err := tr.Roll(a, good); err != nil || tr.Rolls != 0 || !slices.Equal(tr.Links, before) {
		t.Errorf("the transcript before the roll is changed: %d rolls, %v", tr.Rolls, err)
	}
}
