package locale

import (
	"testing"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ tag, want string }{
		{"en", "100 rolls follow from the seeds"},
		{"el", "100 ζαριές προκύπτουν από τους σπόρους"},
		{"de", "100 Würfe folgen aus den Seeds"},
		{"id", "100 lemparan berasal dari seed-seed ini"},
		{"xx", "100 rolls follow from the seeds"},
	} {
		if got := For(c.tag).Text("verify.proven", "count", 100); got != c.want {
			t.Errorf("%s: got %q, want %q", c.tag, got, c.want)
		}
	}
}
