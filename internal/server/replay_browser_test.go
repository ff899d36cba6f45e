package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"veridice/internal/locale"
	"veridice/vectors"
)

// withAPI puts the API of a server before the pages, at the same address.
func withAPI(t *testing.T, s *site) *testServer {
	t.Helper()
	api, pages := startNew(t, nil), s.Config.Handler
	h := api.Handler()
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			pages.ServeHTTP(w, r)
			return
		}
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.String())
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	})
	return api
}

// spoken are dice as the pages write them in English.
func spoken(dice []int) string { return fmt.Sprintf("%d and %d", dice[0], dice[1]) }

// stage is what the replay shows: heading, place, dice and check.
const stage = "document.getElementById('stage').innerText"

func press(t *testing.T, ctx context.Context, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(key)); err != nil {
			t.Fatal(err)
		}
	}
}

func see(t *testing.T, ctx context.Context, what, js string, wants ...string) {
	t.Helper()
	got := eval[string](t, ctx, js)
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%s: no %q in %q", what, want, got)
		}
	}
}

// TestReplayFromTheServer steps through a match that is over: the seed stands beside its
// seal when it was shown and no earlier, and after loading the page needs nobody.
func TestReplayFromTheServer(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	api := withAPI(t, s)
	id, phones := sit(t, api.http.URL, 2, nil)
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	defer cancel()
	c := complaining(t, ctx)
	look(t, ctx, 390)

	// As long as it is played there is nothing to replay.
	load(t, ctx, s.URL+"/en/match/#m="+id)
	until(t, ctx, "document.querySelector('#out a') !== null")
	see(t, ctx, "a running match", "document.getElementById('out').innerHTML", locale.For("en").Text("replay.running"), "/en/table/#m="+id)

	var dice [][]int
	for n := range 6 {
		if n == 4 {
			phones[0].post("/v1/matches/"+id+"/game", `{"after":4}`)
		}
		var two []int
		for _, v := range phones[n%2].post("/v1/matches/"+id+"/roll", fmt.Sprintf(`{"after":%d}`, n))["dice"].([]any) {
			two = append(two, int(v.(float64)))
		}
		dice = append(dice, two)
	}
	phones[0].post("/v1/matches/"+id+"/end", `{"after":6}`)
	phones[1].post("/v1/matches/"+id+"/end", `{"after":6}`)
	m, _, err := api.match.Match(t.Context(), id)
	if err != nil || m.Server == nil {
		t.Fatalf("the match is not over: %v", err)
	}
	seed := fmt.Sprintf("%x", m.Server)

	// The address of the form leads to the same page, and its id goes behind #.
	load(t, ctx, s.URL+"/en/match/"+id)
	until(t, ctx, "document.getElementById('events').textContent.includes('P2')")
	if got := eval[string](t, ctx, "location.pathname + location.hash"); got != "/en/match/#m="+id {
		t.Errorf("the address is %s", got)
	}
	see(t, ctx, "the language switch", "document.querySelector('.langs a[lang=de]').href", "/de/match/#m="+id)
	see(t, ctx, "the verdict", "document.title", "✓ All 6 rolls fit")
	sealed := "document.getElementById('seals').textContent.replaceAll(' ', '')"
	see(t, ctx, "before the first roll", stage, "Before the first roll")
	see(t, ctx, "before the first roll", sealed, m.Seal.String(), "client-1")
	s.take()

	press(t, ctx, kb.ArrowRight)
	see(t, ctx, "roll 1", stage, "Roll 1 of 6", "Game 1", "P1", spoken(dice[0]), "follows from the seeds")
	see(t, ctx, "the time", "document.querySelector('#where time').dateTime", "2026-01-02T03:04:05.006Z")
	see(t, ctx, "to those who hear the page", "document.getElementById('said').textContent", "Roll 1 of 6", "P1", spoken(dice[0]))
	click(t, ctx, "forward")
	see(t, ctx, "roll 2", stage, "Roll 2 of 6", "P2", spoken(dice[1]))
	eval[int](t, ctx, "{const n = document.getElementById('number'); n.value = '5'; n.dispatchEvent(new Event('change'))}; 0")
	see(t, ctx, "roll 5", stage, "Roll 5 of 6", "Game 2", spoken(dice[4]))
	see(t, ctx, "the grid shows the game", "document.getElementById('game').selectedOptions[0].textContent + document.querySelector('#grid [aria-current] .visuallyhidden').textContent", "Game 2: rolls 5–6", "5: "+spoken(dice[4]))
	swipe := `{const s = document.getElementById('stage'), touch = (x) => new Touch({identifier: 1, target: s, clientX: x, clientY: 300});
		s.dispatchEvent(new TouchEvent('touchstart', {touches: [touch(%d)]})); s.dispatchEvent(new TouchEvent('touchend', {changedTouches: [touch(%d)]}))}; 0`
	eval[int](t, ctx, fmt.Sprintf(swipe, 100, 250))
	see(t, ctx, "swiped back", stage, "Roll 4 of 6")
	eval[int](t, ctx, fmt.Sprintf(swipe, 200, 180))
	see(t, ctx, "hardly swiped", stage, "Roll 4 of 6")
	if got := eval[string](t, ctx, sealed); strings.Contains(got, seed) {
		t.Error("the seed is shown before it was")
	}
	press(t, ctx, kb.End)
	see(t, ctx, "the end", stage, "After the last roll", "6 rolls were played")
	see(t, ctx, "the end", sealed, seed, "SHA-256ofthisseedistheseal")
	if eval[bool](t, ctx, "!document.getElementById('forward').disabled || document.getElementById('first').disabled") {
		t.Error("the buttons at the end are not those of the end")
	}
	press(t, ctx, kb.Home, kb.ArrowLeft)
	see(t, ctx, "home", stage, "Before the first roll")
	click(t, ctx, "last")
	press(t, ctx, kb.ArrowLeft)
	see(t, ctx, "one back from the end", stage, "Roll 6 of 6")
	click(t, ctx, "open-how")
	see(t, ctx, "how it was made", "document.getElementById('how').innerText", "How roll 6 was made", "client-1:client-2:6", fmt.Sprint("= ", dice[5][0]))
	press(t, ctx, "\x1b")
	if got := eval[string](t, ctx, "location.hash"); got != "#m="+id {
		t.Errorf("stepping changed the fragment to %s", got)
	}
	if got := s.take(); len(got) > 0 {
		t.Errorf("after loading the page asked for %q", got)
	}
	see(t, ctx, "to the check page", "document.getElementById('check').href", "/en/check/#v=1&s="+seed)
	saved := eval[string](t, ctx, "fetch('/v1/matches/"+id+"/record').then((r) => r.text())")
	axe(t, ctx)
	shot(t, ctx, "replay_server", true)
	look(t, ctx, 1280)
	shot(t, ctx, "replay_server_1280", true)
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}

	// The record alone, from its address: no times, and the same rolls.
	load(t, ctx, s.URL+"/en/match/#record="+base64.RawURLEncoding.EncodeToString([]byte(saved)))
	until(t, ctx, "document.title.startsWith('✓ All 6 rolls')")
	see(t, ctx, "a record", "document.getElementById('told').innerText", locale.For("en").Text("replay.told.none"))
	for path, want := range map[string]string{"#m=" + strings.Repeat("0", 32): "replay.unknown", "#m=xyz": "replay.cut", "#kept=none": "replay.kept.none"} {
		load(t, ctx, s.URL+"/en/match/"+path)
		until(t, ctx, fmt.Sprintf("document.getElementById('out').textContent === %q", locale.For("en").Text(want)))
	}
	if w := get(t, testPages(t), "/en/match/"+id[1:]); w.Code != http.StatusNotFound {
		t.Errorf("an address with half an id: got %d", w.Code)
	}
}

