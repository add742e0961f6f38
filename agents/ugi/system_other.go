//go:build !linux

package ugi

import (
	"errors"
	"os/exec"
)

// bindLifetime does nothing: a program outlives this process if that is killed
// and the program ignores the end of its input.
func bindLifetime(*exec.Cmd) (mark string) { return "" }

// killMarked does nothing: processes are not marked.
func killMarked(string) {}

// boundMemory is not supported.
func boundMemory(*exec.Cmd, int) error {
	return errors.New("the memory of a running program can't be bounded on this system")
}
