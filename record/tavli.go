package record

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"veridice/seed"
)

// MaxLink is the number of characters of the longest share link.
const MaxLink = 262_144

// A Link is what was read from a share link of tavli/1.
type Link struct {
	Record   *Record  // match -, state finished, right count and sum
	Show     int      // rolls to compute and show if none are recorded: the sum of g
	HasRolls bool     // rolls are recorded in r
	Ignored  []string // unknown keys, in their order
}

// Keys of a share link in the order they are written.
const linkKeys = "vscprg"

// ReadLink understands a share link of tavli/1 as people paste it: a whole
// address, only the fragment, or text around it; docs/spec/tavli.md, "Reading",
// whose step numbers stand below. It undoes damage that loses nothing. A text
// with blanks in it may have two readings: the whole text with the blanks
// dropped, then the text up to the first blank; equal ones are given once. The
// error is a [*SyntaxError].
func ReadLink(text string) ([]*Link, error) {
	if len(text) > utf8.UTFMax*MaxLink || utf8.RuneCountInString(text) > MaxLink { // step 1
		return nil, &SyntaxError{Code: TooLong, Words: "the link is longer than 262144 characters"}
	}
	link, err := findLink(text)
	if err != nil {
		return nil, err
	}
	whole, short := readings(link)
	first, err := readLink(whole)
	if short == whole {
		if err != nil {
			return nil, err
		}
		return []*Link{first}, nil
	}
	second, err2 := readLink(short)
	switch {
	case err != nil && err2 != nil:
		return nil, err
	case err != nil:
		return []*Link{second}, nil
	case err2 != nil || first.equal(second):
		return []*Link{first}, nil
	}
	return []*Link{first, second}, nil
}

// findLink is steps 2 and 3: it gives what follows the start, percent-decoded.
func findLink(text string) (string, error) {
	text = strings.ReplaceAll(text, "&amp;", "&")
	decoded := 0
	at, many := starts(text)
	for many == 0 && decoded < 2 && strings.Contains(text, "%") {
		text = percent(text)
		decoded++
		at, many = starts(text)
	}
	if many > 1 {
		return "", &SyntaxError{Code: TwoLinks, Words: "there is more than one link"}
	}
	link := text[at:]
	if many == 0 {
		link = strings.TrimLeft(text, blanks)
		if !beginsWithKey(link) {
			return "", &SyntaxError{Code: NotALink, Words: "there is no link in the text"}
		}
	}
	for ; decoded < 3 && strings.Contains(link, "%"); decoded++ {
		link = percent(link)
	}
	if strings.Contains(link, "%") {
		return "", &SyntaxError{Code: BadPercent, Words: "a percent sign could not be decoded"}
	}
	if !utf8.ValidString(link) {
		return "", &SyntaxError{Code: BadPercent, Words: "the link is not UTF-8"}
	}
	return link, nil
}

// starts counts the places where a # is directly followed by a key, and gives
// the place after the # of the first.
func starts(text string) (first, many int) {
	for i := range len(text) {
		if text[i] == '#' && beginsWithKey(text[i+1:]) {
			if many == 0 {
				first = i + 1
			}
			many++
		}
	}
	return first, many
}

func beginsWithKey(text string) bool {
	return len(text) > 1 && strings.IndexByte(linkKeys, text[0]) >= 0 && text[1] == '='
}

// percent decodes every %XX once. A % without two hex digits stays, and so do
// codes in a row that are not UTF-8: before a link they do not matter.
func percent(text string) string {
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end, run := i, []byte(nil)
		for end+2 < len(text) && text[end] == '%' && isHex(rune(text[end+1])) && isHex(rune(text[end+2])) {
			run = append(run, nibble(text[end+1])<<4|nibble(text[end+2]))
			end += 3
		}
		switch {
		case run == nil:
			b = append(b, text[i])
			i++
		case utf8.Valid(run):
			b = append(b, run...)
			i = end
		default:
			b = append(b, text[i:end]...)
			i = end
		}
	}
	return string(b)
}

// blanks are the characters that mail and chat programs put into a link.
const blanks = " \t\r\n\u00a0"

// readings is step 4.
func readings(link string) (whole, short string) {
	short = link
	if i := strings.IndexAny(link, blanks); i >= 0 {
		short = link[:i]
	}
	var b strings.Builder
	newLine := false
	for _, c := range link {
		switch {
		case c == '\n' || c == '\r':
			newLine = true
			continue
		case newLine && c == '>':
		case !strings.ContainsRune(blanks, c):
			b.WriteRune(c)
		}
		newLine = false
	}
	return b.String(), short
}

// tail are the characters that may be glued to the end of a link.
const tail = ".;:!?)]}>\"'\u00bb\u201d\u2019"

