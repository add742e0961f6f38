package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a byte far behind the end of a file, so that others may read, alone or with others
// that share the lock. It reports whether another one prevents it.
func lock(f *os.File, shared bool) (inUse bool, err error) {
	const far = 1 << 30
	mode := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		mode |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	place := &windows.Overlapped{OffsetHigh: far}
	err = windows.LockFileEx(windows.Handle(f.Fd()), mode, 0, 1, 0, place)
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION), err
}
