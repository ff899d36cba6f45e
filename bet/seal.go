package bet

import (
	"strconv"
	"strings"

	"veridice/game"
	"veridice/scheme/foreign"
	"veridice/seed"
)

// covers says what the seal of each site covers. BC.Game does not state it; the
// rounds of crash-like games have a chain instead of a seal.
var covers = map[string]foreign.Cover{
	"shuffle": foreign.OverText, "stake": foreign.OverText, "liqd": foreign.OverText,
	"duel": foreign.OverBytes, "zeroplay": foreign.OverBytes,
}

// Seal is the hash that a site publishes for a seed, in lower case. It reports false if it
// is not known what that hash covers, or if this is no seed that it could cover.
func Seal(site, server string) (hash string, ok bool) {
	if site == "liqd" { // digits of either case are one key there, written in lower case
		server = strings.ToLower(server)
	}
	c, known := covers[site]
	hash, ok = c.Hash(server)
	return hash, known && ok
}

// fit compares the seal of a bet with the one of its seed.
func fit(b Bet) (Fit, []string) {
	c, known := covers[b.Site]
	own, ok := Seal(b.Site, b.Seed)
	switch {
	case b.SealedAs == "" || !known:
		return Absent, nil
	case !isHash(b.SealedAs):
		return Unread, nil
	case !ok:
		return Absent, nil
	case strings.EqualFold(own, b.SealedAs):
		return Fits, nil
	}
	other, finding := foreign.OverBytes, SealOverBytes
	if c == foreign.OverBytes {
		other, finding = foreign.OverText, SealOverText
	}
	if hash, ok := other.Hash(b.Seed); ok && strings.EqualFold(hash, b.SealedAs) {
		return Differ, []string{finding}
	}
	return Differ, nil
}

// isHash reports whether a text is a hash as all sites write it: 64 hex digits of either
// case. What is not accuses nobody; it was cut, say, or is no hash at all.
func isHash(text string) bool { return len(text) == 64 && isHex(text) }

func isHex(text string) bool {
	_, ok := seed.ParseHex(strings.ToLower(text))
	return ok
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
			own, ok = Seal(b.Site, b.Seed)
		case b.Game == "chain" && want.Name == "previous":
			own, ok = previous(b)
		}
		if !ok {
			return Result{Verdict: Unknown, Code: KeyUnknown, Key: want.Name, Got: want.Value.String(), Grade: r.Grade}
		}
		if !isHash(want.Value.Text) {
			return Result{Verdict: Unknown, Code: BadSeal, Key: want.Name, Got: want.Value.String(), Grade: r.Grade}
		}
		if !strings.EqualFold(own, want.Value.Text) {
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
			return "", false // the number says what is hashed
		}
		covered = foreign.BustabitCover(n)
	default:
		return "", false
	}
	return covered.Hash(b.Seed)
}

func param(b Bet, name string) string { return game.Params{Args: b.Params}.Get(name) }
