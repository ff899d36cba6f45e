package audit

import (
	"bytes"
	"encoding/binary"

	"veridice/bet"
	"veridice/draw"
	"veridice/game/plinko"
	"veridice/internal/bulk"
	"veridice/scheme/foreign"
)

// A rule names the games of one word or one block that are recomputed without
// package bet.
type rule byte

const (
	slow rule = iota
	diceRule
	limboRule
	rouletteRule
	wheelRule
	plinkoRule
	duelRule
	liqdRule
)

// A checker checks bets of one worker. What it keeps from bet to bet is the state
// that a seed pair leaves in the hash function.
type checker struct {
	game   []byte // of the bet before
	rule   rule
	ready  bool // the seed pair was taken
	usable bool // the seeds are ones of the site
	fit    bet.Fit
	mac    *bulk.MAC
	tail   [64]byte
}

func newChecker() *checker { return &checker{mac: bulk.NewMAC(nil)} }

func ruleOf(site, game []byte) rule {
	switch string(site) {
	case "shuffle", "stake":
		switch string(game) {
		case "dice":
			return diceRule
		case "roulette":
			return rouletteRule
		case "wheel":
			return wheelRule
		case "plinko":
			return plinkoRule
		case "limbo":
			if site[1] == 'h' {
				return limboRule
			}
		case "primedice":
			if site[1] == 't' {
				return diceRule
			}
		}
	case "duel":
		if string(game) == "dice" {
			return duelRule
		}
	case "liqd":
		if string(game) == "dice" {
			return liqdRule
		}
	}
	return slow
}

// turn takes the seeds of another pair.
func (c *checker) turn(r *row) {
	c.ready = true
	server, client := string(r.seed), string(r.client)
	var s *foreign.Stream
	var err error
	switch c.rule {
	case duelRule:
		s, err = foreign.DuelDice(server, client, 0)
	case liqdRule:
		s, err = foreign.LIQD(server, client, 0)
	default:
		s, err = foreign.Floats(foreign.Stake1, server, client, 0, 0)
	}
	if c.usable = err == nil; !c.usable {
		return
	}
	c.fit = bet.Absent
	if len(r.sealed) > 0 {
		own, ok := bet.Seal(string(r.site), server)
		c.usable = ok && bytes.EqualFold([]byte(own), r.sealed)
		c.fit = bet.Fits
	}
	c.mac.SetKey(s.Key)
	c.mac.SetPrefix(append([]byte(client), ':'))
}

// fast recomputes the simple bets. It says proven only for those that package bet
// calls proven; whatever it does not say that of goes there. The value is what
// came out, as a number, and -1 for what has none. The caller knows whether the
// site, seeds and seal are those of the bet before.
func (c *checker) fast(r *row, sameSeeds bool) (value int32, proven bool) {
	if !sameSeeds || !bytes.Equal(r.game, c.game) {
		c.game = append(c.game[:0], r.game...)
		c.rule = ruleOf(r.site, r.game)
		c.ready = false
	}
	if c.rule == slow || !r.hasNonce || !r.hasClient || r.hasCursor || len(r.variant) > 0 || len(r.want) == 0 {
		return -1, false
	}
	if !c.ready {
		c.turn(r)
	}
	if !c.usable {
		return -1, false
	}
	if c.rule == plinkoRule {
		return c.plinko(r)
	}
	w := r.want[0]
	if len(r.want) > 1 {
		return -1, false
	}
	segments := uint64(0)
	if c.rule == wheelRule {
		var ok bool
		if segments, ok = only(r, "segments"); !ok || segments%10 != 0 || segments < 10 || segments > 50 {
			return -1, false
		}
	} else if len(r.params) > 0 {
		return -1, false
	}
	switch c.rule {
	case duelRule:
		sum := c.mac.Sum(appendUint(c.tail[:0], r.nonce))
		return below(&sum, draw.DuelLimit(10001), 10001, w, "result", intKind)
	case liqdRule:
		sum := c.block(r.nonce, 0)
		return below(&sum, draw.Limit(10000), 10000, w, "roll", textKind)
	}
	sum := c.block(r.nonce, 0)
	word := binary.BigEndian.Uint32(sum[:])
	switch c.rule {
	case diceRule:
		v := draw.IndexOf(word, 10001)
		return int32(v), string(w.name) == "roll" && isHundredths(w, uint64(v))
	case limboRule:
		return -1, string(w.name) == "multiplier" && isHundredths(w, 99<<32/(uint64(word)+256))
	case rouletteRule:
		v := draw.IndexOf(word, 37)
		return int32(v), string(w.name) == "pocket" && isInt(w, uint64(v))
	}
	v := draw.IndexOf(word, uint32(segments))
	return int32(v), string(w.name) == "segment" && isInt(w, uint64(v))
}

