package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/nats-io/nats.go"

	"gyges/agents"
	"gyges/agents/bench"
	"gyges/agents/files"
	"gyges/ratings/textfmt"
	"gyges/tournament"
	"gyges/tournament/queue"
)

// accessFlags say how to reach a NATS server. The password is in no flag, since
// everybody can see those.
type accessFlags struct {
	NatsUser         string `env:"GYGES_NATS_USER" placeholder:"USER" help:"User at the NATS server; the password is in $GYGES_NATS_PASSWORD, or in a file."`
	NatsPasswordFile string `env:"GYGES_NATS_PASSWORD_FILE" placeholder:"FILE" help:"File with the password."`
	NatsCreds        string `env:"GYGES_NATS_CREDS" placeholder:"FILE" help:"Creds file of the user (JWT and seed)."`
	NatsNkey         string `env:"GYGES_NATS_NKEY" placeholder:"FILE" help:"File with the seed of the user's nkey."`
	TLSCA            string `name:"tls-ca" env:"GYGES_TLS_CA" placeholder:"FILE" help:"Certificates that the other side's is checked with. Default: the system's."`
	TLSCert          string `name:"tls-cert" env:"GYGES_TLS_CERT" placeholder:"FILE" help:"Our TLS certificate; the embedded server needs one to speak TLS."`
	TLSKey           string `name:"tls-key" env:"GYGES_TLS_KEY" placeholder:"FILE" help:"Its key."`
}

// maxPassword bounds the file of a password, in bytes.
const maxPassword = 4096

// access puts the flags together, and checks them.
func (f *accessFlags) access(url string) (queue.Access, error) {
	a := queue.Access{
		URL: url, User: f.NatsUser, Password: os.Getenv("GYGES_NATS_PASSWORD"),
		Creds: f.NatsCreds, NKey: f.NatsNkey, CA: f.TLSCA, Cert: f.TLSCert, Key: f.TLSKey,
	}
	if f.NatsPasswordFile != "" {
		text, err := files.Read(f.NatsPasswordFile, maxPassword)
		if err != nil {
			return a, fileError("--nats-password-file", err)
		}
		a.Password = string(bytes.TrimRight(text, "\r\n"))
	}
	if err := a.Check(); err != nil {
		return a, fmt.Errorf("--nats: %w", plainFileError(err))
	}
	return a, nil
}

// queueFlags let workers on other machines play. Commands that play tournaments
// embed them.
type queueFlags struct {
	Nats        string `placeholder:"URL" help:"Let workers play, on any machine that reaches the NATS server there; embedded starts one here. See gyges worker."`
	Listen      string `placeholder:"HOST:PORT" help:"Where the embedded server listens. Default: 127.0.0.1:4222; addresses that other machines reach need a user and a password."`
	Store       string `placeholder:"DIR" help:"Where the embedded server keeps what is queued. Default: the folder queue in the run's."`
	Window      int    `placeholder:"N" help:"Pairs that may be queued, played or waiting to be written: at least some for each worker. Default: 4096."`
	Tries       int    `placeholder:"N" help:"How often a pair is handed out, if its workers are lost or fail, until it is dead-lettered. Default: 5."`
	TimeScaling string `enum:",scaled,pinned,as-is" default:"" placeholder:"HOW" help:"Time controls on machines of another speed: scaled (by that; default), pinned (only equally fast machines play) or as-is."`
	Replicas    int    `placeholder:"N" help:"Copies of the queue in a cluster of NATS servers. Default: 1."`
	accessFlags
}

// embedded is the URL that stands for a server in this process.
const embedded = "embedded"

// queued is what a run on a queue holds; nothing if it plays here.
type queued struct {
	nc     *nats.Conn
	server *queue.Server
	store  string // folder that the server needs no longer when the run is through; "": none
}

