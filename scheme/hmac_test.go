package scheme

import (
	"bytes"
	"encoding/hex"
	"testing"

	"veridice/vectors/vectortest"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHMAC(t *testing.T) {
	type vector struct{ Name, Key, Message, MAC, Wrong string }
	vectortest.Each(t, "hmac.ndjson", func(t *testing.T, v vector) {
		want := unhex(t, v.MAC)
		if len(want) < 16 {
			t.Fatalf("a MAC of %d bytes proves little", len(want))
		}
		got := hmacSHA256(unhex(t, v.Key), unhex(t, v.Message))
		if !bytes.Equal(got[:len(want)], want) {
			t.Errorf("got %x, want %x", got, want)
		}
		if v.Wrong != "" && bytes.HasPrefix(got[:], unhex(t, v.Wrong)) {
			t.Error("the answer of an implementation with a well-known fault")
		}
	})
}
