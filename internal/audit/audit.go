// Package audit recomputes bets by the million: it reads them as NDJSON or CSV,
// checks each as package bet does, and looks at what only a set can show, such as
// a nonce that was used twice. Memory does not grow with the files but for what
// the set remembers, which has a limit. The formats are docs/audit.md; the fields
// are those of vectors/README.md.
package audit

import (
	"bytes"
	"hash/maphash"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"veridice/bet"
	"veridice/game"
)

// An Input is a file of bets.
type Input struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Options of a run.
type Options struct {
	Workers  int  // 1 or more; 0 is one for each processor
	Stats    bool // count outcomes for the tests of [Report.Games]
	Progress func(stored int64, bets uint64)
}

// A Place is a line of a file.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"` // in characters from 1, 0 for the whole line
}

// firstBroken is how many broken bets are shown.
const firstBroken = 10

// waiting is how many chunks for each worker may be read and not merged.
const waiting = 4

// maxReasons bounds the reasons that are told apart.
const maxReasons = 200

// A Report is what came of a run. Counts do not depend on the order of the lines.
type Report struct {
	Bets, Proven, Broken, Unknown uint64
	First                         []Broken
	Reasons                       []Reason // why some could not be checked, the most frequent first
	Seals                         Seals
	Set                           SetReport
	Games                         []Game // with Options.Stats
	StatsBeyond                   bool   // there were more kinds of bets than are counted
}

// Seals counts the bets that came with the hash of their seed.
type Seals struct {
	Fit  uint64 `json:"fit"`
	Not  uint64 `json:"not"`
	None uint64 `json:"none"` // or it is not known what the site's hash covers
}

// A Broken is a bet that does not follow from its seeds.
type Broken struct {
	Place
	Site     string   `json:"site"`
	Game     string   `json:"game"`
	Code     bet.Code `json:"code"`
	Key      string   `json:"key"`
	Expected string   `json:"expected"`
	Got      string   `json:"got"`
}

// A Reason why bets could not be checked.
type Reason struct {
	Code  string
	About string
	Count uint64
	First Place
	Words string // of the system, if it said why
}

// Verdict is the worst of all: broken, else unknown, else proven.
func (r *Report) Verdict() bet.Verdict {
	switch {
	case r.Broken > 0:
		return bet.Broken
	case r.Unknown > 0 || r.Proven == 0:
		return bet.Unknown
	}
	return bet.Proven
}

// A result is what a worker makes of a chunk.
type result struct {
	chunk   chunk
	lines   uint64
	proven  uint64
	seals   Seals
	broken  []Broken
	more    uint64 // broken ones beyond the first
	wrong   uint64 // of all broken, by their seal
	times   uint64 // that could not be read
	reasons []Reason
	uses    []noted
	many    []int32 // values of bets that have several
	owners  []owner
	nexts   []next
}

type next struct {
	seal  uint64
	place Place
}

// A noted bet goes to the set, and to the statistics if it is new.
type noted struct {
	pair, nonce uint64
	print       uint32
	line        int32 // within the chunk
	group       int32 // -1 if its outcome is not counted
	value       int32 // what came out, or where its values end
	from        int32 // where they begin in the result's list, -1 if it has one value
	counted     bool
}

type run struct {
	o      Options
	inputs []Input

	// Reading: one worker at a time.
	reading sync.Mutex
	file    int
	open    io.Closer
	split   *splitter
	chunks  int
	done    bool
	stored  int64 // of the files before

	// Merging, in the order of the chunks.
	merging sync.Mutex
	waiting map[int]*result
	merged  int
	room    chan struct{} // a token for each chunk that is read and not merged

	groups *groups
	report Report
	reason map[[3]string]int
	set    *set
	free   chan *result // as many as there are tokens
}

// Run checks the bets of all inputs.
func Run(inputs []Input, o Options) *Report {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	r := &run{
		o: o, inputs: inputs, waiting: map[int]*result{}, reason: map[[3]string]int{}, set: newSet(),
		room: make(chan struct{}, waiting*o.Workers), free: make(chan *result, waiting*o.Workers), groups: newGroups(),
	}
	if o.Workers == 1 {
		r.work()
	} else {
		var wait sync.WaitGroup
		for range o.Workers {
			wait.Go(r.work)
		}
		wait.Wait()
	}
	return r.finish()
}

func (r *run) work() {
	w := newWorker(r)
	for {
		r.room <- struct{}{}
		var res *result
		select {
		case res = <-r.free:
		default:
			res = new(result)
		}
		if !r.read(&res.chunk) {
			<-r.room
			return
		}
		w.check(res)
		r.merge(res)
	}
}