// open lets the run be played by workers, if the flags say so.
func (f *queueFlags) open(ctx context.Context, e *env, config *tournament.Config) (*queued, error) {
	q := &queued{}
	if f.Nats == "" {
		if *f != (queueFlags{accessFlags: f.accessFlags}) {
			return nil, errors.New("--listen, --store, --window, --tries, --time-scaling and --replicas: expected --nats too")
		}
		return q, nil
	}
	if f.Nats != embedded && f.Listen+f.Store != "" {
		return nil, fmt.Errorf("--listen and --store: expected --nats %s, found %s", embedded, textfmt.Escape(f.Nats))
	}
	o := queue.Options{
		Version: programVersion(), Registry: e.registry, Window: f.Window, Tries: f.Tries, Replicas: f.Replicas,
		TimeScaling: queue.TimeScaling(f.TimeScaling), Speed: func() float64 { return searchSpeed(ctx, e.registry) }, Log: e.log,
	}
	if err := o.Check(config); err != nil {
		return nil, fmt.Errorf("--nats: %w", err)
	}
	if err := q.connect(f, e, config.Out); err != nil {
		return nil, err
	}
	if q.server != nil {
		o.Stalled = q.server.Stalled
	}
	pool, err := queue.NewCoordinator(ctx, q.nc, o)
	if err != nil {
		q.end(tournament.Summary{})
		q.close()
		return nil, failure{err}
	}
	config.Executor = pool
	return q, nil
}

// connect connects to the server that the flags name.
func (q *queued) connect(f *queueFlags, e *env, out string) error {
	url := f.Nats
	if url == embedded {
		url = ""
	}
	access, err := f.access(url)
	if err != nil {
		return err
	}
	if url != "" {
		q.nc, err = queue.Connect(access, "gyges coordinator", e.log)
		return asFailure(err)
	}
	o := queue.ServerOptions{Listen: f.Listen, Store: f.Store, Access: access}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:4222"
	}
	if o.Store == "" {
		o.Store = filepath.Join(out, "queue")
		q.store = o.Store
	}
	if err := o.Check(); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if host, _, _ := net.SplitHostPort(o.Listen); access.Cert == "" && host != "localhost" && !net.ParseIP(host).IsLoopback() {
		e.log.Warn("passwords and games travel unencrypted; give the embedded server a certificate with --tls-cert and --tls-key", "listen", o.Listen)
	}
	if q.server, err = queue.StartServer(o); err != nil {
		return asFailure(err)
	}
	if q.nc, err = q.server.Connect("gyges coordinator", e.log); err != nil {
		q.end(tournament.Summary{})
		q.close()
	}
	return asFailure(err)
}

func asFailure(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// end notes how the run ended. A run that can go on needs its queue.
func (q *queued) end(s tournament.Summary) {
	if s.Status != tournament.Finished {
		q.store = ""
	}
}

// close ends the connection, and the server if it is ours.
func (q *queued) close() {
	if q.nc != nil {
		q.nc.Close()
	}
	if q.server != nil {
		q.server.Close()
		if q.store != "" {
			_ = os.RemoveAll(q.store) // what stays does no harm
		}
	}
}

// programVersion tells programs apart whose rules or agents may differ. Where the
// source had changes beyond its revision, or none is known, only the same
// executable is the same. Go and the architecture are part of it, since they may
// round differently.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	line := versionLine(info) + ", " + runtime.GOARCH
	known := false
	for _, s := range info.Settings {
		known = known || s.Key == "vcs.modified" && s.Value == "false"
	}
	if !known {
		line += ", executable " + executableHash()
	}
	return line
}

// executableHash is the hash of the running program.
func executableHash() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	in, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// searchSpeed measures how many positions a second a search visits on one core. It
// takes some tenths of a second. 0: it can't be measured.
func searchSpeed(ctx context.Context, registry *agents.Registry) float64 {
	spec := agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "nodes", Value: "150000"}}}
	line, err := bench.One(ctx, registry, spec, bench.Middlegame)
	if err != nil || line.Seconds == 0 {
		return 0
	}
	return float64(line.Nodes) / line.Seconds
}
