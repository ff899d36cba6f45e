package keyring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
	"filippo.io/age/plugin"
	"filippo.io/age/tag"

	"veridice/internal/match"
)

// maxText is far more than any key file has.
const maxText = 1 << 20

// binary is how an age file begins that is not armored.
const binary = "age-encryption.org/"

// A Reader reads the keys of one program.
type Reader struct {
	// Identity is the file of the identities that open an encrypted key file, "" for none.
	Identity string

	// Note tells what the program of a plugin wants to be known, such as that a key
	// waits to be touched.
	Note func(text string)
}

// Encrypted reports whether a text is one that age encrypted.
func Encrypted(text []byte) bool {
	return bytes.HasPrefix(text, []byte(binary)) || armored(text)
}

func armored(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte(armor.Header))
}

// Read makes a vault of the text of a key file. where names it in errors, which hold no
// part of it.
func (r Reader) Read(text []byte, where string) (*match.Vault, error) {
	switch encrypted := Encrypted(text); {
	case encrypted && r.Identity == "":
		return nil, errors.New(where + " is encrypted with age; -key-identity FILE names the identity that opens it")
	case !encrypted && r.Identity != "":
		return nil, errors.New(where + " is not encrypted, though there is a -key-identity; veridiced key encrypt makes one that is")
	case encrypted:
		plain, err := r.decrypt(text, where)
		if err != nil {
			return nil, err
		}
		return parse(plain, where)
	}
	return parse(text, where)
}

func (r Reader) decrypt(text []byte, where string) ([]byte, error) {
	ui := &ui{note: r.Note}
	list, err := r.identities(ui)
	if err != nil {
		return nil, err
	}
	all := make([]age.Identity, len(list))
	for i := range list {
		all[i] = list[i]
	}
	from := io.Reader(bytes.NewReader(text))
	if armored(text) {
		from = armor.NewReader(from)
	}
	plain, err := age.Decrypt(from, all...)
	if err != nil {
		return nil, r.explain(err, ui, where)
	}
	out, err := io.ReadAll(io.LimitReader(plain, maxText))
	if err != nil {
		return nil, damaged(where, err)
	}
	return out, nil
}

func damaged(where string, err error) error {
	return fmt.Errorf("%s is damaged or cut short: %v", where, err)
}

// explain says what to do about a file that does not open.
func (r Reader) explain(err error, ui *ui, where string) error {
	var none *age.NoIdentityMatchError
	var missing *plugin.NotFoundError
	switch {
	case errors.As(err, &missing):
		return noPlugin(missing)
	case ui.asked != "":
		return fmt.Errorf("%s does not open: %s, and nobody is here to answer", where, ui.asked)
	case errors.As(err, &none) && slices.Contains(none.StanzaTypes, "scrypt"):
		return errors.New(where + " is encrypted with a passphrase, which nobody can type when a server starts; encrypt it to an identity")
	case errors.As(err, &none):
		return fmt.Errorf("%s is encrypted to others than the identities in %s", where, r.Identity)
	case ui.ran:
		return fmt.Errorf("%s does not open: %v", where, err)
	}
	return damaged(where, err)
}

func noPlugin(err *plugin.NotFoundError) error {
	return errors.New("there is no program age-plugin-" + err.Name + " in the path")
}

// An identity opens what was encrypted to its recipient.
type identity interface {
	age.Identity
	recipient() age.Recipient
}

type (
	native struct {
		age.Identity
		to age.Recipient
	}
	foreign struct {
		*plugin.Identity
		ui *ui
	}
)

func (n native) recipient() age.Recipient  { return n.to }
func (f foreign) recipient() age.Recipient { return f.Identity.Recipient() }

// Unwrap is [age.Identity].
func (f foreign) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	f.ui.ran = true
	return f.Identity.Unwrap(stanzas)
}

// identities reads the file of identities: one a line, behind # is a comment. No error
// holds a line.
func (r Reader) identities(ui *ui) (list []identity, err error) {
	text, err := os.ReadFile(r.Identity)
	if err != nil {
		return nil, err
	}
	where := "the identity file " + r.Identity
	if Encrypted(text) {
		return nil, errors.New(where + " is encrypted itself, and nobody is here to open it")
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		id, err := parseIdentity(line, ui)
		if err != nil {
			return nil, fmt.Errorf("line %d of %s %v", i+1, where, err)
		}
		list = append(list, id)
	}
	if len(list) == 0 {
		return nil, errors.New(where + " has no identity")
	}
	return list, nil
}

