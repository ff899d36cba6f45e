package server

import (
	"strings"
	"testing"
)

func TestCheckPageInEveryLook(t *testing.T) {
	t.Parallel()
	falsified := serve(t, fakeCore("{verdict: 'broken', code: 'wrong-dice', place: 'roll 5', rolls: 100, fit: 99}", "''"))
	m := newMatch()
	other := m
	other.seal = strings.Repeat("7d", 32)
	matrix{
		name: "check", path: "check/", done: settled, keys: "check|ui|verify|home",
		states: []state{
			{name: "empty"},
			{name: "fits", fragment: "#" + m.link(), title: "✓ ", code: "proven"},
			{name: "roll", fragment: "#" + m.off().link(), title: "✕ ", code: "wrong-dice"},
			{name: "seal", fragment: "#" + other.link(), title: "✕ ", code: "wrong-seal"},
			{name: "cut", fragment: "#" + m.link()[:100], title: "? ", code: "missing-part"},
			{name: "differ", fragment: "#" + m.link(), title: "? ", code: "differ", from: falsified},
		},
	}.run(t, serve(t, nil))
}
