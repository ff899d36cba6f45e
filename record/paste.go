package record

import (
	"strings"

	"veridice/seed"
)

// HexField reads hex as people type and paste it: of either case, with blanks,
// tabs and line ends around it, 0x or sha256: in front, and blanks or colons
// between pairs. Nothing at all gives nil. The error is a [*SyntaxError] with
// the position of the refused character; how long the value must be is for the
// caller to say.
func HexField(text string) ([]byte, error) {
	runes := []rune(text)
	end := len(runes)
	for end > 0 && strings.ContainsRune(" \t\r\n", runes[end-1]) {
		end--
	}
	at := 0
	for at < end && strings.ContainsRune(" \t\r\n", runes[at]) {
		at++
	}
	for _, prefix := range []string{"sha256:", "0x"} {
		if strings.HasPrefix(string(runes[at:min(end, at+len(prefix))]), prefix) {
			at += len(prefix)
			break
		}
	}
	var digits []byte
	for ; at < end; at++ {
		c := runes[at]
		switch {
		case isHex(c):
			digits = append(digits, byte(c))
		case (c == ' ' || c == ':') && len(digits)%2 == 0:
		default:
			return nil, badChar("", at+1, c, "not a hex digit")
		}
	}
	if len(digits) == 0 {
		return nil, nil
	}
	b, ok := seed.ParseHex(strings.ToLower(string(digits)))
	if !ok {
		return nil, badPart("", end, "an odd number of hex digits")
	}
	return b, nil
}

// ReadRolls reads recorded rolls as people paste them, with or without numbers:
// docs/spec/record.md, "Pasted rolls". With dice 2 these are rolls of
// tavli/1, with dice 0 throws of yayay/1, each of 1 to 100 dice. A text is read
// in exactly one way, as numbered or as plain, or refused: the error is a
// [*SyntaxError] with the line and column where the reading that got further
// stops. A text of blanks gives none.
func ReadRolls(text string, dice int) ([][]uint32, error) {
	if len(text) > MaxSize {
		return nil, &SyntaxError{Code: TooLong, Words: "the rolls are longer than 16 MiB"}
	}
	text = strings.TrimPrefix(text, "\uFEFF")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ", "\u00a0", " ", "\u2009", " ", "\u202f", " ").Replace(text)
	numberedLine, plainLine := numberedRolls, plainRolls
	if dice != 2 {
		numberedLine, plainLine = numberedThrow, plainThrow
	}
	numbered := readPasted(text, numberedLine)
	if numbered.fault == nil {
		return numbered.rolls, nil
	}
	plain := readPasted(text, plainLine)
	if plain.fault == nil {
		return plain.rolls, nil
	}
	// The numbered reading is the one that people mean if neither got further.
	n, p := numbered.fault, plain.fault
	if p.Line > n.Line || p.Line == n.Line && p.Column > n.Column {
		return nil, p
	}
	return nil, n
}

// signs join two dice of a roll.
const signs = "-\u2013\u2014\u2212/"

// A pasted is one reading of a text of rolls, in progress.
type pasted struct {
	line  []rune // the current line
	at    int
	rolls [][]uint32
	fault *SyntaxError // why the reading stops, at the furthest place that was reached
}

func readPasted(text string, read func(*pasted) bool) *pasted {
	p := &pasted{}
	number := 0
	for text := range strings.SplitSeq(text, "\n") {
		number++
		p.line, p.at, p.fault = []rune(strings.TrimRight(text, " ")), 0, nil
		p.skip()
		if p.at == len(p.line) {
			continue
		}
		if !read(p) {
			p.fault.Line = number
			return p
		}
	}
	p.fault = nil
	return p
}

// numberedRolls reads one entry "N D D", or entries with a mark behind the
// number.
func numberedRolls(p *pasted) bool {
	start, before := p.at, len(p.rolls)
	hash := p.take("#")
	if p.number() && p.blank() && p.pair(signs+",", true) && p.end() {
		return true
	}
	p.at, p.rolls = start, p.rolls[:before]
	if hash {
		return false
	}
	for p.number() && p.mark() {
		p.skip()
		if !p.pair(signs+",", true) {
			return false
		}
		if p.at == len(p.line) {
			return true
		}
		if !p.separator() {
			return false
		}
	}
	return false
}

// plainRolls reads two dice separated by blanks or a comma, or rolls that are
// two dice joined by a sign or an even number of dice run together.
func plainRolls(p *pasted) bool {
	start := p.at
	if a, ok := p.die(); ok {
		blank, comma := p.skip(), p.take(",")
		p.skip()
		if blank || comma {
			if b, ok := p.die(); ok && p.end() {
				return p.add([]uint32{a, b})
			}
		}
	}
	p.at = start
	for p.run() {
		if p.at == len(p.line) {
			return true
		}
		if !p.separator() {
			return false
		}
	}
	return false
}

