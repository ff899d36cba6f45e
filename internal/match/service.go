package match

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
)

// tries is how often a change is made anew after [ErrConflict]. Each failure
// means that somebody else's change went in.
const tries = 16

// maxChanges is the number of changes after which a match can only be ended, so
// that a seat cannot fill the store with what is no roll.
const maxChanges = 4 * record.MaxRolls

// lastSteps are those that such a match still takes: its end, and what comes after it.
var lastSteps = []string{"end", "abort", "sign", "next"}

// A Service is the live table's rules over a store. It keeps nothing itself and
// is safe for concurrent use.
type Service struct {
	store   Store
	vault   *Vault
	clock   Clock
	entropy Entropy
	key     atomic.Pointer[serverKey] // read from the store when it is first needed
	wake    func()                    // tells the log of new entries; nil without a log
	logs    []LogStart                // of the store, the last one in use; none if there is but one
	rolls   atomic.Uint64             // that fell
}

// New makes a service.
func New(store Store, vault *Vault, clock Clock, entropy Entropy) *Service {
	return &Service{store: store, vault: vault, clock: clock, entropy: entropy}
}

// A Call is what every seat's request brings besides its fields.
type Call struct {
	Match string
	Token string // the seat token, "" if none came
	Key   string // the idempotency key
	Body  []byte // the request's body as it came
}

// SeatToken is the capability to act for a seat, shown once.
type SeatToken struct {
	Seat  int    `json:"seat"`
	Token string `json:"token"` // 24 characters of base64url: 144 random bits
}

// Bodies of answers. Their JSON is stored and given again byte for byte.
type (
	// CreatedAnswer is what [Service.Create] answers.
	CreatedAnswer struct {
		Match  string      `json:"match"`
		Scheme string      `json:"scheme"`
		Seats  []SeatToken `json:"seats"`
		Seal   seed.Seal   `json:"seal"`
	}
	// SeatAnswer is what [Service.Acknowledge] and [Service.Seed] answer.
	SeatAnswer struct {
		Seat         int    `json:"seat"`
		Name         string `json:"name"`
		Acknowledged bool   `json:"acknowledged"`
		Seeded       bool   `json:"seeded"`
		State        State  `json:"state"`
	}
	// RollAnswer is what [Service.Roll] answers.
	RollAnswer struct {
		Roll uint64   `json:"roll"`
		Dice []uint32 `json:"dice"`
		Seat int      `json:"seat"`
		Game int      `json:"game"`
	}
	// GameAnswer is what [Service.NewGame] answers.
	GameAnswer struct {
		Game  int    `json:"game"`
		After uint64 `json:"after"`
	}
	// EndAnswer is what [Service.End] and [Service.Withdraw] answer. Server is
	// the revealed server seed of a finished match.
	EndAnswer struct {
		State  State  `json:"state"`
		Asked  *int   `json:"asked"`
		Server string `json:"server,omitempty"`
	}
)

func requestHash(action string, body []byte) [32]byte {
	return sha256.Sum256(append([]byte(action+"\n"), body...))
}

// Create opens a match and answers a [CreatedAnswer].
// The key is as good as the tokens in the answer, so it is stored as a hash, and
// the answer encrypted. from says whom the request comes from: with a key that
// somebody else guesses, nobody gets the tokens from elsewhere.
func (s *Service) Create(ctx context.Context, from, key string, body []byte, t Table) ([]byte, error) {
	if t.Kind == "" {
		t.Kind = "2d6"
	}
	if r, err := lookup(t.Scheme); err != nil {
		return nil, err
	} else if t.Scheme == scheme.Veridice1 {
		// Its terms are checked where they are written.
	} else if _, err := r.count(t.Kind); err != nil {
		return nil, err
	} else if t.Turn != "" || t.Wait != 0 || t.Links != 0 {
		return nil, &FieldError{Field: "scheme", Code: "no-terms"}
	}
	if t.Seats < 1 || t.Seats > MaxSeats {
		return nil, &FieldError{Field: "seats", Code: "bad-seats", Args: map[string]any{"min": 1, "max": MaxSeats}}
	}
	sum := sha256.Sum256([]byte("create\n" + from + "\n" + key))
	scope, request := seed.Hex(sum[:]), requestHash("create", body)
	for range tries {
		earlier, err := s.store.Created(ctx, scope)
		if err == nil {
			if earlier.Request != request {
				return nil, ErrKeyReused
			}
			return s.vault.Open(ofAnswer, scope, earlier.Body)
		}
		if !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		m, answer, err := s.open(t)
		if err != nil {
			return nil, err
		}
		sealed, err := s.vault.Seal(s.entropy, ofAnswer, scope, answer)
		if err != nil {
			return nil, err
		}
		m.Answer = &Answer{Key: scope, Request: request, Body: sealed}
		err = s.store.Create(ctx, m)
		if err == nil {
			return answer, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, err
		}
	}
	return nil, ErrConflict
}

