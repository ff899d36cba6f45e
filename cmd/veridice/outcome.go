package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"veridice/bet"
	"veridice/game"
	"veridice/internal/cli"
	"veridice/internal/locale"
	"veridice/record"
	"veridice/seed"
)

// betFlags name a bet: outcome and explain have them.
var betFlags = []cli.Flag{
	{Name: "site", Value: "SITE", Usage: "where the bet was made", Choices: game.Sites()},
	{Name: "game", Value: "NAME", Usage: "what was played", Choices: gameNames()},
	{Name: "server-seed", Value: "SEED", Usage: "as the site revealed it; for games like crash the hash of the round"},
	{Name: "client-seed", Value: "TEXT", Usage: "taken byte for byte; for games like crash the salt, block hash or signature"},
	{Name: "nonce", Value: "N", Usage: "as the site counts, 0 to 9007199254740991"},
	{Name: "cursor", Value: "N", Usage: "where the stream begins: a byte, for LIQD a block; by default 0"},
	{Name: "param", Value: "KEY=VALUE", Usage: "what the player chose, such as rows=8; formula=NAME if the rule has several", Repeated: true},
}

func gameNames() []string {
	var names []string
	for _, g := range game.All() {
		if !slices.Contains(names, g.Name) {
			names = append(names, g.Name)
		}
	}
	return names
}

// formula is what the version of a rule is called among the parameters.
const formula = "formula"

func runOutcome(c *cli.Call) int {
	if c.Given("list") {
		return listGames(c)
	}
	b, err := readBet(c)
	if err != nil {
		return c.Misuse(err.Error())
	}
	made, err := bet.Explain(b)
	if err != nil {
		return refuse(c, b, err)
	}
	if b.SealedAs, err = readSeal(c.Value("seal")); err != nil {
		return c.Misuse(err.Error())
	}
	tried, err := claims(c, made.Outcome)
	if err != nil {
		return c.Misuse(err.Error())
	}
	a := compared(b, made.Outcome, tried)
	if c.Given("json") {
		if code := answerJSON(c, a.view(c.Words())); code != cli.Proven {
			return code
		}
	} else {
		a.print(c)
	}
	return a.exit()
}

// readBet reads the flags. Its errors are about the command line.
func readBet(c *cli.Call) (bet.Bet, error) {
	b := bet.Bet{Site: c.Value("site"), Game: c.Value("game")}
	if b.Site == "" {
		return b, errors.New("give --site: " + strings.Join(game.Sites(), ", "))
	}
	if b.Game == "" {
		return b, errors.New("give --game, one of those that veridice outcome --list shows")
	}
	var err error
	if b.Params, b.Variant, err = readParams(c); err != nil {
		return b, err
	}
	g, err := game.Lookup(b.Site, b.Game)
	if err != nil || g.Grade.Kind == game.Unknown {
		return b, nil // what is not known needs no seeds to be refused
	}
	needs := bet.PartsOf(g)
	for _, part := range []struct {
		flag string
		has  bool
	}{{"client-seed", needs.Client}, {"cursor", needs.Cursor || b.Site == "liqd"}} {
		if c.Given(part.flag) && !part.has {
			return b, errors.New("--" + part.flag + " does not go with " + b.Site + " " + b.Game)
		}
	}
	if c.Given("nonce") && !needs.Nonce { // some sites print one that nothing is made of
		c.Warning("--nonce: " + b.Site + " " + b.Game + " makes nothing of it")
	}
	if !c.Given("server-seed") {
		return b, errors.New("give --server-seed")
	}
	b.Seed = c.Value("server-seed")
	if spelled(b) {
		b.Seed = strings.TrimPrefix(strings.TrimSpace(b.Seed), "0x")
	}
	if at := notUTF8(b.Seed); at > 0 {
		return b, errors.New("--server-seed: is not UTF-8 from byte " + strconv.Itoa(at) + " on")
	}
	if needs.Client {
		if !c.Given("client-seed") {
			return b, errors.New("give --client-seed; an empty one as --client-seed ''")
		}
		client := c.Value("client-seed")
		if at := notUTF8(client); at > 0 {
			return b, errors.New("--client-seed: is not UTF-8 from byte " + strconv.Itoa(at) + " on")
		}
		b.Client = &client
	}
	if needs.Nonce && !c.Given("nonce") {
		return b, errors.New("give --nonce")
	}
	for flag, to := range map[string]**uint64{"nonce": &b.Nonce, "cursor": &b.Cursor} {
		if c.Given(flag) {
			n, err := number(c, flag, 0, 1<<53-1)
			if err != nil {
				return b, err
			}
			*to = &n
		}
	}
	for _, name := range needs.Players {
		if (game.Params{Args: b.Params}).Get(name) == "" {
			return b, errors.New("give --param " + name + "=VALUE: " + strings.Join(needs.Players, ", "))
		}
	}
	return b, nil
}

