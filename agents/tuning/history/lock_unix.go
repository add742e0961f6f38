//go:build unix

package history

import (
	"errors"
	"os"
	"syscall"
)

// lock takes a file for this process until it is closed or the process ends,
// however it ends. It is an error if another process has it.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errInUse
	}
	return err
}
