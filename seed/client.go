package seed

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Client is a client seed: one player's part, made after the seal was shown.
// It is used byte for byte; nothing is trimmed, folded or normalised.
type Client string

// Limits of client seeds, in bytes.
const (
	MaxClient     = 128  // of those that [ParseClient] takes: ours, and tavli/1's
	MaxTextClient = 1024 // of those that [ParseTextClient] takes
)

// ParseClient accepts 1 to 128 characters of A-Z a-z 0-9 _ -, and names the
// first character that is none of them by its code point and its place.
func ParseClient(text string) (Client, error) {
	if text == "" {
		return "", errors.New("client seed: is empty")
	}
	n := 0
	for i, r := range text {
		n++
		if !InClient(r) {
			if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
				return "", errors.New("client seed: character " + strconv.Itoa(n) + " is not UTF-8")
			}
			return "", errors.New("client seed: character " + strconv.Itoa(n) + " is " + CodePoint(r) + ", not one of A-Z a-z 0-9 _ -")
		}
	}
	if n > MaxClient {
		return "", errors.New("client seed: is longer than 128 characters")
	}
	return Client(text), nil
}

// ParseTextClient accepts any UTF-8 text of up to 1,024 bytes (shuffle/1).
func ParseTextClient(text string) (Client, error) {
	if len(text) > MaxTextClient {
		return "", errors.New("client seed: is longer than 1024 bytes")
	}
	if !utf8.ValidString(text) {
		return "", errors.New("client seed: is not UTF-8")
	}
	return Client(text), nil
}

// InClient reports whether r may stand in a client seed of tavli/1.
func InClient(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
}

// CodePoint names a character: itself in quotes if it is printable ASCII, else
// U+ and at least four hex digits.
func CodePoint(r rune) string {
	if 0x20 < r && r < 0x7f {
		return "'" + string(r) + "'"
	}
	const upper = "0123456789ABCDEF"
	text := ""
	for ; r > 0 || len(text) < 4; r >>= 4 {
		text = string(upper[r&15]) + text
	}
	return "U+" + text
}
