package keyring

import (
	"context"
	"errors"

	"veridice/internal/hook"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/pair"
)

// A Use counts what is encrypted under one key, by what it is.
type Use map[string]int

// walk shows a visitor all that is stored encrypted, wherever it is.
func walk(ctx context.Context, s match.Store, books ledger.Store, visit match.Visit) (replaced int, err error) {
	replaced, err = match.Secrets(ctx, s, visit)
	for _, secrets := range []func(context.Context, ledger.Store, match.Visit) (int, error){pair.Secrets, hook.Secrets} {
		if err != nil {
			break
		}
		n := 0
		n, err = secrets(ctx, books, visit)
		replaced += n
	}
	return replaced, err
}

// Count tells what is encrypted under which key. It opens nothing.
func Count(ctx context.Context, s match.Store, books ledger.Store) (map[match.KeyName]Use, error) {
	uses := make(map[match.KeyName]Use)
	_, err := walk(ctx, s, books, func(purpose, _ string, sealed []byte) ([]byte, error) {
		name, err := match.KeyOf(sealed)
		if err != nil {
			return nil, errors.New("something stored is not what a key encrypted: a " + purpose)
		}
		if uses[name] == nil {
			uses[name] = make(Use)
		}
		uses[name][purpose]++
		return nil, nil
	})
	return uses, err
}

// Rewrap encrypts everything that is under another key than the vault's first one under
// that, while the store is used, and gives how much that was. What the vault cannot open
// stays as it is. Whoever calls it again after an error goes on where it ended.
func Rewrap(ctx context.Context, s match.Store, books ledger.Store, vault *match.Vault, entropy match.Entropy) (replaced int, err error) {
	return walk(ctx, s, books, func(purpose, id string, sealed []byte) ([]byte, error) {
		fresh, err := vault.Rewrap(entropy, purpose, id, sealed)
		if errors.Is(err, match.ErrOtherKey) {
			return nil, nil // Count tells of it
		}
		return fresh, err
	})
}
