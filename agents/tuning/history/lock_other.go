//go:build !unix && !windows

package history

import "os"

// lock would keep other processes out; this system has no plain way to.
func lock(*os.File) error { return nil }
