//go:build !linux

package tournament

// machineMemory returns 0, unknown.
func machineMemory() int64 { return 0 }

// runnableTasks returns 0, unknown.
func runnableTasks() int { return 0 }
