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

type accessFlags struct{ queue.Access }

func (f *accessFlags) access(url string) (queue.Access, error) {
	a := f.Access
	a.URL, a.Password = url, os.Getenv("GYGES_NATS_PASSWORD")
	return a, fileError("--nats", a.Check())
}

type queueFlags struct {
	Nats        string `placeholder:"URL" complete:"embedded" help:"Play on workers, on any machine that reaches the NATS server at this URL; embedded starts one in this process. See gyges worker."`
	Listen      string `placeholder:"HOST:PORT" help:"Address of the embedded server. Default: 127.0.0.1:4222; addresses that other machines reach need a user and a password."`
	Store       string `placeholder:"DIR" help:"Folder of the embedded server's streams. Default: queue in the run's folder."`
	TimeScaling string `enum:",scaled,as-is" default:"" placeholder:"HOW" help:"Time controls on machines of another speed: scaled (by that; default) or as-is."`
	accessFlags
}

const embedded = "embedded" // the URL of a server in this process

// queued holds the connection of a run on workers; it is empty for a local run.
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
	if f.Nats == "" {
		if *f != (queueFlags{accessFlags: f.accessFlags}) {
			return nil, errors.New("--listen, --store and --time-scaling need --nats")
		}
		return q, nil
	}
	if f.Nats != embedded && f.Listen+f.Store != "" {
		return nil, fmt.Errorf("--listen and --store need --nats %s, found another server", embedded)
	}
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
		e.err.printf("%s", f.invitation(q.server.URL(), config.Agents))
	}
	pool, err := queue.NewCoordinator(ctx, q.nc, o)
	if err != nil {
		q.close()
		return nil, failure{err}
	}
	config.Executor = pool
	return q, nil
}

func (q *queued) connect(ctx context.Context, f *queueFlags, e *env, out string) error {
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
	o := queue.ServerOptions{Listen: cmp.Or(f.Listen, "127.0.0.1:4222"), Store: f.Store, Access: access}
	if o.Store == "" {
		if dir := os.DirFS(out); files.Locked(dir, tournament.GamesFile) || files.Locked(dir, training.HistoryFile) {
			return fmt.Errorf("--out: %s: %w", out, files.ErrInUse) // its store stays
		}
		o.Store = filepath.Join(out, "queue")
		q.store = o.Store
		_, err = os.Stat(o.Store)
		q.earlier = err == nil
	}
	if err := o.Check(); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if access.Cert == "" && !o.Loopback() {
		e.log.Warn("passwords and games are not encrypted; "+
			"give the embedded server a certificate with --tls-cert and --tls-key", "listen", o.Listen)
	}
	l, err := listen(ctx, "--listen", o.Listen) // before the server makes folders
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		return err
	}
	if q.server, err = queue.StartServer(o); err != nil {
		return asFailure(err)
	}
	if q.nc, err = q.server.Connect("gyges coordinator", e.log); err != nil {
		q.close()
	}
	return asFailure(err)
}

func (f *queueFlags) invitation(address string, players []agents.Spec) string {
	reached := address
	if u, err := url.Parse(address); err == nil && net.ParseIP(u.Hostname()).IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			u.Host = net.JoinHostPort(name, u.Port())
			reached = u.String()
		}
	}
	command := "gyges worker --nats " + reached
	if f.Cert != "" {
		command += " --tls-ca " + textfmt.ShellWord(f.Cert)
	}
	for _, p := range players {
		if p.Kind == "ugi" {
			command += " --engine " + textfmt.ShellWord(p.Get("name")+"="+p.Get("cmd"))
		}
	}
	text := fmt.Sprintf("The NATS server listens at %s. To start a worker:\n  %s\n", address, command)
	if f.User != "" {
		text += fmt.Sprintf("It needs GYGES_NATS_USER=%s and GYGES_NATS_PASSWORD in its environment.\n",
			textfmt.ShellWord(f.User))
	}
	return text
}

// close closes the connection and the embedded server, whose folder holds nothing that is needed after a run.
func (q *queued) close() {
	if q.nc != nil {
		q.nc.Close()
	}
	if q.server != nil {
		q.server.Close()
		if q.store != "" && (q.began || !q.earlier) {
			_ = os.RemoveAll(q.store)            // the next run removes it
			_ = os.Remove(filepath.Dir(q.store)) // unless the run has begun
		}
	}
}

type workerCmd struct {
	Nats    string            `required:"" placeholder:"URL" help:"The NATS server, like nats://host:4222; several of a cluster with commas."`
	Workers int               `check:"0..1024" placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Allow   []string          `placeholder:"KIND,…" help:"Kinds of agents that may be made here. Default: all that play by themselves, external programs not among them."`
	Engine  map[string]string `mapsep:"none" placeholder:"NAME=COMMAND" help:"An external program that may be started here for agents ugi:name=NAME; may be repeated. The parameters cmd and dir of their specs are ignored."`
	Name    string            `placeholder:"NAME" help:"Name of this machine, in messages. Default: its host name."`
	accessFlags
}

func (c *workerCmd) Run(ctx context.Context, e *env) error {
	if e.level.Level() > slog.LevelInfo { // the log is all of its output
		e.level.Set(slog.LevelInfo)
	}
	allow := queue.AllowList{Kinds: c.Allow, Engines: c.Engine}
	for name, command := range c.Engine {
		if err := ugi.CheckCommand(ctx, command); err != nil {
			return fmt.Errorf("--engine %s: %w", name, err)
		}
	}
	if err := allow.Check(e.registry); err != nil {
		return fmt.Errorf("--allow: %w", err)
	}
	access, err := c.access(c.Nats)
	if err != nil {
		return err
	}
	o := queue.WorkerOptions{
		Name: c.Name, Workers: c.Workers, Version: queue.Version(version()), Speed: queue.Speed(ctx, e.registry),
		Registry: e.registry, Allow: allow, Log: e.log,
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
	if m := newMeter(e.err, 0); m.bar {
		shown, stop := context.WithCancel(ctx)
		var drawing sync.WaitGroup
		drawing.Go(func() { // the runs that are played, with a bar for them together
			defer m.end()
			for ; shown.Err() == nil; time.Sleep(drawEvery) {
				done, all, lines := runLines(w.Runs(), c.Nats, m.now())
				m.report(done, all, lines...)
			}
		})
		defer drawing.Wait()
		defer stop()
	}
	return w.Run(ctx)
}

// runLines returns a line for each run that a worker plays, and how many games are played of all.
func runLines(runs []queue.WorkerRun, address string, now time.Time) (done, all int64, lines []string) {
	for _, r := range runs {
		speed := textfmt.Digits(float64(r.Played) / max(now.Sub(r.Joined).Seconds(), 1))
		lines = append(lines, fmt.Sprintf("%s (%s): %s of %s games, %s of them here, %s games/s", r.Players, r.Rules,
			textfmt.Thousands(r.Done), textfmt.Thousands(r.Scheduled), textfmt.Thousands(r.Played), speed))
		done, all = done+r.Done, all+r.Scheduled
	}
	state := "waiting for a run"
	if len(runs) > 0 {
		state = "playing " + textfmt.Plural(len(runs), "run")
	}
	return done, all, append(lines, state+" at "+textfmt.Escape(address))
}
