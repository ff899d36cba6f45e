package postgres

import (
	"testing"

	"veridice/internal/ledger"
	"veridice/internal/ledger/ledgertest"
	"veridice/internal/needs"
)

func ledgered(t *testing.T, p *needs.PostgresServer) {
	ledgertest.Run(t, func(t *testing.T) (ledger.Store, func() ledger.Store) {
		address := database(t, p)
		return connect(t, address), func() ledger.Store { return connect(t, address) }
	})
}
