package ugi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/lists"
)

// Verdict is the result of one check.
type Verdict string

// The verdicts.
const (
	Pass Verdict = "ok"
	Note Verdict = "note" // a deviation with which an engine can play
	Fail Verdict = "FAIL"
	Skip Verdict = "-" // not checked
)

// CheckResult is the result of one check.
type CheckResult struct {
	Name    string
	Verdict Verdict
	Detail  string // escaped and bounded
}

const (
	checkPatience = 5 * time.Second        // for an answer
	checkBoards   = 20                     // positions to move in
	shortTime     = 200 * time.Millisecond // of the moves that are checked
	longSearch    = 30 * time.Second       // to be stopped after shortTime
)

// checks are what is tested, in order, each with an engine that runs. An error of one is a failure,
// or a note.
var checks = []struct {
	name string
	try  func(*checker) (detail string, err error)
}{
	{"starts and sends ugiok", func(c *checker) (string, error) {
		return fmt.Sprintf("in %v", c.took.Round(time.Millisecond)), nil
	}},
	{"sends id name", func(c *checker) (string, error) {
		if c.name == "" {
			return "", note("no line id name")
		}
		return c.name, nil
	}},
	{"offers maxPly, maxTime, maxNodes", func(c *checker) (string, error) {
		missing := slices.DeleteFunc([]string{"maxPly", "maxTime", "maxNodes"}, c.offers)
		if len(missing) > 0 {
			return "", note("without " + strings.Join(missing, ", ") +
				" such a limit can't be set; a move that takes too long is stopped")
		}
		names := lists.Map(c.offered, func(o option) string { return o.name })
		return "all options: " + strings.Join(names, ", "), nil
	}},
	{"sends readyok", func(c *checker) (string, error) { return "", c.await("isready\n") }},
	{"moves after setpos start", func(c *checker) (string, error) {
		return c.move("start", startRows)
	}},
	{fmt.Sprintf("moves on %d boards", checkBoards), (*checker).boards},
	{"plays a win in one", func(c *checker) (string, error) {
		const board = "000000/000000/000000/200003/123330/121210"
		const win = "23|36" // the only one
		move, err := c.move("data "+board, board)
		if err == nil && move != win {
			err = note("chose " + move + " where " + win + " wins")
		}
		return move, err
	}},
	{"keeps to maxTime", (*checker).time},
	{"answers stop, once", (*checker).stops},
	{"ignores unknown commands", func(c *checker) (string, error) {
		err := c.await("nonsense 1 2 3\n\nsetoption\nisready\n")
		if err != nil {
			c.kill()
			err = note(err.Error())
		}
		return "", err
	}},
	{"exits on quit", func(c *checker) (string, error) {
		obeyed, err := c.proc.quit(2 * time.Second)
		c.proc = nil
		if err == nil && !obeyed {
			err = note("runs on; it is killed")
		}
		return "", err
	}},
	{"exits at end of input", func(c *checker) (string, error) {
		defer c.kill()
		_ = c.proc.stdin.Close()
		if !c.proc.exitsWithin(2 * time.Second) {
			return "", note("runs on; it is killed")
		}
		return "", nil
	}},
}

// note is a deviation with which an engine can play.
type note string

func (n note) Error() string { return string(n) }

// Check tests a program as an engine, in all of [checks], and calls report after each. If it
// doesn't start, the others have one result, [Skip]. It returns how many points there are, and how
// many of them are no failure. The error is that of a program that can't be started, or that of
// ctx.
func Check(
	ctx context.Context, command []string, dir string, report func(CheckResult),
) (passed, all int, err error) {
	if err := findProgram(command, dir); err != nil {
		return 0, 0, err
	}
	c := &checker{ctx: ctx, rules: rules.MustParse("italian")}
	c.command = command
	c.dir = dir
	defer c.kill()
	for i, check := range checks {
		// Each check finds an engine that runs, as one before may have ended it.
		var detail string
		err := c.run()
		if err == nil {
			detail, err = check.try(c)
		}
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		verdict := Pass
		if err != nil {
			verdict = Fail
			detail = err.Error()
		}
		if errors.As(err, new(note)) {
			verdict = Note
		}
		if errors.As(err, new(*agents.Failure)) { // its state is unknown
			c.kill()
		}
		report(CheckResult{check.name, verdict, printable(detail)})
		if verdict != Fail {
			passed++
		} else if i == 0 {
			rest := fmt.Sprintf("%d more points", len(checks)-1)
			report(CheckResult{rest, Skip, "not checked, since the engine doesn't start"})
			break
		}
	}
	return passed, len(checks), nil
}

