package checkpoint

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"veridice/record"
	"veridice/verify"
)

// A Policy says which logs are known, which witnesses, and how many of them must
// have cosigned. Its text is that of c2sp.org/tlog-policy:
//
//	log log.example/veridice+cd54f9c1+AR1ArZGm...
//	witness w1 w1.example+ca25080a+BIMyU8Yq...
//	witness w2 w2.example+8dd07e7a+BAQEcuk9...
//	witness w3 w3.example+c1d0dc67+BIO4R2iw...
//	group two-of-three 2 w1 w2 w3
//	quorum two-of-three
type Policy struct {
	Logs      []Log
	Witnesses []Witness
	Groups    []Group
	Quorum    string // name of a witness or group, or "none"
}

// A Log is one that a policy knows.
type Log struct {
	Key Key
	URL string // where to reach it, or ""
}

// A Witness is one that a policy knows, by its name there.
type Witness struct {
	Name string
	Key  Key
	URL  string // where it takes checkpoints, or ""
}

// A Group has cosigned if at least Least of its members have.
type Group struct {
	Name    string
	Least   int
	Members []string // witnesses and groups that stand before it
}

// None is the quorum of a policy that asks for no witness.
const None = "none"

// maxPolicy is the size in bytes of the longest policy.
const maxPolicy = 1 << 20

// ParsePolicy reads a policy. The error is a [*record.SyntaxError] with the line; its
// code is [verify.BadPolicy].
func ParsePolicy(text []byte) (*Policy, error) {
	if len(text) > maxPolicy {
		return nil, badPolicy(0, "the policy is larger than 1 MiB")
	}
	b := builder{policy: &Policy{}, names: map[string]bool{None: true}, taken: map[string]bool{None: true}, keys: map[[32]byte]bool{}}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if words := b.line(line); words != "" {
			return nil, badPolicy(n, words)
		}
	}
	if b.policy.Quorum == "" {
		return nil, badPolicy(0, "there is no quorum line")
	}
	return b.policy, nil
}

func badPolicy(line int, words string) error {
	return &record.SyntaxError{Code: verify.BadPolicy, Line: line, Words: words}
}

// A builder holds what the lines of a policy have defined so far.
type builder struct {
	policy *Policy
	names  map[string]bool // of witnesses and groups
	taken  map[string]bool // members of a group
	keys   map[[32]byte]bool
}

// line reads one line and says what is wrong with it, or nothing.
func (b *builder) line(line string) string {
	if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return "there is a control character; lines end with LF alone"
	}
	f := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	if len(f) == 0 || strings.HasPrefix(f[0], "#") {
		return ""
	}
	switch {
	case f[0] == "log" && (len(f) == 2 || len(f) == 3):
		k, words := b.key(f[1], Plain)
		b.policy.Logs = append(b.policy.Logs, Log{k, strings.Join(f[2:], "")})
		return words
	case f[0] == "witness" && (len(f) == 3 || len(f) == 4):
		if words := b.define(f[1]); words != "" {
			return words
		}
		k, words := b.key(f[2], Cosigning)
		b.policy.Witnesses = append(b.policy.Witnesses, Witness{f[1], k, strings.Join(f[3:], "")})
		return words
	case f[0] == "group" && len(f) >= 4:
		return b.group(f[1], f[2], f[3:])
	case f[0] == "quorum" && len(f) == 2:
		switch {
		case b.policy.Quorum != "":
			return "there are two quorum lines"
		case !b.names[f[1]]:
			return "the quorum is not defined before this line"
		}
		b.policy.Quorum = f[1]
		return ""
	}
	return "this is no line log, witness, group or quorum with all its values"
}

func (b *builder) key(text string, algorithm Algorithm) (Key, string) {
	k, err := ParseKey(text)
	switch {
	case err != nil:
		return k, strings.TrimPrefix(err.Error(), "checkpoint: ")
	case k.Algorithm != algorithm:
		return k, "this is a key of another use"
	case b.keys[k.Public]:
		return k, "the key was given before"
	}
	b.keys[k.Public] = true
	return k, ""
}

func (b *builder) define(name string) string {
	if b.names[name] {
		return "the name is taken"
	}
	b.names[name] = true
	return ""
}

func (b *builder) group(name, least string, members []string) string {
	for _, m := range members {
		if !b.names[m] || m == None {
			return "a member is not defined before this line"
		}
		if b.taken[m] {
			return "a member stands in two groups, or twice in one"
		}
		b.taken[m] = true
	}
	k, ok := decimal(least)
	switch {
	case least == "any":
		k = 1
	case least == "all":
		k = int64(len(members))
	case !ok || k < 1 || k > int64(len(members)):
		return "the number of members that must cosign is not any, all or 1 to " + strconv.Itoa(len(members))
	}
	if words := b.define(name); words != "" {
		return words
	}
	b.policy.Groups = append(b.policy.Groups, Group{name, int(k), slices.Clone(members)})
	return ""
}

