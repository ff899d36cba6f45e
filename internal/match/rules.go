package match

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

// rules are the facts in which the schemes of the live table differ.
type rules struct {
	scheme  string
	dice    int  // most dice in a roll, 0 for what the table's terms say
	clients bool // each seat gives a client seed
}

// table lists the schemes that a match can be opened with.
var table = []rules{
	{scheme.Tavli1, 2, true},
	{scheme.Yayay1, 6, false},
	{scheme.Veridice1, 0, false},
}

// count is the number of dice in each roll, from the kind of dice: NdD with D = 6,
// and for tavli/1 two of them.
func (r rules) count(kind string) (int, error) {
	count, err := strconv.Atoi(strings.TrimSuffix(kind, "d6"))
	if err != nil || strconv.Itoa(count)+"d6" != kind || count < 1 || count > r.dice || r.clients && count != r.dice {
		return 0, &FieldError{Field: "dice", Code: "bad-dice"}
	}
	return count, nil
}

func lookup(name string) (rules, error) {
	for _, r := range table {
		if r.scheme == name {
			return r, nil
		}
	}
	return rules{}, &FieldError{Field: "scheme", Code: "bad-scheme"}
}

// derive makes the next roll of a running match.
func (r rules) derive(v *Vault, m *Match) ([]uint32, error) {
	s, err := scheme.Lookup(r.scheme)
	if err != nil {
		return nil, err
	}
	server, err := v.openSeed(m)
	if err != nil {
		return nil, err
	}
	in := scheme.Inputs{Server: server}
	if r.clients {
		in.Clients = m.Clients()
	}
	roller, err := roll.New(s, in)
	if err != nil {
		return nil, err
	}
	count, err := r.count(m.Kind)
	if err != nil {
		return nil, err
	}
	out, err := roller.Roll(roll.Place{Number: m.Rolls + 1, Die: m.Dice, Dice: count})
	return out.Dice, err
}

// checkName refuses names that could not be shown as they are: too long, not
// UTF-8, with blanks around them, or with control, format (bidi among them),
// private or line-breaking characters. The empty name is none.
func checkName(name string) error {
	bad := func(code string) error {
		return &FieldError{Field: "name", Code: code, Args: map[string]any{"max": MaxName}}
	}
	if !utf8.ValidString(name) {
		return bad("bad-name")
	}
	if utf8.RuneCountInString(name) > MaxName {
		return bad("name-too-long")
	}
	for i, r := range name {
		if r == ' ' && (i == 0 || i == len(name)-1) || r != ' ' && !unicode.IsGraphic(r) || r != ' ' && unicode.IsSpace(r) {
			return bad("bad-name")
		}
	}
	return nil
}

// checkClient holds a client seed to the alphabet of ours, and says where it
// leaves it.
func checkClient(text string) (seed.Client, error) {
	c, err := seed.ParseClient(text)
	if err == nil {
		return c, nil
	}
	bad := &FieldError{Field: "client", Code: "bad-client-seed", Args: map[string]any{"max": seed.MaxClient}}
	place := 0
	for _, r := range text {
		place++
		if !seed.InClient(r) {
			bad.Code, bad.Args = "client-seed-character", map[string]any{"position": place}
			break
		}
	}
	return "", bad
}

// Record writes what is known of a match as a record: of a finished match with
// its server seed, before that without. A match that has not started has none
// and gives a [StateError].
func Record(m *Match, rolls []Event) (*record.Record, error) {
	if m.State == Open {
		return nil, &StateError{m.State}
	}
	sealed := m.Seal
	r := &record.Record{Scheme: m.Scheme, Match: m.ID, Seal: &sealed, State: record.Running}
	if rules, err := lookup(m.Scheme); err != nil {
		return nil, err
	} else if rules.clients {
		r.Clients = m.Clients()
	}
	game := 0
	for _, e := range rolls {
		if e.Game != game && r.Scheme == scheme.Tavli1 {
			r.Entries = append(r.Entries, record.Entry{Game: true})
			game = e.Game
		}
		r.Entries = append(r.Entries, record.Entry{Number: e.Roll, Dice: e.Dice})
	}
	if m.State == Finished {
		server, err := seed.NewServer(m.Server)
		if err != nil {
			return nil, err
		}
		r.Server, r.State = server, record.Finished
	}
	r.Complete()
	return r, nil
}

// Games counts the rolls in each game of a match, a game without rolls that has
// just begun included. Of an open match there are none.
func Games(m *Match, rolls []Event) []int {
	games := make([]int, m.Game)
	for _, e := range rolls {
		if e.Game >= 1 && e.Game <= len(games) {
			games[e.Game-1]++
		}
	}
	if m.State.Over() && len(games) > 0 && games[len(games)-1] == 0 {
		games = games[:len(games)-1]
	}
	return games
}
