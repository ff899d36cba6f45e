// Package stream shows the stream itself: what a site publishes as bytes or
// floats. docs/spec/floats.md.
package stream

import "veridice/draw"

// Bytes gives n bytes after the first offset.
func Bytes(src draw.Source, offset, n int) []uint32 {
	for range offset {
		src.Byte()
	}
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(src.Byte())
	}
	return list
}

// Words gives n words after the first offset.
func Words(src draw.Source, offset, n int) []uint32 {
	for range 4 * offset {
		src.Byte()
	}
	list := make([]uint32, n)
	for i := range list {
		list[i] = draw.Word(src)
	}
	return list
}
