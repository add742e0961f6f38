package queue

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
)

// begun is a run that goes on in the background.
func begun(ctx context.Context, c tournament.Config) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := tournament.Run(ctx, c, testRegistry(), nil)
		done <- err
	}()
	return done
}

// requireTaken fails unless an error is a line that names this process as the run's coordinator.
func requireTaken(t *testing.T, err error) {
	t.Helper()
	require.ErrorContains(t, err, "another coordinator plays this run since 2")
	host, _ := os.Hostname()
	require.ErrorContains(t, err, fmt.Sprintf("by process %d on %s; ", os.Getpid(), host))
	require.NotContains(t, err.Error(), "\n")
}

// Of two coordinators on copies of one folder the second one is refused, and changes nothing in the
// run of the first.
func TestCopyOfARun(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	c := testConfig(t, 10, "random", "other")
	want := local(t, c)
	c.Executor = testPool(t, connect(t, s), nil)
	stopped, stop := context.WithCancel(t.Context())
	first := begun(stopped, c)
	awaitJobs(t, &c)
	copied := c
	copied.Out, copied.Executor = t.TempDir(), testPool(t, connect(t, s), nil)
	require.NoError(t, os.CopyFS(copied.Out, os.DirFS(c.Out)))
	for range 2 {
		requireTaken(t, <-begun(t.Context(), copied))
	}
	// A copy that becomes another run leaves the first one alone, too.
	other := copied
	other.Out = t.TempDir()
	other.Executor = testPool(t, connect(t, s), func(o *Options) { o.Version = "other" })
	require.NoError(t, os.CopyFS(other.Out, os.DirFS(c.Out)))
	ctx, end := context.WithCancel(t.Context())
	another := begun(ctx, other)
	id, err := readIdentity(c.Out)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		now, _ := readIdentity(other.Out) // it isn't there at first
		jobs, err := other.Executor.(*Coordinator).pairsOn(ctx, jobStream, now.Run)
		return now.Run != id.Run && err == nil && len(jobs) > 0
	}, time.Minute, 10*time.Millisecond)
	jobs, err := c.Executor.(*Coordinator).pairsOn(ctx, jobStream, id.Run)
	require.NoError(t, err)
	require.NotEmpty(t, jobs)
	end()
	require.ErrorIs(t, <-another, context.Canceled)

	startWorker(t, connect(t, s), nil)
	require.NoError(t, <-first)
	stop()
	require.Equal(t, want, timeless(t, c.Out))
	require.NoError(t, <-begun(t.Context(), copied), "the first one has ended")
	require.Equal(t, want, timeless(t, copied.Out))
}

// awaitJobs waits until a run's jobs are on the server.
func awaitJobs(t *testing.T, c *tournament.Config) {
	t.Helper()
	p := c.Executor.(*Coordinator)
	require.Eventually(t, func() bool {
		id, _ := readIdentity(c.Out) // it isn't there at first
		jobs, err := p.pairsOn(t.Context(), jobStream, id.Run)
		return err == nil && len(jobs) > 0
	}, time.Minute, 10*time.Millisecond)
}

// Two coordinators of a run that couldn't see each other, since one was cut off from the server,
// find each other then.
func TestCoordinatorsThatMeetLater(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	c := testConfig(t, 10, "random", "other")
	want := local(t, c)
	line := newLine(t, s.URL())
	c.Executor = testPool(t, line.dial(t, discard()), nil)
	first := begun(t.Context(), c)
	awaitJobs(t, &c)
	copied := c
	copied.Out, copied.Executor = t.TempDir(), testPool(t, connect(t, s), nil)
	require.NoError(t, os.CopyFS(copied.Out, os.DirFS(c.Out)))
	line.cut()
	second := begun(t.Context(), copied)
	awaitJobs(t, &copied)
	line.heal()
	requireTaken(t, <-second)
	startWorker(t, connect(t, s), nil)
	require.NoError(t, <-first)
	require.Equal(t, want, timeless(t, c.Out))
}

// withholding is a connection to a server, which doesn't get some of the requests.
type withholding struct {
	net.Conn
	on   *atomic.Bool
	held *atomic.Int64 // requests
	in   *io.PipeWriter
}

// Write implements [io.Writer].
func (w withholding) Write(b []byte) (int, error) { return w.in.Write(b) }

// pass passes on messages but those that are withheld.
func (w withholding) pass(out *io.PipeReader) {
	from := bufio.NewReader(out)
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return
		}
		fields := strings.Fields(line)
		if verb := strings.ToUpper(fields[0]); verb == "PUB" || verb == "HPUB" {
			size, _ := strconv.Atoi(fields[len(fields)-1])
			payload := make([]byte, size+len("\r\n"))
			if _, err := io.ReadFull(from, payload); err != nil {
				return
			}
			if w.on.Load() && strings.Contains(fields[1], ".INFO.") {
				w.held.Add(1)
				continue
			}
			line += string(payload)
		}
		if _, err := io.WriteString(w.Conn, line); err != nil {
			_ = out.CloseWithError(err)
			return
		}
	}
}

// Dial implements [nats.CustomDialer].
func (w withholding) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	out, in := io.Pipe()
	w.Conn, w.in = conn, in
	go w.pass(out)
	return w, err
}

// Close implements [net.Conn].
func (w withholding) Close() error {
	_ = w.in.Close() // it never fails
	return w.Conn.Close()
}

// Results are taken while the server doesn't answer the requests of the coordinator, each of which
// waits for seconds.
func TestResultsDontWaitForTheServer(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	startWorker(t, connect(t, s), nil)
	c := testConfig(t, 100, "random", "other")
	c.Rules = c.Rules[:1]
	want := local(t, c)
	var on atomic.Bool
	var held atomic.Int64
	nc, err := Connect(Access{URL: s.URL()}, "test", discard(), nats.SetCustomDialer(withholding{on: &on, held: &held}))
	require.NoError(t, err)
	defer nc.Close()
	c.Executor = testPool(t, nc, func(o *Options) { o.statusEvery, o.repairEvery = time.Millisecond, time.Millisecond })
	games := int64(0)
	_, err = tournament.Run(t.Context(), c, testRegistry(), func(*record.Record) {
		games++
		on.Store(games < c.Games()-50) // the run's end needs answers
	})
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	require.Positive(t, held.Load())
	require.Less(t, held.Load(), games/4, "results wait for answers")
}