// TestReplayOfEveryScheme opens records and links by pasting, and compares what is shown
// of a roll with the vectors.
func TestReplayOfEveryScheme(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	texts := chainTexts(t)
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	defer cancel()
	c := complaining(t, ctx)
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/en/match/")
	click(t, ctx, "example")
	until(t, ctx, "document.title.startsWith('✓ All 12 rolls fit')")
	paste := func(text, title string) {
		t.Helper()
		typeInto(t, ctx, "pasted", text)
		eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
		until(t, ctx, fmt.Sprintf("document.title.startsWith(%q)", title))
	}

	paste(texts["record-signed-by-all"], "✓ All 6 rolls fit")
	see(t, ctx, "the opening", "document.getElementById('seals').textContent.replaceAll(' ', '')", "6c6b1619e389ecd4a06b0b5a8904a02d4ff5141d5ecc374b2411d6d48c4544f8", "e31848fad10c42d3ab5a8753cfe62d7eabc792194128fe286020e1b87e06029b")
	for n, roll := range rollVectors(t, "roll-two-") {
		press(t, ctx, kb.ArrowRight)
		see(t, ctx, "a roll", stage, fmt.Sprintf("Roll %d of 6", n+1), fmt.Sprint("Seat ", roll.Actor), spoken(roll.Dice), "follows from the links of all parties")
		see(t, ctx, "its links", "document.getElementById('seals').textContent.replaceAll(' ', '')", roll.Links...)
		click(t, ctx, "open-how")
		see(t, ctx, "how it was made", "document.getElementById('how').textContent.replaceAll(' ', '')",
			roll.Opening, roll.Head, roll.Request, roll.Ctx, roll.Key, roll.Blocks[0], roll.After, roll.Links[0], roll.Links[2], fmt.Sprintf("%dmod6+1=%d", roll.Words[0], roll.Dice[0]))
		if n == 1 {
			axe(t, ctx)
			shot(t, ctx, "replay_how", false)
			see(t, ctx, "the moves before", "document.querySelector('.moves').innerText", "Seat 1: 24/19 8/7")
		}
		press(t, ctx, "\x1b")
		until(t, ctx, "!document.getElementById('how').open")
	}
	press(t, ctx, kb.ArrowRight)
	see(t, ctx, "the end", stage, "Signed by: The server, Seat 1, and Seat 2")
	axe(t, ctx)
	shot(t, ctx, "replay_chain", true)
	look(t, ctx, 1280)
	shot(t, ctx, "replay_chain_1280", true)
	look(t, ctx, 320)
	if over := eval[int](t, ctx, sideways); over != 0 {
		t.Errorf("scrolls sideways by %d px", over)
	}

	paste(texts["record-cards-and-large-dice"], "✓ All 3 rolls fit")
	press(t, ctx, kb.ArrowRight)
	if over := eval[int](t, ctx, sideways); over != 0 {
		t.Errorf("large dice scroll sideways by %d px", over)
	}
	shot(t, ctx, "replay_large", true)
	paste(texts["record-aborted-by-a-seat"], "✓ All 2 rolls fit")
	press(t, ctx, kb.End)
	see(t, ctx, "an aborted match", stage, "Seat 2")
	paste(texts["record-die-changed"], "✕ Roll")
	see(t, ctx, "the grid", "document.querySelector('li.off button .visuallyhidden').textContent", "does not fit: the links give")
	paste(texts["record-no-rolls"], "? There are no rolls in it")
	paste("nothing of the kind", "? There is no link in it")
	paste(newMatch().off().link(), "✕ Roll 37")
	eval[int](t, ctx, "document.querySelector('.verdict button').click(), 0")
	see(t, ctx, "the wrong roll", stage, "Roll 37 of 100", "Does not fit: the seeds give 2 and 1")
	shot(t, ctx, "replay_off", true)

	replayCards(t, ctx, s)
	replayCoins(t, ctx, s)
	inEveryLanguage(t, ctx, s, "replay", "match/#"+newMatch().off().link(), "document.title.startsWith('✕')")

	// docs/spec/yayay.md: throws of 5, 1 and 5 dice.
	load(t, ctx, s.URL+"/de/match/#record="+base64.RawURLEncoding.EncodeToString([]byte(yayayRecord(t))))
	until(t, ctx, "document.title.startsWith('✓ Alle 3 Würfe')")
	key := "document.getElementById('seals').textContent.replaceAll(' ', '')"
	if got := eval[string](t, ctx, key); strings.Contains(got, yayayKey) {
		t.Error("the key is shown before it was")
	}
	press(t, ctx, kb.End)
	see(t, ctx, "the key beside its fingerprint", key, yayayKey, sha(unhex(t, yayayKey)), "istderFingerabdruck")
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
}

