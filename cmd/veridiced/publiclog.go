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
	"veridice/record"
	"veridice/seed"
)

// publicLog opens the log of the server's openings and closings, and lets the service use
// it. Its name is given once; its key is kept in the database.
func (p *program) publicLog(ctx context.Context, store match.Store, service *match.Service, logger *slog.Logger) (*publog.Log, error) {
	logs, err := match.Logs(ctx, store)
	if err != nil {
		return nil, err
	}
	if len(logs) == 0 {
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
		logs = []match.LogStart{{Name: string(kept)}}
	}
	var signers []checkpoint.Signer
	for i, log := range logs {
		signer, err := logSigner(ctx, service, log.Name, i > 0)
		if err != nil {
			return nil, err
		}
		signers = append(signers, signer)
	}
	current := logs[len(logs)-1]
	if p.logNamed != "" && current.Name != p.logNamed {
		return nil, fmt.Errorf("the log in this database is named %s and keeps that name; another name is another log, which \"veridiced log new\" begins", current.Name)
	}
	policy := &checkpoint.Policy{Quorum: checkpoint.None}
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
		for _, s := range signers { // receipts of a log that was given up still hold
			policy.Logs = append(policy.Logs, checkpoint.Log{Key: s.Key()})
		}
	}
	l, err := publog.New(ctx, publog.Options{
		Keeper: store, Signer: signers[len(signers)-1], Policy: policy, Logger: logger, Receipt: service.Receipt, Start: current,
	})
	if err != nil {
		return nil, fmt.Errorf("the log: %v", err)
	}
	service.UseLog(l.Wake, logs...)
	return l, nil
}

// logSigner is the key of a log; the first one of a database has its own place.
func logSigner(ctx context.Context, service *match.Service, name string, later bool) (checkpoint.Signer, error) {
	secret, err := service.LogKeySecret(ctx)
	if later {
		secret, err = service.LaterLogKeySecret(ctx, name)
	}
	if err != nil {
		return checkpoint.Signer{}, err
	}
	return checkpoint.NewSigner(name, checkpoint.Plain, secret)
}

const badLogName = "the name of a log is such as dice.example/log, without blanks or a plus sign"

// logName is the name that was given, or else one of the origin's host, or of the key.
func (p *program) logName(secret [32]byte) (string, error) {
	if p.logNamed != "" {
		if !record.NoteName(p.logNamed) {
			return "", usageError("-log-name: " + badLogName)
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
// line that others put into their policies, new gives the log up for another one.
func (p *program) logCommand(ctx context.Context) error {
	if len(p.args) == 0 || p.args[0] == "key" && len(p.args) != 1 || p.args[0] != "key" && len(p.args) != 2 {
		return usageError("veridiced log export FOLDER, veridiced log key, or veridiced log new NAME")
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
	if p.args[0] == "new" {
		return p.newLog(ctx, store, service, p.args[1])
	}
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
	return usageError("veridiced log has export, key and new")
}

// newLog gives the log up. It does not need to be whole for that, nor its policy.
func (p *program) newLog(ctx context.Context, store match.Store, service *match.Service, name string) error {
	if !record.NoteName(name) {
		return usageError(badLogName)
	}
	signer, err := logSigner(ctx, service, name, true)
	if err != nil {
		return err
	}
	switch err := publog.GiveUp(ctx, store, signer); {
	case errors.Is(err, match.ErrNotFound):
		return errors.New("there is no log yet that could be given up; -log-name names the first one")
	case errors.Is(err, match.ErrLogName):
		return errors.New("a log of this database has or had the name " + name + "; give another one")
	case errors.Is(err, match.ErrConflict):
		return errors.New("a server is running and has changed the log meanwhile; stop it first")
	case err != nil:
		return err
	}
	fmt.Fprintln(p.stdout, "log "+signer.Key().String())
	return nil
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
