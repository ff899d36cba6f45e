package protocol_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"

	"veridice/protocol"
	"veridice/record"
	"veridice/scheme"
	"veridice/verify"
)

// One roll of a server and one phone. The random bytes are written out here; both read
// theirs from the operating system.
func ExamplePhone() {
	const rules = "veridice table 1\ndice 2d6\nturn alternate\nwait 120\nsalt 00112233445566778899aabbccddeeff\n"
	match := scheme.Match([]byte("16 random bytes."))
	private := ed25519.NewKeyFromSeed([]byte("32 random bytes: the server's..."))
	key := [32]byte(private.Public().(ed25519.PublicKey))
	chain, _ := scheme.NewChain(match, 0, [32]byte([]byte("32 more random bytes, its chain.")), 256)
	signed := func(text []byte, others ...record.Signature) []byte {
		return protocol.Note(text, append(others, protocol.Sign(verify.Role(match, 0, key), private, text))...)
	}

	phone, _ := protocol.NewPhone(protocol.Setup{
		Match: match, Server: key, Seat: 1, Keeper: newShelf(),
		Last: [32]byte([]byte("32 random bytes for the chain...")), Key: [32]byte([]byte("32 random bytes for the key.....")),
	})
	// say tells what came of a message, and what the phone sends by itself.
	say := func(err error) []byte {
		if err != nil {
			fmt.Println(err)
		}
		due, err := phone.Due()
		if err != nil || len(due) != 1 {
			return nil
		}
		fmt.Println("the phone sends its", due[0].Action)
		return due[0].Note
	}

	offer := record.Offer{
		Match: match, Seq: 1, Rules: sha256.Sum256([]byte(rules)), Links: 256, Seats: 1,
		Server: record.Role{Anchor: chain.Anchor(), Key: key}, Expires: today + 3600,
	}
	note := say(phone.Offer(signed(offer.Marshal()), []byte(rules), today))
	n, _ := record.ParseNote(note)
	join, _ := record.ParseJoin(n.Text)
	say(phone.Joined(note))

	opening := record.Chain{ID: match, Seq: 1, Rules: offer.Rules, Links: 256, Roles: []record.Role{offer.Server, join.Role}, Expires: offer.Expires}
	say(phone.Readied(say(phone.Anchored(opening.Opening()))))

	terms, _ := protocol.ParseTerms([]byte(rules))
	known := protocol.Begin(&opening, terms) // the server's own copy
	asks, _ := phone.Roll([]uint32{6, 6})
	n, _ = record.ParseNote(asks.Note)
	ask, _ := record.ParseAsk(n.Text)
	say(phone.Asked(signed(n.Text, n.Signatures...)))
	due, _ := phone.Due() // the same bytes again: its link

	links := []scheme.Link{chain.Link(1), due[0].Link}
	dice, known, _ := known.Roll(ask, links)
	head := record.Receipt{Match: match, Number: 1, Head: known.Head}
	fmt.Println(phone.Rolled(signed(n.Text, n.Signatures...), links, dice, signed(head.Marshal())))
	fmt.Println(phone.Transcript().Head == known.Head, phone.Entries()[0].Dice)
	// Output:
	// the phone sends its join
	// the phone sends its ready
	// the phone sends its link
	// <nil>
	// true [5 1]
}
