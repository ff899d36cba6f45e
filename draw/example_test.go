package draw_test

import (
	"bytes"
	"fmt"

	"veridice/draw"
)

// A reader is a source of the bytes of a buffer.
type reader struct{ *bytes.Buffer }

func (r reader) Byte() byte { return r.Next(1)[0] }

func ExamplePair() {
	// 253 would favour some pairs and is skipped; 215 mod 36 is 35.
	a, b := draw.Pair(reader{bytes.NewBuffer([]byte{253, 215, 105})})
	fmt.Println(a, b)
	// Output: 6 6
}

func ExampleIndexOf() {
	fmt.Println(draw.IndexOf(1849153629, 10001))
	// Output: 4305
}