// readLink is steps 5 to 8.
func readLink(text string) (*Link, error) {
	if strings.Contains(text, "..") || strings.Contains(text, "\u2026") { // step 5
		return nil, &SyntaxError{Code: LinkCut, Words: "the link was cut: it holds an ellipsis"}
	}
	drop := tail + ","
	if strings.HasPrefix(text[strings.LastIndexByte(text, '&')+1:], "p=") {
		drop = tail // the comma may be a lost client seed
	}
	text = strings.TrimRight(text, drop)

	l := &Link{}
	parts, odd, err := splitLink(text, l)
	if err != nil {
		return nil, err
	}
	version, ok := parts["v"] // step 7
	if !ok {
		return nil, missing("v")
	}
	if _, why := decimal(version, 1); why != "" && !strings.HasPrefix(why, "is above") {
		return nil, badPart("v", 1, "version "+why)
	}
	if version != "1" {
		return nil, &SyntaxError{Code: Version, Words: "the link was made by a later version than this program"}
	}
	for _, key := range []string{"s", "p"} {
		if _, ok := parts[key]; !ok {
			return nil, missing(key)
		}
	}
	// A link cut just behind a key: that the part is missing says more, so this
	// comes after it.
	if odd != nil {
		return nil, odd
	}
	if err := l.fill(parts); err != nil {
		return nil, err
	}
	return l, nil
}

// splitLink is step 6. It gives the known parts, lists the unknown ones, and
// remembers the first part without =.
func splitLink(text string, l *Link) (parts map[string]string, odd, err error) {
	parts = map[string]string{}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, "&") {
		key, value, ok := strings.Cut(part, "=")
		known := len(key) == 1 && strings.Contains(linkKeys, key)
		name := ""
		if known {
			name = key
		}
		switch {
		case !ok:
			if odd == nil {
				odd = badPart(name, 0, "there is a part without =")
			}
			continue
		case seen[key]:
			return nil, nil, &SyntaxError{Code: RepeatedPart, Part: name, Words: "the part is there twice"}
		case known:
			parts[key] = value
		default:
			l.Ignored = append(l.Ignored, key)
		}
		seen[key] = true
	}
	return parts, odd, nil
}

// fill is step 8.
func (l *Link) fill(parts map[string]string) error {
	r := &Record{Scheme: tavli1, Match: "-", State: Finished}
	limits := layouts[tavli1]
	server, err := linkHex("s", parts["s"], limits.minSeed, limits.maxSeed, "0x")
	if err != nil {
		return err
	}
	if r.Server, err = seed.NewServer(server); err != nil {
		return err
	}
	if text, ok := parts["c"]; ok {
		b, err := linkHex("c", text, len(seed.Seal{}), len(seed.Seal{}), "sha256:", "0x")
		if err != nil {
			return err
		}
		r.Seal = (*seed.Seal)(b)
	}
	if r.Clients, err = linkClients(parts["p"]); err != nil {
		return err
	}
	dice, err := linkRolls(parts["r"])
	if err != nil {
		return err
	}
	games, sum, err := linkGames(parts)
	if err != nil {
		return err
	}
	l.HasRolls = len(dice) > 0
	if games != nil && l.HasRolls && sum != len(dice)/2 {
		return &SyntaxError{Code: GamesDiffer, Part: "g", Words: "the games have " + strconv.Itoa(sum) +
			" rolls, but " + strconv.Itoa(len(dice)/2) + " are recorded"}
	}
	if !l.HasRolls {
		if l.Show = sum; sum > MaxRolls {
			return &SyntaxError{Code: TooLong, Part: "g", Words: "there are more than 100000 rolls"}
		}
		games = nil
	}
	left := 0
	for n := 0; n < len(dice)/2; n++ {
		if left == 0 && len(games) > 0 {
			r.Entries = append(r.Entries, Entry{Game: true})
			left, games = games[0], games[1:]
		}
		left--
		r.Entries = append(r.Entries, Entry{Number: uint64(n + 1), Dice: dice[2*n : 2*n+2 : 2*n+2]})
	}
	r.Complete()
	l.Record = r
	return nil
}

// linkHex reads hex digits of either case, after one of the prefixes or none.
func linkHex(part, value string, least, most int, prefixes ...string) ([]byte, error) {
	digits, before := value, 0
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(value, prefix); ok {
			digits, before = rest, len(prefix)
			break
		}
	}
	n := before
	for _, c := range digits {
		n++
		if !isHex(c) {
			return nil, badChar(part, n, c, "not a hex digit")
		}
	}
	b, ok := seed.ParseHex(strings.ToLower(digits))
	switch {
	case !ok:
		return nil, badPart(part, n, "an odd number of hex digits, "+strconv.Itoa(len(digits)))
	case len(b) < least:
		return nil, badPart(part, max(n, 1), "fewer than "+strconv.Itoa(2*least)+" hex digits, "+strconv.Itoa(len(digits)))
	case len(b) > most:
		return nil, badPart(part, before+2*most+1, "more than "+strconv.Itoa(2*most)+" hex digits, "+strconv.Itoa(len(digits)))
	}
	return b, nil
}