// readParams reads --param: the parameters of a game, and the name of a formula.
func readParams(c *cli.Call) (args []game.Arg, variant string, err error) {
	for _, text := range c.Values("param") {
		name, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || name == "":
			return nil, "", errors.New("--param: " + text + " is not KEY=VALUE")
		case name == formula && variant != "":
			return nil, "", errors.New("--param formula: is given twice")
		case name == formula:
			variant = value
		default:
			args = append(args, game.Arg{Name: name, Value: value})
		}
	}
	return args, variant, nil
}

// spelled reports whether the seed of a bet is bytes in hex and not a text, so
// that white space around it means nothing.
func spelled(b bet.Bet) bool {
	return slices.Contains([]string{"duel", "liqd", "zeroplay", "bustabit"}, b.Site) || b.Site == "bcgame" && b.Game == "crash"
}

// notUTF8 is the place of the first byte, from 1, that is no UTF-8; else 0.
func notUTF8(text string) int {
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			return i + 1
		}
	}
	return 0
}

func readSeal(text string) (string, error) {
	b, err := record.HexField(text)
	if err != nil || b != nil && len(b) != len(seed.Seal{}) {
		return "", errors.New("--seal: is not 64 hex digits")
	}
	return seed.Hex(b), nil
}

// refuse says why there is no outcome: of a wrong command line what would be
// right, else that it is unknown.
func refuse(c *cli.Call, b bet.Bet, err error) int {
	code, about, allowed := bet.CodeOf(err)
	switch code {
	case game.ParamMissing:
		return c.Misuse("give --param " + about + "=VALUE" + after(": ", allowed))
	case game.ParamUnknown:
		return c.Misuse("--param " + about + ": " + b.Site + " " + b.Game + " has no such parameter" + after("; it has: ", allowed))
	case game.ParamTwice:
		return c.Misuse("--param " + about + ": is given twice")
	case game.ParamValue:
		return c.Misuse("--param " + about + ": not allowed" + after("; allowed: ", allowed))
	case game.VariantMissing:
		return c.Misuse("give --param formula=NAME: " + allowed)
	case game.VariantUnknown:
		return c.Misuse("--param formula: " + b.Site + " " + b.Game + " has no formula " + b.Variant + after("; it has: ", strings.Trim(allowed, ", ")))
	case bet.BadSeed:
		return c.Misuse("--server-seed: " + allowed)
	case bet.BadClient:
		return c.Misuse("--client-seed: " + allowed)
	case bet.BadNonce:
		return c.Misuse("--" + about + ": " + allowed)
	}
	p := c.Words()
	text := p.Text("outcome.refused."+string(code), "site", b.Site, "game", b.Game)
	hint := p.Text("outcome.refused.hint")
	if c.Given("json") {
		v := outcomeView{Verdict: given(string(bet.Unknown)), Code: given(string(code)), Message: text, Hint: &hint,
			Site: b.Site, Game: b.Game, Variant: b.Variant, Params: paramsView(b.Params), Grade: game.Unknown, Labels: []labelView{}, Seal: bet.Absent}
		if code := answerJSON(c, v); code != cli.Proven {
			return code
		}
		return cli.Unknown
	}
	c.Answer(p.Text("verify.verdict.unknown") + ": " + text)
	c.Hint(hint)
	return cli.Unknown
}

