package memory_test

import (
	"testing"

	"veridice/internal/ledger"
	"veridice/internal/ledger/ledgertest"
	"veridice/internal/store/memory"
)

func TestLedger(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) (ledger.Store, func() ledger.Store) {
		s := memory.New()
		return s, func() ledger.Store { return s }
	})
}