func (s *Service) random(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.entropy, b); err != nil {
		return nil, errors.New("match: the random source failed")
	}
	return b, nil
}

// newMatch makes a match of fresh randomness, without its seats.
func (s *Service) newMatch(t Table) (*Match, error) {
	id, err := s.random(16)
	if err != nil {
		return nil, err
	}
	m := &Match{ID: seed.Hex(id), Scheme: t.Scheme, Kind: t.Kind, State: Open, Created: s.now()}
	m.add(Event{Type: Opened, At: m.Created})
	if t.Scheme == scheme.Veridice1 {
		return m, s.openPlay(m, t)
	}
	secret, err := s.random(32)
	if err != nil {
		return nil, err
	}
	server := seed.ServerFromEntropy([32]byte(secret))
	m.Seal = server.Seal()
	m.Sealed, err = s.vault.sealSeed(s.entropy, m.ID, server)
	return m, err
}

// open makes a match and the tokens of its seats.
func (s *Service) open(t Table) (*Match, []byte, error) {
	m, err := s.newMatch(t)
	if err != nil {
		return nil, nil, err
	}
	answer := CreatedAnswer{Match: m.ID, Scheme: t.Scheme, Seal: m.Seal}
	for i := range t.Seats {
		b, err := s.random(18)
		if err != nil {
			return nil, nil, err
		}
		token := base64.RawURLEncoding.EncodeToString(b)
		m.Seats = append(m.Seats, Seat{Token: sha256.Sum256([]byte(token))})
		answer.Seats = append(answer.Seats, SeatToken{i + 1, token})
	}
	body, err := json.Marshal(answer)
	return m, body, err
}

// now is the clock's time as events keep it.
func (s *Service) now() time.Time { return s.clock.Now().UTC().Truncate(time.Millisecond) }

// change is one step of a seat: it alters the match and gives what to answer.
type change func(m *Match, seat int) (any, error)

// do runs a step of a seat under its idempotency key.
func (s *Service) do(ctx context.Context, action string, c Call, step change) ([]byte, error) {
	request := requestHash(action, c.Body)
	for range tries {
		var body []byte
		logged, rolls := false, uint64(0)
		err := s.store.Update(ctx, c.Match, c.Key, func(m *Match) error {
			rolls = 0
			seat, err := m.seat(c.Token)
			if err != nil {
				return err
			}
			// The scope of a key is its seat: nobody gets another's answer.
			if e := m.Earlier; e != nil {
				if e.Request != scoped(seat, request) {
					return ErrKeyReused
				}
				body = e.Body
				return nil
			}
			if m.Version >= maxChanges && !slices.Contains(lastSteps, action) {
				return ErrFull
			}
			answer, err := step(m, seat)
			if err != nil {
				return err
			}
			if body, err = json.Marshal(answer); err != nil {
				return err
			}
			m.Answer = &Answer{Key: c.Key, Request: scoped(seat, request), Body: body}
			logged = len(m.Logged) > 0
			for i := range m.Added {
				if m.Added[i].Type == Rolled {
					rolls++
				}
			}
			return nil
		})
		switch {
		case err == nil:
			s.rolls.Add(rolls)
			if logged && s.wake != nil {
				s.wake()
			}
			return body, nil
		case errors.Is(err, ErrNotFound):
			// The same answer as for a wrong token, and no sooner.
			_, err := new(Match).seat(c.Token)
			return nil, err
		case !errors.Is(err, ErrConflict):
			return nil, err
		}
	}
	return nil, ErrConflict
}

func scoped(seat int, request [32]byte) [32]byte {
	return sha256.Sum256(append([]byte{byte(seat)}, request[:]...))
}

// Acknowledge notes that a seat's phone has shown the seal, and the seat's name.
// It answers a [SeatAnswer].
func (s *Service) Acknowledge(ctx context.Context, c Call, seal seed.Seal, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	k, err := s.signingKey(ctx)
	if err != nil {
		return nil, err
	}
	return s.do(ctx, "acknowledge", c, func(m *Match, seat int) (any, error) {
		own := &m.Seats[seat-1]
		if seal != m.Seal {
			return nil, ErrOtherSeal
		}
		if own.Acknowledged && name != "" && name != own.Name {
			return nil, ErrOtherName
		}
		if m.State == Open && !own.Acknowledged {
			own.Acknowledged, own.Name = true, name
			m.add(Event{Type: Acknowledged, At: s.now(), Seat: seat, Name: name})
			if err := s.logSeal(m); err != nil {
				return nil, err
			}
			if err := s.present(m, k); err != nil {
				return nil, err
			}
		}
		return seatAnswer(m, seat), nil
	})
}

