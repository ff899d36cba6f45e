package record

import (
	"strconv"

	"veridice/seed"
)

// chainMembers are the members that only the view of a record of veridice/1 has.
var chainMembers = []string{"seq", "rules", "links", "roles", "expires", "pending", "last", "head", "role"}

// appendChainView adds the members behind the scheme.
func (r *Record) appendChainView(b []byte) []byte {
	c := r.Chain
	name := func(n string) { b = append(append(append(b, ',', '"'), n...), '"', ':') }
	number := func(n string, value uint64) { name(n); b = strconv.AppendUint(b, value, 10) }
	text := func(n, value string) { name(n); b = strconv.AppendQuote(b, value) } // ASCII: quoted as in JSON
	dice := func(n string, values []uint32) { name(n); b = append(append(append(b, '['), list(values)...), ']') }
	digest := func(n string, value [32]byte) { text(n, seed.Hex(value[:])) }
	// items writes a list of objects; the comma before the first member of each goes.
	items := func(n string, count int, item func(int)) {
		name(n)
		b = append(b, '[')
		for i := range count {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, '{')
			from := len(b)
			item(i)
			b = append(b[:from], b[from+1:]...)
			b = append(b, '}')
		}
		b = append(b, ']')
	}

	text("match", r.Match)
	number("seq", c.Seq)
	digest("rules", c.Rules)
	number("links", uint64(c.Links))
	items("roles", len(c.Roles), func(i int) {
		digest("anchor", c.Roles[i].Anchor)
		digest("key", c.Roles[i].Key)
	})
	number("expires", c.Expires)
	items("entries", len(r.Entries), func(i int) {
		e := r.Entries[i]
		if e.Move != "" {
			text("type", "move")
			number("role", uint64(e.Role))
			text("move", e.Move)
			return
		}
		text("type", "roll")
		number("roll", e.Number)
		number("actor", uint64(e.Role))
		dice("faces", e.Faces)
		dice("dice", e.Dice)
	})
	name("pending")
	if p := c.Pending; p == nil {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendUint(append(b, `{"roll":`...), p.Number, 10)
		number("actor", uint64(p.Actor))
		dice("faces", p.Faces)
		b = append(b, '}')
	}
	items("last", len(c.Last), func(i int) {
		number("role", uint64(i))
		number("index", uint64(c.Last[i].Index))
		digest("link", c.Last[i].Link)
	})
	number("rolls", r.Count)
	digest("head", c.Head)
	text("state", string(r.State))
	name("role")
	if r.State != Aborted || c.Silent < 0 {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendInt(b, int64(c.Silent), 10)
	}
	digest("sum", r.Sum)
	return append(b, '}')
}

// A chainView is what was read of the members of [chainMembers], in any order.
type chainView struct {
	chain Chain
	role  bool // the role of an abort is not null
}

// chainMember reads the value of one of [chainMembers] and reports whether the
// name is one.
func (v *viewer) chainMember(c *chainView, name string) bool {
	switch name {
	case "seq":
		c.chain.Seq = v.number(maxNumber)
	case "rules":
		c.chain.Rules = v.digest()
	case "links":
		c.chain.Links = uint32(v.number(maxLinks))
	case "roles":
		v.array(func() { c.chain.Roles = append(c.chain.Roles, v.role()) })
	case "expires":
		c.chain.Expires = v.number(maxNumber)
	case "pending":
		if !v.null() {
			c.chain.Pending = v.pending()
		}
	case "last":
		v.array(func() { c.chain.Last = append(c.chain.Last, v.last(len(c.chain.Last))) })
	case "head":
		c.chain.Head = v.digest()
	case "role":
		if c.role = !v.null(); c.role {
			c.chain.Silent = int(v.number(maxSeats))
		}
	default:
		return false
	}
	return true
}

// chain makes a record of veridice/1 of the members read.
func (v *viewer) chain(r *Record, c *chainView) {
	r.Chain = &c.chain
	id, ok := seed.ParseHex(r.Match)
	if !ok || len(id) != len(c.chain.ID) {
		v.fail("the match is not 32 lower-case hex digits")
		return
	}
	copy(c.chain.ID[:], id)
	if !c.role {
		c.chain.Silent = -1
	} else if r.State != Aborted {
		v.fail("a match that was not aborted names a role")
	}
	for _, e := range r.Entries {
		if e.Move == "" && len(e.Faces) == 0 {
			v.fail("an entry is not a roll with its faces or a move")
		}
	}
}

func (v *viewer) role() (r Role) {
	v.members(v.object(func(name string) bool {
		switch name {
		case "anchor":
			r.Anchor = v.digest()
		case "key":
			r.Key = v.digest()
		default:
			return false
		}
		return true
	}), []string{"anchor", "key"})
	return r
}

func (v *viewer) pending() *Pending {
	p := &Pending{}
	v.members(v.object(func(name string) bool {
		switch name {
		case "roll":
			p.Number = v.number(MaxRolls)
		case "actor":
			p.Actor = uint8(v.number(maxSeats))
		case "faces":
			p.Faces = v.numbers()
		default:
			return false
		}
		return true
	}), []string{"roll", "actor", "faces"})
	return p
}

func (v *viewer) last(role int) (l Last) {
	v.members(v.object(func(name string) bool {
		switch name {
		case "role":
			if v.number(maxSeats) != uint64(role) {
				v.fail("the roles of the last links are not in order")
			}
		case "index":
			l.Index = uint32(v.number(maxLinks))
		case "link":
			l.Link = v.digest()
		default:
			return false
		}
		return true
	}), []string{"role", "index", "link"})
	return l
}
