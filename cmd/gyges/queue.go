package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"gyges/agents"
	"gyges/agents/ugi"
	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/queue"
	"gyges/tournament/training"
)

// accessFlags are the fields of a [queue.Access], with those that are flags. There is none for the
// password, since the list of processes shows flags.
type accessFlags struct {
	URL      string `kong:"-"`
	Password string `kong:"-"`
	User     string `name:"nats-user" env:"GYGES_NATS_USER" placeholder:"USER" help:"User at the NATS server; the password is in $GYGES_NATS_PASSWORD."`
	Creds    string `name:"nats-creds" env:"GYGES_NATS_CREDS" placeholder:"FILE" help:"Creds file of the user (JWT and seed), in place of these."`
	CA       string `name:"tls-ca" env:"GYGES_TLS_CA" placeholder:"FILE" help:"Certificates that the other side's is checked with. Default: the system's."`
	Cert     string `name:"tls-cert" env:"GYGES_TLS_CERT" placeholder:"FILE" help:"TLS certificate of this side; the embedded server needs one to speak TLS."`
	Key      string `name:"tls-key" env:"GYGES_TLS_KEY" placeholder:"FILE" help:"Key of that certificate."`
}

// access returns the access to the server at a URL; "" is one in this process.
func (f accessFlags) access(url string) (queue.Access, error) {
	f.URL = url
	f.Password = os.Getenv("GYGES_NATS_PASSWORD")
	access := queue.Access(f)
	return access, fileError("--nats", access.Check())
}

// queueFlags are the flags of commands whose games may be played on other machines.
type queueFlags struct {
	Nats        string `placeholder:"URL" complete:"embedded" help:"Play on workers, on any machine that reaches the NATS server at this URL; embedded starts one in this process. See gyges worker."`
	Listen      string `placeholder:"HOST:PORT" help:"Address of the embedded server. Default: 127.0.0.1:4222; addresses that other machines reach need a user and a password."`
	Store       string `placeholder:"DIR" help:"Folder of the embedded server's streams. Default: queue in the run's folder."`
	TimeScaling string `enum:",scaled,as-is" default:"" placeholder:"HOW" help:"Time controls on machines of another speed: scaled (by that; default) or as-is."`
	accessFlags
}

const embedded = "embedded" // the URL of a server in this process

// queued holds the connection of a run on workers; it is empty for a local run.
//
// The embedded server keeps its streams in a folder within the run's. Results that workers deliver
// while the run is stopped wait there, so the folder is kept if the run can't go on now, and
// removed when all results have been taken or when the folder is new.
type queued struct {
	nc     *nats.Conn
	server *queue.Server
	store  string // the server's folder, to be removed; "": the user's own

	earlier bool // the store was there before: a run that was killed may have results in it
	began   bool // the run goes on or has ended, so that it has them
}

// open makes a coordinator the run's executor, if the flags have a server.
func (f *queueFlags) open(ctx context.Context, e *env, config *tournament.Config) (*queued, error) {
	q := &queued{}
	// Without a server the games are played in this process.
	if f.Nats == "" {
		if f.Listen+f.Store+f.TimeScaling != "" {
			return nil, errors.New("--listen, --store and --time-scaling need --nats")
		}
		return q, nil
	}
	if f.Nats != embedded && f.Listen+f.Store != "" {
		return nil, fmt.Errorf(
			"--listen and --store need --nats %s, found another server", embedded)
	}
	// The coordinator gives out the pairs of the run, and passes their games on.
	o := queue.Options{
		Version: queue.Version(version()), Registry: e.registry, Log: e.log,
		Notify: func(line string) { e.err.printf("%s\n", line) },
	}
	if f.TimeScaling != "as-is" {
		o.Speed = func() float64 { return queue.Speed(ctx, e.registry) }
	}
	if err := o.Check(config); err != nil {
		return nil, fmt.Errorf("--nats: %w", err)
	}
	if err := q.connect(ctx, f, e, config.Out); err != nil {
		return nil, err
	}
	if q.server != nil {
		o.Server = q.server
		e.err.print(f.invitation(q.server.URL(), config.Agents))
	}
	pool, err := queue.NewCoordinator(ctx, q.nc, o)
	if err != nil {
		q.close()
		return nil, failure{err}
	}
	config.Executor = pool
	return q, nil
}

