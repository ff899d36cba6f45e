package verify

import (
	"slices"
	"strconv"

	"veridice/record"
	"veridice/scheme"
)

// A chainCheck is the state of one check of a record of veridice/1.
type chainCheck struct {
	check
	chain   *record.Chain
	signers []Signer        // by role
	links   [][]scheme.Link // of each role, from its anchor
	heads   []record.Head   // after each roll, the first at 1
	head    record.Head     // after the last entry
	trusted []head
	bad     []int // roles of which a signature fails
}

// chainRecord takes the steps of docs/spec/veridice-1.md, "The check".
func chainRecord(r *record.Record, o Options) *Report {
	c := newChainCheck(r, o)
	if err := c.signatures(); err != nil {
		return unreadable(err) // made by hand
	}
	c.run([]step{
		{2, "roles-differ", c.rolesDiffer},
		{3, "as-noted", c.asNoted},
		{4, "links", c.lastLinks},
		{5, "replay", c.replay},
		{6, "tail", c.tail},
		{7, "heads", c.givenHeads},
		{8, "signatures", c.signaturesGood},
		{9, "complete", c.chainComplete},
		{10, "vouched", c.vouched},
	})
	if c.report.Verdict == Proven {
		c.report.NotProven = chainLimits(c.report)
	}
	return c.report
}

func newChainCheck(r *record.Record, o Options) *chainCheck {
	c := &chainCheck{check: *newCheck(r, o), chain: r.Chain}
	for role, one := range r.Chain.Roles {
		c.signers = append(c.signers, Role(r.Chain.ID, uint8(role), one.Key))
	}
	// Rolls that the reader noted never stand in for those of the record: nobody
	// signed them.
	c.rolls, c.noted = r.Rolls(), false
	c.report.Rolls = len(c.rolls)
	return c
}

// signatures finds out which roles signed this very text, whatever the verdict. It fails
// for a record that no text can hold.
func (c *chainCheck) signatures() error {
	text, err := c.record.SignedText()
	if err != nil {
		return err
	}
	for role, s := range c.signers {
		good, bad := s.signed(text, c.record.Signatures)
		if good {
			c.report.Signed = append(c.report.Signed, role)
		}
		if bad {
			c.bad = append(c.bad, role)
		}
	}
	return nil
}

func (c *chainCheck) rolesDiffer() *fault {
	roles := c.chain.Roles
	for later := range roles {
		for _, earlier := range roles[:later] {
			if roles[later].Anchor == earlier.Anchor {
				return broken(SameAnchor).at("role", later)
			}
		}
	}
	for later := range roles {
		for _, earlier := range roles[:later] {
			if roles[later].Key == earlier.Key {
				return broken(SameKey).at("role", later)
			}
		}
	}
	return nil
}

// asNoted compares with what the reader trusts: the opening hash, the heads, and
// the rolls that he wrote down.
func (c *chainCheck) asNoted() *fault {
	if c.given.Seal != nil && [32]byte(*c.given.Seal) != c.chain.OpeningHash() {
		return broken(OtherOpening)
	}
	for i, text := range c.given.Heads {
		h, ok := openHead(text, c.signers[0])
		if !ok || h.match != c.record.Match {
			return unknown(BadHead).at("head", i+1)
		}
		c.trusted = append(c.trusted, h)
	}
	return c.sameRolls()
}

// lastLinks hashes every chain down to its anchor.
func (c *chainCheck) lastLinks() *fault {
	match := scheme.Match(c.chain.ID)
	for role, last := range c.chain.Last {
		links := scheme.Links(match, uint8(role), last.Index, last.Link)
		if links[0] != scheme.Link(c.chain.Roles[role].Anchor) {
			return broken(WrongLink).at("role", role)
		}
		c.links = append(c.links, links)
	}
	return nil
}

