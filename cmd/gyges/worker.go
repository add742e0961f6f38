package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"gyges/agents/ugi"
	"gyges/rules/base/textfmt"
	"gyges/tournament/queue"
)

// workerCmd plays for runs on other machines.
type workerCmd struct {
	Nats    string   `required:"" placeholder:"URL" help:"The NATS server, like nats://host:4222; several of a cluster with commas."`
	Workers int      `check:"0..1024" placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Allow   []string `placeholder:"KIND,…" help:"Kinds of agents that may be made here. Default: all that play by themselves, external programs not among them."`
	Engine  []string `sep:"none" placeholder:"NAME=COMMAND" help:"An external program that may be started here for agents ugi:name=NAME; may be repeated. The parameters cmd and dir of their specs are ignored."`
	Name    string   `placeholder:"NAME" help:"Name of this machine, in messages. Default: its host name."`
	accessFlags
}

// Run works until it is stopped.
func (c *workerCmd) Run(ctx context.Context, e *env) error {
	if e.level.Level() > slog.LevelInfo { // the log is all of its output
		e.level.Set(slog.LevelInfo)
	}
	allow := queue.AllowList{Kinds: c.Allow, Engines: map[string]string{}}
	for _, text := range c.Engine {
		name, command, ok := strings.Cut(text, "=")
		if !ok || name == "" || command == "" {
			return fmt.Errorf("--engine: expected NAME=COMMAND, found %.60q", text)
		}
		if err := ugi.CheckCommand(ctx, command); err != nil {
			return fmt.Errorf("--engine %s: %w", name, err)
		}
		allow.Engines[name] = command
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
		drawing.Go(func() { c.show(shown, m, w) })
		defer drawing.Wait()
		defer stop()
	}
	return w.Run(ctx)
}

// show shows the runs that the worker plays, with a bar for them together, until ctx ends.
func (c *workerCmd) show(ctx context.Context, m *meter, w *queue.Worker) {
	defer m.end()
	for ; ctx.Err() == nil; time.Sleep(drawEvery) {
		done, all, lines := runLines(w.Runs(), c.Nats, m.now())
		m.report(done, all, lines...)
	}
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
