package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// sit opens a seat's link, takes the seat under a name and gives the phone's seed.
func (p *phone) sit(url, name string) {
	p.t.Helper()
	p.visit(url)
	p.do(chromedp.WaitVisible(chromedp.CSS("#name")), chromedp.SendKeys(chromedp.CSS("#name"), name))
	p.click(".steps li:nth-child(1) button.primary")
	p.do(chromedp.WaitVisible(chromedp.CSS("#client")))
	p.click(".steps li:nth-child(2) button.primary")
}

// roll presses the button and waits for roll n.
func (p *phone) roll(n int) {
	p.t.Helper()
	p.click("#roll")
	p.has(n)
}

// has waits until the phone lists n rolls and no request is under way.
func (p *phone) has(n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.querySelectorAll('.history li').length === %d && document.querySelector('#roll').ariaDisabled !== 'true'", n))
}

// TestLooks takes the table through its states in every language and width.
func TestLooks(t *testing.T) {
	s := serve(t)
	base := browser(t)
	for _, lang := range []string{"en", "el", "de", "id"} {
		id, tokens := s.open(2)
		page := s.url + "/" + lang + "/table/#m=" + id
		a, b := newPhone(t, base), newPhone(t, base)
		look := func(state string) {
			for _, width := range []int64{320, 390, 1280} {
				a.do(chromedp.EmulateViewport(width, 844))
				a.narrow()
				a.shot(fmt.Sprintf("table_%s_%d_%s", lang, width, state))
				if width == 390 {
					a.axe()
				}
			}
			a.do(chromedp.EmulateViewport(390, 844))
		}
		a.visit(page + "&k=" + tokens[0])
		a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
		look("seal")
		a.do(chromedp.SendKeys(chromedp.CSS("#name"), "Άννα"))
		a.click(".steps li:nth-child(1) button.primary")
		a.do(chromedp.WaitVisible(chromedp.CSS("#client")))
		look("seed")
		a.click(".steps li:nth-child(2) button.primary")
		a.do(chromedp.WaitNotVisible(chromedp.CSS("#client")))
		look("waiting")
		b.sit(page+"&k="+tokens[1], "Nikos")
		a.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
		look("first")
		for n := 1; n <= 12; n++ {
			[]*phone{a, b}[n%2].roll(n)
			a.has(n)
			b.has(n)
			if n == 5 {
				b.click("#game")
				b.until("document.querySelector('#game').disabled")
			}
		}
		look("rolls")
		b.click("#end")
		a.do(chromedp.WaitVisible(chromedp.CSS("#confirm")))
		look("end-asked")
		a.click("#tab-dice")
		look("dice")
		a.click("#tab-table")
		a.click("#confirm")
		a.until("document.activeElement.id === 'h-result'")
		a.click("#seal")
		a.do(chromedp.WaitVisible(chromedp.CSS("#verify")))
		look("result")
		a.click("#tab-dice")
		a.do(chromedp.WaitVisible(chromedp.CSS("#server")))
		look("revealed")
		if link := eval[string](a, "document.querySelector('#verify').getAttribute('href')"); !strings.HasPrefix(link, "/"+lang+"/check/#v=1&s=") {
			t.Error(link)
		}
		a.calm()
		b.calm()
	}
}