// below takes the first of the eight words of a block that is below the limit.
func below(sum *[32]byte, limit uint64, n uint32, w field, name string, k kind) (int32, bool) {
	for i := 0; i < len(sum); i += 4 {
		word := binary.BigEndian.Uint32(sum[i:])
		if uint64(word) >= limit {
			continue
		}
		v := word % n
		fits := isInt(w, uint64(v))
		if k == textKind {
			fits = isHundredths(w, uint64(v))
		}
		return int32(v), string(w.name) == name && fits
	}
	return -1, false
}

func (c *checker) plinko(r *row) (int32, bool) {
	rows, risk := uint64(0), -1
	for _, p := range r.params {
		switch string(p.name) {
		case "rows":
			rows, _ = digits(p.text)
		case "risk":
			for i, name := range plinko.Risks {
				if string(p.text) == name {
					risk = i
				}
			}
			if risk < 0 || string(r.site) != "stake" || p.kind != textKind {
				return -1, false
			}
		default:
			return -1, false
		}
	}
	if rows < plinko.MinRows || rows > plinko.MaxRows {
		return -1, false
	}
	var path [plinko.MaxRows]byte
	slot := uint64(0)
	for i := range rows {
		if i%8 == 0 {
			sum := c.block(r.nonce, i/8)
			for j := range min(8, rows-i) {
				bit := sum[4*j] >> 7
				slot += uint64(bit)
				path[i+j] = "LR"[bit]
			}
		}
	}
	for _, w := range r.want {
		fits := false
		switch string(w.name) {
		case "slot":
			fits = isInt(w, slot)
		case "path":
			fits = w.kind == textKind && string(w.text) == string(path[:rows])
		case "multiplier":
			fits = risk >= 0 && isHundredths(w, uint64(plinko.Pays(int(rows), risk, int(slot))))
		}
		if !fits {
			return -1, false
		}
	}
	return int32(slot), true
}

// block is one block of the stream of a nonce.
func (c *checker) block(nonce, number uint64) [32]byte {
	t := append(appendUint(c.tail[:0], nonce), ':')
	return c.mac.Sum(appendUint(t, number))
}

func appendUint(b []byte, n uint64) []byte {
	if n < 10 {
		return append(b, byte('0'+n))
	}
	var text [20]byte
	i := len(text)
	for n >= 10 {
		i--
		text[i] = byte('0' + n%10)
		n /= 10
	}
	i--
	text[i] = byte('0' + n)
	return append(b, text[i:]...)
}

// only is the value of the one parameter that a row has.
func only(r *row, name string) (uint64, bool) {
	if len(r.params) != 1 || string(r.params[0].name) != name {
		return 0, false
	}
	return digits(r.params[0].text)
}

func isInt(f field, n uint64) bool {
	got, ok := digits(f.text)
	return f.kind == intKind && ok && got == n
}

// isHundredths compares a decimal, the plain forms of it only.
func isHundredths(f field, h uint64) bool {
	if f.kind != textKind && f.kind != intKind || len(f.text) > 15 || len(f.text) == 0 {
		return false
	}
	n, places := uint64(0), -1
	for _, c := range f.text {
		switch {
		case c >= '0' && c <= '9':
			if places >= 2 {
				if c != '0' {
					return false
				}
				continue
			}
			if n = 10*n + uint64(c-'0'); places >= 0 {
				places++
			}
		case c == '.' && places < 0 && n < 1e13:
			places = 0
		default:
			return false
		}
	}
	if f.text[0] == '.' || f.text[len(f.text)-1] == '.' {
		return false
	}
	for places = max(places, 0); places < 2; places++ {
		n *= 10
	}
	return n == h
}
