//go:build !amd64 || purego

package lanes

// Wide reports whether [Compressor.Compress16] takes its blocks at once.
func Wide() bool { return false }

func compress16(*[8][16]uint32, *[16][16]uint32) {
	panic("veridice: internal error: no wide compression here")
}