const yayayKey = "3ccbede8757323fb62f038b8f53bfe35e06b6dcec081613f854bff489436249d"

// yayayRecord is the game of that key, its sums computed here.
func yayayRecord(t *testing.T) string {
	t.Helper()
	body := "veridice record 1\nscheme yayay/1\nmatch -\nseal " + sha(unhex(t, yayayKey)) + "\nroll 1 3 3 1 5 5\nroll 2 1\nroll 3 6 6 6 3 4\nseed " + yayayKey + "\nrolls 3\nstate finished\n"
	return body + "sum " + sha([]byte(body)) + "\n"
}

// makeDeals makes a record of a table that deals cards, with the page's own verifier.
const makeDeals = `(async () => {
	const base = document.querySelector('script[type=module]').src.replace(/app.*/, 'verifier/');
	const [c, s, r, h] = await Promise.all(['chain', 'seed', 'record', 'sha256'].map((name) => import(base + name + '.mjs')));
	const terms = %q, match = 'ab'.repeat(16), links = 8;
	const chains = ['11', '22', '33'].map((two, role) => c.chainTo(match, role, links, two.repeat(32)));
	const record = {record: 1, scheme: 'veridice/1', match, seq: 1, rules: s.toHex(h.sha256(s.toBytes(terms))), links, expires: 1, entries: [], pending: null, rolls: 3, state: 'finished', role: null,
		roles: chains.map((chain, role) => ({anchor: s.toHex(chain[0]), key: ('a' + role).repeat(32)}))};
	const opening = c.leafHash(c.openingText(record));
	let head = c.startOf(opening);
	for (const [i, faces] of [[52, 51], [50], [52, 51, 50]].entries()) {
		if (i === 2) { const move = {type: 'move', role: 2, move: 'game'}; record.entries.push(move); head = c.afterMove(head, move) }
		const request = {roll: i + 1, actor: 2, faces}, made = c.rollOf(opening, head, request, chains.map((chain) => chain[i + 1]));
		record.entries.push({type: 'roll', ...request, dice: made.dice});
		head = made.after;
	}
	record.last = chains.map((chain, role) => ({role, index: 3, link: s.toHex(chain[3])}));
	record.head = s.toHex(head);
	return r.writeRecord({...record, sum: r.sumOf(record)});
})()`

