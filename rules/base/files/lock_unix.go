//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file, alone or with others that share the lock, and reports whether another one
// prevents it.
func lock(f *os.File, shared bool) (inUse bool, err error) {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK), err
}
