package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"veridice/internal/locale"
)

// importFile gives the page a file of matches.
func importFile(t *testing.T, ctx context.Context, text string) {
	t.Helper()
	eval[int](t, ctx, fmt.Sprintf(`{const d = new DataTransfer(); d.items.add(new File([%q], 'matches.json'));
		const f = document.getElementById('file'); document.getElementById('carry-out').textContent = ''; f.files = d.files; f.dispatchEvent(new Event('change'))}; 0`, text))
	until(t, ctx, "document.getElementById('carry-out').textContent !== ''")
}

const listDone = "document.getElementById('matches').dataset.done !== undefined"

// TestMyMatches lists what the table and the phone kept, takes it to another browser as a
// file, and forgets it.
func TestMyMatches(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m, chain := newMatch(), chainTexts(t)["record-signed-by-all"]
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	defer cancel()
	c := complaining(t, ctx)
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/en/matches/")
	until(t, ctx, "!document.getElementById('none').hidden")

	rolls := [][]int{}
	for i := 0; i < len(m.rolls); i += 2 {
		rolls = append(rolls, []int{i/2 + 1, int(m.rolls[i] - '0'), int(m.rolls[i+1] - '0')})
	}
	note := func(server any, rolls [][]int) map[string]any {
		return map[string]any{"seal": m.seal, "at": "2026-11-30T20:14:00.000Z", "before": 0, "scheme": "tavli/1", "rolls": rolls, "clients": strings.Split(m.clients, ","),
			"games": []int{38, 31, 31}, "seats": map[string]any{"1": map[string]string{"token": "the-seat-token", "name": "Anna", "client": ""}}, "server": server, "differs": []any{}}
	}
	kept, err := json.Marshal(map[string]any{"m-over": note(m.seed, rolls), "m-open": note(nil, rolls[:3])})
	if err != nil {
		t.Fatal(err)
	}
	// The phone of veridice/1 keeps its part in IndexedDB: app/phone/keeper.mjs.
	const id = "fcf05334a8746884939ead68dc3c20e1"
	eval[int](t, ctx, fmt.Sprintf(`new Promise((done, failed) => {
		localStorage.setItem('veridice.matches', %q);
		localStorage.setItem('veridice.created.m-open', '{}');
		const open = indexedDB.open('veridice.phone', 1);
		open.onupgradeneeded = () => open.result.createObjectStore('once');
		open.onerror = failed;
		open.onsuccess = () => {
			const t = open.result.transaction('once', 'readwrite'), shelf = t.objectStore('once'), base = '%s/' + 'ab'.repeat(16);
			shelf.put({offer: 'o', role: 1, anchor: 'a', link: 'the-last-link', key: 'k', secret: 'the-secret'}, base + '/join');
			shelf.put('6c6b1619e389ecd4a06b0b5a8904a02d4ff5141d5ecc374b2411d6d48c4544f8', base + '/ready');
			shelf.put(1, base + '/seat');
			shelf.put(%q, base + '/record');
			t.oncomplete = () => { open.result.close(); done(0) };
		};
	})`, kept, id, chain))
	load(t, ctx, s.URL+"/en/matches/")
	until(t, ctx, listDone)
	s.take()
	entry := func(id string) string {
		t.Helper()
		return eval[string](t, ctx, fmt.Sprintf("(() => { const li = document.querySelector('[data-match=%q]'); return li.querySelector('.fits').dataset.code + ' ' + li.innerText })()", id))
	}
	for id, wants := range map[string][]string{
		"m-over": {"proven November", "All 100 rolls fit", "November 30, 2026", "100 rolls", "Seat 1", "The seal was noted before the first roll."},
		"m-open": {"seed-not-revealed", "3 rolls"},
		id:       {"proven ", "veridice/1", "The opening, with everybody’s anchors"},
	} {
		got := entry(id)
		for _, want := range wants {
			if !strings.Contains(got, want) && !strings.Contains(strings.ReplaceAll(got, "\n", " "), want) {
				t.Errorf("%s: no %q in %q", id, want, got)
			}
		}
	}
	axe(t, ctx)
	shot(t, ctx, "matches", true)
	look(t, ctx, 1280)
	shot(t, ctx, "matches_1280", true)
	look(t, ctx, 320)
	if over := eval[int](t, ctx, sideways); over != 0 {
		t.Errorf("scrolls sideways by %d px", over)
	}
	if got := s.take(); len(got) > 0 {
		t.Errorf("the page asked for %q", got)
	}

	// What is saved holds the evidence and no secret.
	saved := eval[string](t, ctx, `new Promise((done) => { URL.createObjectURL = (blob) => { blob.text().then(done); return 'blob:none' };
		HTMLAnchorElement.prototype.click = () => {}; document.getElementById('save').click() })`)
	for _, secret := range []string{"the-seat-token", "the-last-link", "the-secret"} {
		if strings.Contains(saved, secret) {
			t.Errorf("the file holds %s", secret)
		}
	}
	if !strings.Contains(saved, m.seal) || !strings.Contains(saved, "veridice record 1\\nscheme veridice/1") {
		t.Error("the file holds no seal or no record")
	}

	// Each leads to the check page, whose third line this copy answers, and to the replay.
	for _, page := range []struct{ id, click, want string }{
		{"m-over", "a.primary", "location.pathname === '/en/check/' && document.title.startsWith('✓') && document.getElementById('line-yours').className === 'yes'"},
		{id, "a.primary", "location.pathname === '/en/check/' && document.title.startsWith('✓')"},
		{id, "a[href*=match]", "location.pathname === '/en/match/' && document.title.startsWith('✓') && !document.getElementById('stage').hidden"},
		{"m-over", "a[href*=luck]", "location.pathname === '/en/luck/' && !document.getElementById('read').hidden"},
	} {
		load(t, ctx, s.URL+"/en/matches/")
		until(t, ctx, listDone)
		eval[int](t, ctx, fmt.Sprintf("document.querySelector('[data-match=%q] %s').click(), 0", page.id, page.click))
		until(t, ctx, page.want)
	}

	// Another phone: copies, marked as such, which no table reads.
	other, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	defer cancel()
	look(t, other, 390)
	load(t, other, s.URL+"/en/matches/")
	until(t, other, listDone)
	for text, want := range map[string]string{"{": "matches.fault.json", "{}": "matches.fault.format"} {
		importFile(t, other, text)
		see(t, other, "a file of another kind", "document.getElementById('carry-out').textContent", locale.For("en").Text(want))
	}
	importFile(t, other, strings.Replace(saved, `"scheme": "tavli/1"`, `"scheme": "none"`, 1))
	see(t, other, "a file with a fault", "document.getElementById('carry-out').textContent", "of the file cannot be read")
	importFile(t, other, saved)
	see(t, other, "a good file", "document.getElementById('carry-out').textContent", "3 matches added.")
	until(t, other, "document.querySelectorAll('#list li .copy-mark').length === 3 && document.querySelectorAll('#list .fits.yes').length === 2")
	if got := eval[string](t, other, "String(localStorage.getItem('veridice.matches'))"); got != "null" {
		t.Errorf("a copy lies where the table looks: %s", got)
	}
	shot(t, other, "matches_copies", true)
	// A copy answers the third line of the check, as a copy: it accuses nobody of what this phone did not see.
	for _, copied := range []struct{ id, change, line string }{
		{"m-over", "", "yes It is the seal in your imported copy"},
		{id, "", "yes It is the opening in your imported copy"},
		{id, "ab", "no It is another opening"},
	} {
		load(t, other, s.URL+"/en/matches/")
		until(t, other, listDone)
		eval[int](t, other, fmt.Sprintf(`(() => {
			const copies = JSON.parse(localStorage.getItem('veridice.imported')), copy = copies[%q];
			copy.seal = %q.repeat(32) || copy.seal;
			localStorage.setItem('veridice.imported', JSON.stringify(copies));
			document.querySelector('[data-match=%q] a.primary').click();
			return 0;
		})()`, copied.id, copied.change, copied.id))
		until(t, other, "location.pathname === '/en/check/' && document.getElementById('line-yours')?.className.length > 0")
		see(t, other, "the third line", "document.getElementById('line-yours').className + ' ' + document.getElementById('line-yours').innerText", copied.line)
		if got := eval[string](t, other, "document.getElementById('verdict').innerText"); strings.Contains(got, "This phone agreed") {
			t.Errorf("of another phone's copy the page says %q", got)
		}
	}

	inEveryLanguage(t, other, s, "matches", "matches/", listDone)

	// Nothing is forgotten without asking, and then everything of it.
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/en/matches/")
	until(t, ctx, listDone)
	click(t, ctx, "clear")
	see(t, ctx, "the question", "document.getElementById('ask').innerText", "Delete all 3 matches", locale.For("en").Text("matches.lost.seal"), "1 of them is not over")
	shot(t, ctx, "matches_ask", false)
	if err := chromedp.Do(ctx, chromedp.KeyEvent("\r")); err != nil { // the answer that has the focus
		t.Fatal(err)
	}
	until(t, ctx, "!document.getElementById('ask').open")
	if n := eval[int](t, ctx, "document.querySelectorAll('#list li').length"); n != 3 {
		t.Errorf("after keeping there are %d matches", n)
	}
	eval[int](t, ctx, fmt.Sprintf("document.querySelector('[data-match=%q] button').click(), document.getElementById('really').click(), 0", id))
	until(t, ctx, "document.querySelectorAll('#list li').length === 2")
	click(t, ctx, "clear")
	click(t, ctx, "really")
	until(t, ctx, "!document.getElementById('none').hidden")
	left := eval[string](t, ctx, `new Promise((done) => { const open = indexedDB.open('veridice.phone', 1); open.onsuccess = () => {
		const keys = open.result.transaction('once').objectStore('once').getAllKeys(); keys.onsuccess = () => done(Object.keys(localStorage) + '|' + keys.result) } })`)
	if left != "|" {
		t.Errorf("left after deleting everything: %s", left)
	}
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
}
