//go:build !purego

package lanes

import "golang.org/x/sys/cpu"

var wide = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL

// Wide reports whether [Compressor.Compress16] takes its blocks at once. The
// environment may turn it off with GODEBUG=cpu.avx512f=off.
func Wide() bool { return wide }
