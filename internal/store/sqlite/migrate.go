package sqlite

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/ncruces/go-sqlite3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks a database file as ours: "Veri" in ASCII.
const applicationID = 0x56657269

// migrate brings the database to this program's version: each file of
// migrations/ in the order of its number, in a transaction of its own, once.
func migrate(c *sqlite3.Conn) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	if err := claim(c); err != nil {
		return err
	}
	// A table that others refer to may be made anew; what refers to nothing after that
	// is a fault.
	if err := c.Exec("PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	for i, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		if number, err := strconv.Atoi(name[len("migrations/"):][:4]); err != nil || number != i+1 {
			panic("veridice: internal error: migrations are not numbered without gaps at " + name)
		}
		if err := apply(c, i+1, name[len("migrations/"):], string(text)); err != nil {
			return fmt.Errorf("migration %s: %v", name[len("migrations/"):], err)
		}
	}
	if astray, err := integer(c, "SELECT count(*) FROM pragma_foreign_key_check"); err != nil || astray > 0 {
		return errors.Join(err, errors.New("rows of the database refer to others that are not there"))
	}
	if err := c.Exec("PRAGMA foreign_keys = ON"); err != nil {
		return err
	}
	last, err := integer(c, "SELECT coalesce(max(number), 0) FROM migration")
	if err != nil {
		return err
	}
	if last > int64(len(names)) {
		return errors.New("the database was made by a later version of this program")
	}
	return nil
}

// claim marks an empty database as ours and refuses somebody else's.
func claim(c *sqlite3.Conn) (err error) {
	tx, err := c.BeginImmediate()
	if err != nil {
		return err
	}
	defer tx.End(&err)
	id, err := integer(c, "PRAGMA application_id")
	if err != nil || id == applicationID {
		return err
	}
	tables, err := integer(c, "SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	if id != 0 || tables != 0 {
		return errors.New("the file is a database of another program")
	}
	return c.Exec("PRAGMA application_id = " + strconv.Itoa(applicationID) + `;
		CREATE TABLE migration (
			number INTEGER NOT NULL PRIMARY KEY,
			name   TEXT    NOT NULL,
			at     INTEGER NOT NULL -- milliseconds since 1970, UTC
		) STRICT`)
}

func apply(c *sqlite3.Conn, number int, name, text string) (err error) {
	// The lock comes first: another process may be migrating too.
	tx, err := c.BeginImmediate()
	if err != nil {
		return err
	}
	defer tx.End(&err)
	done, err := integer(c, "SELECT count(*) FROM migration WHERE number = "+strconv.Itoa(number))
	if err != nil || done > 0 {
		return err
	}
	if err := c.Exec(text); err != nil {
		return err
	}
	st, _, err := c.Prepare("INSERT INTO migration (number, name, at) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer st.Close()
	return errors.Join(st.BindInt(1, number), st.BindText(2, name), st.BindInt64(3, time.Now().UnixMilli()), st.Exec())
}

// integer gives the first column of a query's first row.
func integer(c *sqlite3.Conn, query string) (int64, error) {
	st, _, err := c.Prepare(query)
	if err != nil {
		return 0, err
	}
	defer st.Close()
	var n int64
	if st.Step() {
		n = st.ColumnInt64(0)
	}
	return n, st.Err()
}
