package foreign_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"

	"veridice/scheme"
	"veridice/scheme/foreign"
	"veridice/seed"
)

func must(t *testing.T) func(*foreign.Stream, error) *foreign.Stream {
	return func(s *foreign.Stream, err error) *foreign.Stream {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func word(s *foreign.Stream) uint32 {
	return binary.BigEndian.Uint32([]byte{s.Byte(), s.Byte(), s.Byte(), s.Byte()})
}

// TestFloats has the examples of floats.md.
func TestFloats(t *testing.T) {
	stream := func(client string, nonce, cursor uint64) *foreign.Stream {
		return must(t)(foreign.Floats(foreign.Stake1, "def", client, nonce, cursor))
	}
	s := stream("abc", 0, 0)
	for i, want := range []uint32{3573641002, 3664137897, 782859109, 3325527194, 800040410, 2582366663, 2611690336, 1976479029, 4163790248, 2304027224} {
		if got := word(s); got != want {
			t.Errorf("word %d: got %d, want %d", i, got, want)
		}
	}
	if b := s.Blocks(); len(b) != 2 || string(b[1].Message) != "abc:0:1" || b[1].Number != 1 || s.Used() != 40 ||
		seed.Hex(b[1].Sum) != "f82e65a88954aa5834de4c1b3e1fee0c73654a8e34259c52608afe642cf129e4" {
		t.Errorf("blocks %v, %d bytes used", s.Blocks(), s.Used())
	}
	for _, c := range []struct {
		client        string
		nonce, cursor uint64
		want          uint32
	}{
		{"abc", 0, 4, 3664137897}, {"abc", 0, 32, 4163790248}, {"abc", 0, 33, 778414217}, {"abc", 1, 0, 1849153629},
		{"a:b", 1, 0, 2917698508}, {"καλή τύχη", 2, 0, 53797430}, {"  lucky  ", 3, 0, 1867691871}, {"", 4, 0, 1165102357}, {"abc", 9007199254740991, 0, 3303118274},
	} {
		if got := word(stream(c.client, c.nonce, c.cursor)); got != c.want {
			t.Errorf("%q, nonce %d, cursor %d: got %d, want %d", c.client, c.nonce, c.cursor, got, c.want)
		}
	}
	if got := word(must(t)(foreign.Floats(foreign.Stake1, strings.Repeat("x", 80), "abc", 1, 0))); got != 4152822575 {
		t.Errorf("a key of 80 bytes: got %d", got)
	}
}

// TestFloatsAreTheRollingScheme compares with the scheme that one can roll with.
func TestFloatsAreTheRollingScheme(t *testing.T) {
	s, err := scheme.Lookup(scheme.Shuffle1)
	if err != nil {
		t.Fatal(err)
	}
	server, err := seed.NewServer([]byte("def"))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := s.Open(scheme.Inputs{Server: server, Clients: []seed.Client{"abc"}})
	if err != nil {
		t.Fatal(err)
	}
	own, err := opened.Stream(7)
	if err != nil {
		t.Fatal(err)
	}
	other := must(t)(foreign.Floats(foreign.Shuffle1, "def", "abc", 7, 0))
	for i := range 100 {
		if a, b := own.Byte(), other.Byte(); a != b {
			t.Fatalf("byte %d: %d and %d", i, a, b)
		}
	}
}

func TestNothingHereCanBeRolledWith(t *testing.T) {
	for _, name := range []string{foreign.Stake1, foreign.Duel1, foreign.LIQD1, foreign.Bustabit1, foreign.BCGame1, foreign.Roobet1, foreign.Zeroplay1, foreign.Primedice2015} {
		if _, err := scheme.Lookup(name); err != scheme.ErrUnknown {
			t.Errorf("%s can be rolled with: %v", name, err)
		}
		for _, s := range scheme.All() {
			if s.Name == name {
				t.Errorf("%s is among the schemes to roll with", name)
			}
		}
	}
}

const duelSeed = "528555039caf67c0219c9537cf6626c63cb0bfa384b72571410e522773270eb5"

// TestDuel has the examples of foreign.md, section 1, and the readings that
// must not fit.
func TestDuel(t *testing.T) {
	for nonce, want := range []uint32{2446028812, 67606552, 3858704018} {
		s := must(t)(foreign.DuelDice(duelSeed, "bRNvtSn0hp2uVFRe", uint64(nonce)))
		if got := word(s); got != want {
			t.Errorf("nonce %d: got %d, want %d", nonce, got, want)
		}
		if got := word(must(t)(foreign.Duel(duelSeed, "bRNvtSn0hp2uVFRe", uint64(nonce)))); got == want {
			t.Errorf("nonce %d: the message with a cursor fits", nonce)
		}
		if got := word(must(t)(foreign.BCGame(duelSeed, "bRNvtSn0hp2uVFRe", uint64(nonce)))); got == want {
			t.Errorf("nonce %d: the key as text fits", nonce)
		}
	}
	s := must(t)(foreign.DuelDice("6a4d9a2b0124f3698d068b5036e083b8721195c301ca3ecce9f1dd532d5e82c2", "edge", 1471049))
	if a, b := word(s), word(s); a != 4294963118 || b != 849487719 {
		t.Errorf("got %d %d", a, b)
	}
	mines := must(t)(foreign.Duel("1cdcd1d16090b08915c3bf8da241aa5db94605244449f8fd67cf92e7f21eb0f7", "Bw2ll1YE0PQa1CGz", 0))
	for _, want := range []uint32{3179052175, 3460087872, 3677643364} {
		got := word(mines)
		mines.Seek(uint64(len(mines.Blocks())))
		if got != want {
			t.Errorf("mines: got %d, want %d", got, want)
		}
	}
	plinko := must(t)(foreign.Duel("7604f0bf20772404164e5cc23b554012bb595afa12d6fe89f18f4b8acacf3ec3", "rbUlee3HbP1OzonW", 0))
	for row, want := range []uint32{1813654566, 2173956972, 2204357692, 2973779997, 1634665702, 807850590, 95628537, 1590283043, 2195416285} {
		plinko.Seek(uint64(row))
		if got := word(plinko); got != want {
			t.Errorf("plinko, row %d: got %d, want %d", row, got, want)
		}
	}
}

// rounds are those of foreign.md, section 1.
var rounds = []struct {
	server, signature   string
	points, bad, length int
	word                uint32
}{
	{"3c9c71aa9ffa2691d29fd754cb0caf8ce1fa87d57804196967de81088fab1d23", "b18fa6dc92304844fc4e868d708953e6b628b3f88d4381249d32264df1bfe5bc20aa0905e57fe54063010881767fd56d", 44, 20, 87, 1524198972},
	{"bcab4a378ed50c5ed7f11bf282989cf4e3a61a99e845d6beadf64e4259ca85b2", "94eb0ae0069459bae7e748c109c6955a6d2d0c87b0a239c269970dbf3ec359292f4f74abf1c63915eb01e453aa0e5ee5", 47, 22, 94, 925354059},
	{"1aa2cdf89e4a343ff87506dfbb9b499d6c0d611b42c4a492d03142c5b19b15ad", "84bc2ddf291e7996c6c9d6d791e24d9e3aa69ea279e220d755d0a0222b900eac6c81f9473ab755d751ed07a473be98c7", 46, 25, 100, 1622204177},
}

func TestDuelRounds(t *testing.T) {
	for _, r := range rounds {
		s := must(t)(foreign.DuelRound(r.server, r.signature))
		if got := word(s); got != r.word {
			t.Errorf("got %d, want %d", got, r.word)
		}
		message := s.Blocks()[0].Message
		decoded := strings.TrimSuffix(string(message), ":0")
		if len(message) != r.length || len([]rune(decoded)) != r.points || strings.Count(decoded, "\uFFFD") != r.bad {
			t.Errorf("%d bytes, %d code points, %d of them U+FFFD", len(message), len([]rune(decoded)), strings.Count(decoded, "\uFFFD"))
		}
	}
}

// TestOtherDecodersDoNotFit: one U+FFFD for each bad byte (as Go's own range loop
// does), or one for each run of them (as strings.ToValidUTF8 does), gives another
// word in at least one of the rounds.
func TestOtherDecodersDoNotFit(t *testing.T) {
	differ := map[string]int{}
	for _, r := range rounds {
		raw, _ := seed.ParseHex(r.signature)
		key, _ := seed.ParseHex(r.server)
		for name, decoded := range map[string]string{
			"each byte": string([]rune(string(raw))), "each run": strings.ToValidUTF8(string(raw), "\uFFFD"), "as it is": string(raw),
		} {
			m := hmac.New(sha256.New, key)
			m.Write([]byte(decoded + ":0"))
			if binary.BigEndian.Uint32(m.Sum(nil)) != r.word {
				differ[name]++
			}
		}
	}
	for _, name := range []string{"each byte", "each run", "as it is"} {
		if differ[name] == 0 {
			t.Errorf("U+FFFD for %s fits all rounds", name)
		}
	}
}

// combined is the hash of both players' parts: what a message of zeroplay begins with.
func combined(s *foreign.Stream) string { return seed.Hex(s.Blocks()[0].Message[:32]) }

// The examples of the Unicode standard, chapter 3, table 3-8 to 3-11.
func TestLossy(t *testing.T) {
	const r = "\uFFFD"
	for in, want := range map[string]string{
		"": "", "abc": "abc", "καλή": "καλή", "🎲": "🎲",
		"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41":     strings.Repeat(r, 8) + "A",
		"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41":     strings.Repeat(r, 8) + "A",
		"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42":     strings.Repeat(r, 5) + "A" + r + r + "B",
		"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41":     strings.Repeat(r, 4) + "A",
		"\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80": "\U0010FFFF\xed\x9f\xbf\uE000",
		"\xf0\x90\x80\x80\xe0\xa0\x80\xc2\x80":     "\U00010000\u0800\u0080",
		"\xe2\x82":                                 r, "\xf0\x9f\x8e": r, "\xf5\x80": r + r, "\x80": r, "\xc2": r,
	} {
		if got := string(foreign.Lossy([]byte(in))); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestLIQD(t *testing.T) {
	const server = "015307d5a3f62db476210c3797bac8b7"
	for nonce, want := range []uint32{1196712401, 2238528938} {
		if got := word(must(t)(foreign.LIQD(server, "auditf2456fc140ac", uint64(nonce)))); got != want {
			t.Errorf("nonce %d: got %d, want %d", nonce, got, want)
		}
		if got := word(must(t)(foreign.Floats("text", server, "auditf2456fc140ac", uint64(nonce), 0))); got == want {
			t.Errorf("nonce %d: the key as text fits", nonce)
		}
	}
	for nonce, want := range map[uint64][2]uint32{1520921: {4294961212, 3320154560}, 2388818: {4294966436, 2560973584}} {
		s := must(t)(foreign.LIQD("00112233445566778899aabbccddeeff", "audittest", nonce))
		if a, b := word(s), word(s); a != want[0] || b != want[1] {
			t.Errorf("nonce %d: got %d %d, want %d", nonce, a, b, want)
		}
	}
}

func TestSeals(t *testing.T) {
	for _, c := range []struct {
		cover      foreign.Cover
		seed, want string
	}{
		{foreign.OverText, "0f6e8aba300b7f1217ee46606773cf6046b524f74505cf2124ffe181ad6b9dbf", "97139e593bce24783a3c4be064b07a07952e08f7f6f5d16a28abfc69c8453f99"},
		{foreign.OverBytes, duelSeed, "91afc2eb50c2c801865a533f7b2a3177fc46bda00fcb500bd290ff73f09e1832"},
		{foreign.OverText, "015307d5a3f62db476210c3797bac8b7", "918c2a302c7219c91cf31ce3619acb0ac820b9b7760e8ea3889787bfcb5d14d8"},
		{foreign.OverBytes, "3e72b59a2d1b58dd8afdacb5886e741f", "789c2107aa3bfa4feb3846d57bfdbd31f93c41cac2ace4a4f763bb21e24c563b"},
	} {
		if got, ok := c.cover.Hash(c.seed); !ok || got != c.want {
			t.Errorf("%s: got %s, want %s", c.seed, got, c.want)
		}
		other := foreign.OverText
		if c.cover == other {
			other = foreign.OverBytes
		}
		if got, _ := other.Hash(c.seed); got == c.want {
			t.Errorf("%s: the other reading fits", c.seed)
		}
	}
	if got, ok := foreign.OverBytes.Hash("def"); ok || got != "" {
		t.Errorf("what is no hex has a seal over bytes: %s", got)
	}
}

// TestBustabit has the rounds of foreign.md, section 3: each hash leads to the
// one of the game before.
func TestBustabit(t *testing.T) {
	const salt = "00000000000000000001e08b7fd44f95e3e950ac65650a8031a6d5e1750e34be"
	hashes := []string{
		"4488d92d89d0ed7fbb2ea23b219d569f63207e32fc44b957858838835c1719f1", "1f497e8ba3a58b87976a9207a4596c2e00c11494237127f22d0f57785fcadd23",
		"9d3bc0c5b47166a06311743240ab79fabf8da8acedc810787ca904c2cdb491f8", "70857ecd59a239f3589824a993a37c3141bcfec87686a06e65b3c59acf92cf30",
	}
	for i, want := range []string{"53574071c0ebced2", "d27834dcec1c795e", "ca32d97132cc30f6"} {
		s := must(t)(foreign.Bustabit(hashes[i], salt))
		s.Byte()
		if got := seed.Hex(s.Blocks()[0].Sum); !strings.HasPrefix(got, want) {
			t.Errorf("game %d: got %s, want %s", i, got, want)
		}
	}
	covered := foreign.BustabitCover(12424169)
	for i, later := range hashes[:len(hashes)-1] {
		if got, ok := covered.Hash(later); !ok || got != hashes[i+1] {
			t.Errorf("hash %d leads to %s", i, got)
		}
		if got, _ := foreign.OverText.Hash(later); got == hashes[i+1] {
			t.Error("the chain over the text fits")
		}
	}
	if foreign.BustabitCover(10_000_000) != foreign.OverText || foreign.BustabitCover(10_000_001) != foreign.OverBytes {
		t.Error("the chain changes at another game")
	}
}

func TestChainsOfText(t *testing.T) {
	for later, before := range map[string]string{
		"c4b0c1394a9212cb3fc53674e756abba00973a970a4371c322463e8311e6e3e0": "ea98f461df194103890d8778487fc88390026bf1d1046dea6c278f10c98be2c0", // Shuffle
		"ec43103fc75da482a4fb4b7d8ff70606099693920c70b6bda002dca7d6711a80": "f951df36a7a0781b332493fe5d0fe38f64a0517d9318c20a664ff88142b89699", // Stake
	} {
		if got, ok := foreign.OverText.Hash(later); !ok || got != before {
			t.Errorf("got %s, want %s", got, before)
		}
		if got, _ := foreign.OverBytes.Hash(later); got == before {
			t.Error("the chain over the bytes fits")
		}
	}
}

// TestStakeRounds has the examples of games.md, sections 4.18 and 4.19.
func TestStakeRounds(t *testing.T) {
	for _, c := range []struct {
		hash, client string
		want         uint32
	}{
		{"9dd9a4ce539a7d11a36a96c71f3d939c46d972b2e56254bc85ea2c0681541dca", "23eb7069c6fc5b1369b92f5321af9f63", 548810577},
		{"f951df36a7a0781b332493fe5d0fe38f64a0517d9318c20a664ff88142b89699", "0000000000000000001b34dc6a1e86083f95500b096231436e9b25cbdd0075c4", 3496633333},
		{"a60e04bcba668c720ce7d3b70183653181d438a99aa64bb042bdeb23aa9e63bd", "015dcda675eb8ec18254ab6f18fd8f47", 3027481237},
		{"8c6ccd93221a2e055e669f1950128dd92ff088683ecf116d7d8276820d45b052", "1d947e6516c7f0fc10cd17931c69daa9", 3146329524},
	} {
		if got := word(must(t)(foreign.StakeRound(c.hash, c.client))); got != c.want {
			t.Errorf("got %d, want %d", got, c.want)
		}
		if got := word(must(t)(foreign.Bustabit(c.hash, c.client))); got == c.want {
			t.Error("bustabit's reading fits")
		}
	}
}

func TestBCGameAndRoobet(t *testing.T) {
	s := must(t)(foreign.BCGame("server", "client", 1))
	s.Byte()
	if got := seed.Hex(s.Blocks()[0].Sum); !strings.HasPrefix(got, "50042145df160f2c8a6d2b12db") {
		t.Errorf("bcgame: got %s", got)
	}
	const salt = "0xe0fcab987236cb02bba4919f9ea8280d163a58209cd8960a5204d152dbdf4e2d"
	const hash = "c238a29beaa6692bf1d2a18c82fd67d1bea3b8791d333dfe1cba51cc7157c73e"
	s = must(t)(foreign.Roobet(hash, salt))
	s.Byte()
	const want = "154da9d0b1d5ffc17279addb4a68059f52a447e94448e10b0d61c580e96ea530"
	if got := seed.Hex(s.Blocks()[0].Sum); got != want {
		t.Errorf("roobet: got %s", got)
	}
	s = must(t)(foreign.Roobet(hash, salt[2:]))
	s.Byte()
	if got := seed.Hex(s.Blocks()[0].Sum); got == want {
		t.Error("roobet: the salt without its 0x fits")
	}
}

func TestOldPrimedice(t *testing.T) {
	s := must(t)(foreign.OldPrimedice("293d5d2ddd365f54759283a8097ab2640cbe6f8864adc2b1b31e65c14c999f04", "ClientSeedForDiceSites.com", 0))
	for range 64 {
		s.Byte()
	}
	if got := seed.Hex(s.Blocks()[0].Sum); !strings.HasPrefix(got, "aa671aad5e4565ebffb8dc5c185e4df1") || len(got) != 128 {
		t.Errorf("got %s", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a scheme of one block has a second one")
		}
	}()
	s.Byte()
}

// TestZeroplay has the examples of foreign.md, section 6.
func TestZeroplay(t *testing.T) {
	const server = "3e72b59a2d1b58dd8afdacb5886e741f"
	a := foreign.Player{UID: "9", Client: "5c39b98a101d700b84c79bcf23be6804"}
	b := foreign.Player{UID: "10", Client: "362810d486379b6c07d3409d2fa1d4d6"}
	for _, players := range [][2]foreign.Player{{a, b}, {b, a}} {
		s := must(t)(foreign.Zeroplay(server, players))
		for nonce, want := range [][2]byte{{50, 232}, {6, 20}, {174, 85}} {
			s.Seek(uint64(nonce))
			if x, y := s.Byte(), s.Byte(); x != want[0] || y != want[1] {
				t.Errorf("nonce %d: got %d %d, want %d", nonce, x, y, want)
			}
		}
		if got := combined(s); got != "e73582dc5d91bf435fd243d2a9fe8abd1c28419df98e77ef2d78513d82113a8d" {
			t.Errorf("combined: got %s", got)
		}
	}
	c := foreign.Player{UID: "101", Client: "f3f87171ba9dff905396e8200776737e"}
	d := foreign.Player{UID: "202", Client: "1fd41b5b536c2a7a6beb0c134264b68a"}
	s := must(t)(foreign.Zeroplay(server, [2]foreign.Player{c, d}))
	s.Seek(48)
	if x, y, z := s.Byte(), s.Byte(), s.Byte(); x != 254 || y != 72 || z != 123 || combined(s) != "1332020768197d0b7ca799b5db529460e0478b5ae2f9526deeceb3235392e8af" {
		t.Errorf("nonce 48: got %d %d %d, combined %s", x, y, z, combined(s))
	}
	// What the site's own verifier accepts.
	for part, players := range map[string][2]foreign.Player{
		"uid":    {a, {UID: "9", Client: b.Client}},
		"client": {a, {UID: "10", Client: b.Client + "00"}},
	} {
		_, err := foreign.Zeroplay(server, players)
		if e, ok := err.(*foreign.InputError); !ok || e.Part != part {
			t.Errorf("got %v, want an error of the %s", err, part)
		}
	}
	if _, err := foreign.Zeroplay(server[2:], [2]foreign.Player{a, b}); err == nil {
		t.Error("a seed of 15 bytes is accepted")
	}
	for _, uid := range []string{"", "x", "01", "-1", "1e3", "123456789012345678901"} {
		if _, err := foreign.Zeroplay(server, [2]foreign.Player{a, {UID: uid, Client: b.Client}}); err == nil {
			t.Errorf("the number %q is accepted", uid)
		}
	}
}
