package hook

import "time"

// SetTurn sets how long an address is sent one message after the other, and gives the
// function that sets it back.
func SetTurn(d time.Duration) (back func()) {
	before := turn
	turn = d
	return func() { turn = before }
}

// Busy reports whether an address is sent to.
func (s *Service) Busy(id string) bool { return s.isBusy(id) }
