package server

import (
	"encoding/json"

	"veridice/bet"
	"veridice/game"
)

// A gameForm tells the outcome page what to ask for: a game of package game.
type gameForm struct {
	Site     string      `json:"site"`
	Game     string      `json:"game"`
	Grade    string      `json:"grade"`
	Variants []string    `json:"variants"`
	Client   bool        `json:"client"`
	Nonce    bool        `json:"nonce"`
	Cursor   bool        `json:"cursor"`
	Params   []paramForm `json:"params"`
}

// A paramForm is a field of the form. Its type is one of package game or "text".
type paramForm struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Min      uint64   `json:"min"`
	Max      uint64   `json:"max"`
	List     []string `json:"list"`
	Optional bool     `json:"optional"`
}

// gameForms lists all games as JSON, for the page's data block.
func gameForms() (json.RawMessage, error) {
	var forms []gameForm
	for _, g := range game.All() {
		parts := bet.PartsOf(g)
		f := gameForm{g.Site, g.Name, g.Grade.Kind, g.Variants, parts.Client, parts.Nonce, parts.Cursor, []paramForm{}}
		for _, name := range parts.Players {
			f.Params = append(f.Params, paramForm{Name: name, Type: "text"})
		}
		for _, p := range g.Params {
			if parts.Nonce && p.Name == "nonce" {
				continue // zeroplay's game counts on from the nonce of the bet
			}
			f.Params = append(f.Params, paramForm{p.Name, string(p.Type), p.Min, p.Max, p.List, p.Optional})
		}
		forms = append(forms, f)
	}
	return json.Marshal(forms)
}
