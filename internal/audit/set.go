package audit

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// Limits of what is remembered of a set. Beyond them the report says so.
const (
	MaxPairs     = 1 << 20 // seed pairs, seeds and seals, each
	MaxStretches = 1 << 21 // stretches of 12 nonces
)

// hashSeed is that of one run: the keys of the set cannot be made to collide by
// whoever wrote the file.
var hashSeed = maphash.MakeSeed()

// hashOf mixes texts into a key. 64 bits make two of a million equal with a
// probability of 3 in 10^8.
func hashOf(parts ...[]byte) uint64 {
	h := uint64(len(parts))
	for _, p := range parts {
		h = mix(h, maphash.Bytes(hashSeed, p))
	}
	return h
}

// mix is one-to-one in a for any b, and in b for any a.
func mix(a, b uint64) uint64 {
	a = a*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(b*0xc2b2ae3d27d4eb4f, 31)
	a = (a ^ a>>33) * 0xff51afd7ed558ccd
	return a ^ a>>29
}

// perBlock nonces make a block of the set, which fills a cache line.
const perBlock = 12

type block struct {
	key      uint64 // of the seed pair and the first nonce; 0 if the place is free
	used     uint16
	repeated uint16 // used more than once
	differ   uint16 // by different bets
	_        uint16
	prints   [perBlock]uint32 // of the bet that came first
}

// A set remembers what single bets cannot show. Whatever it counts, it counts the
// same in any order of the lines, as long as its limits are not reached.
type set struct {
	blocks []block
	taken  int
	last   *block // that of the bet before, which is often the same

	pairs    map[uint64]*pair
	seals    map[uint64]uint64 // seal → seed, or twoSeeds
	active   map[uint64]bool   // seals that were those of a seed in use
	next     map[uint64]Place  // seals that were announced as next
	lives    map[uint64]*life
	beyond   uint64 // bets whose nonce was not looked at
	seedsOut bool   // seeds or seals were not looked at

	repeats    uint64 // lines with a nonce that an earlier line had
	firstAgain Place  // the first of them that is another bet
}

const twoSeeds = math.MaxUint64

type pair struct {
	min, max, distinct uint64
	first              Place
}

// A life is when a seed was used, and when it was revealed: seconds of Unix.
type life struct {
	used, revealed int64
	where          Place
}

func newSet() *set {
	return &set{
		blocks: make([]block, 1<<10), pairs: map[uint64]*pair{}, seals: map[uint64]uint64{},
		active: map[uint64]bool{}, next: map[uint64]Place{}, lives: map[uint64]*life{},
	}
}

// A use is what the set gets of one bet.
type use struct {
	pair, nonce uint64
	print       uint32 // of game, parameters and outcome
	counted     bool   // the site counts bets with nonces
	place       Place
}

// add reports whether the bet is new.
func (s *set) add(u use, p *pair) bool {
	key := mix(u.pair, u.nonce/perBlock) | 1
	if s.last == nil || s.last.key != key {
		s.last = s.find(key)
	}
	b := s.last
	if b == nil {
		s.beyond++
		return false
	}
	i := u.nonce % perBlock
	bit := uint16(1) << i
	if b.used&bit == 0 {
		b.used |= bit
		b.prints[i] = u.print
		if p != nil {
			p.distinct++
			p.min, p.max = min(p.min, u.nonce), max(p.max, u.nonce)
		}
		return true
	}
	if !u.counted {
		return false
	}
	s.repeats++
	b.repeated |= bit
	if b.prints[i] != u.print {
		b.differ |= bit
		if s.firstAgain.Line == 0 {
			s.firstAgain = u.place
		}
	}
	return false
}

// find gives the block of a key, a new one if there is none, or nil if no more
// may be made.
func (s *set) find(key uint64) *block {
	mask := uint64(len(s.blocks) - 1)
	for i := key >> 1 & mask; ; i = (i + 1) & mask {
		b := &s.blocks[i]
		switch b.key {
		case key:
			return b
		case 0:
			if s.taken == MaxStretches {
				return nil
			}
			if 4*s.taken >= 3*len(s.blocks) {
				s.grow()
				return s.find(key)
			}
			s.taken++
			b.key = key
			return b
		}
	}
}

func (s *set) grow() {
	old := s.blocks
	s.blocks = make([]block, 2*len(old))
	mask := uint64(len(s.blocks) - 1)
	for _, b := range old {
		if b.key == 0 {
			continue
		}
		i := b.key >> 1 & mask
		for s.blocks[i].key != 0 {
			i = (i + 1) & mask
		}
		s.blocks[i] = b
	}
}