// after puts a separator before a text, if there is one.
func after(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// claims reads --said and --want as lists of keys, of which one must fit: what a
// site shows of a board has no order, so the set counts too.
func claims(c *cli.Call, o *game.Outcome) ([][]game.Key, error) {
	var wanted []game.Key
	for _, text := range c.Values("want") {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, errors.New("--want: " + text + " is not KEY=VALUE")
		}
		key, ok := o.Key(name)
		if !ok {
			var names []string
			for _, k := range o.Keys {
				names = append(names, k.Name)
			}
			return nil, errors.New("--want " + name + ": the outcome has only " + strings.Join(names, ", "))
		}
		v, ok := bet.ReadLike(key.Value, value)
		if !ok {
			return nil, errors.New("--want " + name + ": " + value + " cannot be read as " + name)
		}
		wanted = append(wanted, game.Key{Name: name, Value: v})
	}
	if !c.Given("said") {
		if wanted == nil {
			return nil, nil
		}
		return [][]game.Key{wanted}, nil
	}
	said := strings.TrimRight(strings.TrimSpace(c.Value("said")), "x×")
	var tried [][]game.Key
	for _, name := range []string{primary(o), "set", "sets"} {
		if key, ok := o.Key(name); ok {
			if v, ok := bet.ReadLike(key.Value, said); ok {
				if name != primary(o) {
					inOrder(v)
				}
				tried = append(tried, append(wanted[:len(wanted):len(wanted)], game.Key{Name: name, Value: v}))
			}
		}
	}
	if tried == nil {
		return nil, errors.New("--said: " + c.Value("said") + " cannot be read as " + primary(o) + ", such as " + headValue(o))
	}
	return tried, nil
}

// inOrder sorts the numbers of a set, or of each set in a list.
func inOrder(v game.Value) {
	for _, one := range v.List {
		inOrder(one)
	}
	slices.SortStableFunc(v.List, func(a, b game.Value) int {
		if a.Kind != game.Integer {
			return 0
		}
		return cmp.Compare(a.Int, b.Int)
	})
}

// An answer is a bet with its outcome and what a comparison came to.
type answer struct {
	bet    bet.Bet
	made   *game.Outcome
	asked  bool // something was said, or a seal was given
	result bet.Result
	hint   string // the key of a hint, or ""
	form   string // of the client seed that would fit
}

func compared(b bet.Bet, made *game.Outcome, tried [][]game.Key) answer {
	a := answer{bet: b, made: made, asked: tried != nil || b.SealedAs != ""}
	a.result = bet.Check(b)
	for i, want := range tried {
		b.Want = want
		if r := bet.Check(b); i == 0 || r.Verdict == bet.Proven {
			a.result, a.bet = r, b
		}
	}
	if tried == nil && a.result.Seal == bet.Differ {
		a.result.Verdict, a.result.Code = bet.Broken, bet.WrongSeal
	}
	if a.result.Code == bet.WrongOutcome && b.Client != nil {
		a.heal(*b.Client)
	}
	return a
}

// heal looks for another form of the client seed with which the outcome would be
// the one that was said. It changes no verdict.
func (a *answer) heal(client string) {
	try := func(other string) bool {
		b := a.bet
		b.Client = &other
		return other != client && bet.Check(b).Verdict == bet.Proven
	}
	for _, f := range []struct {
		name string
		form norm.Form
	}{{"NFC", norm.NFC}, {"NFD", norm.NFD}, {"NFKC", norm.NFKC}, {"NFKD", norm.NFKD}} {
		if try(f.form.String(client)) {
			a.hint, a.form = "outcome.hint.form", f.name
			return
		}
	}
	if try(strings.TrimSpace(client)) {
		a.hint = "outcome.hint.space"
	}
}

func (a answer) exit() int {
	switch {
	case !a.asked:
		return cli.Proven
	case a.result.Verdict == bet.Broken:
		return cli.Broken
	case a.bet.Want == nil: // the seal alone was looked at
		if a.result.Seal == bet.Fits {
			return cli.Proven
		}
		return cli.Unknown
	case a.result.Verdict == bet.Proven:
		return cli.Proven
	}
	return cli.Unknown
}

