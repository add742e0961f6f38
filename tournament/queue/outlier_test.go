package queue

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/greedy"
	"gyges/agents/random"
	"gyges/ratings"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// Of three workers, one of which has a broken program for one of the agents, that one is found by the records, however
// they are read; its name and its games are those that it played.
func TestBrokenWorkerIsFound(t *testing.T) {
	t.Parallel()
	kind := func(k agents.Kind) agents.Kind {
		k.Name = "mine"
		return k
	}
	s := testServer(t)
	for name, k := range map[string]agents.Kind{"good": greedy.Kind(), "better": greedy.Kind(), "b\x1bad": random.Kind()} {
		startWorker(t, connect(t, s), func(o *WorkerOptions) {
			o.Name, o.Workers, o.Registry = name, 1, testRegistry(kind(k))
		})
	}
	nc := connect(t, s)
	require.Eventually(t, func() bool { // all listen
		replies, err := nc.SubscribeSync(nats.NewInbox())
		require.NoError(t, err)
		require.NoError(t, nc.PublishRequest("$SRV.PING."+serviceName, replies.Subject, nil))
		n := 0
		for _, err := replies.NextMsg(time.Second); err == nil; _, err = replies.NextMsg(time.Second) {
			n++
		}
		return n == 3
	}, time.Minute, time.Millisecond)
	c := testConfig(t, 400, "mine", "random")
	c.Executor = testPool(t, nc, func(o *Options) { o.Registry = testRegistry(kind(greedy.Kind())) })
	played := standings.New()
	_, err := tournament.Run(t.Context(), c, testRegistry(kind(greedy.Kind())), func(g *record.Game) { played.Add(g) })
	require.NoError(t, err)

	file, err := os.Open(filepath.Join(c.Out, tournament.GamesFile))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	quick := standings.New()
	require.NoError(t, new(standings.Reader).Read(t.Context(), file, "games", quick))
	want := played.Workers()
	require.Equal(t, want, quick.Workers())

	require.Len(t, want.Rows, 3)
	require.Contains(t, strings.Join(want.Notes, "\n"), "worker b\x1bad differs from the others")
	games := 0
	for _, row := range want.Rows {
		games += row[1].(int)
	}
	require.Equal(t, 1600, games)
	rated, err := quick.Fit(t.Context(), ratings.Options{}, true)
	require.NoError(t, err)
	require.Equal(t, want, rated.Workers)
}
