package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"veridice/internal/keyring"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/seed"
)

func (p *program) reader() keyring.Reader { return keyring.Reader{Identity: p.identity, Note: p.note} }

// makeKey writes a new key, for its owner alone; encrypted, if there is an identity.
func (p *program) makeKey(path string) error {
	key := make([]byte, match.KeySize)
	rand.Read(key) // never fails
	text := []byte(seed.Hex(key) + "\n")
	if p.identity != "" {
		var err error
		if text, err = p.reader().Encrypt(text); err != nil {
			return err
		}
	}
	return writeSecret(path, string(text))
}

// keyText reads the keys from the environment or from a file, and says where they were.
func (p *program) keyText(path string) (text []byte, where string, err error) {
	if p.key != "" {
		return []byte(p.key), "VERIDICE_KEY", nil
	}
	where = "the key file " + path
	if text, err = os.ReadFile(path); err != nil {
		return nil, where, err
	}
	secret, what := path, where
	if p.identity != "" {
		secret, what = p.identity, "the identity file "+p.identity
	}
	if info, err := os.Stat(secret); err == nil && info.Mode().Perm()&0o077 != 0 {
		p.note("warning: others than the owner can read " + what)
	}
	return text, where, nil
}

// vault makes a vault of the keys. No error holds them.
func (p *program) vault(path string) (*match.Vault, error) {
	text, where, err := p.keyText(path)
	if err != nil {
		return nil, err
	}
	return p.reader().Read(text, where)
}

// rereads takes a changed key file over on each hangup until ctx is done.
func (p *program) rereads(ctx context.Context, hangups <-chan os.Signal, store match.Store, vault *match.Vault, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			if err := p.reread(ctx, store, vault); err != nil {
				log.ErrorContext(ctx, "the keys stay those of before", "error", err)
				continue
			}
			var names []string
			for _, n := range vault.Keys() {
				names = append(names, n.String())
			}
			log.InfoContext(ctx, "took the key file over", "keys", strings.Join(names, " "))
		}
	}
}

// reread takes the key file over, unless something that is stored would not open any more.
func (p *program) reread(ctx context.Context, store match.Store, vault *match.Vault) error {
	if p.key != "" {
		return errors.New("they are in VERIDICE_KEY, which a running program cannot read again")
	}
	_, path, err := p.paths()
	if err != nil {
		return err
	}
	fresh, err := p.vault(path)
	if err != nil {
		return err
	}
	for _, name := range vault.Keys() {
		if slices.Contains(fresh.Keys(), name) {
			continue
		}
		uses, err := keyring.Count(ctx, store, store.(ledger.Store))
		if err != nil {
			return err
		}
		for name, use := range uses {
			if !slices.Contains(fresh.Keys(), name) {
				return fmt.Errorf("the file lacks the key %s, and %s", name, needed(use))
			}
		}
		break
	}
	vault.Use(fresh)
	return nil
}

// needed says what a key is needed for.
func needed(use keyring.Use) string {
	var kinds []string
	for kind := range use {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s %d", kind, use[kind])
	}
	if len(kinds) == 0 {
		return "nothing needs it"
	}
	return "needed for: " + strings.Join(kinds, ", ")
}

// keyEncrypt is "veridiced key encrypt": it writes the key file encrypted, beside it.
func (p *program) keyEncrypt(_ context.Context, recipients []string) error {
	if len(recipients) == 0 && p.identity == "" {
		return usageError("veridiced key encrypt takes the recipients, or -key-identity FILE")
	}
	_, path, err := p.paths()
	if err != nil {
		return err
	}
	text, where, err := p.keyText(path)
	if err != nil {
		return err
	}
	if keyring.Encrypted(text) {
		return errors.New(where + " is encrypted already")
	}
	out, err := p.reader().Encrypt(text, recipients...)
	if errors.Is(err, keyring.ErrRecipient) {
		return usageError(err.Error())
	}
	if err != nil {
		return err
	}
	path += ".age"
	if err := writeSecret(path, string(out)); errors.Is(err, fs.ErrExist) {
		return errors.New("this file exists already: " + path)
	} else if err != nil {
		return err
	}
	p.note("the keys are still in plain text in " + where + "; remove them once veridiced starts with -key-file " + path + " -key-identity FILE")
	fmt.Fprintln(p.stdout, path)
	return nil
}

// keyStatus is "veridiced key status": what is stored under which key.
func (p *program) keyStatus(ctx context.Context, _ []string) error {
	store, vault, err := p.there(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	_, err = p.status(ctx, store, vault)
	return err
}

// status prints what is stored under which key, and gives how much is not under the first.
func (p *program) status(ctx context.Context, store match.Store, vault *match.Vault) (old int, err error) {
	uses, err := keyring.Count(ctx, store, store.(ledger.Store))
	if err != nil {
		return 0, err
	}
	out := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for i, name := range vault.Keys() {
		what := needed(uses[name])
		if i == 0 {
			what = "encrypts; " + what
		} else {
			for _, n := range uses[name] {
				old += n
			}
		}
		fmt.Fprintf(out, "key %d\t%s\t%s\n", i+1, name, what)
		delete(uses, name)
	}
	var strangers []string
	for name, use := range uses {
		strangers = append(strangers, name.String())
		fmt.Fprintf(out, "missing\t%s\t%s\n", name, needed(use))
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	if len(strangers) > 0 {
		slices.Sort(strangers)
		return old, errors.New("the database needs keys that were not given: " + strings.Join(strangers, " "))
	}
	return old, nil
}

// keyRewrap is "veridiced key rewrap": everything goes over to the first key, while nodes
// serve.
func (p *program) keyRewrap(ctx context.Context, _ []string) error {
	store, vault, err := p.there(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	n, err := keyring.Rewrap(ctx, store, store.(ledger.Store), vault, p.random())
	fmt.Fprintf(p.stdout, "rewrapped %d\n", n)
	if err != nil {
		return fmt.Errorf("not finished; run it again to continue where it stopped: %v", err)
	}
	old, err := p.status(ctx, store, vault)
	if err == nil && old > 0 {
		err = errors.New("a node still encrypts with an older key: give it the new file, send it SIGHUP, and rewrap again")
	}
	return err
}
