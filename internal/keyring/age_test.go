package keyring

import (
	"bytes"
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"filippo.io/age/plugin"

	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/seed"
)

// TestMain is also the program of the plugins with which the tests encrypt.
func TestMain(m *testing.M) {
	if name, ok := strings.CutPrefix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), "age-plugin-"); ok {
		os.Exit(pluginMain(name))
	}
	os.Exit(m.Run())
}

// A xor is what the test's plugin encrypts with: no cipher, but told apart by key.
type xor struct {
	p    *plugin.Plugin
	name string
	key  []byte
}

func (x xor) mix(b []byte) []byte {
	out := bytes.Clone(b)
	for i := range out {
		out[i] ^= x.key[i%len(x.key)]
	}
	return out
}

func (x xor) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	return []*age.Stanza{{Type: "xor", Args: []string{fmt.Sprintf("%x", x.key[:2])}, Body: x.mix(fileKey)}}, nil
}

func (x xor) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	switch x.name {
	case "pin":
		if _, err := x.p.RequestValue("the PIN", true); err != nil {
			return nil, err
		}
	case "down":
		return nil, errors.New("the token is not plugged in")
	case "touch":
		if err := x.p.DisplayMessage("touch the token"); err != nil {
			return nil, err
		}
	}
	for _, s := range stanzas {
		if s.Type == "xor" && s.Args[0] == fmt.Sprintf("%x", x.key[:2]) {
			return x.mix(s.Body), nil
		}
	}
	return nil, age.ErrIncorrectIdentity
}

func pluginMain(name string) int {
	p, err := plugin.New(name)
	if err != nil {
		return 9
	}
	p.HandleRecipient(func(data []byte) (age.Recipient, error) { return xor{p, name, data}, nil })
	p.HandleIdentityAsRecipient(func(data []byte) (age.Recipient, error) { return xor{p, name, data}, nil })
	p.HandleIdentity(func(data []byte) (age.Identity, error) { return xor{p, name, data}, nil })
	return p.Main()
}