// run reads two dice joined by a sign, or an even number of dice run together.
func (p *pasted) run() bool {
	start := p.at
	if p.pair(signs, false) {
		return true
	}
	p.at = start
	for {
		a, ok := p.die()
		if !ok {
			return false
		}
		b, ok := p.die()
		if !ok || !p.add([]uint32{a, b}) {
			return false
		}
		if p.at == len(p.line) || p.line[p.at] < '0' || p.line[p.at] > '9' {
			return true
		}
	}
}

// pair reads two dice joined by one of the signs, with blanks round it or none,
// or, if loose, by blanks alone or by nothing.
func (p *pasted) pair(signs string, loose bool) bool {
	a, ok := p.die()
	if !ok {
		return false
	}
	p.skip()
	if !p.take(signs) && !loose {
		return p.stop("the two dice of a roll are not joined")
	}
	p.skip()
	b, ok := p.die()
	return ok && p.add([]uint32{a, b})
}

// numberedThrow reads a number, a mark or none, blanks, and dice.
func numberedThrow(p *pasted) bool {
	if !p.number() {
		return false
	}
	if start := p.at; !p.mark() {
		p.at = start
	}
	return p.blank() && plainThrow(p)
}

// plainThrow reads 1 to 100 dice that are joined by - or run together.
func plainThrow(p *pasted) bool {
	most := layouts[yayay1].maxDice
	var dice []uint32
	joined := false
	for {
		d, ok := p.die()
		if !ok {
			return false
		}
		dice = append(dice, d)
		switch {
		case p.at == len(p.line):
			return p.add(dice)
		case len(dice) == most:
			return p.stop("a throw has more than 100 dice")
		case len(dice) == 1:
			joined = p.take("-")
		case joined && !p.take("-"):
			return p.stop("dice are joined by - or run together, not both")
		}
	}
}

// number reads the number of the roll that is due.
func (p *pasted) number() bool {
	start := p.at
	for p.at < len(p.line) && '0' <= p.line[p.at] && p.line[p.at] <= '9' {
		p.at++
	}
	n, why := decimal(string(p.line[start:p.at]), maxNumber)
	if why == "" && n == uint64(len(p.rolls))+1 {
		return true
	}
	p.at = start
	if why == "" {
		why = "is not the one that is due"
	}
	return p.stop("the roll number " + why)
}

// mark reads the sign behind a number, with one blank before it or none.
func (p *pasted) mark() bool {
	p.take(" ")
	return p.take(".:)") || p.stop("the roll number has no mark behind it")
}

// separator reads what stands between entries: blanks, or one sign with blanks
// round it or none.
func (p *pasted) separator() bool {
	blank := p.skip()
	sign := p.take(",;|")
	p.skip()
	return blank || sign || p.stop("the dice are not followed by a blank or one of , ; |")
}

func (p *pasted) die() (uint32, bool) {
	if p.at == len(p.line) {
		return 0, p.stop("a die is missing")
	}
	c := p.line[p.at]
	if c < '1' || c > '6' {
		return 0, p.stop("not a die")
	}
	p.at++
	return uint32(c - '0'), true
}

// add takes a roll, unless it is one too many.
func (p *pasted) add(dice []uint32) bool {
	if len(p.rolls) == MaxRolls {
		p.fault = &SyntaxError{Code: TooLong, Column: p.at, Words: "there are more than 100000 rolls"}
		return false
	}
	p.rolls = append(p.rolls, dice)
	return true
}

// skip skips blanks and reports whether there were any.
func (p *pasted) skip() bool {
	start := p.at
	for p.at < len(p.line) && p.line[p.at] == ' ' {
		p.at++
	}
	return p.at > start
}

func (p *pasted) blank() bool { return p.skip() || p.stop("a blank is missing") }

func (p *pasted) end() bool {
	return p.at == len(p.line) || p.stop("the line goes on after the dice")
}

// take skips one of the characters, if it is there.
func (p *pasted) take(chars string) bool {
	if p.at == len(p.line) || !strings.ContainsRune(chars, p.line[p.at]) {
		return false
	}
	p.at++
	return true
}

// stop notes where and why a reading stops, and gives false. Of several places
// the furthest counts, of several reasons there the first.
func (p *pasted) stop(words string) bool {
	if p.fault != nil && p.fault.Column > p.at {
		return false
	}
	p.fault = &SyntaxError{Code: BadRolls, Column: p.at + 1, Words: words}
	if p.at < len(p.line) {
		p.fault.Char = seed.CodePoint(p.line[p.at])
	}
	return false
}
