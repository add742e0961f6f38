package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

// matchCmd plays a match of two agents, until a test is decided if there is one.
type matchCmd struct {
	A        string   `arg:"" placeholder:"AGENT" complete:"agents" help:"The player whose strength is measured, as an agent spec."`
	B        string   `arg:"" placeholder:"AGENT" complete:"agents" help:"The player it is measured against."`
	Rules    string   `placeholder:"RULES,…" complete:"rules" help:"Rule sets, separated by commas. Default: standard."`
	Set      []string `sep:"none" placeholder:"OPTION=VALUE" complete:"options" help:"Change an option of every rule set; may be repeated."`
	Pairs    *int     `placeholder:"N" help:"Game pairs under each rule set, at most if --sprt is given. Default: 10; with --sprt 100000."`
	SPRT     string   `name:"sprt" sep:"none" placeholder:"TEST" help:"Stop when elo0 or elo1 is accepted: elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized (or logistic); omitted values are as here."`
	Openings string   `placeholder:"HOW" complete:"openings" help:"How games begin: random (set-ups; default), random:plies=N, setups, agents, or file:PATH."`
	runFlags
}

func (matchCmd) Help() string {
	return "Games come in pairs: one opening, played twice with sides swapped. With --sprt the match ends with the " +
		"pair that decides the test, the same one with any --workers. Elo, LLR and results are from the " +
		"first player's side. Everything else is as in gyges tournament."
}

func (matchCmd) examples() []example {
	return []example{
		{"gyges match alphabeta:depth=2 greedy --pairs 50", ""},
		{"gyges match alphabeta:depth=2 alphabeta:depth=1 --sprt elo0=0,elo1=20", "until the test is decided"},
	}
}

// Run plays the match and prints its result.
func (c *matchCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	f, summary, err := c.play(ctx, e, config, true)
	if f == nil {
		return err
	}
	if err != nil && summary.Status != tournament.Interrupted {
		return runError(err, summary)
	}
	if c.Events == "" {
		c.print(e, f, summary, err != nil)
	}
	switch err = errors.Join(err, f.err); {
	case err != nil:
		return err
	case summary.Faults > 0:
		return errNo
	}
	return nil
}

// print prints the result of the match.
func (c *matchCmd) print(e *env, f *observer, summary tournament.Summary, stopped bool) {
	config := f.config
	count := f.standings.Count(config.Agents[0].String())
	e.out.printf("%s against %s\n%s", textfmt.Escape(config.Agents[0].Label()), textfmt.Escape(config.Agents[1].Label()),
		matchText(config.SPRT, summary.Pairs))
	e.out.printf("Games %d: %d won, %d drawn, %d lost\n", summary.Played, count.Wins, count.Draws, count.Losses)
	e.out.printf("%d games in %v; the records are in %s\n", summary.Played,
		summary.End.Sub(summary.Start).Round(100*time.Millisecond), summary.Out)
	f.faults.write(e.out)
	if stopped {
		e.out.printf("Stopped. Go on with the same command and --out %s.\n", summary.Out)
	}
}

// matchText returns the estimate and the test of a match.
func matchText(t sprt.Test, p sprt.Pairs) string {
	text := eloText(p)
	if t != (sprt.Test{}) {
		text += sprtText(t, p)
	}
	return text
}

// config returns the config of the flags, checked.
func (c *matchCmd) config(e *env) (tournament.Config, error) {
	t := tournamentCmd{
		Agent: []string{c.A, c.B}, Rules: c.Rules, Set: c.Set, Pairs: c.Pairs, Openings: c.Openings,
		runFlags: c.runFlags,
	}
	if c.SPRT != "" && c.Pairs == nil {
		const enough = 100_000
		n := enough
		t.Pairs = &n
	}
	var errs []error
	for _, text := range t.Agent {
		if _, err := agents.ParseSpec(text); err != nil {
			errs = append(errs, err)
		}
	}
	var test sprt.Test
	if c.SPRT != "" {
		var err error
		if test, err = sprt.Parse(c.SPRT); err != nil {
			errs = append(errs, fmt.Errorf("--sprt: %w", err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return tournament.Config{}, err
	}
	config, err := t.config(e.registry)
	config.SPRT = test
	config.Name = "match"
	if c.Out == "" {
		config.Out = tournament.DefaultOut(config.Name, time.Now())
	}
	return config, err
}
