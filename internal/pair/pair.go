// Package pair keeps seed pairs for the users of an operator: the active server seed and
// the one that comes next, both known by their seals alone, and the client seed with which
// outcomes are drawn at nonces that count from 1. The scheme is shuffle/1, with the games
// of the sites that publish its generator; docs/api.md tells of it, docs/spec/floats.md
// has the rules.
//
// A user is one book of package ledger. Its state has what the next step needs; each draw
// is a line, and so is each pair that was revealed. Everything that changes goes through
// the version of that book: two requests at once, also on two servers, happen one after the
// other, a nonce is given once and none is left out, and nothing is revealed under a draw.
// A server seed leaves the package in [Service.Rotate] alone, and no draw is made with the
// pair after that.
package pair

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode"

	"veridice/bet"
	"veridice/game"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/scheme"
	"veridice/seed"
)

// Limits.
const (
	MaxUser = 64 // characters of a user's id
	MaxOpen = 64 // draws of games that go on
)

// Reasons to refuse a step.
var (
	ErrNoUser     = errors.New("pair: no such user")
	ErrThere      = errors.New("pair: the user has a pair already")
	ErrNoClient   = errors.New("pair: no client seed is set")
	ErrInUse      = errors.New("pair: the client seed has been drawn with")
	ErrSameClient = errors.New("pair: the client seed is the one of the pair before")
	ErrNotOpen    = errors.New("pair: no such draw is open")
	ErrManyOpen   = errors.New("pair: too many games go on")
	ErrSpent      = errors.New("pair: the nonces of the scheme are spent")
)

// An OtherPairError says that another pair is active than the one that was meant.
type OtherPairError struct{ Pair uint64 }

func (e *OtherPairError) Error() string { return "pair: another pair is active" }

// An OpenError says that games go on, whose outcomes the reveal would show.
type OpenError struct{ Nonces []uint64 }

func (e *OpenError) Error() string { return "pair: games go on" }

// ofPair is the purpose of a server seed in the vault.
const ofPair = "pair seed"

// Kind is the kind of the books of this package; the name of one is operator/user.
const Kind = "pair"

// Shelves of a book.
const (
	draws    = "draw"     // numbered over all pairs of the user
	revealed = "revealed" // numbered as the pairs
)

// A Service is the rules of seed pairs over a store. It keeps nothing itself and is safe
// for concurrent use.
type Service struct {
	store   ledger.Store
	vault   *match.Vault
	clock   match.Clock
	entropy match.Entropy
}

// New makes a service.
func New(store ledger.Store, vault *match.Vault, clock match.Clock, entropy match.Entropy) *Service {
	return &Service{store, vault, clock, entropy}
}

// A hidden is a server seed that nobody knows yet.
type hidden struct {
	Seal   seed.Seal `json:"seal"`
	Sealed []byte    `json:"sealed"` // encrypted
	Made   string    `json:"made"`
}

// A state is what a book of ours holds.
type state struct {
	Site    string   `json:"site"` // whose games are drawn: an audit counts nonces by it
	Created string   `json:"created"`
	Pair    uint64   `json:"pair"` // number of the active one, from 1
	Active  hidden   `json:"active"`
	Since   string   `json:"since"` // it is active
	Next    hidden   `json:"next"`
	Client  *string  `json:"client"`
	Before  *string  `json:"before"` // the client seed of the pair before: it was known when Next was drawn
	Nonce   uint64   `json:"nonce"`  // of the last draw of the active pair, 0 before the first
	Draws   uint64   `json:"draws"`  // of all pairs
	Open    []uint64 `json:"open"`   // nonces of the active pair whose games go on
	Last    string   `json:"last"`   // the latest time that stands anywhere in the book
}

// A View is what everybody may see of a user's pairs.
type View struct {
	User        string    `json:"user"`
	Site        string    `json:"site"`
	Scheme      string    `json:"scheme"`
	Pair        uint64    `json:"pair"`
	Seal        seed.Seal `json:"seal"`
	NextSeal    seed.Seal `json:"next_seal"`
	Client      *string   `json:"client"`
	Nonce       uint64    `json:"nonce"` // of the last draw, 0 before the first
	Open        []uint64  `json:"open"`
	Draws       uint64    `json:"draws"` // of all pairs
	ActiveSince string    `json:"active_since"`
}

