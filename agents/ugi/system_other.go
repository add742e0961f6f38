//go:build !linux

package ugi

import (
	"os/exec"
	"time"
)

// bindLifetime does nothing: a program that ignores the end of its input outlives this process if
// that is killed.
func bindLifetime(*exec.Cmd) (mark string) { return "" }

// killMarked kills and finds none.
func killMarked(string) bool { return false }

// processorTime returns 0: it isn't known.
func processorTime(int) time.Duration { return 0 }
