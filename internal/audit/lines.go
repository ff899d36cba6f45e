package audit

import "bytes"

// trimEnd takes away the line end, LF or CRLF.
func trimEnd(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\r'})
}

func blank(text []byte) bool { return len(bytes.TrimLeft(text, " \t\r")) == 0 }
