package record

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"veridice/seed"
)

// Schemes whose records can be read: docs/spec/record.md.
const (
	tavli1 = "tavli/1"
	yayay1 = "yayay/1"
)

// maxNumber is the largest number that every engine holds exactly: 2^53 - 1.
const maxNumber = 1<<53 - 1

// maxClients is the number of seats of the largest match.
const maxClients = 16

// A layout says what the lines of a classic scheme may hold.
type layout struct {
	clients          bool // has client lines and game lines
	minDice, maxDice int  // in a roll
	minSeed, maxSeed int  // bytes of the server seed
}

var layouts = map[string]layout{
	tavli1: {clients: true, minDice: 2, maxDice: 2, minSeed: 16, maxSeed: 64},
	yayay1: {minDice: 1, maxDice: 100, minSeed: 32, maxSeed: 32},
}

// Parse reads the one valid text of a record, alone or as a signed note
// (docs/spec/record.md, and veridice-1.md, "The lines of the record"). The error is a [*SyntaxError]; for
// the code syntax its line is the first at which the text stops being the beginning of
// some valid record. Whether the rolls follow from the seeds, are numbered in order or
// are as many as stated, and whether the sum is right, is for package verify to say.
func Parse(text []byte) (*Record, error) {
	if len(text) > MaxSize {
		return nil, &SyntaxError{Code: TooLong, Words: "the record is larger than 16 MiB"}
	}
	var signatures []Signature
	if bytes.Contains(text, []byte("\n\n"+dash)) {
		note, err := ParseNote(text)
		if err != nil {
			return nil, err
		}
		text, signatures = note.Text, note.Signatures
	}
	p := &parser{rest: string(text)}
	r, err := p.record()
	if err != nil {
		return nil, err
	}
	r.Signatures = signatures
	return r, nil
}

// A parser holds the current line and what follows it.
type parser struct {
	text string // the line, without its end
	line int    // its number
	rest string
	dice []uint32 // room for the dice of the rolls to come

	last  string // name of the last line of a message, "" in a record
	alone bool   // nothing follows the opening
}

