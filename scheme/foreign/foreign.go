// Package foreign recomputes the streams of other sites, so that bets made there can be
// checked. Its schemes are for checking only: none is a [scheme.Scheme] or found by
// [scheme.Lookup], so that nobody can roll with them.
//
// Each constructor opens with the facts in which sites differ: whether the key
// is the text of the seed or the bytes that its hex digits spell, what the
// message is, what the seal covers. The rules are docs/spec/floats.md
// and foreign.md.
package foreign

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strconv"
	"strings"

	"veridice/seed"
)

// Names of the schemes.
const (
	Shuffle1      = "shuffle/1"
	Stake1        = "stake/1"
	Duel1         = "duel/1"
	LIQD1         = "liqd/1"
	Bustabit1     = "bustabit/1"
	BCGame1       = "bcgame/1"
	Roobet1       = "roobet/1"
	Zeroplay1     = "zeroplay/1"
	Primedice2015 = "primedice/2015"
)

// An InputError says which part of a bet a scheme cannot use, and why.
type InputError struct {
	Part string // seed, client, nonce, cursor or a parameter
	Text string // what is wrong with it
}

func (e *InputError) Error() string { return e.Part + ": " + e.Text }

// A Block is one output of a scheme's function. The bytes of its sum before From were
// skipped by a cursor, those from there up to To were taken.
type Block struct {
	Number   uint64
	Message  []byte
	Sum      []byte
	From, To int
}

// A Stream is the sequence of bytes that revealed seeds make. It remembers its blocks,
// so that a bet can be explained.
type Stream struct {
	Name string // of the scheme

	// Key is what the function was keyed with, and TextKey says that it is the
	// text of the seed.
	Key     []byte
	TextKey bool

	mac     func() hash.Hash
	size    int // bytes of a block
	message func(block uint64) []byte
	single  bool // there is one block and no more
	start   uint64
	next    uint64 // number of the block to compute next
	skip    int    // bytes of it to leave out
	rest    []byte // what was not taken yet
	blocks  []Block
	used    int
}

func open(name string, key []byte, text bool, hashed func() hash.Hash, message func(block uint64) []byte) *Stream {
	return &Stream{
		Name: name, Key: key, TextKey: text, message: message,
		mac:  func() hash.Hash { return hmac.New(hashed, key) },
		size: hashed().Size(),
	}
}

// one is a stream whose message has no number: it has one block.
func one(name string, key []byte, text bool, hashed func() hash.Hash, message []byte) *Stream {
	s := open(name, key, text, hashed, func(uint64) []byte { return message })
	s.single = true
	return s
}

