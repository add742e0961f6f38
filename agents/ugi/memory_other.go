//go:build !linux

package ugi

import (
	"errors"
	"os/exec"
)

// boundMemory can't be done here.
func boundMemory(*exec.Cmd, int) error {
	return errors.New("this system can't bound the memory of a program that runs")
}