// read gives the next chunk of all files.
func (r *run) read(c *chunk) bool {
	r.reading.Lock()
	defer r.reading.Unlock()
	for !r.done {
		if r.split == nil {
			if r.file == len(r.inputs) {
				r.done = true
				break
			}
			f, err := r.inputs[r.file].Open()
			if err != nil {
				*c = chunk{number: r.chunks, file: r.file, data: c.data[:0], fault: &fault{code: Unreadable}, err: err}
				r.chunks++
				r.file++
				return true
			}
			r.open, r.split = f, newSplitter(f)
		}
		if r.split.next(c) {
			c.number, c.file = r.chunks, r.file
			c.bytes += r.stored
			r.chunks++
			return true
		}
		r.stored += r.split.raw.n
		r.open.Close()
		r.split = nil
		r.file++
	}
	return false
}

func (r *run) merge(res *result) {
	r.merging.Lock()
	defer r.merging.Unlock()
	r.waiting[res.chunk.number] = res
	for {
		next := r.waiting[r.merged]
		if next == nil {
			return
		}
		delete(r.waiting, r.merged)
		r.merged++
		r.add(next)
		if r.o.Progress != nil {
			r.o.Progress(next.chunk.bytes, r.report.Bets)
		}
		r.free <- next
		<-r.room
	}
}

// add takes the result of the next chunk into the report.
func (r *run) add(res *result) {
	t := &r.report
	name := r.inputs[res.chunk.file].Name
	t.Bets += res.lines
	t.Proven += res.proven
	t.Seals.Fit += res.seals.Fit
	t.Seals.Not += res.seals.Not
	t.Seals.None += res.seals.None
	t.Broken += res.more
	t.Set.WrongSeals += res.wrong
	t.Set.TimesNotRead += res.times
	for _, b := range res.broken {
		if t.Broken++; len(t.First) < firstBroken {
			b.File = name
			t.First = append(t.First, b)
		}
	}
	for _, why := range res.reasons {
		why.First.File = name
		r.because(why)
	}
	for _, o := range res.owners {
		o.place.File = name
		r.set.own(o)
	}
	for _, n := range res.nexts {
		n.place.File = name
		r.set.announce(n.seal, n.place)
	}
	var p *pair
	before := uint64(0)
	for i := range res.uses {
		u := &res.uses[i]
		place := Place{File: name, Line: res.chunk.line + int(u.line)}
		if u.counted && (p == nil || before != u.pair) {
			p, before = r.set.take(u.pair, place), u.pair
		}
		own := p
		if !u.counted {
			own = nil
		}
		fresh := r.set.add(use{u.pair, u.nonce, u.print, u.counted, place}, own)
		if fresh && u.group >= 0 {
			r.groups.count(u, res.many)
		}
	}
}

func (r *run) because(why Reason) {
	r.report.Unknown += why.Count
	key := [3]string{why.Code, why.About, why.Words}
	i, ok := r.reason[key]
	if !ok && len(r.reason) >= maxReasons {
		key = [3]string{why.Code}
		i, ok = r.reason[key]
		why.About, why.Words = "", ""
	}
	if ok {
		r.report.Reasons[i].Count += why.Count
		return
	}
	r.reason[key] = len(r.report.Reasons)
	r.report.Reasons = append(r.report.Reasons, why)
}

func (r *run) finish() *Report {
	t := &r.report
	if t.Bets == 0 && t.Unknown == 0 {
		r.because(Reason{Code: NoBets, Count: 1})
	}
	slices.SortStableFunc(t.Reasons, func(a, b Reason) int {
		if a.Count != b.Count {
			return int(min(max(int64(b.Count)-int64(a.Count), -1), 1))
		}
		return strings.Compare(a.Code+" "+a.About, b.Code+" "+b.About)
	})
	wrong, times := t.Set.WrongSeals, t.Set.TimesNotRead
	t.Set = r.set.report()
	t.Set.WrongSeals, t.Set.TimesNotRead = wrong, times
	if r.o.Stats {
		t.Games, t.StatsBeyond = r.groups.games(), r.groups.full
	}
	return t
}

// A worker checks chunks.
type worker struct {
	run    *run
	json   decoder
	csv    csvReader
	row    row
	quotes bool // in the chunk
	cut    bool // the line may be: it has no end, and no brace that closes it
	engine *checker

	// The seed pair of the row before, and what is known of it.
	before   row
	known    bool // there is one
	hashes   owner
	nextSeal []byte
	kind     uint64 // hash of game and variant
	group    groupKey
	result   *result
}

