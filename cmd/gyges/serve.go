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

// serveCmd serves pages that show runs while they go on, and on which people play. The pages are
// those of package live and package play; they share one server.
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

// Run checks the flags, makes the pages and serves them until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, e *env) error {
	addr, errAddr := c.address()
	players, errAgents := c.players(ctx, e)
	err := errors.Join(errAddr, c.check(), errAgents)
	if err != nil {
		return err
	}
	// Browsers on other machines use the name of this one.
	hosts := c.Host
	if name, err := os.Hostname(); err == nil && c.Open {
		hosts = append(hosts, name, name+".local")
	}
	// One server has the pages of both packages.
	s := web.New(web.Config{Open: c.Open, Hosts: hosts, Log: e.log})
	runs, err := live.New(s, c.Results, c.Runs)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	browser.New(s, browser.Config{
		Results: c.Results, Registry: e.registry, Players: players, Runs: runs,
		Searches: c.Searches, Games: c.Games,
		Hint: hintSpec, Analyst: agents.Spec{Kind: "alphabeta"}.With("hash", "64"),
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

// listen listens on the address that a flag names.
func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	const inUseOnWindows = syscall.Errno(10048)
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, inUseOnWindows) {
		host, _, _ := net.SplitHostPort(addr) // it has been checked
		free := net.JoinHostPort(host, "0")
		return nil, fmt.Errorf(
			"%s: another program listens on %s; stop it, or use a free port: %s %s",
			flag, addr, flag, free)
	}
	return l, named(flag, err)
}

// check returns what is wrong with --host and --results.
func (c *serveCmd) check() error {
	var p problems.List
	for _, name := range c.Host {
		valid := name != "" && !strings.ContainsAny(name, "/: *")
		p.Expect(valid, "--host", "expected a name like box.example.org, found %.60q", name)
	}
	// A folder that isn't there is made when the first game is kept in it.
	if info, err := os.Stat(c.Results); err == nil {
		p.Expect(info.IsDir(), "--results", "expected a folder, found the file %s", c.Results)
	}
	return p.Err()
}

// address resolves --addr. It must be of this machine alone unless --open is given.
func (c *serveCmd) address() (*net.TCPAddr, error) {
	if _, port, err := net.SplitHostPort(c.Addr); err == nil {
		if _, err := settings.Port(port); err != nil {
			return nil, named("--addr", err)
		}
	}
	// A name may stand for an address of any machine, so what it stands for is checked.
	addr, err := net.ResolveTCPAddr("tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf(
			"--addr: expected HOST:PORT, like 127.0.0.1:8080, found %.60q", c.Addr)
	}
	// No host stands for all addresses of this machine.
	if addr.IP == nil {
		addr.IP = net.IPv6unspecified
	}
	if !addr.IP.IsLoopback() && !c.Open {
		return nil, fmt.Errorf("--addr: other machines could reach %s, "+
			"and there is no authentication; expected an address of this machine alone, "+
			"like 127.0.0.1:8080, or --open", c.Addr)
	}
	return addr, nil
}

// players returns the opponents to choose from: levels, the weakest first, then the kinds that play
// without parameters, persons among them, then the agents of --agent.
func (c *serveCmd) players(ctx context.Context, e *env) ([]browser.Player, error) {
	var list []browser.Player
	// Levels are named by their kinds, and have Elo for each preset.
	levels := configs.ListLevels()
	for i, l := range levels {
		elo := map[string]int{}
		for preset, measured := range l.Elo {
			elo[preset] = measured.Elo
		}
		list = append(list, browser.Player{
			Name: l.Name, Spec: agents.Spec{Kind: l.Name}, Level: true, Elo: elo,
			Doc: fmt.Sprintf("level %d of %d: %s", i+1, len(levels), l.Doc),
		})
	}
	// Of the kinds those that search can be given a time for each move.
	for _, kind := range kindsOf(e.registry) {
		p := browser.Player{Name: kind.Name, Spec: agents.Spec{Kind: kind.Name}, Doc: kind.Doc}
		agent, err := e.registry.New(p.Spec)
		if err != nil { // it needs parameters
			continue
		}
		closeAgent(e, agent)
		if _, timed := kind.Param("movetime"); timed {
			p.Times = []string{"250ms", "1s", "3s", "10s"}
		}
		list = append(list, p)
	}
	var errs []error
	// What was given by hand is started once, to see that it works.
	for _, spec := range c.Agent {
		errs = append(errs, tryAgent(ctx, e, spec))
		kind, _ := e.registry.Kind(spec) // whose error is there
		list = append(list, browser.Player{Name: spec.Label(), Spec: spec, Doc: kind.Doc})
	}
	return list, errors.Join(errs...)
}