// install puts plugins into the path.
func install(t *testing.T, names ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range names {
		if err := os.Symlink(self, filepath.Join(dir, "age-plugin-"+name)); err != nil {
			needs.Missing(t, "symbolic links", err.Error())
		}
	}
	t.Setenv("PATH", dir)
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "identity")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func ok[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// encrypted is what age itself makes.
func encrypted(t *testing.T, text string, armored bool, to ...age.Recipient) []byte {
	t.Helper()
	var out bytes.Buffer
	var dst io.Writer = &out
	var a io.WriteCloser
	if armored {
		a = armor.NewWriter(&out)
		dst = a
	}
	w := ok[io.WriteCloser](t)(age.Encrypt(dst, to...))
	ok[int](t)(io.WriteString(w, text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if armored {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

var (
	first  = strings.Repeat("1a", match.KeySize)
	second = strings.Repeat("2b", match.KeySize)
	two    = first + "\n" + second + "\n"
)

// named are the names of the keys of texts.
func named(t *testing.T, texts ...string) string {
	t.Helper()
	var keys [][]byte
	for _, text := range texts {
		b, _ := seed.ParseHex(text)
		keys = append(keys, b)
	}
	return fmt.Sprint(ok[*match.Vault](t)(match.NewVault(keys...)).Keys())
}

func TestReadsWhatAgeEncrypted(t *testing.T) {
	install(t, "test", "touch")
	x, other := ok[*age.X25519Identity](t)(age.GenerateX25519Identity()), ok[*age.X25519Identity](t)(age.GenerateX25519Identity())
	pq := ok[*age.HybridIdentity](t)(age.GenerateHybridIdentity())
	data := []byte("0123456789abcdef")
	test := ok[*plugin.Recipient](t)(plugin.NewRecipient(plugin.EncodeRecipient("test", data), &plugin.ClientUI{}))
	touch := ok[*plugin.Recipient](t)(plugin.NewRecipient(plugin.EncodeRecipient("touch", data), &plugin.ClientUI{}))
	want := named(t, first, second)
	for name, c := range map[string]struct {
		text     []byte
		identity string
		note     string
	}{
		"binary":              {encrypted(t, two, false, x.Recipient()), x.String() + "\n", ""},
		"armored":             {encrypted(t, two, true, x.Recipient()), x.String(), ""},
		"armored with blanks": {append([]byte("\n  \n"), encrypted(t, two, true, x.Recipient())...), x.String(), ""},
		"lines of DOS":        {bytes.ReplaceAll(encrypted(t, two, true, x.Recipient()), []byte("\n"), []byte("\r\n")), "# made\r\n\r\n" + x.String() + "\r\n", ""},
		"the second identity": {encrypted(t, two, false, x.Recipient()), other.String() + "\n# mine\n" + x.String(), ""},
		"two recipients":      {encrypted(t, two, false, other.Recipient(), x.Recipient()), x.String(), ""},
		"post-quantum":        {encrypted(t, two, true, pq.Recipient()), pq.String(), ""},
		"a plugin":            {encrypted(t, two, false, test), plugin.EncodeIdentity("test", data), ""},
		"one that says so":    {encrypted(t, two, false, touch), plugin.EncodeIdentity("touch", data), "age-plugin-touch: touch the token\n"},
	} {
		t.Run(name, func(t *testing.T) {
			note := ""
			v, err := Reader{file(t, c.identity), func(s string) { note += s + "\n" }}.Read(c.text, "the key file k")
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(v.Keys()); got != want || note != c.note {
				t.Errorf("got %s, %q, want %s, %q", got, note, want, c.note)
			}
		})
	}
}

func TestSaysWhatIsWrong(t *testing.T) {
	install(t, "test", "pin", "down")
	x, other := ok[*age.X25519Identity](t)(age.GenerateX25519Identity()), ok[*age.X25519Identity](t)(age.GenerateX25519Identity())
	data := []byte("0123456789abcdef")
	to := func(name string) age.Recipient {
		return ok[*plugin.Recipient](t)(plugin.NewRecipient(plugin.EncodeRecipient(name, data), &plugin.ClientUI{}))
	}
	pass := ok[*age.ScryptRecipient](t)(age.NewScryptRecipient("a passphrase"))
	pass.SetWorkFactor(10)
	good, text := encrypted(t, two, false, x.Recipient()), encrypted(t, two, true, x.Recipient())
	changed := bytes.Clone(good)
	changed[len(changed)-1] ^= 1
	for name, c := range map[string]struct {
		text     []byte
		identity string // "-" for none
		want     string
	}{
		"no identity":         {good, "-", "k is encrypted with age; -key-identity FILE names"},
		"no need of one":      {[]byte(two), x.String(), "k is not encrypted, though there is a -key-identity"},
		"another identity":    {good, other.String(), "k is encrypted to others than the identities in"},
		"a passphrase":        {encrypted(t, two, false, pass), x.String(), "k is encrypted with a passphrase"},
		"a missing plugin":    {good, plugin.EncodeIdentity("gone", data), "there is no program age-plugin-gone in the path"},
		"another plugin key":  {encrypted(t, two, false, to("test")), plugin.EncodeIdentity("test", []byte("another key 1234")), "k is encrypted to others"},
		"a PIN":               {encrypted(t, two, false, to("pin")), plugin.EncodeIdentity("pin", data), "age-plugin-pin asks for something (the PIN), and nobody is here"},
		"a token that is not": {encrypted(t, two, false, to("down")), plugin.EncodeIdentity("down", data), "the token is not plugged in"},
		"a changed byte":      {changed, x.String(), "k is damaged or cut short"},
		"a cut file":          {good[:len(good)-20], x.String(), "k is damaged or cut short"},
		"a cut header":        {good[:60], x.String(), "k is damaged or cut short"},
		"a cut armor":         {text[:len(text)-30], x.String(), "k is damaged or cut short"},
		"a recipient":         {good, x.Recipient().String(), "line 1 of the identity file"},
		"a cut identity":      {good, "# x\n" + x.String()[:70], "is an identity that was mistyped or cut short"},
		"an identity of SSH":  {good, "-----BEGIN OPENSSH PRIVATE KEY-----\n", "is no identity"},
		"an empty identity":   {good, "# nothing\n", "has no identity"},
		"a locked identity":   {good, string(encrypted(t, x.String(), true, pass)), "is encrypted itself"},
		"what is no key":      {encrypted(t, first+"\nnone\n", false, x.Recipient()), x.String(), "line 2 of k is not a key"},
		"nothing inside":      {encrypted(t, "", false, x.Recipient()), x.String(), "line 1 of k is not a key"},
		"plain, cut":          {[]byte(two[:80]), "-", "line 2 of k is not a key"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Reader{Note: func(string) {}}
			if c.identity != "-" {
				r.Identity = file(t, c.identity)
			}
			v, err := r.Read(c.text, "k")
			if v != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			for _, secret := range []string{first[:16], second[:16], x.String()[20:40]} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error holds a secret: %v", err)
				}
			}
		})
	}
	if _, err := (Reader{Identity: filepath.Join(t.TempDir(), "none")}).Read(good, "k"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// What is encrypted here age opens, and nobody else does.
func TestEncrypt(t *testing.T) {
	install(t, "test")
	x, other := ok[*age.X25519Identity](t)(age.GenerateX25519Identity()), ok[*age.X25519Identity](t)(age.GenerateX25519Identity())
	pq := ok[*age.HybridIdentity](t)(age.GenerateHybridIdentity())
	data := []byte("0123456789abcdef")
	test := plugin.EncodeIdentity("test", data)
	opens := func(text []byte, id age.Identity) string {
		t.Helper()
		r, err := age.Decrypt(armor.NewReader(bytes.NewReader(text)), id)
		if err != nil {
			return err.Error()
		}
		return string(ok[[]byte](t)(io.ReadAll(r)))
	}
	out := ok[[]byte](t)(Reader{}.Encrypt([]byte(two), x.Recipient().String(), plugin.EncodeRecipient("test", data)))
	if got := opens(out, x); got != two {
		t.Errorf("got %q", got)
	}
	if got := opens(out, other); !strings.Contains(got, "identity did not match") {
		t.Errorf("another identity: got %q", got)
	}
	for _, identity := range []string{test, x.String()} {
		r := Reader{Identity: file(t, identity)}
		if v := ok[*match.Vault](t)(r.Read(out, "k")); len(v.Keys()) != 2 {
			t.Errorf("got %v", v.Keys())
		}
		again := ok[[]byte](t)(r.Encrypt([]byte(first)))
		if v := ok[*match.Vault](t)(r.Read(again, "k")); fmt.Sprint(v.Keys()) != named(t, first) {
			t.Errorf("got %v", v.Keys())
		}
	}
	if got := opens(ok[[]byte](t)(Reader{}.Encrypt([]byte(two), pq.Recipient().String())), pq); got != two {
		t.Errorf("got %q", got)
	}
	for _, c := range []struct{ text, to, want string }{
		{two, x.String(), "a recipient is a text such as age1"},
		{two, x.Recipient().String()[:50], "a recipient is"},
		{two, plugin.EncodeRecipient("tag", data), "a recipient is"},
		{two, plugin.EncodeRecipient("tagpq", data), "a recipient is"},
		{two, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE5pmEPG1mWzDAC1CnXQGDFjEHsnGCHsPsPJS9HIv2Hy", "Those of SSH are not taken"},
		{two, plugin.EncodeRecipient("gone", data), "no program age-plugin-gone"},
		{"none", x.Recipient().String(), "line 1 of the key file is not a key"},
	} {
		if out, err := (Reader{}).Encrypt([]byte(c.text), c.to); out != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), x.String()) {
			t.Errorf("%s: got %v, want %q", c.to, err, c.want)
		}
	}
}

// A token is a hardware key with a recipient of its own kind, as age's specification has
// it: HPKE to a key of P-256, alone or with ML-KEM-768.
type token struct {
	kind string
	key  hpke.PrivateKey
}

func (k token) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	for _, s := range stanzas {
		if s.Type != k.kind {
			continue
		}
		enc, err := base64.RawStdEncoding.DecodeString(s.Args[1])
		if err != nil {
			return nil, err
		}
		r, err := hpke.NewRecipient(enc, k.key, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), []byte("age-encryption.org/"+k.kind))
		if err != nil {
			return nil, err
		}
		return r.Open(nil, s.Body)
	}
	return nil, age.ErrIncorrectIdentity
}

// Recipients of hardware keys are taken without their plugin.
func TestTokens(t *testing.T) {
	t.Setenv("PATH", "")
	p256 := ok[*ecdh.PrivateKey](t)(ecdh.P256().GenerateKey(rand.Reader))
	point := p256.PublicKey().Bytes() // 4, x, y
	compressed := append([]byte{2 + point[64]&1}, point[1:33]...)
	classic := ok[hpke.PrivateKey](t)(hpke.NewDHKEMPrivateKey(p256))
	pq := ok[hpke.PrivateKey](t)(hpke.MLKEM768P256().GenerateKey())
	for recipient, k := range map[string]token{
		plugin.EncodeRecipient("tag", compressed):               {"p256tag", classic},
		plugin.EncodeRecipient("tagpq", pq.PublicKey().Bytes()): {"mlkem768p256tag", pq},
	} {
		out := ok[[]byte](t)(Reader{}.Encrypt([]byte(two), recipient))
		r := ok[io.Reader](t)(age.Decrypt(armor.NewReader(bytes.NewReader(out)), k))
		if got := ok[[]byte](t)(io.ReadAll(r)); string(got) != two {
			t.Errorf("%s: got %q", k.kind, got)
		}
	}
}
