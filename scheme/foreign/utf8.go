package foreign

// replacement is U+FFFD in UTF-8.
const replacement = "\uFFFD"

// lossy decodes bytes as UTF-8 the way browsers and Node do, and encodes the
// result again: one U+FFFD for each maximal part that begins like a character
// and is not one. Neither one for each byte nor one for each run gives the same
// bytes.
func lossy(b []byte) []byte {
	out := make([]byte, 0, len(b)*len(replacement))
	for i := 0; i < len(b); {
		n, ok := character(b[i:])
		if ok {
			out = append(out, b[i:i+n]...)
		} else {
			out = append(out, replacement...)
		}
		i += n
	}
	return out
}

// character measures the character that b begins with, or the longest part of
// it that could have become one, at least one byte.
func character(b []byte) (n int, ok bool) {
	first := b[0]
	// The second byte of some leads has a narrower range: no overlong forms, no
	// surrogates, nothing beyond U+10FFFF.
	low, high, more := byte(0x80), byte(0xbf), 0
	switch {
	case first < 0x80:
		return 1, true
	case 0xc2 <= first && first <= 0xdf:
		more = 1
	case 0xe0 <= first && first <= 0xef:
		more = 2
		if first == 0xe0 {
			low = 0xa0
		} else if first == 0xed {
			high = 0x9f
		}
	case 0xf0 <= first && first <= 0xf4:
		more = 3
		if first == 0xf0 {
			low = 0x90
		} else if first == 0xf4 {
			high = 0x8f
		}
	default:
		return 1, false
	}
	for n = 1; n <= more; n++ {
		if n == len(b) || b[n] < low || b[n] > high {
			return n, false
		}
		low, high = 0x80, 0xbf
	}
	return n, true
}