// replayCards replays cards from a server that says which terms the table had: then they
// are shown as cards. Which ones is worked out here, from the dice of the record.
func replayCards(t *testing.T, ctx context.Context, s *site) {
	t.Helper()
	terms := "veridice table 1\ndice deck52\nturn free\nwait 120\nsalt " + strings.Repeat("0f", 16) + "\n"
	text := eval[string](t, ctx, fmt.Sprintf(makeDeals, terms))
	pages, id := s.Config.Handler, strings.Repeat("ab", 16)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/matches/" + id:
			fmt.Fprint(w, `{"state":"finished","scheme":"veridice/1","last":3}`)
		case "/v1/matches/" + id + "/record":
			fmt.Fprint(w, text)
		case "/v1/matches/" + id + "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			opened, _ := json.Marshal(map[string]any{"event": 1, "type": "opened", "at": "2026-11-30T20:00:00.000Z", "terms": terms})
			fmt.Fprintf(w, "data: %s\n\ndata: {\"event\":2,\"type\":\"acknowledged\",\"seat\":2,\"name\":\"Nikos\"}\n\ndata: {\"event\":3,\"type\":\"finished\"}\n\n", opened)
		default:
			pages.ServeHTTP(w, r)
		}
	})
	defer func() { s.Config.Handler = pages }()
	load(t, ctx, s.URL+"/en/match/#m="+id)
	until(t, ctx, "document.getElementById('events').children.length === 3")
	ranks := []string{"ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king"}
	suits := []string{"spades", "hearts", "diamonds", "clubs"}
	var left []int
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch f[0] {
		case "move":
			left = nil
		case "roll":
			if left == nil {
				for i := range 52 {
					left = append(left, i)
				}
			}
			press(t, ctx, kb.ArrowRight)
			for _, die := range strings.Split(f[4], ",") {
				var place int
				fmt.Sscan(die, &place)
				item := left[place-1]
				left = append(left[:place-1:place-1], left[place:]...)
				see(t, ctx, "a card of roll "+f[1], stage, ranks[item%13]+" of "+suits[item/13], "Nikos")
			}
		}
	}
	axe(t, ctx)
	shot(t, ctx, "replay_cards", true)
}