// connect connects to the server of --nats, and starts it before if it is embedded. out is the
// folder of the run. Everything is checked before anything is made in that folder.
func (q *queued) connect(ctx context.Context, f *queueFlags, e *env, out string) error {
	address := f.Nats
	if address == embedded {
		address = ""
	}
	access, err := f.access(address)
	if err != nil {
		return err
	}
	if address != "" {
		q.nc, err = queue.Connect(access, "gyges coordinator", e.log)
		return asFailure(err)
	}
	// The embedded server keeps pairs and results in a folder, so that a run that was killed
	// goes on with the games that workers have played meanwhile.
	o := queue.ServerOptions{Store: f.Store, Access: access}
	o.Listen = cmp.Or(f.Listen, "127.0.0.1:4222")
	if o.Store == "" {
		// It is the run's own, which close removes, unless another process has the run.
		run := os.DirFS(out)
		if files.Locked(run, tournament.GamesFile) || files.Locked(run, training.HistoryFile) {
			return fmt.Errorf("--out: %s: %w", out, files.ErrInUse)
		}
		o.Store = filepath.Join(out, "queue")
		_, err := os.Stat(o.Store)
		q.store = o.Store
		q.earlier = err == nil
	}
	if err := o.Check(); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if access.Cert == "" && !o.Loopback() {
		e.log.Warn("passwords and games are not encrypted; give the embedded server "+
			"a certificate with --tls-cert and --tls-key", "listen", o.Listen)
	}
	// The address is tried before the server makes folders.
	l, err := listen(ctx, "--listen", o.Listen)
	if err != nil {
		return err
	}
	_ = l.Close() // nobody has used it
	q.server, err = queue.StartServer(o)
	if err != nil {
		return asFailure(err)
	}
	q.nc, err = q.server.Connect("gyges coordinator", e.log)
	if err != nil {
		q.close()
	}
	return asFailure(err)
}

// invitation says where the embedded server is, and which command starts a worker.
func (f *queueFlags) invitation(address string, players []agents.Spec) string {
	reached := address
	if u, err := url.Parse(address); err == nil && net.ParseIP(u.Hostname()).IsUnspecified() {
		if host, err := os.Hostname(); err == nil {
			u.Host = net.JoinHostPort(host, u.Port())
			reached = u.String()
		}
	}
	// A worker needs the same certificate, and the external engines by the names in the specs.
	words := []string{"--nats", reached}
	if f.Cert != "" {
		words = append(words, "--tls-ca", f.Cert)
	}
	for _, p := range players {
		engine := cmp.Or(p.Get("engine"), p.Get("name")) + "=" + p.Get("cmd")
		if p.Kind == "ugi" && !slices.Contains(words, engine) {
			words = append(words, "--engine", engine)
		}
	}
	text := fmt.Sprintf("The NATS server listens at %s. To start a worker:\n  %s\n",
		address, commandLine("worker", words...))
	if f.User != "" {
		text += fmt.Sprintf(
			"It needs GYGES_NATS_USER=%s and GYGES_NATS_PASSWORD in its environment.\n",
			textfmt.ShellWord(f.User))
	}
	return text
}

// close closes the connection and the embedded server, whose folder holds nothing that is needed
// after a run.
func (q *queued) close() {
	if q.nc != nil {
		q.nc.Close()
	}
	if q.server == nil {
		return
	}
	q.server.Close()
	// See the type for when the results are still needed.
	if q.store != "" && (q.began || !q.earlier) {
		_ = os.RemoveAll(q.store)            // the next run removes it
		_ = os.Remove(filepath.Dir(q.store)) // unless the run has begun
	}
}

