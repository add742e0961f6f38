package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/tournament/queue"
)

// The command that starts a worker can be copied to another machine.
func TestInvitation(t *testing.T) {
	t.Parallel()
	f := queueFlags{accessFlags: accessFlags{User: "player", Cert: "cert.pem"}}
	name, err := os.Hostname()
	require.NoError(t, err)
	var players []agents.Spec
	for _, text := range []string{"random", "ugi:engine=a,name=x,cmd=./a --x", "ugi:cmd=b,name=b", "ugi:engine=a,name=y,cmd=./a --x"} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		players = append(players, spec)
	}
	require.Equal(t, "The NATS server listens at tls://0.0.0.0:4222. To start a worker:\n"+
		"  gyges worker --nats tls://"+name+":4222 --tls-ca cert.pem --engine 'a=./a --x' --engine b=b\n"+
		"It needs GYGES_NATS_USER=player and GYGES_NATS_PASSWORD in its environment.\n",
		f.invitation("tls://0.0.0.0:4222", players))
}

// A worker on a terminal shows each run that it plays, and how far they are together.
func TestWorkerLines(t *testing.T) {
	t.Parallel()
	now := time.Now()
	done, all, lines := runLines(nil, "nats://a:1\x1b", now)
	require.Equal(t, []any{int64(0), int64(0)}, []any{done, all})
	require.Equal(t, []string{`waiting for a run at nats://a:1\x1b`}, lines)
	done, all, lines = runLines([]queue.WorkerRun{
		{Players: "a, b", Rules: "standard", Done: 1500, Scheduled: 5000, Played: 300, Joined: now.Add(-time.Minute)},
		{Players: "c, d and 3 more", Rules: "kang", Scheduled: 10, Joined: now},
	}, "nats://a:1", now)
	require.Equal(t, []any{int64(1500), int64(5010)}, []any{done, all})
	require.Equal(t, []string{
		"a, b (standard): 1,500 of 5,000 games, 300 of them here, 5 games/s",
		"c, d and 3 more (kang): 0 of 10 games, 0 of them here, 0 games/s", "playing 2 runs at nats://a:1",
	}, lines)
}
