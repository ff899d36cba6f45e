package memory_test

import (
	"testing"

	"veridice/internal/match"
	"veridice/internal/store/memory"
	"veridice/internal/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (match.Store, func() match.Store) {
		s := memory.New()
		return s, func() match.Store { return s } // as long as the process lives
	})
}
