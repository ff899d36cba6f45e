// Package scheme turns sealed seeds and a number into an endless stream of
// bytes. A scheme is a value with a name and a version, such as tavli/1. A name
// is never reused; a scheme with a flaw stays, with its flaw stated.
//
// Schemes differ in a few facts, and each file opens with its own: whether the key
// is bytes or text, what separates the fields, where counting starts, how much of a
// block is used. The rules are docs/spec/schemes.md.
package scheme

import (
	"errors"
	"strconv"

	"veridice/seed"
)

// Names of the schemes.
const (
	Tavli1   = "tavli/1"
	Yayay1   = "yayay/1"
	Shuffle1 = "shuffle/1"
)

// ErrUnknown says that no scheme has this name; a later version of this program may
// know it.
var ErrUnknown = errors.New("scheme: unknown name")

// A MAC makes a block of 32 bytes from a key and a message.
type MAC func(key, message []byte) [32]byte

// A Scheme is a name and the facts in which schemes differ.
type Scheme struct {
	Name string

	// First and Last are the least and the greatest number of a stream.
	First, Last uint64

	// MinServer and MaxServer are the lengths in bytes that a server seed may have.
	MinServer, MaxServer int

	// TextServer says that the server seed is text, used and sealed as such.
	// Otherwise it is bytes, written as hex.
	TextServer bool

	// MinClients and MaxClients are how many client seeds there may be.
	MinClients, MaxClients int

	// TextClients says that a client seed may be any text; else it has the
	// alphabet of [seed.ParseClient].
	TextClients bool

	width   int // bytes of each block that belong to the stream
	mac     MAC
	message func(clients []seed.Client, number uint64, block uint32) []byte
}

var table = []Scheme{tavli1, yayay1, shuffle1}

// All lists the schemes that one can roll with.
func All() []Scheme { return append([]Scheme(nil), table...) }

// Lookup finds a scheme by its full name, else returns [ErrUnknown].
func Lookup(name string) (Scheme, error) {
	for _, s := range table {
		if s.Name == name {
			return s, nil
		}
	}
	return Scheme{}, ErrUnknown
}

// WithMAC returns the scheme with another function in place of its own: for tests of
// paths that chance does not reach, and for trying other readings of a rule.
func (s Scheme) WithMAC(mac MAC) Scheme {
	s.mac = mac
	return s
}

// Inputs are the parts that the parties brought, the client seeds in seat order.
type Inputs struct {
	Server  seed.Server
	Clients []seed.Client
}

// Check returns an error that names the first part that the scheme refuses.
func (s Scheme) Check(in Inputs) error {
	if n := in.Server.Len(); n < s.MinServer || n > s.MaxServer {
		what := "server seed: has " + strconv.Itoa(n) + " bytes, not "
		if s.MinServer == s.MaxServer {
			return errors.New(what + strconv.Itoa(s.MinServer))
		}
		return errors.New(what + strconv.Itoa(s.MinServer) + " to " + strconv.Itoa(s.MaxServer))
	}
	if n := len(in.Clients); n < s.MinClients || n > s.MaxClients {
		what := s.Name + ": there are " + strconv.Itoa(n) + " client seeds, not "
		if s.MinClients == s.MaxClients {
			return errors.New(what + strconv.Itoa(s.MinClients))
		}
		return errors.New(what + strconv.Itoa(s.MinClients) + " to " + strconv.Itoa(s.MaxClients))
	}
	for _, c := range in.Clients {
		parse := seed.ParseClient
		if s.TextClients {
			parse = seed.ParseTextClient
		}
		if _, err := parse(string(c)); err != nil {
			return err
		}
	}
	return nil
}

// Open joins the scheme with the parts of one match, checked with [Scheme.Check].
func (s Scheme) Open(in Inputs) (*Opened, error) {
	if err := s.Check(in); err != nil {
		return nil, err
	}
	return &Opened{s, in.Server.Reveal(), append([]seed.Client(nil), in.Clients...)}, nil
}

// An Opened scheme has its seeds and makes streams. It is safe for concurrent use.
type Opened struct {
	scheme  Scheme
	key     []byte
	clients []seed.Client
}

// Scheme tells which scheme this is.
func (o *Opened) Scheme() Scheme { return o.scheme }

// String never shows the seeds.
func (o *Opened) String() string { return o.scheme.Name + "(opened)" }

// Stream gives the stream of one number, from First to Last of the scheme.
func (o *Opened) Stream(number uint64) (*Stream, error) { return o.StreamAt(number, 0) }

// StreamAt gives the stream of a number from its byte at cursor on, counted from 0.
// Blocks that end before the cursor are not computed.
func (o *Opened) StreamAt(number, cursor uint64) (*Stream, error) {
	s := o.scheme
	if number < s.First || number > s.Last {
		return nil, errors.New(s.Name + ": number " + strconv.FormatUint(number, 10) + " is not from " +
			strconv.FormatUint(s.First, 10) + " to " + strconv.FormatUint(s.Last, 10))
	}
	if cursor/uint64(s.width) > 1<<31 {
		return nil, errors.New(s.Name + ": cursor " + strconv.FormatUint(cursor, 10) + " is too large")
	}
	return &Stream{
		opened: o, number: number,
		next: uint32(cursor / uint64(s.width)), at: int(cursor % uint64(s.width)),
	}, nil
}

// A Block is one output of the scheme's function. Its first Width bytes are part
// of the stream.
type Block struct {
	Index   uint32 // its place in the stream
	Message []byte // what was hashed under the key, for yayay/1 after it
	Sum     [32]byte
	Width   int // bytes
}

// A Stream is the endless sequence of bytes of one number. It remembers its
// blocks, so that a roll can be explained.
type Stream struct {
	opened *Opened
	number uint64
	next   uint32 // index of the block to compute next
	at     int    // place of the next byte: in the last block, or, before there is one, in the first
	blocks []Block
	used   int
}

// Byte gives the next byte.
func (s *Stream) Byte() byte {
	if len(s.blocks) == 0 || s.at == s.opened.scheme.width {
		if len(s.blocks) > 0 {
			s.at = 0
		}
		o := s.opened
		message := o.scheme.message(o.clients, s.number, s.next)
		s.blocks = append(s.blocks, Block{s.next, message, o.scheme.mac(o.key, message), o.scheme.width})
		s.next++
	}
	b := s.blocks[len(s.blocks)-1].Sum[s.at]
	s.at++
	s.used++
	return b
}

// Read fills p and never fails.
func (s *Stream) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = s.Byte()
	}
	return len(p), nil
}

// Blocks lists the blocks computed so far.
func (s *Stream) Blocks() []Block { return s.blocks[:len(s.blocks):len(s.blocks)] }

// Used counts the bytes taken so far, rejected ones included.
func (s *Stream) Used() int { return s.used }
