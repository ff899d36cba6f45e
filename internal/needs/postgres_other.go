//go:build !unix

package needs

import "testing"

// A PostgresServer is a server of the test's own. Tests start one on Unix alone.
type PostgresServer struct{}

// Postgres skips the test aloud.
func Postgres(t testing.TB, options ...string) *PostgresServer {
	t.Helper()
	skip(t, "postgresql on Unix", "run it there")
	return nil
}

// Host is of a server that is never there.
func (p *PostgresServer) Host() string { return "" }

// URL is of a server that is never there.
func (p *PostgresServer) URL(database string) string { return "" }

// Create is of a server that is never there.
func (p *PostgresServer) Create(database string) string { return "" }

// Run is of a server that is never there.
func (p *PostgresServer) Run(database, statement string) string { return "" }

// Standby is of a server that is never there.
func (p *PostgresServer) Standby() *PostgresServer { return nil }

// Promote is of a server that is never there.
func (p *PostgresServer) Promote() {}

// Kill is of a server that is never there.
func (p *PostgresServer) Kill() {}