func newWorker(r *run) *worker { return &worker{run: r, engine: newChecker()} }

func (w *worker) check(res *result) {
	*res = result{
		chunk: res.chunk, broken: res.broken[:0], reasons: res.reasons[:0], uses: res.uses[:0], owners: res.owners[:0], nexts: res.nexts[:0], many: res.many[:0],
	}
	if cap(res.uses) == 0 {
		res.uses = make([]noted, 0, len(res.chunk.data)/100)
	}
	w.result = res
	c := &res.chunk
	if c.fault != nil {
		if c.fault.code == TooLong { // as one that the splitter holds whole
			res.lines++
		}
		words := ""
		if c.err != nil {
			words = c.err.Error()
		}
		w.unknown(0, c.fault, words)
	}
	// Without quotation marks a record of CSV is a line.
	w.quotes = c.csv != nil && bytes.IndexByte(c.data, '"') >= 0
	data, line := c.data, 0
	for len(data) > 0 {
		n := len(data)
		if w.quotes {
			n = record(data, len(c.csv.columns), true)
		} else if end := bytes.IndexByte(data, '\n'); end >= 0 {
			n = end + 1
		}
		text := data[:n]
		data = data[n:]
		w.cut = c.csv != nil && text[n-1] != '\n'
		w.line(trimEnd(text), line)
		if line++; w.quotes {
			line += max(0, bytes.Count(text, []byte{'\n'})-1)
		}
	}
}

func (w *worker) line(text []byte, line int) {
	if blank(text) {
		return
	}
	res := w.result
	res.lines++
	if len(text) > MaxLine {
		w.unknown(line, &fault{code: TooLong}, "")
		return
	}
	var f *fault
	if res.chunk.csv != nil {
		f = w.csv.read(res.chunk.csv, text, w.quotes, &w.row)
	} else {
		f = w.json.read(text, &w.row)
	}
	if f != nil {
		w.unknown(line, f, "")
		return
	}
	w.bet(line)
}

// bet checks the bet of the row.
func (w *worker) bet(line int) {
	r, res := &w.row, w.result
	again := w.known && sameSeeds(r, &w.before)
	value, proven := w.engine.fast(r, again)
	var many []int32
	if proven && value < 0 && w.run.o.Stats {
		many = w.observe(bet.Check(r.bet()).Outcome)
	}
	if proven {
		res.proven++
		switch {
		case w.engine.fit == bet.Fits:
			res.seals.Fit++
		default:
			res.seals.None++
		}
	} else {
		got := bet.Check(r.bet())
		if got.Verdict == bet.Broken && w.cut {
			got = bet.Result{Verdict: bet.Unknown, Code: NotEnded}
		}
		switch got.Seal {
		case bet.Fits:
			res.seals.Fit++
		case bet.Differ:
			res.seals.Not++
			res.wrong++
		default:
			res.seals.None++
		}
		switch got.Verdict {
		case bet.Proven:
			res.proven++
			proven = true
		case bet.Broken:
			w.broken(line, got)
		default:
			w.unknown(line, &fault{code: string(got.Code), about: about(r, got)}, "")
		}
		value = -1
		if w.run.o.Stats && proven {
			many = w.observe(got.Outcome)
		}
	}
	w.note(line, value, many, proven, again)
}

func about(r *row, got bet.Result) string {
	switch got.Code {
	case game.SiteUnknown:
		return short(r.site)
	case game.GameUnknown, game.NotPublished, game.NotCovered, game.VariantUnknown, game.VariantMissing, bet.VersionsPart:
		return short(r.site) + " " + short(r.game)
	}
	return short([]byte(got.Key))
}

// short bounds a name that a file brings.
func short(name []byte) string { return cut(string(name), 40) }

// maxValue bounds a value that is shown.
const maxValue = 1000

