package seed

const digits = "0123456789abcdef"

// Hex writes bytes as lower-case hex, two digits a byte.
func Hex(b []byte) string {
	text := make([]byte, 0, 2*len(b))
	for _, x := range b {
		text = append(text, digits[x>>4], digits[x&15])
	}
	return string(text)
}

// ParseHex reads what [Hex] writes and nothing else.
func ParseHex(text string) ([]byte, bool) {
	if len(text)%2 != 0 {
		return nil, false
	}
	b := make([]byte, len(text)/2)
	for i := range text {
		v, ok := nibble(text[i])
		if !ok {
			return nil, false
		}
		b[i/2] = b[i/2]<<4 | v
	}
	return b, true
}

func nibble(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}