// Marshal writes the policy in one form, without its comments.
func (p *Policy) Marshal() []byte {
	var b strings.Builder
	row := func(fields ...string) {
		b.WriteString(strings.TrimSuffix(strings.Join(fields, " "), " ") + "\n")
	}
	for _, l := range p.Logs {
		row("log", l.Key.String(), l.URL)
	}
	for _, w := range p.Witnesses {
		row("witness", w.Name, w.Key.String(), w.URL)
	}
	for _, g := range p.Groups {
		row("group", g.Name, strconv.Itoa(g.Least), strings.Join(g.Members, " "))
	}
	row("quorum", p.Quorum)
	return []byte(b.String())
}

// Satisfied reports whether these witnesses are enough.
func (p *Policy) Satisfied(witnesses map[string]bool) bool {
	cosigned := map[string]bool{None: true}
	for _, w := range p.Witnesses {
		cosigned[w.Name] = witnesses[w.Name]
	}
	for _, g := range p.Groups { // members stand before their group
		n := 0
		for _, m := range g.Members {
			if cosigned[m] {
				n++
			}
		}
		cosigned[g.Name] = n >= g.Least
	}
	return cosigned[p.Quorum]
}

// A Cosigned checkpoint is one whose signatures were checked.
type Cosigned struct {
	Checkpoint
	Log       Key
	Witnesses map[string]int64 // latest time of each that cosigned, by its name in the policy
}

// Latest is the latest time at which one of the witnesses cosigned, 0 without any.
func (c Cosigned) Latest() int64 {
	var latest int64
	for _, t := range c.Witnesses {
		latest = max(latest, t)
	}
	return latest
}

// ErrQuorum says that a checkpoint is good but that not enough witnesses have
// cosigned it: not yet, perhaps.
var ErrQuorum = errors.New("checkpoint: too few witnesses have cosigned")

// Open reads a signed checkpoint and checks its signatures: a log of the policy that
// has its origin as name must have signed, and every signature under the name and key
// id of a known log or witness must verify. With [ErrQuorum] the checkpoint is returned
// too.
func (p *Policy) Open(note []byte) (Cosigned, error) {
	c, signatures, err := Open(note)
	if err != nil {
		return Cosigned{}, err
	}
	out := Cosigned{Checkpoint: c, Witnesses: map[string]int64{}}
	lines, signed := c.Marshal(), false
	for _, s := range signatures {
		for _, l := range p.Logs {
			if !l.Key.signs(s) {
				continue
			}
			if _, ok := l.Key.holds(lines, s); !ok {
				return Cosigned{}, errors.New("checkpoint: a signature of the log " + l.Key.Name + " does not hold")
			}
			if l.Key.Name == c.Origin {
				out.Log, signed = l.Key, true
			}
		}
		for _, w := range p.Witnesses {
			if !w.Key.signs(s) {
				continue
			}
			time, ok := w.Key.holds(lines, s)
			if !ok {
				return Cosigned{}, errors.New("checkpoint: a cosignature of " + w.Key.Name + " does not hold")
			}
			out.Witnesses[w.Name] = max(out.Witnesses[w.Name], time)
		}
	}
	if !signed {
		return Cosigned{}, errors.New("checkpoint: no log of the policy has signed")
	}
	have := map[string]bool{}
	for name := range out.Witnesses {
		have[name] = true
	}
	if !p.Satisfied(have) {
		return out, ErrQuorum
	}
	return out, nil
}

// Receipt is [Policy.Check] for package verify.
func (p *Policy) Receipt(entry, receipt []byte) (verify.Logged, error) {
	r, c, err := p.Check(entry, receipt)
	if err != nil {
		return verify.Logged{}, err
	}
	return verify.Logged{
		Origin: c.Origin, Index: uint64(r.Index), Size: uint64(c.Size), Witnesses: len(c.Witnesses), Time: c.Latest(),
	}, nil
}

// Check checks that an entry is in a log (docs/spec/log.md, "Receipt"), and gives the
// receipt and the checkpoint in it. The error is a [*record.SyntaxError] whose code is
// [verify.BadReceipt] or, if only cosignatures are missing, [verify.NoQuorum].
func (p *Policy) Check(entry, receipt []byte) (*Receipt, Cosigned, error) {
	refuse := func(code record.Code, words string) (*Receipt, Cosigned, error) {
		return nil, Cosigned{}, &record.SyntaxError{Code: code, Words: strings.TrimPrefix(words, "checkpoint: ")}
	}
	r, err := ParseReceipt(receipt)
	if err != nil {
		return refuse(verify.BadReceipt, err.Error())
	}
	c, err := p.Open(r.Note)
	switch {
	case errors.Is(err, ErrQuorum):
		return refuse(verify.NoQuorum, "too few witnesses of the policy have cosigned: "+strconv.Itoa(len(c.Witnesses)))
	case err != nil:
		return refuse(verify.BadReceipt, err.Error())
	case r.Index >= c.Size:
		return refuse(verify.BadReceipt, "the index is not below the size of the log")
	}
	switch root, ok := r.root(entry, c.Size); {
	case !ok:
		return refuse(verify.BadReceipt, "the path is too short or too long")
	case root != c.Root:
		return refuse(verify.BadReceipt, "the path does not lead from this entry to the root")
	}
	return r, c, nil
}
