package queue

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/strictjson"
	"gyges/tournament"
	"gyges/tournament/game"
	"gyges/tournament/schedule"
)

// What others can reach asks for a password.
func TestWhereTheServerListens(t *testing.T) {
	t.Parallel()
	with := Access{User: "u", Password: "p"}
	for listen, ok := range map[string][2]bool{ // without, with a password
		"127.0.0.1:0": {true, true}, "localhost:4222": {true, true}, "[::1]:1": {true, true}, "127.9.9.9:1": {true, true},
		"0.0.0.0:0": {false, true}, ":4222": {false, true}, "[::]:1": {false, true}, "192.168.1.2:1": {false,
			true}, "example.org:1": {false, true},
		"": {}, "x": {}, "127.0.0.1": {}, "127.0.0.1:x": {}, "127.0.0.1:-1": {}, "127.0.0.1:65536": {},
	} {
		require.Equal(t, ok[0], ServerOptions{Listen: listen}.Check() == nil, listen)
		require.Equal(t, ok[1], ServerOptions{Listen: listen, Access: with}.Check() == nil, listen)
		require.Error(t, ServerOptions{Listen: listen, Access: Access{User: "u"}}.Check())
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	for _, good := range []Access{
		{URL: "nats://a:4222"}, {URL: "tls://a:1,nats://b:2"}, {URL: "a://b", User: "u", Password: "p"}, {},
	} {
		require.NoError(t, good.Check())
	}
	for _, bad := range []Access{
		{URL: "a"}, {URL: "nats://"}, {URL: "nats://u:secret@a:1"}, {URL: "nats://a:1,nats://token@b:2"}, {URL: "nats://a\x00:1"},
		{URL: "nats://a:1", User: "u"}, {URL: "nats://a:1", Password: "secret"},
		{URL: "nats://a:1", User: "u", Password: "secret", Creds: "x"}, {URL: "nats://a:1", Creds: "/no/such"},
		{URL: "nats://a:1", Cert: "x"}, {URL: "nats://a:1", CA: "/no/such"},
	} {
		err := bad.Check()
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret")
	}
}

// A password is asked for, and stands in no error and no log.
func TestPassword(t *testing.T) {
	t.Parallel()
	access := Access{User: "u", Password: "secret-password"}
	s, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Store: t.TempDir(), Access: access})
	require.NoError(t, err)
	defer s.Close()
	var log logged
	for _, wrong := range []Access{{}, {User: "u", Password: "secret-passwort"}} {
		wrong.URL = s.URL()
		_, err = Connect(wrong, "test", log.log())
		require.ErrorIs(t, err, nats.ErrAuthorization)
		require.NotContains(t, err.Error(), "secret")
		_, err = Await(t.Context(), wrong, "test", log.log())
		require.ErrorIs(t, err, nats.ErrAuthorization, "no use in waiting")
	}
	access.URL = s.URL()
	nc, err := Connect(access, "test", log.log())
	require.NoError(t, err)
	defer nc.Close()
	startWorker(t, nc, func(o *WorkerOptions) { o.Log = log.log() })
	c := testConfig(t, 1, "random", "other")
	here, err := s.Connect("test", log.log())
	require.NoError(t, err)
	defer here.Close()
	c.Executor = testPool(t, here, func(o *Options) { o.Log = log.log() })
	_, err = tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.NotContains(t, log.String(), "secret")
	files, err := filepath.Glob(filepath.Join(c.Out, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(text), "secret", file)
	}
}

// With a certificate the embedded server speaks TLS only.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	s, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Store: t.TempDir(), Access: Access{Cert: cert, Key: key}})
	require.NoError(t, err)
	defer s.Close()
	url := "tls://" + s.URL()[strings.Index(s.URL(), "//")+2:]
	_, err = Connect(Access{URL: url}, "test", discard())
	require.ErrorContains(t, err, "certificate")
	nc, err := Connect(Access{URL: url, CA: cert}, "test", discard())
	require.NoError(t, err)
	defer nc.Close()
	require.NoError(t, nc.Flush())
	here, err := s.Connect("test", discard())
	require.NoError(t, err)
	here.Close()
}

// certificate writes a certificate for 127.0.0.1 that signs itself.
func certificate(t *testing.T) (cert, key string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	return cert, key
}

// A config that went over the wire is the one that was sent, as far as games go.
func TestDescription(t *testing.T) {
	t.Parallel()
	c := testConfig(t, 7, "random", "alphabeta:depth=3,clock=40/1m+1s", "ugi:name='a,b',cmd=x y")
	c.Rules = append(c.Rules, rules.MustParse("kang:max_plies=2"))
	c.Openings = schedule.Openings{Policy: schedule.RandomOpenings, Plies: 3}
	c.Limits = agents.Limits{Depth: 9, Nodes: 1 << 40, MoveTime: 3 * time.Second}
	c.Clock, c.TimeMargin, c.StallTimeout = game.Clock{Moves: 40, Base: time.Minute,
		Increment: time.Second}, new(time.Millisecond), time.Hour
	c.Seed, c.OnRepetition, c.Schedule, c.Rounds = 1<<64-1, agents.Allow, "swiss", 2
	var err error
	err = c.Adjudication.UnmarshalText([]byte("resign=8:4,draw=1:20,proven=5,plies=300"))
	require.NoError(t, err)
	o := Options{Version: "v", Registry: testRegistry(), Speed: func() float64 { return 5 }}
	text, err := json.Marshal(newRunConfig(&c, &o))
	require.NoError(t, err)
	var d runConfig
	require.NoError(t, strictjson.Unmarshal(text, maxText, &d))
	got, err := d.config()
	require.NoError(t, err)
	require.Equal(t, 5.0, d.Speed)

	want := c // what isn't sent
	plain := tournament.DefaultConfig()
	want.Name, want.Pairs, want.Out, want.Workers, want.Suspend = plain.Name, plain.Pairs, plain.Out, plain.Workers, got.Suspend
	require.Equal(t, want, got)

	for _, bad := range []string{`{"config":{"rules":["x"]}}`, `{"config":{"agents":["a:"]}}`} {
		var d runConfig
		require.NoError(t, strictjson.Unmarshal([]byte(bad), maxText, &d))
		_, err := d.config()
		require.Error(t, err, bad)
	}
	require.Error(t, strictjson.Unmarshal([]byte(`{"x":1}`), maxText, &d))
}

