package tournament

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"gyges/tournament/record"
)

// The host of a game with time limits is observed every hostTick. A tick that is late by hostLate or more counts, as
// timers are rarely punctual; on a machine whose cores are all busy with searches they are late by 10 ms now and then,
// which is the time slice of Go's scheduler. A program that didn't run for suspendedFor was suspended.
const (
	hostTick     = 50 * time.Millisecond
	hostLate     = 20 * time.Millisecond
	suspendedFor = time.Second
)

// hostMonitor notes how late the machine runs this program, and how many tasks it shares the cores with.
type hostMonitor struct {
	mu    sync.Mutex
	every time.Duration // between ticks
	timed bool          // the game has time limits
	last  time.Time     // of the last tick
	sum   hostLoad

	// runnable returns how many tasks of the machine run or wait for a core, the caller not counted; 0: unknown.
	runnable func() int // nil: runnableTasks
}

// hostLoad is what was observed of the machine.
type hostLoad struct {
	late           time.Duration // by which ticks were late, in all
	samples, tasks int           // how often tasks were counted, and their sum
}

func (h *hostMonitor) begin(now time.Time, every time.Duration, timed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.every, h.timed, h.last, h.sum = every, timed, now, hostLoad{}
}

// load returns what was observed since the beginning.
func (h *hostMonitor) load() hostLoad {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sum
}

// tick notes the present time, and returns by how much it comes late. The monotonic clock of some systems stands
// still while the machine sleeps, so the wall clock is read too.
func (h *hostMonitor) tick(now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	late := max(now.Sub(h.last), now.Round(0).Sub(h.last.Round(0))) - h.every
	h.last = now
	if h.timed {
		count := h.runnable
		if count == nil {
			count = runnableTasks
		}
		if n := count(); n > 0 {
			h.sum.samples, h.sum.tasks = h.sum.samples+1, h.sum.tasks+n
		}
	}
	if late < hostLate {
		return 0
	}
	h.sum.late += late
	return late
}

// blame returns what was wrong with the machine since an earlier load, if the player that overran its time
// wouldn't have done so otherwise, as far as can be known: the program was late by as much as the player, or
// there were more tasks than half as many again as cores.
func (h *hostMonitor) blame(before hostLoad, overrun time.Duration) (state record.HostState, detail string) {
	h.tick(time.Now())
	now, cores := h.load(), runtime.NumCPU()
	late, samples := now.late-before.late, max(now.samples-before.samples, 1)
	tasks := float64(now.tasks-before.tasks) / float64(samples)
	switch {
	case late >= max(overrun, suspendedFor):
		return record.HostSuspended, fmt.Sprintf("did not run for %v", late.Round(time.Millisecond))
	case late >= max(overrun, hostLate):
		return record.HostOverloaded, fmt.Sprintf("timers were %v late", late.Round(time.Millisecond))
	case tasks > 1.5*float64(cores)+1:
		return record.HostOverloaded, fmt.Sprintf("%.1f tasks for %d cores", tasks, cores)
	}
	return "", ""
}