// replay goes from the opening through every entry, up to the first fault.
func (c *chainCheck) replay() *fault {
	opening := c.chain.OpeningHash()
	c.head = record.Start(opening)
	c.heads = []record.Head{c.head}
	for _, e := range c.record.Entries {
		if e.Move != "" {
			c.head = c.head.Move(e.Role, e.Move)
			continue
		}
		due := len(c.heads)
		if e.Number != uint64(due) {
			return broken(WrongNumber).atRoll(due)
		}
		links, ok := c.linksOf(due)
		if !ok {
			f := broken(NoLink).atRoll(due)
			f.place.HasRole, f.place.Role = true, len(links)
			return f
		}
		all, err := derive(opening, c.head, e, links)
		if err != nil {
			return unknown(record.Syntax) // a record that was parsed cannot come here
		}
		made := all.Roll
		one := Compared{Number: e.Number, Recorded: e.Dice, Computed: made.Dice, Fits: slices.Equal(e.Dice, made.Dice)}
		c.report.Compared = append(c.report.Compared, one)
		if !one.Fits {
			return broken(WrongDice).atRoll(due)
		}
		c.report.Fit++
		c.head = all.after()
		c.heads = append(c.heads, c.head)
	}
	return nil
}

func (c *chainCheck) tail() *fault {
	rolls := len(c.heads) - 1
	if p := c.chain.Pending; p != nil && p.Number != uint64(rolls)+1 {
		return broken(WrongNumber).atRoll(rolls + 1)
	}
	if f := c.count(); f != nil {
		return f
	}
	for role, last := range c.chain.Last {
		if last.Index != uint32(rolls) {
			return broken(LinksCount).at("role", role)
		}
	}
	if c.head != c.chain.Head {
		return broken(WrongHead)
	}
	return nil
}

// givenHeads names the first roll after which a trusted head is another, or which
// a record that is over does not have.
func (c *chainCheck) givenHeads() *fault {
	first := 0
	for _, h := range c.trusted {
		n := min(h.number, len(c.heads)) // the first roll that is not there, if there are fewer
		differs := n == h.number && n < len(c.heads) && c.heads[n] != h.head
		dropped := n == len(c.heads) && c.record.State != record.Running
		if (differs || dropped) && (first == 0 || n < first) {
			first = n
		}
	}
	if first > 0 {
		return broken(OtherHead).atRoll(first)
	}
	return nil
}

func (c *chainCheck) signaturesGood() *fault {
	if len(c.bad) > 0 {
		return broken(WrongSignature).at("role", c.bad[0])
	}
	return nil
}

func (c *chainCheck) chainComplete() *fault {
	switch {
	case c.record.Sum != c.record.RightSum():
		return unknown(WrongSum)
	case len(c.rolls) == 0:
		return unknown(NoRolls)
	}
	return c.sameLength()
}

// vouched asks who says that this was the match: links alone bind no move, actor
// or faces.
func (c *chainCheck) vouched() *fault {
	var account []string
	if slices.Contains(c.report.Signed, 0) {
		account = append(account, "signature")
	}
	if slices.ContainsFunc(c.trusted, func(h head) bool { return h.number == len(c.heads)-1 }) {
		account = append(account, "head")
	}
	if account == nil {
		return unknown(NotSigned)
	}
	c.report.Account = account
	return nil
}

// chainLimits lists what a proven report on a match of veridice/1 does not prove.
func chainLimits(r *Report) []Finding {
	limits := logLimits(r)
	if r.Source == FromRecord {
		limits = append(limits, Finding{Code: SealShownBefore})
	}
	if r.State == record.Running {
		limits = append(limits, Finding{Code: NotFinished})
	}
	if slices.Equal(r.Account, []string{"head"}) {
		limits = append(limits, Finding{Code: OnlyHead})
	}
	var silent []string
	for role := 1; role < len(r.Record.Chain.Roles); role++ {
		if !slices.Contains(r.Signed, role) {
			silent = append(silent, strconv.Itoa(role))
		}
	}
	if silent != nil {
		limits = append(limits, Finding{SeatsUnsigned, silent})
	}
	return append(limits, Finding{Code: Veto})
}
