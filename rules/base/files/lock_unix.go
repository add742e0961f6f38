//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// Lock locks a file until it is closed or the process ends, however it ends. The error
// is [ErrInUse] if another process has locked it.
func Lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}
