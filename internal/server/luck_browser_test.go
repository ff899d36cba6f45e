package server

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"veridice/internal/locale"
)

// measured is reached when the luck page has counted everything.
const measured = "document.getElementById('lucky').dataset.done !== undefined && !document.getElementById('read').hidden"

// figure is the text of a measure of a group, from 0.
func figure(t *testing.T, ctx context.Context, group, measure int) string {
	t.Helper()
	return eval[string](t, ctx, fmt.Sprintf("document.querySelectorAll('#measures section')[%d].querySelectorAll('.measure')[%d].innerText", group, measure))
}

// TestLuck measures the match of the tests, which has 100 rolls, and all that a phone
// kept. The chances are those that veridice odds gives.
func TestLuck(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m := newMatch()
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	defer cancel()
	c := complaining(t, ctx)
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/en/luck/#"+m.link())
	until(t, ctx, measured)
	s.take()

	doubles, pips, run, without, now := 0, 0, 0, 0, [2]int{}
	for i := 0; i < len(m.rolls); i += 2 {
		a, b := int(m.rolls[i]-'0'), int(m.rolls[i+1]-'0')
		if a == b {
			doubles, pips, now = doubles+1, pips+4*a, [2]int{now[0] + 1, 0}
		} else {
			pips, now = pips+a+b, [2]int{0, now[1] + 1}
		}
		run, without = max(run, now[0]), max(without, now[1])
	}
	for i, want := range []int{doubles, run, without, pips} {
		got := figure(t, ctx, 0, i)
		var title, value string
		fmt.Sscanf(got, "%s", &title)
		if _, err := fmt.Sscan(eval[string](t, ctx, fmt.Sprintf("document.querySelectorAll('.measure')[%d].querySelector('.value b').textContent", i)), &value); err != nil || value != fmt.Sprint(want) {
			t.Errorf("%s: got %s, want %d", title, value, want)
		}
	}
	see(t, ctx, "the false alarms", "document.getElementById('alarm').textContent", "4 numbers stand here", "200")
	see(t, ctx, "no verdict", "document.getElementById('read').innerText", locale.For("en").Text("luck.verdict"))
	see(t, ctx, "to the check page", "document.getElementById('check').href", "/en/check/#v=1&s="+m.seed)
	axe(t, ctx)
	shot(t, ctx, "luck", true)
	look(t, ctx, 1280)
	shot(t, ctx, "luck_1280", true)
	look(t, ctx, 320)
	if over := eval[int](t, ctx, sideways); over != 0 {
		t.Errorf("scrolls sideways by %d px", over)
	}
	if got := s.take(); len(got) > 0 {
		t.Errorf("the page asked for %q", got)
	}

	// Seats are told apart where the record says who rolled.
	typeInto(t, ctx, "pasted", chainTexts(t)["record-signed-by-all"])
	eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
	until(t, ctx, measured+" && document.querySelectorAll('#measures section').length === 3")
	see(t, ctx, "a seat", "document.querySelectorAll('#measures h2')[1].textContent", "Seat 1")

	click(t, ctx, "example") // 12 rolls, of which 33, 33, 66 and 66 are doubles
	until(t, ctx, measured+" && document.querySelectorAll('.measure .value')[0]?.textContent.includes('4 in 12 rolls')")

	// All that this phone kept: two matches, of which none goes on in the other.
	note := func(rolls string) map[string]any {
		list := [][]int{}
		for i := 0; i < len(rolls); i += 2 {
			list = append(list, []int{i/2 + 1, int(rolls[i] - '0'), int(rolls[i+1] - '0')})
		}
		return map[string]any{"seal": m.seal, "at": "2026-11-30T20:14:00Z", "before": 0, "scheme": "tavli/1", "rolls": list, "clients": []string{"a", "b"}, "games": []int{len(list)}, "seats": map[string]any{}, "server": nil, "differs": []any{}}
	}
	kept, err := json.Marshal(map[string]any{"one": note("661122"), "two": note("1133")})
	if err != nil {
		t.Fatal(err)
	}
	eval[int](t, ctx, fmt.Sprintf("localStorage.setItem('veridice.matches', %q), 0", kept))
	load(t, ctx, s.URL+"/de/luck/")
	until(t, ctx, measured)
	see(t, ctx, "all matches", "document.querySelector('#measures .big').textContent", "Alle 2 Matches", "30. November 2026")
	see(t, ctx, "five rolls", "document.querySelectorAll('.measure .value')[0].textContent", "5 in 5 Würfen")
	see(t, ctx, "the longest run", "document.querySelectorAll('.measure .value')[1].textContent", "3 höchstens")
	see(t, ctx, "all of them doubles, (1/6)^5 is one in 7776", "document.querySelectorAll('.measure')[0].textContent", "Selten.", "in einem von 7776 solchen Matches")
	inEveryLanguage(t, ctx, s, "luck", "luck/", measured)

	// Of one roll even 6-6, which is one of 36, is not rare.
	if kept, err = json.Marshal(map[string]any{"one": note("66")}); err != nil {
		t.Fatal(err)
	}
	eval[int](t, ctx, fmt.Sprintf("localStorage.setItem('veridice.matches', %q), 0", kept))
	load(t, ctx, s.URL+"/en/luck/")
	until(t, ctx, measured)
	see(t, ctx, "nothing can be rare", "document.getElementById('alarm').textContent", "4 numbers stand here. With so few rolls none can be rare")
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
}
