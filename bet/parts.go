package bet

import "veridice/game"

// Parts says which parts a bet has besides the server seed and the game's
// parameters, so that a form can ask for them.
type Parts struct {
	Client bool
	Nonce  bool
	Cursor bool // the site's message has one that may be chosen: a byte offset

	// Players are parameters that go into the message and not to the game.
	Players []string
}

// PartsOf gives the parts of a bet on a game.
func PartsOf(g *game.Game) Parts {
	b := Bet{Site: g.Site, Game: g.Name}
	switch {
	case g.Site == "zeroplay":
		return Parts{Nonce: true, Players: []string{"uid1", "client1", "uid2", "client2"}}
	case round(b):
		return Parts{Client: true}
	}
	return Parts{Client: true, Nonce: true, Cursor: g.Site == "shuffle" || g.Site == "stake"}
}
