package sqlite

import (
	"path/filepath"
	"testing"

	"veridice/internal/ledger"
	"veridice/internal/ledger/ledgertest"
)

func TestLedger(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) (ledger.Store, func() ledger.Store) {
		path := filepath.Join(t.TempDir(), "veridice.db")
		return create(t, path), func() ledger.Store { return create(t, path) } // another process
	})
}