// verdict is the line about what the site said, or "".
func (a answer) verdict(p *locale.Printer) string {
	word := func(v bet.Verdict) string { return p.Text("verify.verdict."+string(v)) + ": " }
	switch {
	case a.result.Code == bet.WrongSeal:
		return word(bet.Broken) + p.Text("outcome.said.wrong-seal")
	case a.bet.Want == nil:
		return ""
	case a.result.Verdict == bet.Proven:
		return word(bet.Proven) + p.Text("outcome.said.proven")
	case a.result.Verdict == bet.Broken:
		return word(bet.Broken) + p.Text("outcome.said.broken", "key", keyWord(p, a.result.Key), "expected", a.result.Expected, "got", a.result.Got)
	}
	return word(bet.Unknown) + p.Text("outcome.said.unknown")
}

func (a answer) print(c *cli.Call) {
	p := c.Words()
	if line := a.verdict(p); line != "" {
		c.Answer(line)
	}
	c.Answer(headline(p, a.made))
	rows := details(p, a.made)
	rows = append(rows, [2]string{p.Text("outcome.rule"), gradeWords(p, a.made.Grade)})
	for _, l := range a.made.Labels {
		rows = append(rows, [2]string{p.Text("outcome.note"), p.Text("outcome.label."+l.Code, "key", keyWord(p, l.Key))})
	}
	if a.asked {
		rows = append(rows, [2]string{p.Text("outcome.seal"), p.Text("outcome.seal." + string(a.result.Seal))})
	}
	printRows(c, rows)
	for _, f := range a.result.Findings {
		c.Hint(p.Text("outcome.finding." + f))
	}
	if a.hint != "" {
		c.Hint(p.Text(a.hint, "form", a.form))
	}
}

// printRows prints names and texts in two columns, a repeated name once; a text may have
// lines.
func printRows(c *cli.Call, rows [][2]string) {
	width := 0
	for _, r := range rows {
		width = max(width, utf8.RuneCountInString(r[0]))
	}
	last := ""
	for _, r := range rows {
		name := r[0]
		if name == last {
			name = ""
		}
		last = r[0]
		for line := range strings.SplitSeq(r[1], "\n") {
			c.Answer(strings.TrimRight("  "+name+strings.Repeat(" ", width-utf8.RuneCountInString(name)+2)+line, " "))
			name = ""
		}
	}
}

// headKeys are the keys that tell an outcome, the first that it has.
var headKeys = []string{"slot", "result", "roll", "pocket", "segment", "field", "winner", "hand", "gems", "safe", "numbers", "cells", "animals", "columns",
	"stops", "flips", "throws", "rounds", "sums", "multipliers", "rows", "cards", "value", "floats", "bytes", "dice", "player", "set", "multiplier"}

// primary is the key of an outcome that a player asks for.
func primary(o *game.Outcome) string {
	for _, name := range headKeys {
		if _, ok := o.Key(name); ok {
			return name
		}
	}
	panic("veridice: internal error: an outcome of " + o.Game + " without a key to show")
}

func headValue(o *game.Outcome) string {
	k, _ := o.Key(primary(o))
	return k.Value.String()
}

// names are those games whose name is not its words with capitals.
var names = map[string]string{"rps": "Rock Paper Scissors", "hilo": "HiLo"}