// Byte gives the next byte. A scheme of one block has no more than that, which is
// enough for its games; beyond it Byte panics.
func (s *Stream) Byte() byte {
	if len(s.rest) == 0 {
		if s.single && s.next > s.start {
			panic("veridice: internal error: " + s.Name + " has one block")
		}
		s.block()
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	s.used++
	s.blocks[len(s.blocks)-1].To++
	return b
}

func (s *Stream) block() {
	message := s.message(s.next)
	h := s.mac()
	h.Write(message)
	sum := h.Sum(nil)
	s.blocks = append(s.blocks, Block{s.next, message, sum, s.skip, s.skip})
	s.rest, s.skip = sum[s.skip:], 0
	s.next++
}

// Seek places the stream before the first byte of a block. A scheme of one block
// has only that.
func (s *Stream) Seek(block uint64) {
	if s.single {
		return
	}
	s.next, s.rest, s.skip = block, nil, 0
}

// Blocks lists the blocks that were computed so far, in this order.
func (s *Stream) Blocks() []Block { return s.blocks }

// Used counts the bytes that were taken so far.
func (s *Stream) Used() int { return s.used }

// maxText is the longest seed of a site, in bytes.
const maxText = seed.MaxServer

func textKey(part, text string) ([]byte, error) {
	if text == "" {
		return nil, &InputError{part, "is empty"}
	}
	if len(text) > maxText {
		return nil, &InputError{part, "is longer than " + strconv.Itoa(maxText) + " bytes"}
	}
	return []byte(text), nil
}

// hexKey decodes hex digits of either case, size bytes of them.
func hexKey(part, text string, size int) ([]byte, error) {
	b, ok := seed.ParseHex(strings.ToLower(text))
	if !ok || len(b) != size {
		return nil, &InputError{part, "is not " + strconv.Itoa(2*size) + " hex digits"}
	}
	return b, nil
}

// textPair gives the key that the text of a seed is, and hexPair the one of size bytes that
// it spells, beside a good client seed.
func textPair(server, client string) ([]byte, error) {
	key, err := textKey("seed", server)
	if err != nil {
		return nil, err
	}
	return key, checkClient(client)
}

func hexPair(server, client string, size int) ([]byte, error) {
	key, err := hexKey("seed", server, size)
	if err != nil {
		return nil, err
	}
	return key, checkClient(client)
}

func checkClient(text string) error {
	if _, err := seed.ParseTextClient(text); err != nil {
		return &InputError{"client", strings.TrimPrefix(err.Error(), "client seed: ")}
	}
	return nil
}

// fields joins a client seed and numbers with colons.
func fields(client string, numbers ...uint64) []byte {
	m := []byte(client)
	for _, n := range numbers {
		m = strconv.AppendUint(append(m, ':'), n, 10)
	}
	return m
}

// Floats has the text of the seed as key and client:nonce:block as message; the seal
// covers the text. The cursor is a byte offset (stake/1, shuffle/1). Unlike the scheme
// shuffle/1 that one can roll with, it takes any nonce of 64 bits.
func Floats(name, server, client string, nonce, cursor uint64) (*Stream, error) {
	key, err := textPair(server, client)
	if err != nil {
		return nil, err
	}
	s := open(name, key, true, sha256.New, func(block uint64) []byte { return fields(client, nonce, block) })
	if cursor > 1<<40 {
		return nil, &InputError{"cursor", "is too large"}
	}
	s.next, s.skip = cursor/sha256.Size, int(cursor%sha256.Size)
	return s, nil
}

// StakeRound is Stake's crash, slide and zoo: the key is the round's hash as text, the
// message the public seed as text, in practice a block hash. The chain covers the text.
func StakeRound(gameHash, client string) (*Stream, error) { return textOver(Stake1, gameHash, client) }

// Roobet has the round's hash as text as key and the salt as text, with its 0x, as
// message. The chain covers the text.
func Roobet(gameHash, salt string) (*Stream, error) { return textOver(Roobet1, gameHash, salt) }

func textOver(name, key, message string) (*Stream, error) {
	k, err := textPair(key, message)
	if err != nil {
		return nil, err
	}
	return one(name, k, true, sha256.New, []byte(message)), nil
}

// Duel has the 32 bytes that the seed spells as key; the seal covers the bytes. The
// message is client:nonce:cursor, and each number takes the first fitting word of a
// block.
func Duel(server, client string, nonce uint64) (*Stream, error) {
	key, err := hexPair(server, client, 32)
	if err != nil {
		return nil, err
	}
	return open(Duel1, key, false, sha256.New, func(block uint64) []byte { return fields(client, nonce, block) }), nil
}

// DuelDice is [Duel] with the message client:nonce, without a cursor: one block.
func DuelDice(server, client string, nonce uint64) (*Stream, error) {
	key, err := hexPair(server, client, 32)
	if err != nil {
		return nil, err
	}
	return one(Duel1, key, false, sha256.New, fields(client, nonce)), nil
}

// DuelRound is Duel's crash and castle roulette: the message is the round's drand
// signature, 48 bytes in hex, decoded as UTF-8 with U+FFFD for each maximal bad part
// and encoded again, followed by :0.
func DuelRound(server, signature string) (*Stream, error) {
	key, err := hexKey("seed", server, 32)
	if err != nil {
		return nil, err
	}
	sig, err := hexKey("client", signature, 48)
	if err != nil {
		return nil, err
	}
	return one(Duel1, key, false, sha256.New, append(lossy(sig), ":0"...)), nil
}

// LIQD has the 16 bytes that the seed spells as key, though the seal covers its text,
// and client:nonce:cursor as message.
func LIQD(server, client string, nonce uint64) (*Stream, error) {
	key, err := hexPair(server, client, 16)
	if err != nil {
		return nil, err
	}
	return open(LIQD1, key, false, sha256.New, func(block uint64) []byte { return fields(client, nonce, block) }), nil
}

// Bustabit has the salt as text as key and the 32 bytes of the round's hash as message.
// The chain covers the bytes.
func Bustabit(gameHash, salt string) (*Stream, error) { return bytesUnder(Bustabit1, gameHash, salt) }

// BCGameCrash is [Bustabit] at BC.Game.
func BCGameCrash(gameHash, salt string) (*Stream, error) { return bytesUnder(BCGame1, gameHash, salt) }

func bytesUnder(name, gameHash, salt string) (*Stream, error) {
	message, err := hexKey("seed", gameHash, 32)
	if err != nil {
		return nil, err
	}
	key, err := textKey("client", salt)
	if err != nil {
		return nil, err
	}
	return one(name, key, true, sha256.New, message), nil
}

// BCGame has the text of the seed as key and client:nonce, without a block number, as
// message. What the seal covers is not stated.
func BCGame(server, client string, nonce uint64) (*Stream, error) {
	key, err := textPair(server, client)
	if err != nil {
		return nil, err
	}
	return one(BCGame1, key, true, sha256.New, fields(client, nonce)), nil
}

// OldPrimedice is HMAC with SHA-512: the text of the seed is the key, client-nonce the
// message.
func OldPrimedice(server, client string, nonce uint64) (*Stream, error) {
	key, err := textPair(server, client)
	if err != nil {
		return nil, err
	}
	return one(Primedice2015, key, true, sha512.New, strconv.AppendUint([]byte(client+"-"), nonce, 10)), nil
}
