package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed migrations/*.sql
var migrations embed.FS

// errNoTables says that a database has no tables of ours.
var errNoTables = errors.New("postgres: the database has no tables of veridiced; make them with: veridiced migrate -db ADDRESS")

func migrationFiles() []string {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	for i, name := range names {
		if number, err := strconv.Atoi(name[len("migrations/"):][:4]); err != nil || number != i+1 {
			panic("veridice: internal error: migrations are not numbered without gaps at " + name)
		}
		names[i] = name[len("migrations/"):]
	}
	return names
}

// version checks that the tables are of this program's version.
func version(ctx context.Context, c *pgx.Conn) error {
	var last int
	err := c.QueryRow(ctx, "SELECT max(number) FROM migration").Scan(&last)
	switch wanted := len(migrationFiles()); {
	case code(err) == undefinedTable:
		return errNoTables
	case err != nil:
		return err
	case last > wanted:
		return errors.New("postgres: the database was made by a later version of this program")
	case last < wanted:
		return errors.New("postgres: the database is of an earlier version of this program; bring it to this one with: veridiced migrate -db ADDRESS")
	}
	return nil
}

// Migrate brings a database to this program's version: each file of migrations/ in the
// order of its number, in a transaction of its own, once. It gives the names of those
// that it applied. Several processes may do it at once.
func Migrate(ctx context.Context, address string) (applied []string, err error) {
	config, _, err := parse(address)
	if err != nil {
		return nil, err
	}
	c, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, connectError(err)
	}
	defer c.Close(context.WithoutCancel(ctx))
	err = again(func() error {
		_, err := c.Exec(ctx, `CREATE TABLE IF NOT EXISTS migration (
			number BIGINT NOT NULL PRIMARY KEY,
			name   TEXT   NOT NULL,
			at     BIGINT NOT NULL -- milliseconds since 1970, UTC
		)`)
		return err
	})
	if err != nil {
		return nil, connectError(err)
	}
	for i, name := range migrationFiles() {
		text, err := migrations.ReadFile("migrations/" + name)
		if err != nil {
			return applied, err
		}
		done := false
		err = again(func() error {
			done, err = apply(ctx, c, i+1, name, string(text))
			return err
		})
		if err != nil {
			return applied, fmt.Errorf("migration %s: %v", name, connectError(err))
		}
		if done {
			applied = append(applied, name)
		}
	}
	return applied, version(ctx, c)
}

// again repeats what met another process at the same work. Two that make a table at once
// collide over its name or that of its row type, whatever IF NOT EXISTS says.
func again(f func() error) (err error) {
	for range tries {
		if err = f(); !conflicts(err) && code(err) != duplicateObject && code(err) != duplicateTable {
			return err
		}
	}
	return err
}

// apply applies one migration unless it was. The row that says so comes first: another
// process that inserts it waits until this one is through.
func apply(ctx context.Context, c *pgx.Conn, number int, name, text string) (done bool, err error) {
	var there bool
	if err := c.QueryRow(ctx, "SELECT count(*) > 0 FROM migration WHERE number = $1", number).Scan(&there); err != nil || there {
		return false, err
	}
	err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO migration (number, name, at) VALUES ($1, $2, $3)", number, name, time.Now().UnixMilli())
		if err != nil {
			return err
		}
		return simple(ctx, tx.Conn().PgConn(), text)
	})
	return err == nil, err
}

// simple runs several statements without parameters.
func simple(ctx context.Context, c *pgconn.PgConn, text string) error {
	return c.Exec(ctx, text).Close()
}