// room says whether a map may take one more.
func room[V any](s *set, m map[uint64]V) bool {
	if len(m) < MaxPairs {
		return true
	}
	s.seedsOut = true
	return false
}

// take gives the state of a seed pair, nil beyond the limit.
func (s *set) take(key uint64, where Place) *pair {
	p := s.pairs[key]
	if p == nil && room(s, s.pairs) {
		p = &pair{min: math.MaxUint64, first: where}
		s.pairs[key] = p
	}
	return p
}

// An owner is what a run of bets under one seed says of it.
type owner struct {
	pair, seed, seal, own uint64 // hashes, 0 for what is not there
	used, revealed        int64  // the latest use, the earliest reveal; 0 if not said
	place                 Place
}

func (s *set) own(o owner) {
	if o.seal != 0 {
		seed, ok := s.seals[o.seal]
		switch {
		case !ok && room(s, s.seals):
			s.seals[o.seal] = o.seed
		case ok && seed != o.seed:
			s.seals[o.seal] = twoSeeds
		}
	}
	for _, seal := range [...]uint64{o.seal, o.own} {
		if seal != 0 && (s.active[seal] || room(s, s.active)) {
			s.active[seal] = true
		}
	}
	if o.used != 0 || o.revealed != 0 {
		l := s.lives[o.seed]
		if l == nil {
			if !room(s, s.lives) {
				return
			}
			l = &life{where: o.place}
			s.lives[o.seed] = l
		}
		l.used = max(l.used, o.used)
		if o.revealed != 0 && (l.revealed == 0 || o.revealed < l.revealed) {
			l.revealed = o.revealed
		}
	}
}

func (s *set) announce(seal uint64, where Place) {
	if _, ok := s.next[seal]; !ok && room(s, s.next) {
		s.next[seal] = where
	}
}

// A SetReport is what the lines show together. None of it changes a verdict.
type SetReport struct {
	Pairs        int    `json:"pairs"`        // seed pairs with nonces
	Repeated     uint64 `json:"repeated"`     // lines with a nonce that another line has
	SameBet      uint64 `json:"sameBet"`      // nonces that are there more than once, with the same bet
	OtherBet     uint64 `json:"otherBet"`     // nonces under which different bets were made
	OtherAt      *Place `json:"otherAt"`      // the first such line
	PairsWithGap int    `json:"pairsWithGap"` // seed pairs with nonces left out
	Missing      uint64 `json:"missing"`      // nonces left out between the first and the last
	WrongSeals   uint64 `json:"wrongSeals"`   // bets whose seed has another hash than the published one
	TwoSeeds     int    `json:"twoSeeds"`     // seals under which two seeds were used
	NeverActive  int    `json:"neverActive"`  // seals announced as next that no seed here has
	AfterReveal  int    `json:"afterReveal"`  // seeds used after they were revealed

	TimesNotRead uint64 `json:"timesNotRead"` // moments in another form than RFC 3339

	NotChecked uint64 `json:"notChecked"` // bets whose nonce was beyond the limit of what is remembered
	SeedsOut   bool   `json:"seedsOut"`   // the same of seed pairs, seeds or seals
}

func (s *set) report() SetReport {
	r := SetReport{Pairs: len(s.pairs), Repeated: s.repeats, NotChecked: s.beyond, SeedsOut: s.seedsOut}
	for i := range s.blocks {
		b := &s.blocks[i]
		r.SameBet += uint64(bits.OnesCount16(b.repeated &^ b.differ))
		r.OtherBet += uint64(bits.OnesCount16(b.differ))
	}
	if s.firstAgain.Line > 0 {
		r.OtherAt = &s.firstAgain
	}
	for _, p := range s.pairs {
		if p.distinct > 0 && p.max-p.min+1 > p.distinct && s.beyond == 0 {
			r.PairsWithGap++
			r.Missing += p.max - p.min + 1 - p.distinct
		}
	}
	for _, seed := range s.seals {
		if seed == twoSeeds {
			r.TwoSeeds++
		}
	}
	for seal := range s.next {
		if !s.active[seal] {
			r.NeverActive++
		}
	}
	for _, l := range s.lives {
		if l.revealed != 0 && l.used > l.revealed {
			r.AfterReveal++
		}
	}
	return r
}
