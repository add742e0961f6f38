package ugi

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// boundMemory lets a program that runs have so many megabytes of memory at most,
// and each program that it starts later as many.
func boundMemory(cmd *exec.Cmd, megabytes int) error {
	most := uint64(megabytes) << 20
	err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}, nil)
	if errors.Is(err, unix.ESRCH) { // it has ended, which will be noticed
		return nil
	}
	return err
}
