package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"veridice/internal/match"
	"veridice/internal/recheck"
	"veridice/internal/store/postgres"
	"veridice/internal/store/sqlite"
)

// openPostgres opens a PostgreSQL database and the key that all its nodes share. Neither
// is made here: a second node with a key of its own could not serve the first one's
// matches.
func (p *program) openPostgres(ctx context.Context, keyPath string) (match.Store, *match.Vault, error) {
	if _, err := os.Stat(keyPath); p.key == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errors.New("there is no key file " + keyPath + "; every node needs the same one, which is made once with: veridiced init -db ADDRESS -key-file FILE")
	}
	vault, err := p.vault(keyPath)
	if err != nil {
		return nil, nil, err
	}
	store, err := postgres.Open(ctx, p.db)
	if err != nil {
		return nil, nil, err
	}
	return store, vault, nil
}

// migrate brings the database to this program's version.
func (p *program) migrate(ctx context.Context) error {
	private()
	if len(p.args) > 0 {
		return usageError("veridiced migrate takes flags alone")
	}
	if postgres.Is(p.db) {
		return p.migratePostgres(ctx)
	}
	path, _, err := p.paths()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	store, err := sqlite.Open(path)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, path, "is of this version")
	return store.Close()
}

func (p *program) migratePostgres(ctx context.Context) error {
	applied, err := postgres.Migrate(ctx, p.db)
	for _, name := range applied {
		fmt.Fprintln(p.stdout, name)
	}
	if err == nil {
		fmt.Fprintln(p.stdout, postgres.Place(p.db), "is of this version")
	}
	return err
}

// stored opens the database for a command that does not serve: it must be there.
func (p *program) stored(ctx context.Context) (match.Store, *match.Service, error) {
	private()
	path, keyPath, err := p.paths()
	if err != nil {
		return nil, nil, err
	}
	for _, file := range []string{path, keyPath} {
		if file == path && postgres.Is(p.db) || file == keyPath && p.key != "" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return nil, nil, err
		}
	}
	store, vault, err := p.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	return store, match.New(store, vault, match.System{}, p.random()), nil
}

// check recomputes all that the database holds.
func (p *program) check(ctx context.Context) error {
	if len(p.args) > 0 {
		return usageError("veridiced check takes flags alone")
	}
	store, service, err := p.stored(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	sum, err := recheck.Store(ctx, store, service)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "matches %d\nrolls %d\nopenings %d\nlog entries %d\nlog hashes %d\n", sum.Matches, sum.Rolls, sum.Openings, sum.Entries, sum.Hashes)
	return store.Close()
}

// export writes the record of every match that is over into a folder, a file each. One
// that is there with the same text stays; another text is an error.
func (p *program) export(ctx context.Context) error {
	if len(p.args) != 1 {
		return usageError("veridiced export takes the folder to write to")
	}
	store, service, err := p.stored(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := os.MkdirAll(p.args[0], 0o700); err != nil {
		return err
	}
	written, there, without := 0, 0, 0
	for after := ""; ; {
		ids, err := store.Matches(ctx, after, 256)
		if err != nil {
			return err
		}
		for _, id := range ids {
			after = id
			m, err := store.Match(ctx, id)
			if err != nil {
				return err
			}
			if !m.State.Over() {
				continue
			}
			text, err := service.RecordText(ctx, id)
			var state *match.StateError
			if errors.As(err, &state) {
				without++ // given up before it began
				continue
			}
			if err != nil {
				return fmt.Errorf("match %s: %v", id, err)
			}
			new, err := writeNew(filepath.Join(p.args[0], id+".txt"), text)
			if err != nil {
				return err
			}
			if new {
				written++
			} else {
				there++
			}
		}
		if len(ids) < 256 {
			break
		}
	}
	fmt.Fprintf(p.stdout, "written %d\nthere before %d\nwithout a record %d\n", written, there, without)
	return store.Close()
}

// writeNew writes a file whole or not at all. It does not touch one that is there.
func writeNew(path string, text []byte) (new bool, err error) {
	old, err := os.ReadFile(path)
	if err == nil {
		if string(old) == string(text) {
			return false, nil
		}
		return false, errors.New("there is another record already in " + path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name()) // it is gone when all went well
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return false, err
	}
	return true, os.Rename(f.Name(), path)
}

// backup copies a SQLite database as it is at one moment, also while it is served.
func (p *program) backup(ctx context.Context) error {
	private()
	if len(p.args) != 1 {
		return usageError("veridiced backup takes the file to write")
	}
	if postgres.Is(p.db) {
		return usageError("veridiced backup is for SQLite; PostgreSQL has pg_dump and pg_basebackup")
	}
	path, _, err := p.paths()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if _, err := os.Lstat(p.args[0]); err == nil {
		return errors.New("there is a file already: " + p.args[0])
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := sqlite.Backup(path, p.args[0]); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, p.args[0])
	return nil
}

// initPostgres makes the key, if it is not there, and the tables.
func (p *program) initPostgres(ctx context.Context, keyPath string) error {
	if err := p.makeOrReadKey(keyPath); err != nil {
		return err
	}
	return p.migratePostgres(ctx)
}

// makeOrReadKey makes a key file that is missing, and reads one that is there.
func (p *program) makeOrReadKey(path string) error {
	if p.key != "" {
		_, err := p.vault("")
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		_, err := p.vault(path)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := makeKey(path); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, path)
	return nil
}

// isAddress reports whether -db is no path of a file.
func isAddress(db string) bool { return strings.Contains(db, "://") }