func cut(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

func (w *worker) broken(line int, got bet.Result) {
	res := w.result
	if len(res.broken) == firstBroken {
		res.more++
		return
	}
	res.broken = append(res.broken, Broken{
		Place: Place{Line: res.chunk.line + line}, Site: short(w.row.site), Game: short(w.row.game),
		Code: got.Code, Key: short([]byte(got.Key)), Expected: cut(got.Expected, maxValue), Got: cut(got.Got, maxValue),
	})
}

func (w *worker) unknown(line int, f *fault, words string) {
	res := w.result
	for i := range res.reasons {
		if why := &res.reasons[i]; why.Code == f.code && why.About == f.about {
			why.Count++
			return
		}
	}
	at := Place{Line: res.chunk.line + line, Column: f.column}
	why := Reason{Code: f.code, About: f.about, Count: 1, First: at, Words: words}
	if len(res.reasons) >= maxReasons {
		why.About = ""
		for i := range res.reasons {
			if res.reasons[i].Code == f.code && res.reasons[i].About == "" {
				res.reasons[i].Count++
				return
			}
		}
	}
	res.reasons = append(res.reasons, why)
}

// note keeps for the set what a bet says beside its outcome.
func (w *worker) note(line int, value int32, many []int32, proven, again bool) {
	r, res := &w.row, w.result
	place := Place{Line: res.chunk.line + line}
	if !again {
		b := &w.before
		b.site, b.seed = append(b.site[:0], r.site...), append(b.seed[:0], r.seed...)
		b.client, b.sealed = append(b.client[:0], r.client...), append(b.sealed[:0], r.sealed...)
		b.hasClient, w.known = r.hasClient, true
		w.hashes = owner{pair: hashOf(r.site, r.seed, r.client), seed: hashOf(r.site, r.seed)}
		if len(r.sealed) == 64 { // what is no hash ties no two seeds together
			w.hashes.seal = sealHash(r.site, r.sealed)
		}
		if own, ok := bet.Seal(string(r.site), string(r.seed)); ok {
			w.hashes.own = sealHash(r.site, []byte(own))
			w.hashes.seed = w.hashes.own // digits of either case may be one seed
		}
	}
	if !again || len(res.owners) == 0 { // each chunk names its owners itself
		o := w.hashes
		o.place = place
		res.owners = append(res.owners, o)
		w.nextSeal = w.nextSeal[:0]
	}
	o := &res.owners[len(res.owners)-1]
	if len(r.next) > 0 && !bytes.Equal(r.next, w.nextSeal) {
		w.nextSeal = append(w.nextSeal[:0], r.next...)
		res.nexts = append(res.nexts, next{sealHash(r.site, r.next), place})
	}
	if t := w.moment(r.at); t != 0 {
		o.used = max(o.used, t)
	}
	if t := w.moment(r.revealed); t != 0 && (o.revealed == 0 || t < o.revealed) {
		o.revealed = t
	}
	u := noted{pair: w.hashes.pair, nonce: r.nonce, line: int32(line), group: -1, value: value, from: -1}
	if len(many) > 0 {
		u.from = int32(len(res.many))
		res.many = append(res.many, many...)
		u.value = int32(len(res.many))
	}
	switch string(r.game) {
	case "bytes", "floats", "hmac", "seal", "chain":
		return // no bets
	}
	u.counted = r.hasNonce && r.cursor == 0 && string(r.site) != "zeroplay"
	if !u.counted { // a number behind a cursor is another part of the bet with this nonce
		u.pair = mix(u.pair, 1+r.cursor)
	}
	if !bytes.Equal(r.game, w.before.game) || !bytes.Equal(r.variant, w.before.variant) {
		w.before.game, w.before.variant = append(w.before.game[:0], r.game...), append(w.before.variant[:0], r.variant...)
		w.kind = hashOf(r.game, r.variant)
	}
	print := w.kind
	for i, list := range [...][]field{r.params, r.want} {
		if len(list) == 0 {
			continue
		}
		sum := uint64(i) // of the fields, in any order
		for _, f := range list {
			sum += mix(maphash.Bytes(hashSeed, f.text), nameKey(f.name))
		}
		print = mix(print, sum)
	}
	u.print = uint32(print)
	if w.run.o.Stats && proven && (value >= 0 || len(many) > 0) {
		u.group = w.run.groups.id(r, &w.group)
	}
	res.uses = append(res.uses, u)
}

// nameKey tells the fields of one game apart: their names differ in the first
// letters or in length.
func nameKey(name []byte) uint64 {
	key := uint64(len(name))
	for _, c := range name[:min(len(name), 7)] {
		key = key<<8 | uint64(c)
	}
	return key
}

// sealHash is the key of a published hash: hex digits of either case.
func sealHash(site, hex []byte) uint64 {
	return hashOf(site, bytes.ToLower(hex))
}

// moment reads RFC 3339, in seconds of Unix; 0 if it is none.
func (w *worker) moment(text []byte) int64 {
	if len(text) == 0 {
		return 0
	}
	t, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		w.result.times++
		return 0
	}
	return t.Unix()
}
