package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"gyges/agents"
	"gyges/configs"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/tournament/web"
	"gyges/tournament/web/live"
	browser "gyges/tournament/web/play"
)

type serveCmd struct {
	Runs     []string      `arg:"" optional:"" name:"run" sep:"none" help:"Runs to show beside those below --results: the folder of a run, or one with runs in it."`
	Addr     string        `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one. Default: 127.0.0.1:8080."`
	Results  string        `default:"results" placeholder:"DIR" empty:"" help:"Folder below which runs are, and where games are kept; --results= for none. Default: results."`
	Open     bool          `help:"Allow an --addr that other machines can reach. Their users can then see the runs and play: there is no authentication."`
	Host     []string      `sep:"none" placeholder:"NAME" help:"A name of this machine that browsers may use, beside localhost and addresses. May be repeated."`
	Agent    []agents.Spec `sep:"none" placeholder:"AGENT" help:"A further agent to play against, such as ugi:cmd=./engine. May be repeated."`
	Searches int           `check:"0..256" default:"0" placeholder:"N" help:"Most searches at a time. Default: half the cores, at least 2."`
	Games    int           `check:"1..10000" default:"24" placeholder:"N" help:"Most games in progress. Default: 24."`
}

func (c *serveCmd) Run(ctx context.Context, e *env) error {
	addr, errAddr := c.address()
	players, errAgents := c.players(ctx, e)
	if err := errors.Join(errAddr, c.check(), errAgents); err != nil {
		return err
	}
	hosts := c.Host
	if name, err := os.Hostname(); err == nil && c.Open {
		hosts = append(hosts, name, name+".local")
	}
	s := web.New(web.Config{Open: c.Open, Hosts: hosts, Log: e.log})
	runs, err := live.New(s, c.Results, c.Runs)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	browser.New(s, browser.Config{
		Results: c.Results, Registry: e.registry, Players: players, Searches: c.Searches, Games: c.Games,
		Runs: runs, Hint: hintSpec, Analyst: agents.Spec{Kind: "alphabeta"}.With("hash", "64"),
	})
	l, err := listen(ctx, "--addr", addr.String())
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if !addr.IP.IsLoopback() {
		e.err.warn("warning: %s can be reached from other machines; "+
			"their users can see these runs and play: there is no authentication", l.Addr())
	}
	e.out.printf("http://%s/ until Ctrl-C\n", l.Addr())
	return asFailure(s.Serve(ctx, l))
}

func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	const inUseOnWindows = syscall.Errno(10048)
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, inUseOnWindows) {
		host, _, _ := net.SplitHostPort(addr) // it has been checked
		return nil, fmt.Errorf("%s: another program listens on %s; stop it, or use a free port: %s %s",
			flag, addr, flag, net.JoinHostPort(host, "0"))
	}
	return l, named(flag, err)
}

func (c *serveCmd) check() error {
	var p problems.List
	for _, name := range c.Host {
		p.Expect(name != "" && !strings.ContainsAny(name, "/: *"), "--host",
			"expected a name like box.example.org, found %.60q", name)
	}
	info, err := os.Stat(c.Results)
	p.Expect(err != nil || info.IsDir(), "--results", "expected a folder, found the file %s", c.Results)
	return p.Err()
}

// address resolves --addr. It must be of this machine alone unless --open is given.
func (c *serveCmd) address() (*net.TCPAddr, error) {
	_, port, errSplit := net.SplitHostPort(c.Addr)
	if _, err := settings.Port(port); errSplit == nil && err != nil {
		return nil, named("--addr", err)
	}
	addr, err := net.ResolveTCPAddr("tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr: expected HOST:PORT, like 127.0.0.1:8080, found %.60q", c.Addr)
	}
	if addr.IP == nil {
		addr.IP = net.IPv6unspecified
	}
	if !addr.IP.IsLoopback() && !c.Open {
		return nil, fmt.Errorf("--addr: other machines could reach %s, and there is no authentication; "+
			"expected an address of this machine alone, like 127.0.0.1:8080, or --open", c.Addr)
	}
	return addr, nil
}

// players are the opponents to choose from: levels, kinds that play without parameters, persons, those of --agent.
func (c *serveCmd) players(ctx context.Context, e *env) ([]browser.Player, error) {
	levels := configs.ListLevels() // the weakest first
	var errs []error
	var list []browser.Player
	for i, l := range levels {
		p := browser.Player{
			Name: l.Name, Spec: agents.Spec{Kind: l.Name}, Level: true, Elo: map[string]int{},
			Doc: fmt.Sprintf("level %d of %d: %s", i+1, len(levels), l.Doc),
		}
		for preset, elo := range l.Elo {
			p.Elo[preset] = elo.Elo
		}
		list = append(list, p)
	}
	for _, kind := range kindsOf(e.registry) {
		spec := agents.Spec{Kind: kind.Name}
		agent, err := e.registry.New(spec)
		if err != nil {
			continue
		}
		closeAgent(e, agent)
		p := browser.Player{Name: kind.Name, Spec: spec, Doc: kind.Doc}
		if _, timed := kind.Param("movetime"); timed {
			p.Times = []string{"250ms", "1s", "3s", "10s"}
		}
		list = append(list, p)
	}
	for _, spec := range c.Agent {
		errs = append(errs, tryAgent(ctx, e, spec))
		kind, _ := e.registry.Kind(spec) // whose error is there
		list = append(list, browser.Player{Name: spec.Label(), Spec: spec, Doc: kind.Doc})
	}
	return list, errors.Join(errs...)
}
