package verify_test

import (
	"slices"
	"strings"
	"testing"

	"veridice/internal/needs"
	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

// A published check of the neighbouring vectors: a record, what the reader
// trusts, and what must come out.
type published struct {
	Name, Note, Trusted       string
	Heads                     []string
	Verdict, Code, At, Source string
	Rolls                     int
	Signed                    []int
	Account                   []string
}

// TestPublishedChecks runs the checks of records, where those vectors are.
func TestPublishedChecks(t *testing.T) {
	var all struct {
		Checks   []published
		Evidence []struct {
			Name, Key, Code, At string
			Notes               [2]string
		}
	}
	needs.SharedJSON(t, "vectors/veridice-1.json", &all)
	n := 0
	for _, c := range all.Checks {
		n++
		var o verify.Options
		if c.Trusted != "" {
			seal, err := seed.ParseSeal(c.Trusted)
			if err != nil {
				t.Fatal(err)
			}
			o.Seal = &seal
		}
		for _, h := range c.Heads {
			o.Heads = append(o.Heads, []byte(h))
		}
		got := verify.Text([]byte(c.Note), o)
		if string(got.Verdict) != c.Verdict || string(got.Code) != c.Code || got.Place.String() != c.At ||
			got.Rolls != c.Rolls || string(got.Source) != c.Source || !slices.Equal(got.Signed, c.Signed) || !slices.Equal(got.Account, c.Account) {
			t.Errorf("%s: got %s %s %q, %d rolls, source %q; want %s %s %q, %d, %q", c.Name,
				got.Verdict, got.Code, got.Place, got.Rolls, got.Source, c.Verdict, c.Code, c.At, c.Rolls, c.Source)
		}
	}
	if n != 161 {
		t.Errorf("read %d checks, not 161", n)
	}
	for _, e := range all.Evidence {
		key, err := seed.ParseSeal(e.Key)
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range [][2]int{{0, 1}, {1, 0}} {
			code, place := verify.Evidence([]byte(e.Notes[order[0]]), []byte(e.Notes[order[1]]), key)
			if string(code) != e.Code || place.String() != e.At {
				t.Errorf("evidence, %s: got %q %q, want %q %q", e.Name, code, place, e.Code, e.At)
			}
		}
	}
	if len(all.Evidence) != 22 {
		t.Errorf("read %d pieces of evidence, not 22", len(all.Evidence))
	}
}

// good is the example of docs/spec/tavli.md: 12 rolls, two games.
const good = "#v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300" +
	"&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63" +
	"&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90" +
	"&r=213216213333262333341666&g=7,5"

func goodSeal(t *testing.T) *seed.Seal {
	t.Helper()
	seal, err := seed.ParseSeal("76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63")
	if err != nil {
		t.Fatal(err)
	}
	return &seal
}

// change replaces text that must be there.
func change(t *testing.T, old, new string) string {
	t.Helper()
	if !strings.Contains(good, old) {
		t.Fatalf("the link does not hold %q", old)
	}
	return strings.Replace(good, old, new, 1)
}

// dice reads "21 32" as rolls.
func dice(text string) (rolls [][]uint32) {
	for pair := range strings.FieldsSeq(text) {
		rolls = append(rolls, []uint32{uint32(pair[0] - '0'), uint32(pair[1] - '0')})
	}
	return rolls
}

// TestVerdicts takes one fault at a time. The dice of wrong readings are those of
// docs/spec/tavli.md, worked out there by another program.
func TestVerdicts(t *testing.T) {
	const others = "66 56 15 45 11 24 33 61 26 35 44 21" // made up
	for _, c := range []struct {
		name, text string
		options    verify.Options
		want       string // verdict, code, place
		rolls, fit int
		findings   string
	}{
		{"as it is", good, verify.Options{}, "proven", 12, 12, ""},
		{"seal noted", good, verify.Options{Seal: goodSeal(t)}, "proven", 12, 12, ""},
		{"another seal noted", good, verify.Options{Seal: &seed.Seal{1}}, "broken other-seal", 12, 0, ""},
		{"a die", change(t, "r=2132162", "r=2132163"), verify.Options{}, "broken wrong-dice roll 4", 12, 11, ""},
		{"dice exchanged", change(t, "r=2132", "r=1232"), verify.Options{}, "broken wrong-dice roll 1", 12, 11, "dice-in-other-order"},
		{"seal", change(t, "c=76", "c=77"), verify.Options{}, "broken wrong-seal", 12, 12, ""},
		{"seal of the text", change(t, "c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63",
			"c="+seed.SealText("c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300").String()),
			verify.Options{}, "broken wrong-seal", 12, 12, "seal-over-text"},
		{"no seal", change(t, "&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63", ""), verify.Options{}, "unknown no-seal", 12, 12, ""},
		{"no seal, but noted", change(t, "&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63", ""), verify.Options{Seal: goodSeal(t)}, "proven", 12, 12, ""},
		{"no rolls", change(t, "&r=213216213333262333341666", ""), verify.Options{}, "unknown no-rolls", 0, 0, ""},
		{"no rolls, wrong seal", strings.Replace(change(t, "&r=213216213333262333341666", ""), "c=76", "c=77", 1), verify.Options{}, "broken wrong-seal", 0, 0, ""},
		{"no rolls, but noted", change(t, "&r=213216213333262333341666", ""), verify.Options{Rolls: dice("21 32 16 21 33 33 26 23 33 34 16 66")}, "proven", 12, 12, ""},
		{"rolls noted", good, verify.Options{Rolls: dice("21 32 16 21 33 33 26 23 33 34 16 66")}, "proven", 12, 12, ""},
		{"other rolls noted", good, verify.Options{Rolls: dice("21 32 16 12 33 33 26 23 33 34 16 66")}, "broken other-rolls roll 4", 12, 0, ""},
		{"fewer rolls noted", good, verify.Options{Rolls: dice("21 32 16 21")}, "unknown count-differs", 12, 12, ""},
		{"more rolls noted", good, verify.Options{Rolls: dice("21 32 16 21 33 33 26 23 33 34 16 66 11")}, "broken other-rolls roll 13", 12, 0, ""},
		{"cut", change(t, "2333341666&g=7,5", ""), verify.Options{Rolls: dice("21 32 16 21 33 33 26 23 33 34 16 66")}, "unknown ends-early roll 8", 7, 7, ""},
		{"cut behind a die that was not shown", change(t, "3333262333341666&g=7,5", "3311"), verify.Options{Rolls: dice("21 32 16 21 33 33 26 23 33 34 16 66")}, "broken other-rolls roll 6", 6, 0, ""},
		{"number differs", good, verify.Options{Number: 11}, "unknown count-differs", 0, 0, ""},
		{"number agrees", good, verify.Options{Number: 12}, "proven", 12, 12, ""},
		{"seal for seed", change(t, "s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300", "s=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63"), verify.Options{}, "unknown seal-as-seed", 12, 0, ""},
		{"exchanged", "#v=1&s=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63&c=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300&p=a&r=1234", verify.Options{}, "unknown seed-and-seal-exchanged", 2, 0, ""},
		{"seed of another match", change(t, "s=c1", "s=c2"), verify.Options{}, "unknown other-seed", 12, 0, ""},
		{"the same, seal noted", change(t, "s=c1", "s=c2"), verify.Options{Seal: goodSeal(t)}, "broken other-seed", 12, 0, ""},
		{"client seeds exchanged", change(t, "p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90", "p=d60062c1d2fe5d3f376829416b34be90,f24279610d6b8b1362d85c3ddec7f24e"),
			verify.Options{}, "unknown few-fit roll 1", 12, 0, "clients-reordered"},
		{"the same, seal noted", change(t, "p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90", "p=d60062c1d2fe5d3f376829416b34be90,f24279610d6b8b1362d85c3ddec7f24e"),
			verify.Options{Seal: goodSeal(t)}, "broken few-fit roll 1", 12, 0, "clients-reordered"},
		{"the same, seal kept by the phone", change(t, "p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90", "p=d60062c1d2fe5d3f376829416b34be90,f24279610d6b8b1362d85c3ddec7f24e"),
			verify.Options{Seal: goodSeal(t), Kept: true}, "broken few-fit roll 1", 12, 0, "clients-reordered"},
		{"key is text", change(t, "r=213216213333262333341666&g=7,5", "r=3356151663364456&g=8"), verify.Options{}, "unknown few-fit roll 1", 8, 0, "key-is-text"},
		{"numbers from 0", change(t, "r=213216213333262333341666&g=7,5", "r=6121321621333326&g=8"), verify.Options{}, "unknown few-fit roll 1", 8, 1, "numbers-from-0"},
		{"client seeds in upper case", strings.Replace(good, "p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90", "p=F24279610D6B8B1362D85C3DDEC7F24E,D60062C1D2FE5D3F376829416B34BE90", 1),
			verify.Options{}, "unknown few-fit roll 1", 12, 0, "case-of-client-seed"},
		{"every roll made up", change(t, "r=213216213333262333341666", "r="+strings.ReplaceAll(others, " ", "")), verify.Options{}, "unknown few-fit roll 1", 12, 0, ""},
		{"the same, seal noted", change(t, "r=213216213333262333341666", "r="+strings.ReplaceAll(others, " ", "")), verify.Options{Seal: goodSeal(t)}, "broken few-fit roll 1", 12, 0, ""},
		{"a seed of equal bytes", "#v=1&s=" + strings.Repeat("07", 16) + "&p=a", verify.Options{}, "unknown no-rolls", 0, 0, "weak-seed"},
		{"nothing", " \n", verify.Options{}, "unknown not-a-link", 0, 0, "no-text"},
	} {
		got := verify.Text([]byte(c.text), c.options)
		line := strings.TrimSpace(string(got.Verdict) + " " + string(got.Code))
		if place := got.Place.String(); place != "" {
			line += " " + place
		}
		var findings []string
		for _, f := range got.Findings {
			findings = append(findings, string(f.Code))
		}
		if line != c.want || got.Rolls != c.rolls || strings.Join(findings, " ") != c.findings {
			t.Errorf("%s: got %q, %d rolls, findings %q; want %q, %d, %q", c.name, line, got.Rolls, findings, c.want, c.rolls, c.findings)
		}
		if c.fit != 0 && got.Fit != c.fit {
			t.Errorf("%s: got %d that fit, want %d", c.name, got.Fit, c.fit)
		}
	}
}

// TestSourceAndLimits holds a proven report to what it must admit.
func TestSourceAndLimits(t *testing.T) {
	for _, c := range []struct {
		name, text string
		options    verify.Options
		source     verify.Source
		limits     string
	}{
		{"only the link", good, verify.Options{}, verify.FromRecord, "seal-shown-before server-knows last-client-seed who-played"},
		{"noted", good, verify.Options{Seal: goodSeal(t)}, verify.FromReader, "server-knows last-client-seed who-played"},
		{"kept", good, verify.Options{Seal: goodSeal(t), Kept: true}, verify.FromPhone, "server-knows last-client-seed who-played"},
		{"one seat", "#v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300" +
			"&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63&p=f24279610d6b8b1362d85c3ddec7f24e&r=156211&g=3",
			verify.Options{Seal: goodSeal(t)}, verify.FromReader, "server-knows who-played"},
		{"without g", strings.TrimSuffix(good, "&g=7,5"), verify.Options{}, verify.FromRecord, "seal-shown-before server-knows last-client-seed who-played shorter-list"},
	} {
		got := verify.Text([]byte(c.text), c.options)
		var limits []string
		for _, f := range got.NotProven {
			limits = append(limits, string(f.Code))
		}
		if got.Verdict != verify.Proven || got.Source != c.source || strings.Join(limits, " ") != c.limits {
			t.Errorf("%s: got %s, source %q, limits %q", c.name, got.Verdict, got.Source, limits)
		}
	}
}

// TestOneCharacter changes each character of a good link. It is never proven,
// but where the change means nothing: see docs/spec/tavli.md, "Reading".
func TestOneCharacter(t *testing.T) {
	whole := "https://tavli.example/el/check/" + good
	start := strings.Index(whole, "#v=")
	for i := start; i < len(whole); i++ {
		for _, with := range []byte{whole[i] ^ 1, whole[i] ^ 32, '0', '%', '&', 'x'} {
			if with == whole[i] {
				continue
			}
			changed := whole[:i] + string(rune(with)) + whole[i+1:]
			got := verify.Text([]byte(changed), verify.Options{})
			if got.Verdict != verify.Proven {
				continue
			}
			if strings.EqualFold(changed, whole) && !strings.Contains("vcpsrg", strings.ToLower(string(rune(with)))) {
				continue // the case of a hex digit
			}
			if strings.EqualFold(changed, whole) && 'a' <= whole[i] && whole[i] <= 'f' && whole[i-1] != '&' {
				continue
			}
			if rest := whole[i:]; strings.HasPrefix(rest, "g=") {
				continue // an unknown key is ignored and listed
			}
			t.Errorf("proven with %q for %q at %d: %s", with, whole[i], i, changed)
		}
	}
}

// TestNotCanonical holds the causes that an unreadable record is given.
func TestNotCanonical(t *testing.T) {
	text, err := record.ReadLink(good)
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := text[0].Record.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if got := verify.Text(canonical, verify.Options{}); got.Verdict != verify.Proven {
		t.Fatalf("the record itself: %s %s %s", got.Verdict, got.Code, got.Place)
	}
	var wide []byte
	for _, b := range canonical {
		wide = append(wide, b, 0)
	}
	for _, c := range []struct{ name, text, finding string }{
		{"a byte order mark", "\ufeff" + string(canonical), "byte-order-mark"},
		{"CRLF", strings.ReplaceAll(string(canonical), "\n", "\r\n"), "carriage-returns"},
		{"CR", strings.ReplaceAll(string(canonical), "\n", "\r"), "carriage-returns"},
		{"no last newline", strings.TrimSuffix(string(canonical), "\n"), "no-last-newline"},
		{"UTF-16", "\xff\xfe" + string(wide), "utf-16"},
	} {
		got := verify.Text([]byte(c.text), verify.Options{})
		if got.Verdict != verify.Unknown || got.Code != record.Syntax || len(got.Findings) != 1 || string(got.Findings[0].Code) != c.finding {
			t.Errorf("%s: got %s %s %v", c.name, got.Verdict, got.Code, got.Findings)
		}
	}
}

// FuzzText: no input makes it panic, and proven always means that there were
// rolls, all of which fit.
func FuzzText(f *testing.F) {
	f.Add([]byte(good), "21 32")
	f.Add([]byte("veridice record 1\nscheme yayay/1\n"), "")
	f.Fuzz(func(t *testing.T, text []byte, noted string) {
		rolls, _ := record.ReadRolls(noted, 2)
		got := verify.Text(text, verify.Options{Rolls: rolls})
		if got.Verdict == verify.Proven && (got.Rolls == 0 || got.Fit != got.Rolls || got.Code != "" || got.Source == "") {
			t.Fatalf("proven without ground: %+v", got)
		}
		if got.Verdict != verify.Proven && got.Code == "" {
			t.Fatal("a fault without a code")
		}
	})
}

func BenchmarkVerify100(b *testing.B) {
	const seedHex = "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300"
	links, err := record.ReadLink(strings.Split(good, "&r=")[0] + "&g=100")
	if err != nil {
		b.Fatal(err)
	}
	r := links[0].Record
	for n := uint64(1); n <= 100; n++ {
		made, err := verify.Explain(r, n)
		if err != nil {
			b.Fatal(err)
		}
		r.Entries = append(r.Entries, record.Entry{Number: n, Dice: made.Dice})
	}
	r.Complete()
	text, err := r.Link()
	if err != nil {
		b.Fatal(err)
	}
	if !strings.Contains(text, seedHex) {
		b.Fatal("the link lost its seed")
	}
	for b.Loop() {
		if got := verify.Text([]byte("#"+text), verify.Options{}); got.Verdict != verify.Proven {
			b.Fatal(got.Code)
		}
	}
}

// TestSecondReading: a blank may be damage or the end of a link, and here it is the end.
func TestSecondReading(t *testing.T) {
	const link = "#v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300" +
		"&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63&r=213216213333262333341666&g=7,5" +
		"&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90"
	for _, text := range []string{link, link + " thanks", "look " + link + "\nthanks"} {
		if r := verify.Text([]byte(text), verify.Options{}); r.Verdict != verify.Proven {
			t.Errorf("%q: %s %s", text, r.Verdict, r.Code)
		}
	}
}