// checker is a client that keeps what the checks need.
type checker struct {
	client
	ctx   context.Context
	rules *rules.Rules
	took  time.Duration // to start
}

// run starts the engine unless it runs, and measures how long that takes.
func (c *checker) run() error {
	if c.proc != nil {
		return nil
	}
	began := time.Now()
	err := c.launch(c.ctx, defaultStart)
	c.took = time.Since(began)
	return err
}

// await sends lines that end in isready, and blocks until readyok.
func (c *checker) await(lines string) error { return c.wait(c.ctx, lines, checkPatience) }

// maxTime returns the command that sets the option, if there is one.
func (c *checker) maxTime(limit time.Duration) string {
	if !c.offers("maxTime") {
		return ""
	}
	return fmt.Sprintf("setoption maxTime %v\n", limit.Seconds())
}

// move lets the engine choose on the board of the given rows, and returns its move, which is legal
// without an error.
func (c *checker) move(setpos, rows string) (string, error) {
	p, err := parseRows(c.rules, rows)
	if err != nil {
		return "", err
	}
	lines := c.maxTime(shortTime) + "setpos " + setpos + "\nisready\ngo\n"
	err = c.search(c.ctx, []byte(lines), checkPatience, checkPatience/2, checkPatience/2)
	if err != nil {
		return "", err
	}
	m, err := parseMove(c.rules, p, c.answer.move)
	if err == nil {
		err = rules.NewGame(c.rules, p).Check(m)
	}
	if err != nil {
		err = fmt.Errorf("setpos %s, bestmove %s: %w", setpos, c.answer.move, err)
	}
	return formatMove(m), err
}

// boards checks moves in positions of random games, with the mover at the bottom.
func (c *checker) boards() (string, error) {
	rng := rand.New(rand.NewPCG(5, 5)) // the same boards each time
	for n := range checkBoards {
		g := rules.NewGame(c.rules, c.rules.RandomSetup(rng))
		for range n {
			m := g.Legal().At(rng.IntN(g.Legal().Len()))
			if m.IsGoal() {
				break
			}
			g.PlayLegal(m)
		}
		rows := formatRows(c.rules, g.Position())
		if _, err := c.move("data "+rows, rows); err != nil {
			return "", err
		}
	}
	return "all moves legal", nil
}

// time checks that a search with maxTime ends by itself in about that time.
func (c *checker) time() (string, error) {
	if !c.offers("maxTime") {
		return "", note("has no option maxTime")
	}
	began := time.Now()
	if _, err := c.move("start", startRows); err != nil {
		return "", err
	}
	took := time.Since(began).Round(time.Millisecond)
	detail := fmt.Sprintf("%v for %v", took, shortTime)
	switch {
	case took > shortTime+time.Second:
		return "", errors.New(detail)
	case took > 2*shortTime:
		return "", note(detail)
	}
	return detail, nil
}

// stops checks that a search which has much more time answers stop at once, and with one move.
func (c *checker) stops() (string, error) {
	began := time.Now()
	commands := []byte(c.maxTime(longSearch) + "setpos start\nisready\ngo\n")
	err := c.search(c.ctx, commands, checkPatience, shortTime, checkPatience)
	// A second answer would come before readyok.
	took := (time.Since(began) - shortTime).Round(time.Millisecond)
	if err == nil {
		err = c.await("isready\n")
	}
	switch {
	case err != nil:
		return "", err
	case c.twice:
		return "", errors.New("sends two answers to one go")
	case c.pending.again == 0:
		return "was done before it could be stopped", nil
	case took > time.Second:
		return "", fmt.Errorf("answered %v late", took)
	}
	return fmt.Sprintf("within %v", took), nil
}