// A run keeps its name as long as it stays the same, whatever is measured.
func TestIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, text, err := identify(dir, &runConfig{Version: "1", Speed: 10}, false)
	require.NoError(t, err)
	require.Empty(t, first.previous)
	require.True(t, isToken(first.Run))
	require.Equal(t, digest(text), first.Config)

	again, same, err := identify(dir, &runConfig{Version: "1", Speed: 12}, false)
	require.NoError(t, err)
	require.True(t, again.resumed)
	again.resumed = false
	require.Equal(t, first, again)
	require.Equal(t, text, same)

	fresh, _, err := identify(dir, &runConfig{Version: "1", Speed: 12}, true)
	require.NoError(t, err)
	require.Equal(t, first.Run, fresh.previous, "what the server has of it isn't used")
	require.False(t, fresh.resumed)
	first = fresh
	other, _, err := identify(dir, &runConfig{Version: "2", Speed: 12}, false)
	require.NoError(t, err)
	require.Equal(t, first.Run, other.previous)
	require.NotEqual(t, first.Run, other.Run)
	third, _, err := identify(dir, &runConfig{Version: "2"}, false)
	require.NoError(t, err)
	require.Equal(t, other.Run, third.previous, "times are the same on all machines now")

	require.NoError(t, os.WriteFile(filepath.Join(dir, identityFile), []byte(`{"run":"../x"}`), 0o600))
	_, _, err = identify(dir, &runConfig{}, false)
	require.ErrorContains(t, err, "expected the name of a run")
}

func TestTimeScale(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		run, here, want float64 // want 0: refused
	}{
		{1000, 500, 2}, {500, 1000, 0.5}, {0, 5, 1}, {5, 0, 1}, {17, 1, 0}, {1, 17, 0}, {-1, 1, 0},
	} {
		got, err := (&runConfig{Speed: c.run}).timeScale(c.here)
		require.Equal(t, c.want == 0, err != nil, "%+v", c)
		require.Equal(t, c.want, got, "%+v", c)
	}
	c := tournament.DefaultConfig()
	require.False(t, isTimed(&c, testRegistry()))
	for _, text := range []string{"alphabeta:movetime=1s", "random:clock=1m",
		"explore:agent='alphabeta:movetime=1s,hash=1'"} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		timed := c
		timed.Agents = []agents.Spec{{Kind: "random"}, spec}
		require.True(t, isTimed(&timed, testRegistry()))
	}
}

// What comes over the wire never panics, and is bounded.
func FuzzWire(f *testing.F) {
	f.Add([]byte(`{"run":"a","config":"b","version":"v"}`))
	f.Add([]byte(`{"pair":1,"round":2,"rules":0,"agents":[0,1],"games":[true,false],"config":"x"}`))
	f.Add([]byte(`{"version":"v","settings":{"rules":["kang"],"agents":["random","greedy"],"openings":{"policy":"random"},"stall_timeout":"1s","seed":"1","name":"x","pairs":1},"speed":1}`))
	allow := AllowList{}
	f.Fuzz(func(t *testing.T, text []byte) {
		var q question
		if q.parse(text) == nil && (!isToken(q.Run) || strings.ContainsAny(q.Run, "./ ")) {
			t.Fatal(q.Run)
		}
		_, _ = parseGames(text)
		_ = pairOf(string(text))
		var j job
		jobOK := strictjson.Unmarshal(text, maxText, &j) == nil
		var d runConfig
		if strictjson.Unmarshal(text, maxText, &d) != nil {
			return
		}
		c, err := d.config()
		if err != nil || c.Openings.Plies > 10 || len(c.Agents) > 4 {
			return
		}
		for _, spec := range c.Agents {
			if spec.Get("hash") != "" || spec.Get("threads") != "" {
				return
			}
		}
		r := allow.registry(testRegistry(), nil, 1)
		if c.Validate(r) == nil && jobOK {
			_ = tournament.NewRunner(&c, r.New).Check(j.Job, nil)
		}
	})
}

// What a cluster can't do while it has no leader is tried again, and nothing else.
func TestRetry(t *testing.T) {
	t.Parallel()
	unavailable := &jetstream.APIError{Code: 503, ErrorCode: 10008}
	for _, c := range []struct {
		errs  []error
		calls int
	}{
		{[]error{nil}, 1}, {[]error{unavailable, fmt.Errorf("wrapped: %w", unavailable), nil}, 3},
		{[]error{unavailable, errors.ErrUnsupported}, 2}, {[]error{jetstream.ErrJetStreamNotEnabled}, 1},
	} {
		calls := 0
		err := retry(t.Context(), func() error { calls++; return c.errs[calls-1] }, busy)
		require.Equal(t, c.errs[len(c.errs)-1], err)
		require.Equal(t, c.calls, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, retry(ctx, func() error { return unavailable }, busy), unavailable)
}
