//go:build unix

package main

import "syscall"

// private lets nobody but this user read the files that are made, those that
// SQLite puts beside the database among them.
func private() { syscall.Umask(0o077) }
