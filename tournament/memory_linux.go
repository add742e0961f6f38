package tournament

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// machineMemory returns how many bytes of memory this process may have: those of the
// machine, or fewer if its control group has a limit. 0: unknown.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	most := int64(info.Totalram) * int64(info.Unit) //nolint:unconvert // its type depends on the architecture
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil { // else "max"
			most = min(most, n)
		}
	}
	return most
}

// runnableTasks returns how many tasks of the machine run or wait for a core, the caller not counted; 0: unknown.
func runnableTasks() int {
	text, _ := os.ReadFile("/proc/loadavg") // "0.20 0.18 0.12 1/80 11206"
	if fields := strings.Fields(string(text)); len(fields) > 3 {
		n, _, _ := strings.Cut(fields[3], "/")
		tasks, _ := strconv.Atoi(n) // 0 if it is no number
		return tasks - 1
	}
	return 0
}