// present goes on when every phone is there: a match without client seeds starts, and
// one of veridice/1 is offered.
func (s *Service) present(m *Match, k *serverKey) error {
	r, err := lookup(m.Scheme)
	switch {
	case err != nil:
		return err
	case m.Scheme != scheme.Veridice1:
		if !r.clients {
			s.start(m)
		}
		return nil
	case slices.ContainsFunc(m.Seats, func(s Seat) bool { return !s.Acknowledged }):
		return nil
	}
	return s.offer(m, k)
}

// Seed takes a seat's client seed. With the last one the match starts. It answers
// a [SeatAnswer].
func (s *Service) Seed(ctx context.Context, c Call, client string) ([]byte, error) {
	parsed, err := checkClient(client)
	if err != nil {
		return nil, err
	}
	return s.do(ctx, "seed", c, func(m *Match, seat int) (any, error) {
		own := &m.Seats[seat-1]
		r, err := lookup(m.Scheme)
		switch {
		case err != nil:
			return nil, err
		case !r.clients:
			return nil, ErrNoSeeds
		case !own.Acknowledged:
			return nil, ErrNotAcknowledged
		case own.Seeded() && own.Client != parsed:
			return nil, ErrAlreadySeeded
		case !own.Seeded():
			own.Client = parsed
			m.add(Event{Type: Seeded, At: s.now(), Seat: seat})
			s.start(m)
		}
		return seatAnswer(m, seat), nil
	})
}

// start begins the first game when every seat is ready.
func (s *Service) start(m *Match) {
	r, err := lookup(m.Scheme)
	for _, seat := range m.Seats {
		if err != nil || !seat.Acknowledged || r.clients && !seat.Seeded() {
			return
		}
	}
	if !s.dated(m) {
		return
	}
	m.State, m.Game = Running, 1
	m.add(Event{Type: Started, At: s.now(), Game: 1})
}

func seatAnswer(m *Match, seat int) SeatAnswer {
	own := m.Seats[seat-1]
	return SeatAnswer{seat, own.Name, own.Acknowledged, own.Seeded(), m.State}
}

// running refuses a step on a match that is not running, or by a phone that has
// not seen the last roll.
func running(m *Match, after uint64) error {
	if m.State != Running {
		return &StateError{m.State}
	}
	if after != m.Rolls {
		return &BehindError{m.Rolls}
	}
	return nil
}

// Roll makes the next roll and answers a [RollAnswer]. after is the number of the
// last roll that the caller saw.
func (s *Service) Roll(ctx context.Context, c Call, after uint64) ([]byte, error) {
	return s.do(ctx, "roll", c, func(m *Match, seat int) (any, error) {
		if m.Scheme == scheme.Veridice1 {
			return nil, ErrOtherScheme
		}
		if err := running(m, after); err != nil {
			return nil, err
		}
		if m.Rolls >= record.MaxRolls {
			return nil, ErrFull
		}
		r, err := lookup(m.Scheme)
		if err != nil {
			return nil, err
		}
		dice, err := r.derive(s.vault, m)
		if err != nil {
			return nil, err
		}
		m.Rolls++
		m.Dice += uint64(len(dice))
		m.add(Event{Type: Rolled, At: s.now(), Seat: seat, Roll: m.Rolls, Game: m.Game, Dice: dice})
		return RollAnswer{m.Rolls, dice, seat, m.Game}, nil
	})
}

// NewGame begins another game of the match and answers a [GameAnswer].
func (s *Service) NewGame(ctx context.Context, c Call, after uint64) ([]byte, error) {
	return s.do(ctx, "game", c, func(m *Match, seat int) (any, error) {
		if m.Scheme == scheme.Veridice1 {
			return nil, ErrOtherScheme // a move, which its role signs
		}
		if err := running(m, after); err != nil {
			return nil, err
		}
		if m.Rolls == m.Marked {
			return nil, ErrNoRolls
		}
		m.Game++
		m.Marked = m.Rolls
		m.add(Event{Type: NewGame, At: s.now(), Seat: seat, Roll: m.Rolls, Game: m.Game})
		return GameAnswer{m.Game, m.Rolls}, nil
	})
}

