package audit

import "bytes"

func indexByte(data []byte) int { return bytes.IndexByte(data, '\n') }

// countLines counts the lines of a record of CSV.
func countLines(text []byte) int { return bytes.Count(text, []byte{'\n'}) }

// trimEnd takes away the line end, LF or CRLF.
func trimEnd(text []byte) []byte {
	text = bytes.TrimSuffix(text, []byte{'\n'})
	return bytes.TrimSuffix(text, []byte{'\r'})
}

func blank(text []byte) bool {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func same(a, b []byte) bool { return bytes.Equal(a, b) }
