package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"veridice/checkpoint"
	"veridice/internal/match"
	"veridice/internal/publog"
	"veridice/seed"
)

// publicLog opens the log of the server's openings and closings. Its name is given once;
// its key is kept in the database.
func (p *program) publicLog(ctx context.Context, store match.Store, service *match.Service, logger *slog.Logger) (*publog.Log, error) {
	secret, err := service.LogKeySecret(ctx)
	if err != nil {
		return nil, err
	}
	name, err := p.logName(secret)
	if err != nil {
		return nil, err
	}
	kept, err := store.Once(ctx, "log name", []byte(name))
	if err != nil {
		return nil, err
	}
	if p.logNamed != "" && string(kept) != p.logNamed {
		return nil, fmt.Errorf("the log in this database is named %s and keeps that name; another name is another log", kept)
	}
	signer, err := checkpoint.NewSigner(string(kept), checkpoint.Plain, secret)
	if err != nil {
		return nil, err
	}
	var policy *checkpoint.Policy
	if p.policy != "" {
		text, err := os.ReadFile(p.policy)
		if err != nil {
			return nil, err
		}
		if policy, err = checkpoint.ParsePolicy(text); err != nil {
			return nil, fmt.Errorf("the policy %s: %v", p.policy, err)
		}
	} else {
		p.unwitnessed = true
	}
	l, err := publog.New(ctx, publog.Options{Keeper: store, Signer: signer, Policy: policy, Logger: logger, Receipt: service.Receipt})
	if err != nil {
		return nil, fmt.Errorf("the log: %v", err)
	}
	return l, nil
}

// logName is the name that was given, or else one of the origin's host, or of the key.
func (p *program) logName(secret [32]byte) (string, error) {
	if p.logNamed != "" {
		if _, err := checkpoint.NewSigner(p.logNamed, checkpoint.Plain, secret); err != nil {
			return "", usageError("-log-name takes a name such as dice.example/log, without blanks or a plus sign")
		}
		return p.logNamed, nil
	}
	if u, err := url.Parse(p.origin); err == nil && u.Host != "" {
		return u.Host + "/log", nil
	}
	signer, err := checkpoint.NewSigner("veridice", checkpoint.Plain, secret)
	if err != nil {
		return "", err
	}
	public := signer.Key().Public
	return "veridice.invalid/" + seed.Hex(public[:4]), nil
}

// logCommand is "veridiced log": export writes the log as static files, key prints the
// line that others put into their policies.
func (p *program) logCommand(ctx context.Context) error {
	if len(p.args) == 0 || p.args[0] == "export" && len(p.args) != 2 || p.args[0] == "key" && len(p.args) != 1 {
		return usageError("veridiced log export FOLDER, or veridiced log key")
	}
	logger, err := p.log()
	if err != nil {
		return err
	}
	store, vault, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	service := match.New(store, vault, match.System{}, p.random())
	l, err := p.publicLog(ctx, store, service, logger)
	if err != nil {
		return err
	}
	switch p.args[0] {
	case "key":
		fmt.Fprintln(p.stdout, "log "+l.Key().String())
		return nil
	case "export":
		err := l.Export(ctx, func(path string, content []byte) error {
			return writeFile(filepath.Join(p.args[1], filepath.FromSlash(path)), content)
		})
		if errors.Is(err, match.ErrNotFound) {
			return errors.New("the log is empty")
		}
		return err
	}
	return usageError("veridiced log has export and key")
}

// writeFile writes a file that is there whole or not at all.
func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}