func (s *state) view(user string) View {
	return View{
		User: user, Site: s.Site, Scheme: scheme.Shuffle1, Pair: s.Pair, Seal: s.Active.Seal, NextSeal: s.Next.Seal, Client: s.Client, Nonce: s.Nonce,
		Open: append([]uint64{}, s.Open...), Draws: s.Draws, ActiveSince: s.Since,
	}
}

// A Draw is an outcome that was drawn. As JSON it is the answer of [Service.Draw], and the
// line that is kept of it.
type Draw struct {
	Draw     uint64          `json:"draw"` // its number over all pairs of the user
	Pair     uint64          `json:"pair"`
	Nonce    uint64          `json:"nonce"`
	Client   string          `json:"client"`
	Seal     seed.Seal       `json:"seal"`
	NextSeal seed.Seal       `json:"next_seal"` // of the pair that comes next
	Site     string          `json:"site"`
	Game     string          `json:"game"`
	Variant  string          `json:"variant"`
	Params   json.RawMessage `json:"params"`
	Outcome  json.RawMessage `json:"outcome"` // decimals as text
	At       string          `json:"at"`
}

// A Revealed is a pair that was rotated away, with its server seed.
type Revealed struct {
	Pair        uint64    `json:"pair"`
	Seal        seed.Seal `json:"seal"`
	Server      string    `json:"server"`
	Client      *string   `json:"client"` // nil if none was ever set
	Draws       uint64    `json:"draws"`
	First       uint64    `json:"first"` // number of its first draw over all pairs, if it has any
	ActiveSince string    `json:"active_since"`
	RevealedAt  string    `json:"revealed_at"`
}

// A Rotated is what [Service.Rotate] answers.
type Rotated struct {
	Revealed Revealed `json:"revealed"`
	Now      View     `json:"now"`
}

// A Param is a parameter of a game. Bare says that the request had it as a whole number or a
// truth value, and not as text.
type Param struct {
	game.Arg
	Bare bool
}

// A Wish says what to draw.
type Wish struct {
	Pair    uint64 // that must be active, 0 for whichever is
	Game    string
	Variant string // "" for the first
	Params  []Param
	Open    bool // the game goes on: no rotation before [Service.Close]
}

// A Call is what every request that changes something brings besides its fields.
type Call struct {
	Operator, User string
	Key            string // the idempotency key
	Body           []byte // the request's body as it came
}

func (c Call) name() string { return c.Operator + "/" + c.User }

// CheckUser refuses what is no id of a user.
func CheckUser(user string) error {
	if user == "" || len(user) > MaxUser || slices.ContainsFunc([]rune(user), func(r rune) bool { return !seed.InClient(r) }) {
		return &match.FieldError{Field: "user", Code: "bad-user"}
	}
	return nil
}

// checkClient refuses what is no client seed of a player: the scheme takes more, but an
// empty one is nobody's part, and what cannot be seen cannot be compared.
func checkClient(client string) error {
	bad := &match.FieldError{Field: "client", Code: "bad-text-client"}
	if _, err := seed.ParseTextClient(client); err != nil || client == "" {
		return bad
	}
	for _, r := range client {
		if unicode.IsControl(r) {
			return bad
		}
	}
	return nil
}

// stamp is the time for a step, never before that of an earlier one: clocks are set back,
// and those of two servers differ, but an audit must not find a draw after its reveal.
func (s *Service) stamp(st *state) string {
	st.Last = max(st.Last, s.now())
	return st.Last
}

