package queue

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// A worker that begins while its server is killed waits for the next one: a
// connection that is reset or closed before it is greeted is none yet.
func TestAwaitServerThatIsKilled(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	ended := make(chan error, 1)
	var log logged
	go func() {
		nc, err := Await(t.Context(), Access{URL: "nats://" + address}, "test", log.log())
		if err == nil {
			nc.Close()
		}
		ended <- err
		_ = l.Close() // nobody connects any more
	}()
	for _, linger := range []int{0, -1} { // a reset, an end
		c, err := l.Accept()
		if err != nil {
			t.Fatal(<-ended)
		}
		require.NoError(t, c.(*net.TCPConn).SetLinger(linger))
		require.NoError(t, c.Close())
	}
	require.NoError(t, l.Close())
	s, err := StartServer(ServerOptions{Listen: address, Store: t.TempDir()})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, <-ended)
	require.Contains(t, log.String(), "waiting for the NATS server")
}