// workerCmd plays games for the runs of other machines, until it is interrupted.
type workerCmd struct {
	Nats    string            `required:"" placeholder:"URL" help:"The NATS server, like nats://host:4222; several of a cluster with commas."`
	Workers int               `check:"0..1024" placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Allow   []string          `placeholder:"KIND,…" help:"Kinds of agents that may be made here. Default: all that play by themselves, external programs not among them."`
	Engine  map[string]string `mapsep:"none" placeholder:"NAME=COMMAND" help:"An external program that may be started here for agents ugi:engine=NAME, or ugi:name=NAME without engine; may be repeated. The parameters cmd and dir of their specs are ignored."`
	Name    string            `placeholder:"NAME" help:"Name of this machine, in messages. Default: its host name."`
	accessFlags
}

// Run checks what may be started here, measures the speed of this machine, and waits for runs.
func (c *workerCmd) Run(ctx context.Context, e *env) error {
	if e.level.Level() > slog.LevelInfo { // the log is all of its output
		e.level.Set(slog.LevelInfo)
	}
	// Mistakes are found before the server is waited for.
	for name, command := range c.Engine {
		if err := ugi.CheckCommand(ctx, command); err != nil {
			return fmt.Errorf("--engine %s: %w", name, err)
		}
	}
	allow := queue.AllowList{Kinds: c.Allow, Engines: c.Engine}
	if err := allow.Check(e.registry); err != nil {
		return fmt.Errorf("--allow: %w", err)
	}
	// The server may start later than its workers, so they wait for it.
	access, err := c.access(c.Nats)
	if err != nil {
		return err
	}
	o := queue.WorkerOptions{
		Name: c.Name, Workers: c.Workers, Version: queue.Version(version()),
		Speed: queue.Speed(ctx, e.registry), Registry: e.registry, Allow: allow, Log: e.log,
	}
	nc, err := queue.Await(ctx, access, "gyges worker", e.log)
	if err != nil {
		return asFailure(err)
	}
	defer nc.Close()
	w, err := queue.NewWorker(nc, o)
	if err != nil {
		return asFailure(err)
	}
	e.log.Info("ready", "version", o.Version, "positions per second", int64(o.Speed))
	// On a terminal the runs are drawn below the log.
	if m := newMeter(e, 0); m.bar {
		shown, stop := context.WithCancel(ctx)
		var drawing sync.WaitGroup
		drawing.Go(func() { // the runs that are played, with a bar for them together
			defer m.end()
			for shown.Err() == nil {
				done, all, lines := runLines(w.Runs(), c.Nats, m.now())
				m.report(done, all, lines...)
				time.Sleep(drawEvery)
			}
		})
		defer drawing.Wait()
		defer stop()
	}
	return w.Run(ctx)
}

// runLines returns a line for each run that a worker plays, and how many games are played of all.
func runLines(runs []queue.WorkerRun, address string, now time.Time) (
	done, all int64, lines []string,
) {
	// The speed is of this worker, the numbers of games are of all.
	for _, r := range runs {
		speed := perSecond(r.Played, max(now.Sub(r.Joined).Seconds(), 1))
		here := textfmt.Thousands(r.Played)
		played, scheduled := textfmt.Thousands(r.Done), textfmt.Thousands(r.Scheduled)
		line := fmt.Sprintf("%s (%s): %s of %s games, %s of them here, %s games/s",
			r.Players, r.Rules, played, scheduled, here, speed)
		lines = append(lines, line)
		done += r.Done
		all += r.Scheduled
	}
	state := "waiting for a run"
	if len(runs) > 0 {
		state = "playing " + textfmt.Plural(len(runs), "run")
	}
	return done, all, append(lines, state+" at "+textfmt.Escape(address))
}
