// Package web holds what the server hands to browsers: page templates, style,
// the scripts of the pages (app/), the independent verifier (verifier/), code by
// others as they publish it (vendor/) and, in dist/, the Go core as WebAssembly
// with the toolchain's loader, which "make wasm" puts there, and the check page as one
// file, which "make checker" puts there.
package web

import "embed"

// Files is all of it. Scripts are served as they are written.
//
//go:embed *.html css app verifier vendor all:dist
var Files embed.FS
