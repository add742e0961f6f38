package tournament

import (
	"os"
	"strconv"
	"strings"
)

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