func (s *Service) now() string { return s.clock.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// hide makes a server seed for a pair: 32 random bytes as 64 hex digits, which are the seed
// as text.
func (s *Service) hide(name string, pair uint64) (hidden, error) {
	b := make([]byte, 32)
	if _, err := io.ReadFull(s.entropy, b); err != nil {
		return hidden{}, errors.New("pair: the random source failed")
	}
	text := []byte(seed.Hex(b))
	server, err := seed.NewServer(text)
	if err != nil {
		return hidden{}, err
	}
	sealed, err := s.vault.Seal(s.entropy, ofPair, name+" "+strconv.FormatUint(pair, 10), text)
	return hidden{server.Seal(), sealed, s.now()}, err
}

// show opens a server seed, for deriving from it or for the reveal. That it is the sealed
// one is checked here.
func (s *Service) show(name string, pair uint64, h hidden) (seed.Server, error) {
	text, err := s.vault.Open(ofPair, name+" "+strconv.FormatUint(pair, 10), h.Sealed)
	if err != nil {
		return seed.Server{}, err
	}
	server, err := seed.NewServer(text)
	if err != nil {
		return seed.Server{}, err
	}
	return seed.Open(h.Seal, server)
}

// change is one step: it alters the state, adds to the book and gives the answer.
type change func(b *ledger.Book, st *state) (any, error)

// do runs a step under its idempotency key.
func (s *Service) do(ctx context.Context, action string, c Call, step change) (body []byte, err error) {
	if err := CheckUser(c.User); err != nil {
		return nil, err
	}
	request := sha256.Sum256(append([]byte(action+"\n"), c.Body...))
	err = ledger.Amend(ctx, s.store, Kind, c.name(), c.Key, func(b *ledger.Book) error {
		if e := b.Earlier; e != nil {
			if e.Request != request {
				return match.ErrKeyReused
			}
			body = e.Body
			return nil
		}
		st, err := parse(b)
		if err != nil {
			return err
		}
		if b.Version == 0 && action != "create" {
			return ErrNoUser
		}
		answer, err := step(b, st)
		if err != nil {
			return err
		}
		if body, err = json.Marshal(answer); err != nil {
			return err
		}
		if b.State, err = json.Marshal(st); err != nil {
			return err
		}
		b.Answer = &match.Answer{Key: c.Key, Request: request, Body: body}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return body, nil
}

// CheckSite refuses what is no site whose games can be drawn.
func CheckSite(site string) error {
	if site != "shuffle" && site != "stake" {
		return &match.FieldError{Field: "site", Code: "no-such-site", Args: map[string]any{"allowed": "shuffle, stake"}}
	}
	return nil
}

// Create makes the first two pairs of a user, for the games of a site. It answers a [View].
func (s *Service) Create(ctx context.Context, c Call, site string) ([]byte, error) {
	if err := CheckSite(site); err != nil {
		return nil, err
	}
	return s.do(ctx, "create", c, func(b *ledger.Book, st *state) (any, error) {
		if b.Version > 0 {
			return nil, ErrThere
		}
		var err error
		if st.Active, err = s.hide(c.name(), 1); err != nil {
			return nil, err
		}
		if st.Next, err = s.hide(c.name(), 2); err != nil {
			return nil, err
		}
		st.Site, st.Pair, st.Created = site, 1, s.stamp(st)
		st.Since = st.Created
		return st.view(c.User), nil
	})
}

// SetClient sets the client seed of the active pair, until the first draw; from then on a
// client seed comes with a rotation. It answers a [View].
func (s *Service) SetClient(ctx context.Context, c Call, pair uint64, client string) ([]byte, error) {
	if err := checkClient(client); err != nil {
		return nil, err
	}
	return s.do(ctx, "client", c, func(b *ledger.Book, st *state) (any, error) {
		switch {
		case pair != st.Pair:
			return nil, &OtherPairError{st.Pair}
		case st.Nonce > 0:
			return nil, ErrInUse
		case st.Before != nil && client == *st.Before:
			return nil, ErrSameClient
		}
		st.Client = &client
		return st.view(c.User), nil
	})
}

// Playable finds a game that can be drawn here: one whose rule is published and whose
// numbers come from a server seed, a client seed and a nonce alone. The views of a stream,
// floats and bytes, are no bets to an audit.
func Playable(site, name string) (*game.Game, error) {
	if err := CheckSite(site); err != nil {
		return nil, err
	}
	g, err := game.Lookup(site, name)
	if err != nil || g.Grade.Kind == game.Unknown || !bet.PartsOf(g).Nonce || name == "floats" || name == "bytes" {
		return nil, &match.FieldError{Field: "game", Code: "no-such-game"}
	}
	return g, nil
}

// choose finds what a wish is for. The parameters come with their JSON.
func choose(site string, w Wish) (g *game.Game, p game.Params, text json.RawMessage, err error) {
	if g, err = Playable(site, w.Game); err != nil {
		return nil, p, nil, err
	}
	if p.Variant = w.Variant; p.Variant == "" {
		p.Variant = g.Variants[0]
	}
	if p.Variant == game.LimboPage {
		// It has no outcome for one word in 2^32, and a nonce cannot be without one.
		return nil, p, nil, &match.FieldError{Field: "variant", Code: "bad-variant"}
	}
	text = append(text, '{')
	for i, a := range w.Params {
		at := slices.IndexFunc(g.Params, func(q game.Param) bool { return q.Name == a.Name })
		if at >= 0 && a.Bare != (g.Params[at].Type == game.TypeInteger || g.Params[at].Type == game.TypeBoolean) {
			return nil, p, nil, &match.FieldError{Field: "params", Code: "bad-param", Args: map[string]any{"param": g.Params[at].Name, "allowed": g.Params[at].Allowed()}}
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(game.AppendQuoted(text, a.Name), ':')
		if a.Bare {
			text = append(text, a.Value...)
		} else {
			text = game.AppendQuoted(text, a.Value)
		}
		p.Args = append(p.Args, a.Arg)
	}
	return g, p, append(text, '}'), nil
}

// Draw draws an outcome at the next nonce. It answers a [Draw].
func (s *Service) Draw(ctx context.Context, c Call, w Wish) ([]byte, error) {
	return s.do(ctx, "draw", c, func(b *ledger.Book, st *state) (any, error) {
		switch {
		case w.Pair != 0 && w.Pair != st.Pair:
			return nil, &OtherPairError{st.Pair}
		case st.Client == nil:
			return nil, ErrNoClient
		case w.Open && len(st.Open) == MaxOpen:
			return nil, ErrManyOpen
		}
		g, p, text, err := choose(st.Site, w)
		if err != nil {
			return nil, err
		}
		server, err := s.show(c.name(), st.Pair, st.Active)
		if err != nil {
			return nil, err
		}
		outcome, err := play(server, *st.Client, st.Nonce+1, g, p)
		if err != nil {
			return nil, err
		}
		st.Nonce++
		st.Draws++
		if w.Open {
			st.Open = append(st.Open, st.Nonce)
		}
		d := Draw{
			Draw: st.Draws, Pair: st.Pair, Nonce: st.Nonce, Client: *st.Client, Seal: st.Active.Seal, NextSeal: st.Next.Seal,
			Site: g.Site, Game: g.Name, Variant: p.Variant, Params: text, Outcome: outcome, At: s.stamp(st),
		}
		line, err := json.Marshal(d)
		if err != nil {
			return nil, err
		}
		b.Lines = append(b.Lines, ledger.Line{Shelf: draws, Number: st.Draws, Text: line})
		return json.RawMessage(line), nil
	})
}

// play makes an outcome and writes it as the "want" of docs/audit.md.
func play(server seed.Server, client string, nonce uint64, g *game.Game, p game.Params) (json.RawMessage, error) {
	rules, err := scheme.Lookup(scheme.Shuffle1)
	if err != nil {
		return nil, err
	}
	opened, err := rules.Open(scheme.Inputs{Server: server, Clients: []seed.Client{seed.Client(client)}})
	if err != nil {
		return nil, err
	}
	if nonce > rules.Last {
		return nil, ErrSpent
	}
	stream, err := opened.Stream(nonce)
	if err != nil {
		return nil, err
	}
	outcome, err := g.Play(stream, p)
	if err != nil {
		var e *game.Error
		if !errors.As(err, &e) {
			return nil, err
		}
		// A parameter's name that the game does not know is the sender's and is not sent back.
		refused := map[string]any{"allowed": e.Allowed}
		switch e.Code {
		case game.VariantMissing, game.VariantUnknown:
			return nil, &match.FieldError{Field: "variant", Code: "bad-variant", Args: refused}
		case game.ParamUnknown:
			return nil, &match.FieldError{Field: "params", Code: "no-such-param", Args: refused}
		case game.ParamMissing, game.ParamTwice, game.ParamValue:
			refused["param"] = e.Param
			return nil, &match.FieldError{Field: "params", Code: "bad-param", Args: refused}
		}
		return nil, err
	}
	return outcome.AppendKeys(nil), nil
}

// Close says that the game of an open draw is over. It answers a [View].
func (s *Service) Close(ctx context.Context, c Call, pair, nonce uint64) ([]byte, error) {
	return s.do(ctx, "close", c, func(b *ledger.Book, st *state) (any, error) {
		if pair != st.Pair {
			return nil, &OtherPairError{st.Pair}
		}
		at := slices.Index(st.Open, nonce)
		if at < 0 {
			return nil, ErrNotOpen
		}
		st.Open = slices.Delete(st.Open, at, at+1)
		return st.view(c.User), nil
	})
}

// A Rotation is the news of a rotation.
type Rotation struct {
	Type     string   `json:"type"` // "pair.rotated"
	Operator string   `json:"operator"`
	User     string   `json:"user"`
	Revealed Revealed `json:"revealed"`
	NextSeal struct {
		Pair uint64    `json:"pair"`
		Seal seed.Seal `json:"seal"`
	} `json:"next"`
}

// Rotate reveals the active pair. The announced next one becomes active with a client seed
// that was made after its seal was shown, the nonce starts again, and the seal of a new next
// pair is announced. It answers a [Rotated].
func (s *Service) Rotate(ctx context.Context, c Call, pair uint64, client string) ([]byte, error) {
	if err := checkClient(client); err != nil {
		return nil, err
	}
	return s.do(ctx, "rotate", c, func(b *ledger.Book, st *state) (any, error) {
		switch {
		case pair != st.Pair:
			return nil, &OtherPairError{st.Pair}
		case len(st.Open) > 0:
			return nil, &OpenError{st.Open}
		case st.Client != nil && client == *st.Client:
			return nil, ErrSameClient
		}
		server, err := s.show(c.name(), st.Pair, st.Active)
		if err != nil {
			return nil, err
		}
		next, err := s.hide(c.name(), st.Pair+2)
		if err != nil {
			return nil, err
		}
		now := s.stamp(st)
		r := Revealed{
			Pair: st.Pair, Seal: st.Active.Seal, Server: string(server.Reveal()), Client: st.Client, Draws: st.Nonce, First: st.Draws - st.Nonce + 1,
			ActiveSince: st.Since, RevealedAt: now,
		}
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		b.Lines = append(b.Lines, ledger.Line{Shelf: revealed, Number: st.Pair, Text: line})
		st.Before = st.Client
		st.Pair, st.Active, st.Next, st.Since, st.Client, st.Nonce = st.Pair+1, st.Next, next, now, &client, 0
		told := Rotation{Type: "pair.rotated", Operator: c.Operator, User: c.User, Revealed: r}
		told.NextSeal.Pair, told.NextSeal.Seal = st.Pair+1, next.Seal
		text, err := json.Marshal(told)
		if err != nil {
			return nil, err
		}
		b.News = append(b.News, text)
		return Rotated{r, st.view(c.User)}, nil
	})
}

// Get reads a user's pairs.
func (s *Service) Get(ctx context.Context, operator, user string) (View, error) {
	st, err := s.read(ctx, operator, user)
	if err != nil {
		return View{}, err
	}
	return st.view(user), nil
}

func (s *Service) read(ctx context.Context, operator, user string) (*state, error) {
	if err := CheckUser(user); err != nil {
		return nil, err
	}
	b, err := s.store.Book(ctx, Kind, operator+"/"+user)
	if errors.Is(err, match.ErrNotFound) {
		return nil, ErrNoUser
	}
	if err != nil {
		return nil, err
	}
	return parse(b)
}

// Draws lists a user's draws after a number, oldest first, each as it was answered.
func (s *Service) Draws(ctx context.Context, operator, user string, after uint64, limit int) ([]json.RawMessage, error) {
	return s.list(ctx, operator, user, draws, after, limit)
}

// Pairs lists a user's revealed pairs after a number, oldest first.
func (s *Service) Pairs(ctx context.Context, operator, user string, after uint64, limit int) ([]json.RawMessage, error) {
	return s.list(ctx, operator, user, revealed, after, limit)
}

func (s *Service) list(ctx context.Context, operator, user, shelf string, after uint64, limit int) ([]json.RawMessage, error) {
	if _, err := s.read(ctx, operator, user); err != nil {
		return nil, err
	}
	lines, err := s.store.Lines(ctx, Kind, operator+"/"+user, shelf, after, limit)
	if err != nil {
		return nil, err
	}
	texts := make([]json.RawMessage, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	return texts, nil
}

// Users lists the users of an operator after a name, in the order of their names.
func (s *Service) Users(ctx context.Context, operator, after string, limit int) ([]View, error) {
	prefix := operator + "/"
	books, err := s.store.Books(ctx, Kind, prefix+after, limit)
	if err != nil {
		return nil, err
	}
	views := []View{}
	for _, b := range books {
		if len(b.Name) <= len(prefix) || b.Name[:len(prefix)] != prefix {
			break
		}
		st, err := parse(b)
		if err != nil {
			return nil, err
		}
		views = append(views, st.view(b.Name[len(prefix):]))
	}
	return views, nil
}

// Unrevealed counts the server seeds that nobody knows yet, and tells since when the oldest
// active one is active; the zero time if there is none.
func (s *Service) Unrevealed(ctx context.Context) (seeds int, oldest time.Time, err error) {
	for after := ""; ; {
		books, err := s.store.Books(ctx, Kind, after, 256)
		if err != nil {
			return 0, oldest, err
		}
		for _, b := range books {
			st, err := parse(b)
			if err != nil {
				return 0, oldest, err
			}
			seeds += 2
			if at, err := time.Parse(time.RFC3339, st.Since); err == nil && (oldest.IsZero() || at.Before(oldest)) {
				oldest = at
			}
			after = b.Name
		}
		if len(books) < 256 {
			return seeds, oldest, nil
		}
	}
}

// batch is how many draws are read at once for an export.
const batch = 500

// Export writes the draws of a user's revealed pairs as docs/audit.md has them, one a
// line. Those of the active pair cannot be checked yet and are left out.
func (s *Service) Export(ctx context.Context, operator, user string, w io.Writer) error {
	if _, err := s.read(ctx, operator, user); err != nil {
		return err
	}
	return s.eachRevealed(ctx, operator+"/"+user, func(r Revealed) error { return s.ExportPair(ctx, operator, user, r, w) })
}

// A betLine is a line of an export.
type betLine struct {
	Site       string          `json:"site"`
	Game       string          `json:"game"`
	Variant    string          `json:"variant,omitempty"`
	Seed       string          `json:"seed"`
	SealedAs   seed.Seal       `json:"sealed_as"`
	Client     string          `json:"client"`
	Nonce      uint64          `json:"nonce"`
	Params     json.RawMessage `json:"params"`
	Want       json.RawMessage `json:"want"`
	Next       seed.Seal       `json:"next_sealed_as"`
	At         string          `json:"at"`
	RevealedAt string          `json:"revealed_at"`
}

// ExportPair is [Service.Export] for one pair.
func (s *Service) ExportPair(ctx context.Context, operator, user string, r Revealed, w io.Writer) error {
	name, last := operator+"/"+user, r.First+r.Draws-1
	for after := r.First - 1; after < last; {
		lines, err := s.store.Lines(ctx, Kind, name, draws, after, int(min(batch, last-after)))
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			return errors.New("pair: a stored draw is missing")
		}
		for _, l := range lines {
			var d Draw
			if err := json.Unmarshal(l.Text, &d); err != nil {
				return errors.New("pair: a stored draw cannot be read")
			}
			text, err := json.Marshal(betLine{
				d.Site, d.Game, d.Variant, r.Server, d.Seal, d.Client, d.Nonce, d.Params, d.Outcome, d.NextSeal, d.At, r.RevealedAt,
			})
			if err != nil {
				return err
			}
			if _, err := w.Write(append(text, '\n')); err != nil {
				return err
			}
			after = l.Number
		}
	}
	return nil
}
