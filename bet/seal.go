package bet

import (
	"strconv"

	"veridice/game"
	"veridice/scheme/foreign"
)

// covers says what the seal of each site covers. BC.Game does not state it; the
// rounds of crash-like games have a chain instead of a seal.
var covers = map[string]foreign.Cover{
	"shuffle": foreign.OverText, "stake": foreign.OverText, "liqd": foreign.OverText,
	"duel": foreign.OverBytes, "zeroplay": foreign.OverBytes,
}

func cover(b Bet) foreign.Cover { return covers[b.Site] }

// seal compares the seal of a bet with the one of its seed.
func seal(b Bet) (Fit, []string) {
	c, known := covers[b.Site]
	if b.SealedAs == "" || !known {
		return Absent, nil
	}
	if !isHash(b.SealedAs) {
		return Unread, nil
	}
	own, ok := c.Hash(b.Seed)
	if ok && equalHex(own, b.SealedAs) {
		return Fits, nil
	}
	if !ok {
		return Absent, nil
	}
	other, finding := foreign.OverBytes, SealOverBytes
	if c == foreign.OverBytes {
		other, finding = foreign.OverText, SealOverText
	}
	if hash, ok := other.Hash(b.Seed); ok && equalHex(hash, b.SealedAs) {
		return Differ, []string{finding}
	}
	return Differ, nil
}

// isHash reports whether a text is a hash as all sites write it: 64 hex digits of either
// case. What is not accuses nobody; it was cut, say, or is no hash at all.
func isHash(text string) bool {
	if len(text) != 64 {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// equalHex compares hex digits of either case.
func equalHex(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		x, y := a[i], b[i]
		if 'A' <= y && y <= 'F' {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}

// checkHash checks the two records that hold a hash and no outcome of a game: the
// seal of a seed, and the hash of the round before.
func checkHash(b Bet) Result {
	r := Result{Verdict: Proven, Grade: game.Grade{Kind: game.Confirmed, N: 1}}
	if _, known := covers[b.Site]; !known && b.Site != "bustabit" && b.Site != "roobet" {
		return Result{Verdict: Unknown, Code: game.SiteUnknown, Key: b.Site}
	}
	if len(b.Want) == 0 {
		r.Verdict, r.Code = Unknown, NothingToSee
	}
	for _, want := range b.Want {
		var own string
		var ok bool
		switch {
		case b.Game == "seal" && want.Name == "seal":
			if c, known := covers[b.Site]; known {
				own, ok = c.Hash(b.Seed)
			}
		case b.Game == "chain" && want.Name == "previous":
			own, ok = previous(b)
		}
		if !ok {
			return Result{Verdict: Unknown, Code: KeyUnknown, Key: want.Name, Got: want.Value.String(), Grade: r.Grade}
		}
		if !isHash(want.Value.Text) {
			return Result{Verdict: Unknown, Code: BadSeal, Key: want.Name, Got: want.Value.String(), Grade: r.Grade}
		}
		if !equalHex(own, want.Value.Text) {
			return Result{Verdict: Broken, Code: WrongOutcome, Key: want.Name, Expected: own, Got: want.Value.String(), Grade: r.Grade}
		}
	}
	return r
}

// previous is the hash of the round before, for sites whose rounds are a chain that was
// made backwards: the hash of each is that of the one after it.
func previous(b Bet) (string, bool) {
	covered := foreign.OverText
	switch b.Site {
	case "shuffle", "stake", "roobet":
	case "bustabit":
		n, err := strconv.ParseUint(param(b, "game"), 10, 64)
		if err != nil {
			n = foreign.BustabitOld + 1
		}
		covered = foreign.BustabitCover(n)
	default:
		return "", false
	}
	return covered.Hash(b.Seed)
}

func param(b Bet, name string) string { return game.Params{Args: b.Params}.Get(name) }