func isHex(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// nibble is the value of a hex digit.
func nibble(c byte) byte {
	if c > '9' {
		c += 9 // letters of either case are 1 to 6 in their last four bits
	}
	return c & 15
}

func linkClients(value string) ([]seed.Client, error) {
	var clients []seed.Client
	at := 1
	for text := range strings.SplitSeq(value, ",") {
		n := 0
		for _, c := range text {
			if !seed.InClient(c) {
				return nil, badChar("p", at+n, c, "not one of A-Z a-z 0-9 _ -")
			}
			n++
		}
		switch {
		case text == "":
			return nil, badPart("p", at, "a client seed is empty")
		case n > seed.MaxClient:
			return nil, badPart("p", at+seed.MaxClient, "a client seed is longer than 128 characters")
		case len(clients) == maxClients:
			return nil, badPart("p", at, "there are more than 16 client seeds")
		}
		clients = append(clients, seed.Client(strings.Clone(text)))
		at += n + 1
	}
	return clients, nil
}

func linkRolls(value string) ([]uint32, error) {
	dice := make([]uint32, 0, len(value))
	for _, c := range value {
		if c < '1' || c > '6' {
			return nil, badChar("r", len(dice)+1, c, "not a digit 1 to 6")
		}
		dice = append(dice, uint32(c-'0'))
	}
	if len(dice) > 2*MaxRolls {
		return nil, &SyntaxError{Code: TooLong, Part: "r", Words: "there are more than 100000 rolls"}
	}
	if len(dice)%2 == 1 {
		return nil, &SyntaxError{Code: OddRolls, Part: "r", Column: len(dice), Words: "an odd number of digits, " + strconv.Itoa(len(dice))}
	}
	return dice, nil
}

// linkGames reads g, nil if there is none, and adds up its numbers.
func linkGames(parts map[string]string) (games []int, sum int, err error) {
	value, ok := parts["g"]
	if !ok {
		return nil, 0, nil
	}
	at := 1
	for text := range strings.SplitSeq(value, ",") {
		n := 0
		for i, c := range text {
			if c < '0' || c > '9' || i == 0 && c == '0' {
				return nil, 0, badChar("g", at+i, c, "not part of a decimal number from 1")
			}
			if i == 9 {
				return nil, 0, badPart("g", at+i, "a number has more than 9 digits")
			}
			n = 10*n + int(c-'0')
		}
		if n == 0 {
			return nil, 0, badPart("g", at, "a number is empty")
		}
		games = append(games, n)
		// Enough to know that it is too many, on machines of 32 bits too.
		sum = min(sum+n, 1_000_000_000)
		at += len(text) + 1
	}
	return games, sum, nil
}

func (l *Link) equal(m *Link) bool {
	return l.Record.Sum == m.Record.Sum && l.Show == m.Show && slices.Equal(l.Ignored, m.Ignored)
}

func missing(part string) error {
	return &SyntaxError{Code: MissingPart, Part: part, Words: "the part is missing"}
}

func badPart(part string, column int, words string) error {
	return &SyntaxError{Code: BadPart, Part: part, Column: column, Words: words}
}

func badChar(part string, column int, c rune, words string) error {
	return &SyntaxError{Code: BadPart, Part: part, Column: column, Char: seed.CodePoint(c), Words: words}
}

// Link writes what follows the # of a share link: v s c p r g, never
// percent-coded. The numbers of the games are always there if there are rolls,
// since only by them a link that was cut is noticed. It fails for what a link
// cannot say: another scheme, a match that is not finished, no server seed, rolls
// that are not numbered 1, 2, 3 or not as many as stated.
func (r *Record) Link() (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	rolls := r.Rolls()
	switch {
	case r.Scheme != tavli1:
		return "", errors.New("record: scheme " + r.Scheme + " has no share link")
	case r.State != Finished || r.Server.IsZero():
		return "", errors.New("record: the match has not ended, so that there is no share link")
	case r.Count != uint64(len(rolls)):
		return "", errors.New("record: the stated number of rolls is not the number listed")
	}
	text := []byte("v=1&s=" + seed.Hex(r.Server.Reveal()))
	if r.Seal != nil {
		text = append(text, "&c="+r.Seal.String()...)
	}
	for i, c := range r.Clients {
		if i == 0 {
			text = append(text, "&p="...)
		} else {
			text = append(text, ',')
		}
		text = append(text, c...)
	}
	if len(rolls) == 0 {
		return string(text), nil
	}
	text = append(text, "&r="...)
	for i, e := range rolls {
		if e.Number != uint64(i+1) {
			return "", errors.New("record: roll " + strconv.Itoa(i+1) + " has the number " + strconv.FormatUint(e.Number, 10))
		}
		for _, d := range e.Dice {
			text = append(text, byte('0'+d))
		}
	}
	games := r.Games()
	if games == nil {
		games = []int{len(rolls)}
	}
	text = append(text, "&g="...)
	for i, n := range games {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	if len(text) > MaxLink {
		return "", errors.New("record: is too long for a share link")
	}
	return string(text), nil
}
