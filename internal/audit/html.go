package audit

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"strconv"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"len64": func(list []Broken) uint64 { return uint64(len(list)) },
}).Parse(pageText))

// A plot is what the page draws of one kind of bets.
type plot struct {
	Width, Height, Base, Text float64
	Bars                      []bar
	First, Last               string
}

type bar struct {
	X, Y, W, H, E float64
	Class
}

type pageGame struct {
	Game
	Plot *plot
}

// WriteHTML writes the report as one page that needs nothing else: no script, no
// file beside it. Its words are English.
func WriteHTML(w io.Writer, r *Report) error {
	tests := 0
	games := []pageGame{}
	for _, g := range r.Games {
		if g.Tested {
			tests += 2
		}
		games = append(games, pageGame{g, plotOf(g.Classes)})
	}
	return page.Execute(w, struct {
		*Report
		Verdict string
		Games   []pageGame
		Tests   int
		Rate    string
	}{r, string(r.Verdict()), games, tests, strconv.FormatFloat(100*FalseAlarms, 'g', 3, 64) + " %"})
}

func plotOf(classes []Class) *plot {
	if len(classes) == 0 {
		return nil
	}
	p := &plot{Width: 640, Height: 156, Base: 140, Text: 153, First: classes[0].Name, Last: classes[len(classes)-1].Name}
	most := 1.0
	for _, c := range classes {
		most = math.Max(most, math.Max(float64(c.Observed), c.Expected))
	}
	round := func(x float64) float64 { return math.Round(x*100) / 100 }
	step := p.Width / float64(len(classes))
	for i, c := range classes {
		h := float64(c.Observed) / most * p.Base
		p.Bars = append(p.Bars, bar{
			X: round(float64(i)*step + step*.05), W: round(step * .9), Y: round(p.Base - h), H: round(h),
			E: round(p.Base - c.Expected/most*p.Base), Class: c,
		})
	}
	return p
}