func (p *parser) record() (*Record, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	version, err := p.value("veridice record")
	if err != nil {
		return nil, err
	}
	if version != "1" {
		if _, why := decimal(version, maxNumber); why != "" {
			return nil, p.fault("veridice record", version, "version "+why)
		}
		return nil, &SyntaxError{Code: Version, Words: "version " + version + " of records is newer than this program"}
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	r := &Record{}
	if r.Scheme, err = p.value("scheme"); err != nil {
		return nil, err
	}
	if r.Scheme == veridice1 {
		return r, p.whole(p.chain(r))
	}
	l, ok := layouts[r.Scheme]
	if !ok {
		if why := schemeName(r.Scheme); why != "" {
			return nil, p.fault("scheme", r.Scheme, why)
		}
		return nil, &SyntaxError{Code: UnknownName, Words: "this program does not read records of scheme " + r.Scheme}
	}
	return r, p.whole(p.classic(r, l))
}

// whole refuses text behind the last line.
func (p *parser) whole(err error) error {
	if err == nil && p.rest == "\n" {
		return &SyntaxError{Code: Syntax, Words: "an empty line ends the record, but no signatures follow"}
	}
	if err == nil && p.rest != "" {
		return &SyntaxError{Code: Syntax, Line: p.line + 1, Column: 1, Words: "there is text after the sum line"}
	}
	return err
}

// classic reads the lines after the first two.
func (p *parser) classic(r *Record, l layout) error {
	for _, step := range []func(*Record, layout) error{p.match, p.seal, p.clients, p.entries, p.seed, p.count, p.state, p.sum} {
		if err := step(r, l); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) match(r *Record, _ layout) error {
	text, err := p.nextValue("match")
	if err != nil {
		return err
	}
	if why := matchName(text); why != "" {
		return p.fault("match", text, why)
	}
	r.Match = strings.Clone(text)
	return nil
}

func (p *parser) seal(r *Record, _ layout) error {
	text, err := p.nextValue("seal")
	if err != nil || text == "-" {
		return err
	}
	seal, bad := seed.ParseSeal(text)
	if bad != nil {
		return p.faultHex("seal", text, "seal is not 64 lower-case hex digits or -")
	}
	r.Seal = &seal
	return nil
}

// clients leaves the line after the last client line as the current one.
func (p *parser) clients(r *Record, l layout) error {
	if err := p.next(); err != nil || !l.clients {
		return err
	}
	for len(r.Clients) == 0 || strings.HasPrefix(p.text, "client ") {
		text, err := p.value("client")
		if err != nil {
			return err
		}
		if len(r.Clients) == maxClients {
			return p.fail(1, "there are more than 16 client seeds")
		}
		client, bad := seed.ParseClient(text)
		if bad != nil {
			at := strings.IndexFunc(text, func(c rune) bool { return !seed.InClient(c) })
			if at < 0 {
				return p.fail(len("client ")+seed.MaxClient+1, "client seed is longer than 128 characters")
			}
			return p.failAt(len("client ")+at, "client seed has a character other than A-Z a-z 0-9 _ -")
		}
		r.Clients = append(r.Clients, seed.Client(strings.Clone(string(client))))
		if err := p.next(); err != nil {
			return err
		}
	}
	return nil
}

// entries begins with the current line and leaves the one after the last entry.
func (p *parser) entries(r *Record, l layout) error {
	rolls, marked, due := 0, false, false // due: a game line wants a roll
	for {
		switch {
		case p.text == "game" && l.clients && !due:
			if rolls > 0 && !marked {
				return p.fail(1, "games are marked, but not from the first roll on")
			}
			if rolls == MaxRolls {
				return p.fail(1, "there are more than 100000 rolls")
			}
			r.Entries = append(r.Entries, Entry{Game: true})
			marked, due = true, true
		case strings.HasPrefix(p.text, "roll "):
			if rolls == MaxRolls {
				return p.fail(1, "there are more than 100000 rolls")
			}
			e, err := p.roll(l)
			if err != nil {
				return err
			}
			r.Entries = append(r.Entries, e)
			rolls++
			due = false
		case due:
			return p.expected("roll")
		default:
			return nil
		}
		if err := p.next(); err != nil {
			return err
		}
	}
}

func (p *parser) roll(l layout) (Entry, error) {
	const before = len("roll ")
	number, dice, ok := strings.Cut(p.text[before:], " ")
	n, why := decimal(number, MaxRolls)
	if why == "" && n == 0 {
		why = "is 0"
	}
	if why != "" {
		return Entry{}, p.fail(before+1, "roll number "+why)
	}
	if !ok {
		return Entry{}, p.fail(len(p.text)+1, "roll has no dice")
	}
	at := before + len(number) + 1
	many := (len(dice) + 1) / 2
	if cap(p.dice)-len(p.dice) < many {
		p.dice = make([]uint32, 0, max(many, 4096))
	}
	start := len(p.dice)
	for i := range len(dice) {
		switch c := dice[i]; {
		case i%2 == 1 && c != ' ':
			return Entry{}, p.failAt(at+i, "dice are not one digit each, separated by one blank")
		case i%2 == 0 && (c < '1' || c > '6'):
			return Entry{}, p.failAt(at+i, "die is not 1 to 6")
		case i%2 == 0:
			p.dice = append(p.dice, uint32(c-'0'))
		}
	}
	if len(dice)%2 == 0 || many < l.minDice {
		return Entry{}, p.fail(len(p.text)+1, "roll has too few dice")
	}
	if many > l.maxDice {
		return Entry{}, p.fail(at+2*l.maxDice, "roll has more than "+strconv.Itoa(l.maxDice)+" dice")
	}
	return Entry{Number: n, Dice: p.dice[start:len(p.dice):len(p.dice)]}, nil
}

// seed reads the current line.
func (p *parser) seed(r *Record, l layout) error {
	if !strings.HasPrefix(p.text, "seed ") {
		if l.clients {
			return p.expected("game, roll or seed")
		}
		return p.expected("roll or seed")
	}
	text, err := p.value("seed")
	if err != nil || text == "-" {
		return err
	}
	b, ok := seed.ParseHex(text)
	if !ok || len(b) < l.minSeed || len(b) > l.maxSeed {
		return p.faultHex("seed", text, "server seed is not "+hexLength(l)+" lower-case hex digits or -")
	}
	r.Server, err = seed.NewServer(b)
	return err
}

func (p *parser) count(r *Record, _ layout) error {
	text, err := p.nextValue("rolls")
	if err != nil {
		return err
	}
	n, why := decimal(text, MaxRolls)
	if why != "" {
		return p.fault("rolls", text, "number of rolls "+why)
	}
	r.Count = n
	return nil
}

func (p *parser) state(r *Record, _ layout) error {
	text, err := p.nextValue("state")
	if err != nil {
		return err
	}
	for _, s := range []State{Running, Finished, Aborted} {
		if text == string(s) {
			r.State = s
			return nil
		}
	}
	return p.fault("state", text, "state is not running, finished or aborted")
}

func (p *parser) sum(r *Record, _ layout) error {
	text, err := p.nextValue("sum")
	if err != nil {
		return err
	}
	sum, bad := seed.ParseSeal(text)
	if bad != nil {
		return p.faultHex("sum", text, "sum is not 64 lower-case hex digits")
	}
	r.Sum = sum
	return nil
}

// next goes to the next line, which must be there and be ended.
func (p *parser) next() error {
	p.line++
	text, rest, ended := strings.Cut(p.rest, "\n")
	if !ended {
		if text == "" {
			return p.fail(1, "the text ends before its "+cmp.Or(p.last, "sum")+" line")
		}
		return p.fail(len([]rune(text))+1, "the line is not ended")
	}
	p.text, p.rest = text, rest
	return nil
}

// value gives what follows the name and one blank in the current line.
func (p *parser) value(name string) (string, error) {
	value, ok := strings.CutPrefix(p.text, name+" ")
	if !ok {
		return "", p.expected(name)
	}
	if value == "" {
		return "", p.fail(len(name)+2, name+" has no value")
	}
	return value, nil
}

func (p *parser) nextValue(name string) (string, error) {
	if err := p.next(); err != nil {
		return "", err
	}
	return p.value(name)
}

// fail is a fault of the current line at a column.
func (p *parser) fail(column int, words string) error {
	return &SyntaxError{Code: Syntax, Line: p.line, Column: column, Words: words}
}

// failAt is a fault of the character that begins at a byte of the current line.
func (p *parser) failAt(at int, words string) error {
	e := &SyntaxError{Code: Syntax, Line: p.line, Column: len([]rune(p.text[:at])) + 1, Words: words}
	for _, c := range p.text[at:] {
		e.Char = seed.CodePoint(c)
		break
	}
	return e
}

// expected is the fault of a line that is none of those that may stand here.
func (p *parser) expected(names string) error {
	switch {
	case strings.HasPrefix(p.text, "\uFEFF"):
		return p.failAt(0, "a byte order mark stands before the text")
	case strings.HasSuffix(p.text, "\r"):
		return p.failAt(len(p.text)-1, "the line ends with a carriage return")
	}
	return p.fail(1, "this is not a "+names+" line")
}

// fault is a fault of the value of a line: if it holds a character that no value
// has, that is named.
func (p *parser) fault(name, value, words string) error {
	for i, c := range value {
		if c <= ' ' || c > '~' {
			return p.failAt(len(name)+1+i, words)
		}
	}
	return p.fail(len(name)+2, words)
}

// faultHex is a fault of a value that should be lower-case hex.
func (p *parser) faultHex(name, value, words string) error {
	for i, c := range value {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return p.failAt(len(name)+1+i, words)
		}
	}
	return p.fail(len(name)+2, words)
}

func hexLength(l layout) string {
	if l.minSeed == l.maxSeed {
		return strconv.Itoa(2 * l.minSeed)
	}
	return "an even number from " + strconv.Itoa(2*l.minSeed) + " to " + strconv.Itoa(2*l.maxSeed) + " of"
}

// decimal reads digits without sign or leading zero, or says what is wrong.
func decimal(text string, most uint64) (n uint64, why string) {
	if text == "" {
		return 0, "is empty"
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, "is not a decimal number"
		}
	}
	if text[0] == '0' && text != "0" {
		return 0, "has a leading zero"
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > most {
		return 0, "is above " + strconv.FormatUint(most, 10)
	}
	return n, ""
}

// matchName says what is wrong with the name of a match, or nothing.
func matchName(text string) string {
	if text == "" || len(text) > 64 {
		return "match is not 1 to 64 characters"
	}
	for i := range len(text) {
		if !seed.InClient(rune(text[i])) && text[i] != '.' {
			return "match has a character other than A-Z a-z 0-9 . _ -"
		}
	}
	return ""
}

// schemeName says what is wrong with the form of a scheme's name, or nothing.
func schemeName(text string) string {
	name, version, ok := strings.Cut(text, "/")
	if !ok || name == "" || len(name) > 32 {
		return "scheme is not a name of 1 to 32 characters, / and a version"
	}
	for i := range len(name) {
		if !seed.InClient(rune(name[i])) || name[i] == '_' {
			return "scheme has a character other than A-Z a-z 0-9 -"
		}
	}
	n, why := decimal(version, maxNumber)
	if why == "" && n == 0 {
		why = "is 0"
	}
	if why != "" {
		return "version of the scheme " + why
	}
	return ""
}