// replayCoins replays coins, whose side 1 is heads.
func replayCoins(t *testing.T, ctx context.Context, s *site) {
	t.Helper()
	load(t, ctx, s.URL+"/en/match/")
	text := eval[string](t, ctx, fmt.Sprintf(strings.NewReplacer("[[52, 51], [50], [52, 51, 50]]", "[[2, 2, 2], [2], [2, 2]]", "i === 2", "false").Replace(makeDeals), "coins"))
	typeInto(t, ctx, "pasted", text)
	eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
	until(t, ctx, "document.querySelectorAll('ol.rolls li').length === 3")
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if f[0] != "roll" {
			continue
		}
		sides := strings.NewReplacer("1", "heads", "2", "tails").Replace(f[4])
		if at := strings.LastIndex(sides, ","); at >= 0 {
			sides = strings.ReplaceAll(sides[:at], ",", ", ") + strings.Repeat(",", strings.Count(sides[:at], ",")) + " and " + sides[at+1:]
		}
		press(t, ctx, kb.ArrowRight)
		see(t, ctx, "a coin of roll "+f[1], stage, sides)
		see(t, ctx, "the cell of roll "+f[1], "document.querySelectorAll('ol.rolls li')["+f[1]+" - 1].querySelector('.visuallyhidden').textContent", sides)
	}
	if got := eval[int](t, ctx, "document.querySelectorAll('ol.rolls .shape svg').length"); got != 6 {
		t.Errorf("%d coins are drawn, want 6", got)
	}
	shot(t, ctx, "replay_coins", true)
}

// inEveryLanguage opens a page in each language at 320 px and looks for what does not fit
// in, for keys shown as text, and for faults that depend on words.
func inEveryLanguage(t *testing.T, ctx context.Context, s *site, name, path, done string) {
	t.Helper()
	for _, l := range locale.Languages() {
		look(t, ctx, 320)
		load(t, ctx, s.URL+"/"+l.Tag+"/"+path)
		until(t, ctx, done)
		if over := eval[int](t, ctx, sideways); over != 0 {
			t.Errorf("%s in %s scrolls sideways by %d px", name, l.Tag, over)
		}
		if got := eval[string](t, ctx, `(document.body.innerText.match(/\b(replay|luck|matches|check|ui|verify)\.[a-z]+[.a-z-]*|\{[a-z]+\}/) ?? [''])[0]`); got != "" {
			t.Errorf("%s in %s shows a key or placeholder: %s", name, l.Tag, got)
		}
		look(t, ctx, 390, forced)
		shot(t, ctx, name+"_"+l.Tag+"_forced", true)
		look(t, ctx, 390, dark)
		shot(t, ctx, name+"_"+l.Tag+"_dark", true)
	}
	axe(t, ctx)
	look(t, ctx, 390)
}

type rollVector struct {
	Name, Kind, Opening, Head, Request, Ctx, Key, After string
	Actor                                               int
	Links, Blocks                                       []string
	Words, Dice                                         []int
}

// rollVectors are those vectors of rolls of veridice/1 whose names begin so.
func rollVectors(t *testing.T, name string) []rollVector {
	t.Helper()
	lines, err := vectors.Lines("veridice1.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var rolls []rollVector
	for _, line := range lines {
		var kind struct{ Kind, Name string }
		if err := json.Unmarshal(line, &kind); err != nil || kind.Kind != "roll" || !strings.HasPrefix(kind.Name, name) {
			continue
		}
		var v rollVector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		rolls = append(rolls, v)
	}
	if len(rolls) == 0 {
		t.Fatalf("no vectors %s", name)
	}
	return rolls
}