func parseIdentity(line string, ui *ui) (identity, error) {
	switch {
	case strings.HasPrefix(line, "AGE-PLUGIN-"):
		if id, err := plugin.NewIdentity(line, ui.client()); err == nil {
			return foreign{id, ui}, nil
		}
	case strings.HasPrefix(line, "AGE-SECRET-KEY-PQ-1"):
		if id, err := age.ParseHybridIdentity(line); err == nil {
			return native{id, id.Recipient()}, nil
		}
	case strings.HasPrefix(line, "AGE-SECRET-KEY-1"):
		if id, err := age.ParseX25519Identity(line); err == nil {
			return native{id, id.Recipient()}, nil
		}
	case strings.HasPrefix(line, "age1"):
		return nil, errors.New("is a recipient; the identity that belongs to it begins with AGE-SECRET-KEY- or AGE-PLUGIN-")
	default:
		return nil, errors.New("is no identity: those begin with AGE-SECRET-KEY- or AGE-PLUGIN-")
	}
	return nil, errors.New("is an identity that was mistyped or cut short")
}

// A ui is asked by plugins. A server starts without anybody there, so it answers nothing.
type ui struct {
	note  func(string)
	asked string // what could not be answered
	ran   bool   // a plugin was asked
}

func (u *ui) client() *plugin.ClientUI {
	say := func(name, text string) {
		if u.note != nil {
			u.note("age-plugin-" + name + ": " + text)
		}
	}
	ask := func(name, prompt string) error {
		u.asked = "age-plugin-" + name + " asks for something (" + prompt + ")"
		return errors.New(u.asked)
	}
	return &plugin.ClientUI{
		DisplayMessage: func(name, message string) error { say(name, message); return nil },
		RequestValue:   func(name, prompt string, _ bool) (string, error) { return "", ask(name, prompt) },
		Confirm:        func(name, prompt, _, _ string) (bool, error) { return false, ask(name, prompt) },
		WaitTimer:      func(name string) { say(name, "has not answered yet") },
	}
}

// Encrypt encrypts the text of a key file, which must be one, to recipients, or, without
// any, to the identities of r. What it makes is armored.
func (r Reader) Encrypt(text []byte, recipients ...string) ([]byte, error) {
	if _, err := parse(text, "the key file"); err != nil {
		return nil, err
	}
	ui := &ui{note: r.Note}
	var to []age.Recipient
	for _, text := range recipients {
		one, err := parseRecipient(text, ui)
		if err != nil {
			return nil, err
		}
		to = append(to, one)
	}
	if len(recipients) == 0 {
		list, err := r.identities(ui)
		if err != nil {
			return nil, err
		}
		for _, id := range list {
			to = append(to, id.recipient())
		}
	}
	var out bytes.Buffer
	a := armor.NewWriter(&out)
	w, err := age.Encrypt(a, to...)
	var missing *plugin.NotFoundError
	switch {
	case errors.As(err, &missing):
		return nil, noPlugin(missing)
	case ui.asked != "":
		return nil, errors.New(ui.asked + ", and nobody is here to answer")
	case err != nil:
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := errors.Join(w.Close(), a.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// ErrRecipient says that a text is no recipient.
var ErrRecipient = errors.New("a recipient is a text such as age1ql3z7hjy5…, age1pq1…, age1tag1…, age1tagpq1… or age1NAME1… of a plugin; age-keygen -y shows the one of an identity. Those of SSH are not taken")

func parseRecipient(text string, ui *ui) (age.Recipient, error) {
	if strings.HasPrefix(text, "age1tag1") || strings.HasPrefix(text, "age1tagpq1") {
		// Of a hardware key, whose plugin only decrypts: there is none that is called tag.
		if one, err := tag.ParseRecipient(text); err == nil {
			return one, nil
		}
		return nil, ErrRecipient
	}
	if list, err := age.ParseRecipients(strings.NewReader(text)); err == nil && len(list) == 1 {
		return list[0], nil
	}
	if one, err := plugin.NewRecipient(text, ui.client()); err == nil {
		return one, nil
	}
	return nil, ErrRecipient
}
