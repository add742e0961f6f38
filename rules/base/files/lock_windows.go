package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks a file until it is closed. The error is [ErrInUse] if another process has
// locked it. It locks a byte far behind the end, so that others may read.
func Lock(f *os.File) error {
	const far = 1 << 30
	place := &windows.Overlapped{OffsetHigh: far}
	const mode = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), mode, 0, 1, 0, place)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}
