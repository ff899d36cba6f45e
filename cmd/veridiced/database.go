package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/pair"
	"veridice/internal/recheck"
	"veridice/internal/store/postgres"
	"veridice/internal/store/sqlite"
)

// openPostgres opens a PostgreSQL database and the key that all its nodes share. Neither
// is made here: a second node with a key of its own could not serve the first one's
// matches.
func (p *program) openPostgres(ctx context.Context, keyPath string) (match.Store, *match.Vault, error) {
	if _, err := os.Stat(keyPath); p.key == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errors.New("there is no key file " + keyPath + "; every node needs the same one, made once with: veridiced init -db ADDRESS -key-file FILE")
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
		return usageError("veridiced migrate takes only flags")
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

// there opens the database for a command that does not serve: it must be there.
func (p *program) there(ctx context.Context) (match.Store, *match.Vault, error) {
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
	return p.open(ctx)
}

// stored is there, with what can open the secrets of matches and pairs.
func (p *program) stored(ctx context.Context) (match.Store, *match.Service, *pair.Service, error) {
	store, vault, err := p.there(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	pairs := pair.New(store.(ledger.Store), vault, match.System{}, p.random())
	return store, match.New(store, vault, match.System{}, p.random()), pairs, nil
}

// check recomputes all that the database holds.
func (p *program) check(ctx context.Context) error {
	if len(p.args) > 0 {
		return usageError("veridiced check takes only flags")
	}
	store, service, pairs, err := p.stored(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	sum, err := recheck.Store(ctx, store, service, pairs)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "matches %d\nrolls %d\nopenings %d\nlog entries %d\nlog hashes %d\nusers with seed pairs %d\nrevealed pairs %d\ndraws %d\n",
		sum.Matches, sum.Rolls, sum.Openings, sum.Entries, sum.Hashes, sum.Users, sum.Revealed, sum.Draws)
	return store.Close()
}

// export writes the record of every match that is over into a folder, a file each, and
// below it the draws of every revealed pair. A file that is there with the same text stays;
// another text is an error.
func (p *program) export(ctx context.Context) error {
	if len(p.args) != 1 {
		return usageError("veridiced export takes the folder to write to")
	}
	store, service, pairs, err := p.stored(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	e := exporter{folder: p.args[0]}
	if err := os.MkdirAll(e.folder, 0o700); err != nil {
		return err
	}
	without := 0
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
			if err == nil {
				err = e.write(id+".txt", func(w io.Writer) error { return second(w.Write(text)) })
			}
			if err != nil {
				return fmt.Errorf("match %s: %v", id, err)
			}
		}
		if len(ids) < 256 {
			break
		}
	}
	err = pairs.EachRevealed(ctx, func(operator, user string, r pair.Revealed) error {
		if r.Draws == 0 {
			return nil // nothing to audit
		}
		path := filepath.Join("pairs", operator, user, fmt.Sprint(r.Pair, ".ndjson"))
		return e.write(path, func(w io.Writer) error { return pairs.ExportPair(ctx, operator, user, r, w) })
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "written %d\nthere before %d\nwithout a record %d\n", e.written, e.there, without)
	return store.Close()
}

func second[T any](_ T, err error) error { return err }

// An exporter writes the files of an export.
type exporter struct {
	folder         string
	written, there int
}

// write writes a file whole or not at all. It does not touch one that is there.
func (e *exporter) write(name string, content func(io.Writer) error) error {
	path := filepath.Join(e.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is gone when all went well
	out := bufio.NewWriter(f)
	err = errors.Join(content(out), out.Flush())
	old, missing := os.Open(path)
	switch {
	case err != nil:
	case missing == nil:
		e.there++
		err = same(old, f)
	case errors.Is(missing, fs.ErrNotExist):
		e.written++
		if err = errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		return os.Rename(f.Name(), path)
	default:
		err = missing
	}
	if missing == nil {
		err = errors.Join(err, old.Close())
	}
	return errors.Join(err, f.Close())
}

// same complains if a file that is there has another text than the new one.
func same(old, now *os.File) error {
	var sums [2][]byte
	for i, f := range []*os.File{old, now} {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return err
		}
		sums[i] = h.Sum(nil)
	}
	if !bytes.Equal(sums[0], sums[1]) {
		return errors.New("there is another record already in " + old.Name())
	}
	return nil
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
		return errors.New("this file exists already: " + p.args[0])
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
	if err := p.makeKey(path); err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, path)
	return nil
}

// isAddress reports whether -db is no path of a file.
func isAddress(db string) bool { return strings.Contains(db, "://") }