// End asks to end the match, or confirms what another seat asked (alone at the
// table: what the same seat asked). Confirmed, the match is finished and its
// server seed public. It answers an [EndAnswer].
func (s *Service) End(ctx context.Context, c Call, after uint64) ([]byte, error) {
	return s.do(ctx, "end", c, func(m *Match, seat int) (any, error) {
		if err := running(m, after); err != nil {
			return nil, err
		}
		if m.Scheme == scheme.Veridice1 {
			err := s.endPlay(m, seat)
			return endAnswer(m), err
		}
		if m.Asked == 0 {
			m.Asked = seat
			m.add(Event{Type: EndAsked, At: s.now(), Seat: seat})
			return endAnswer(m), nil
		}
		if m.Asked == seat && len(m.Seats) > 1 {
			return nil, ErrAlreadyAsked
		}
		// The reveal. Nothing else gives the seed out.
		server, err := s.vault.openSeed(m)
		if err != nil {
			return nil, err
		}
		m.State, m.Server = Finished, server.Reveal()
		if err := s.logEnd(m); err != nil {
			return nil, err
		}
		m.add(Event{Type: Ended, At: s.now(), Seat: seat})
		return endAnswer(m), nil
	})
}

// Withdraw takes back the seat's own request to end and answers an [EndAnswer].
// Another seat declines a request with it too: play goes on.
func (s *Service) Withdraw(ctx context.Context, c Call) ([]byte, error) {
	return s.do(ctx, "withdraw", c, func(m *Match, seat int) (any, error) {
		if m.State != Running {
			return nil, &StateError{m.State}
		}
		if m.Asked == 0 {
			return nil, ErrNotAsked
		}
		m.Asked = 0
		m.add(Event{Type: EndWithdrawn, At: s.now(), Seat: seat})
		return endAnswer(m), nil
	})
}

func endAnswer(m *Match) EndAnswer {
	a := EndAnswer{State: m.State, Server: seed.Hex(m.Server)}
	if m.Asked != 0 {
		asked := m.Asked
		a.Asked = &asked
	}
	return a
}

// Match reads a match with its rolls and moves as they were at one moment.
func (s *Service) Match(ctx context.Context, id string) (*Match, []Event, error) {
	m, err := s.store.Match(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	entries, err := s.store.Entries(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	// What came between the two reads belongs to a later moment.
	for len(entries) > 0 && entries[len(entries)-1].Number > m.Events {
		entries = entries[:len(entries)-1]
	}
	return m, entries, nil
}

// State reads a match without its rolls and moves.
func (s *Service) State(ctx context.Context, id string) (*Match, error) {
	return s.store.Match(ctx, id)
}

// Events reads up to limit events after a number, complete; of an unknown match
// none.
func (s *Service) Events(ctx context.Context, id string, after uint64, limit int) ([]Event, error) {
	events, err := s.store.Events(ctx, id, after, limit)
	if err != nil {
		return nil, err
	}
	var m *Match // read when needed; what events take of it never changes after them
	for i := range events {
		e := &events[i]
		if e.Type != Opened && e.Type != Started && e.Type != Ended {
			continue
		}
		if m == nil {
			if m, err = s.store.Match(ctx, id); err != nil {
				return nil, err
			}
		}
		sealed := m.Seal
		switch e.Type {
		case Opened:
			e.Scheme, e.Kind, e.Seats, e.Seal = m.Scheme, m.Kind, len(m.Seats), &sealed
			if m.Scheme == scheme.Veridice1 {
				p, err := readPlay(m)
				if err != nil {
					return nil, err
				}
				e.Terms = p.Terms
			}
		case Started:
			e.Clients = m.Clients()
		case Ended:
			if m.Scheme != scheme.Veridice1 {
				e.Server, e.Seal = m.Server, &sealed
			}
		}
	}
	return events, nil
}

// CheckKey tells whether the matches in the store can go on with this vault: it
// gives [ErrOtherKey] if an unfinished one cannot.
func (s *Service) CheckKey(ctx context.Context) error {
	m, err := s.store.Unfinished(ctx)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if m.Scheme != scheme.Veridice1 {
		_, err = s.vault.openSeed(m)
		return err
	}
	p, err := readPlay(m)
	if err != nil {
		return err
	}
	_, err = s.vault.openChain(m, p.Links)
	return err
}

// Watch is [Store.Watch].
func (s *Service) Watch(id string) (<-chan struct{}, func()) { return s.store.Watch(id) }

// Ping is [Store.Ping].
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }
