package match

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"sync/atomic"

	"veridice/scheme"
	"veridice/seed"
)

// KeySize is the length in bytes of a key of a [Vault].
const KeySize = 32

// A Vault encrypts what a store must not be able to read: server seeds until the
// reveal, and answers that hold seat tokens. What it makes is
//
//	4 bytes that name the key · 12 bytes of nonce · AES-256-GCM of the secret
//
// bound to a purpose and an id, so that a row copied over another does not open.
// Its keys cannot be shown by accident: they are behind functions. They can be
// exchanged while it is used, by [Vault.Use].
type Vault struct {
	keys atomic.Pointer[[]vaultKey] // the first encrypts, all decrypt
}

// A KeyName is what a key is called in what is encrypted under it: the first bytes of a
// hash of it.
type KeyName [4]byte

// String is the name in hex.
func (n KeyName) String() string { return seed.Hex(n[:]) }

type vaultKey struct {
	name KeyName
	aead func() cipher.AEAD
}

// NewVault makes a vault of the current key and of others, under which something
// may be encrypted too. Each has [KeySize] bytes; one that comes twice counts once.
func NewVault(keys ...[]byte) (*Vault, error) {
	if len(keys) == 0 {
		return nil, errors.New("match: the vault has no key")
	}
	var all []vaultKey
	named := make(map[KeyName][]byte)
	for _, key := range keys {
		if len(key) != KeySize {
			return nil, errors.New("match: a key of the vault does not have 32 bytes")
		}
		sum := sha256.Sum256(append([]byte("veridice vault key\n"), key...))
		name := KeyName(sum[:])
		if other, ok := named[name]; ok {
			if bytes.Equal(other, key) {
				continue
			}
			// Nobody could tell what needs which.
			return nil, errors.New("match: two keys of the vault have the same name; take another key")
		}
		named[name] = key
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		all = append(all, vaultKey{name, func() cipher.AEAD { return aead }})
	}
	v := new(Vault)
	v.keys.Store(&all)
	return v, nil
}

// Use takes over the keys of another vault, for all who use this one.
func (v *Vault) Use(other *Vault) { v.keys.Store(other.keys.Load()) }

// Keys lists the names of the keys; the first one encrypts.
func (v *Vault) Keys() []KeyName {
	var names []KeyName
	for _, k := range *v.keys.Load() {
		names = append(names, k.name)
	}
	return names
}

// String never shows a key.
func (v *Vault) String() string { return "vault(sealed)" }

// Seal encrypts a secret. Purpose and id are what it is bound to; neither holds a line feed.
func (v *Vault) Seal(entropy Entropy, purpose, id string, secret []byte) ([]byte, error) {
	k := (*v.keys.Load())[0]
	out := make([]byte, 16, 16+len(secret)+16)
	copy(out, k.name[:])
	if _, err := io.ReadFull(entropy, out[4:16]); err != nil {
		return nil, errors.New("match: the random source failed")
	}
	return k.aead().Seal(out, out[4:16], secret, []byte(purpose+"\n"+id)), nil
}

// Open gives back what [Vault.Seal] encrypted, or [ErrOtherKey].
func (v *Vault) Open(purpose, id string, sealed []byte) ([]byte, error) {
	name, err := KeyOf(sealed)
	if err != nil {
		return nil, err
	}
	keys := *v.keys.Load()
	at := slices.IndexFunc(keys, func(k vaultKey) bool { return k.name == name })
	if at < 0 {
		return nil, ErrOtherKey
	}
	secret, err := keys[at].aead().Open(nil, sealed[4:16], sealed[16:], []byte(purpose+"\n"+id))
	if err != nil {
		return nil, ErrOtherKey
	}
	return secret, nil
}

// KeyOf gives the name of the key under which something is encrypted, or [ErrOtherKey]
// for what no vault made.
func KeyOf(sealed []byte) (KeyName, error) {
	if len(sealed) < 16+16 {
		return KeyName{}, ErrOtherKey
	}
	return KeyName(sealed[:4]), nil
}

// Rewrap encrypts what is under an older key under the first one. It gives nil for what
// is under that already, and [ErrOtherKey] for what does not open.
func (v *Vault) Rewrap(entropy Entropy, purpose, id string, sealed []byte) ([]byte, error) {
	if name, err := KeyOf(sealed); err != nil || name == v.Keys()[0] {
		return nil, err
	}
	secret, err := v.Open(purpose, id, sealed)
	if err != nil {
		return nil, err
	}
	return v.Seal(entropy, purpose, id, secret)
}

// Purposes of what a vault holds.
const (
	ofSeed   = "server seed"
	ofChain  = "last link"
	ofAnswer = "answer"
	ofKey    = "key"
)

// Names under which [Store.Once] keeps keys of the server's own.
const (
	serverKeyName = "server key"
	logKeyName    = "log key"
)

// openChain gives the server's chain of a match of veridice/1. That it is the
// announced one is checked here, so that no link of another is shown.
func (v *Vault) openChain(m *Match, length uint32) (scheme.Chain, error) {
	last, err := v.Open(ofChain, m.ID, m.Sealed)
	if err != nil {
		return scheme.Chain{}, err
	}
	id, err := matchID(m.ID)
	if err != nil || len(last) != 32 {
		return scheme.Chain{}, ErrOtherKey
	}
	chain, err := scheme.NewChain(id, 0, scheme.Link(last), length)
	if err != nil {
		return scheme.Chain{}, err
	}
	if chain.Anchor() != scheme.Link(m.Seal) {
		return scheme.Chain{}, ErrOtherKey
	}
	return chain, nil
}

// matchID is the id as veridice/1 has it.
func matchID(id string) (scheme.Match, error) {
	b, ok := seed.ParseHex(id)
	if !ok || len(b) != len(scheme.Match{}) {
		return scheme.Match{}, ErrNotFound
	}
	return scheme.Match(b), nil
}

func (v *Vault) sealSeed(entropy Entropy, id string, s seed.Server) ([]byte, error) {
	return v.Seal(entropy, ofSeed, id, s.Reveal())
}

// openSeed gives the server seed of a match for deriving rolls from it. That it
// is the sealed one is checked here, so that no roll is made of another.
func (v *Vault) openSeed(m *Match) (seed.Server, error) {
	b, err := v.Open(ofSeed, m.ID, m.Sealed)
	if err != nil {
		return seed.Server{}, err
	}
	s, err := seed.NewServer(b)
	if err != nil {
		return seed.Server{}, err
	}
	return seed.Open(m.Seal, s)
}