// gameName writes a game as its sites do; they do not translate it.
func gameName(name string) string {
	if text, ok := names[name]; ok {
		return text
	}
	words := strings.Split(name, "-")
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// headline is the outcome in one line: Plinko, 8 rows: slot 5.
func headline(p *locale.Printer, o *game.Outcome) string {
	text := gameName(o.Game)
	if o.Params.Variant != "" {
		text += ", " + o.Params.Variant
	}
	for _, a := range o.Params.Args {
		key := "outcome.param." + a.Name
		n, err := strconv.Atoi(a.Value)
		switch {
		case !p.Has(key):
			text += ", " + a.Name + " " + a.Value
		case err == nil:
			text += ", " + p.Text(key, "count", n)
		default:
			text += ", " + p.Text(key, "value", a.Value)
		}
	}
	name := primary(o)
	k, _ := o.Key(name)
	value := shown(p, name, k.Value)
	if head := "outcome.head." + name; p.Has(head) {
		value = p.Text(head, "value", value)
	}
	return text + ": " + value
}

// keyWord names a key of an outcome to people.
func keyWord(p *locale.Printer, name string) string {
	if key := "outcome.key." + strings.ReplaceAll(name, "_", "-"); p.Has(key) {
		return p.Text(key)
	}
	return name
}

// words lists the keys whose values are words that have translations; it is also
// where the names of keys with an underscore stand as messages write them.
var words = []string{"field", "winner", "gems", "player", "dealer", "animals", "win", "special-spins", "bonus-spins", "next-nonce"}

// shown writes the value of a key to people.
func shown(p *locale.Printer, name string, v game.Value) string {
	switch name {
	case "rows", "rounds":
		var groups []string
		for _, row := range v.List {
			groups = append(groups, strings.ReplaceAll(row.String(), " ", ""))
		}
		return strings.Join(groups, " ")
	case "dice":
		var rolls []string
		for _, roll := range v.List {
			rolls = append(rolls, strings.ReplaceAll(roll.String(), " ", "-"))
		}
		return strings.Join(rolls, " ")
	}
	if !slices.Contains(words, name) {
		return v.String()
	}
	list := strings.Fields(v.String())
	for i, w := range list {
		if key := "outcome.value." + w; p.Has(key) {
			list[i] = p.Text(key)
		}
	}
	return strings.Join(list, " ")
}

// details are the other keys, and a board where there is one.
func details(p *locale.Printer, o *game.Outcome) [][2]string {
	var rows [][2]string
	head := primary(o)
	for _, k := range o.Keys {
		switch {
		case k.Name == head || k.Name == "sets":
		case k.Name == "raw" && k.Value.Kind == game.List: // of what is drawn without replacement
			rows = append(rows, [2]string{keyWord(p, "places"), shown(p, k.Name, k.Value)})
		case k.Name == "exact": // the same but for 44 cases
			if m, _ := o.Key("multiplier"); m.Value.Text != k.Value.Text {
				rows = append(rows, [2]string{keyWord(p, k.Name), shown(p, k.Name, k.Value)})
			}
		default:
			rows = append(rows, [2]string{keyWord(p, k.Name), shown(p, k.Name, k.Value)})
		}
	}
	if b := board(o); b != "" {
		rows = append(rows, [2]string{p.Text("outcome.board"), b})
	}
	return rows
}

// board draws a board of mines, or a tower from the top.
func board(o *game.Outcome) string {
	marks := func(n int, at game.Value) string {
		row := strings.Split(strings.Repeat("·", n), "")
		for _, v := range at.List {
			row[v.Int] = "*"
		}
		return strings.Join(row, " ")
	}
	switch o.Game {
	case "mines":
		const across, cells = 5, 25
		at, ok := o.Key("cells")
		if !ok {
			at, _ = o.Key("set")
		}
		all := strings.Split(marks(cells, at.Value), " ")
		var lines []string
		for row := range slices.Chunk(all, across) {
			lines = append(lines, strings.Join(row, " "))
		}
		return strings.Join(lines, "\n")
	case "tower", "dragon-tower":
		columns := map[string]int{"easy": 4, "medium": 3, "hard": 2, "expert": 3, "master": 4}[o.Params.Get("difficulty")]
		rows, _ := o.Key("rows")
		var lines []string
		for _, row := range slices.Backward(rows.Value.List) {
			lines = append(lines, marks(columns, row))
		}
		return strings.Join(lines, "\n")
	}
	return ""
}

func gradeWords(p *locale.Printer, g game.Grade) string {
	if g.Kind == game.Confirmed {
		return p.Text("outcome.grade.confirmed", "count", g.N)
	}
	return p.Text("outcome.grade." + g.Kind)
}

// outcomeView is what outcome --json prints: docs/json.md.
type outcomeView struct {
	Verdict  *string           `json:"verdict"`
	Code     *string           `json:"code"`
	Message  string            `json:"message"`
	Hint     *string           `json:"hint"`
	Site     string            `json:"site"`
	Game     string            `json:"game"`
	Variant  string            `json:"variant"`
	Params   map[string]string `json:"params"`
	Grade    string            `json:"grade"`
	Outcome  json.RawMessage   `json:"outcome"`
	Labels   []labelView       `json:"labels"`
	Key      *string           `json:"key"`
	Expected *string           `json:"expected"`
	Got      *string           `json:"got"`
	Seal     bet.Fit           `json:"seal"`
}

type labelView struct {
	Code string `json:"code"`
	Key  string `json:"key"`
}

func paramsView(args []game.Arg) map[string]string {
	m := map[string]string{}
	for _, a := range args {
		m[a.Name] = a.Value
	}
	return m
}

func (a answer) view(p *locale.Printer) outcomeView {
	o := a.made
	v := outcomeView{Message: headline(p, o), Site: o.Site, Game: o.Game, Variant: o.Params.Variant, Params: paramsView(o.Params.Args),
		Grade: o.Grade.String(), Outcome: o.AppendKeys(nil), Labels: []labelView{}, Seal: a.result.Seal}
	for _, l := range o.Labels {
		v.Labels = append(v.Labels, labelView{l.Code, l.Key})
	}
	if a.bet.Want != nil || a.result.Code == bet.WrongSeal {
		v.Verdict, v.Code = given(string(a.result.Verdict)), given(string(a.result.Code))
		v.Key, v.Expected, v.Got = given(a.result.Key), given(a.result.Expected), given(a.result.Got)
	}
	if a.hint != "" {
		hint := p.Text(a.hint, "form", a.form)
		v.Hint = &hint
	}
	return v
}

// gameView is a line of outcome --list --json.
type gameView struct {
	Site     string      `json:"site"`
	Game     string      `json:"game"`
	Formulas []string    `json:"formulas"`
	Params   []paramView `json:"params"`
	Needs    []string    `json:"needs"`
	Grade    string      `json:"grade"`
}

type paramView struct {
	Name     string    `json:"name"`
	Type     game.Type `json:"type"`
	Allowed  string    `json:"allowed"`
	Optional bool      `json:"optional"`
}

func listGames(c *cli.Call) int {
	var lines [][3]string
	width := [2]int{}
	for _, g := range game.All() {
		if (c.Given("site") && g.Site != c.Value("site")) || (c.Given("game") && g.Name != c.Value("game")) {
			continue
		}
		if c.Given("json") {
			v := gameView{Site: g.Site, Game: g.Name, Formulas: slices.DeleteFunc(slices.Clone(g.Variants), func(s string) bool { return s == "" }), Params: []paramView{}, Needs: []string{"server-seed"}, Grade: g.Grade.String()}
			for _, q := range g.Params {
				v.Params = append(v.Params, paramView{q.Name, q.Type, q.Allowed(), q.Optional})
			}
			needs := bet.PartsOf(g)
			if needs.Client {
				v.Needs = append(v.Needs, "client-seed")
			}
			if needs.Nonce {
				v.Needs = append(v.Needs, "nonce")
			}
			v.Needs = append(v.Needs, needs.Players...)
			if code := answerJSON(c, v); code != cli.Proven {
				return code
			}
			lines = append(lines, [3]string{})
			continue
		}
		var params []string
		if formulas := strings.Trim(strings.Join(g.Variants, ", "), ", "); formulas != "" {
			params = append(params, formula+" "+formulas)
		}
		for _, q := range g.Params {
			text := q.Name + " " + q.Allowed()
			if q.Optional {
				text = "[" + text + "]"
			}
			params = append(params, text)
		}
		line := [3]string{g.Site + " " + g.Name, g.Grade.String(), strings.Join(params, "; ")}
		lines = append(lines, line)
		width[0], width[1] = max(width[0], len(line[0])), max(width[1], len(line[1]))
	}
	if lines == nil {
		return c.Misuse("there is no such game")
	}
	if c.Given("json") {
		return cli.Proven
	}
	for _, l := range lines {
		c.Answer(strings.TrimRight(l[0]+strings.Repeat(" ", width[0]-len(l[0])+2)+l[1]+strings.Repeat(" ", width[1]-len(l[1])+2)+l[2], " "))
	}
	return cli.Proven
}
