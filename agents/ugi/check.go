package ugi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"gyges/rules"
	"gyges/rules/base/textfmt"
)

// Verdict is the result of one point of a check.
type Verdict string

// The verdicts.
const (
	Pass Verdict = "ok"
	Note Verdict = "note" // a deviation with which an engine can play
	Fail Verdict = "FAIL"
)

// CheckResult is one point of a check.
type CheckResult struct {
	Name    string
	Verdict Verdict
	Detail  string // escaped and bounded
}

const (
	checkPatience = 5 * time.Second // for an answer
	checkBoards   = 20              // positions to move in
	shortTime     = 200 * time.Millisecond
	longSearch    = 30 * time.Second
)

// points are what is checked, in order. An error of a point is a failure, or a
// note.
var points = []struct {
	name string
	try  func(*checker) (detail string, err error)
}{
	{"starts and sends ugiok", (*checker).starts},
	{"sends id name", (*checker).names},
	{"offers maxPly, maxTime, maxNodes", (*checker).options},
	{"sends readyok", (*checker).ready},
	{"moves after setpos start", (*checker).start},
	{fmt.Sprintf("moves on %d boards", checkBoards), (*checker).boards},
	{"plays a win in one", (*checker).wins},
	{"keeps to maxTime", (*checker).time},
	{"answers stop, once", (*checker).stops},
	{"ignores unknown commands", (*checker).survives},
	{"exits on quit", (*checker).quits},
	{"exits at end of input", (*checker).ends},
}

// note is a deviation with which an engine can play.
type note string

func (n note) Error() string { return string(n) }

// Check tests a program as an engine, point by point, and calls report after each. It
// returns an error if the program can't be started, or that of ctx.
func Check(ctx context.Context, command []string, dir string, report func(CheckResult)) error {
	if err := findProgram(command, dir); err != nil {
		return err
	}
	c := &checker{ctx: ctx, command: command, dir: dir, rules: rules.MustParse("italian")}
	defer c.end()
	started := true
	for i, point := range points {
		detail, err := "", errors.New("not checked, since the engine doesn't start")
		if started {
			began := time.Now()
			if err = c.run(); err == nil {
				c.took = time.Since(began)
				detail, err = point.try(c)
			}
			started = i > 0 || err == nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		verdict := Pass
		if err != nil {
			verdict, detail = Fail, err.Error()
		}
		if n := note(""); errors.As(err, &n) {
			verdict = Note
		}
		report(CheckResult{point.name, verdict, textfmt.Escape(textfmt.Cut(detail, maxInfo))})
	}
	return nil
}

// checker has an engine running at the beginning of each point.
type checker struct {
	ctx     context.Context
	command []string
	dir     string
	rules   *rules.Rules

	p       *process
	trace   trace
	took    time.Duration // to start
	name    string
	offered []string
	again   bool // it has answered a go a second time
}

func (c *checker) end() {
	if c.p != nil {
		_ = c.p.kill() // its answers don't matter any more
		c.p = nil
	}
}

// run starts the engine unless it runs.
func (c *checker) run() (err error) {
	if c.p != nil {
		return nil
	}
	p, err := launch(c.command, c.dir, 0, &c.trace)
	if err != nil {
		return err
	}
	c.p, c.name, c.offered = p, "", nil
	err = c.converse("ugi\n", checkPatience, func(word, rest string) bool {
		switch word {
		case "id":
			if name, ok := strings.CutPrefix(rest, "name "); ok {
				c.name = name
			}
		case "option":
			c.offered = append(c.offered, optionName(rest))
		}
		return word == "ugiok"
	})
	if err != nil {
		c.end()
		return fmt.Errorf("no ugiok: %w", err)
	}
	return nil
}

// converse sends lines, and passes the answers to take until it returns true. After
// an error other than errLate the engine is gone.
func (c *checker) converse(lines string, limit time.Duration, take func(word, rest string) bool) error {
	err := c.p.converse(c.ctx, lines, limit, func(word, rest string) (bool, error) { return take(word, rest), nil })
	if err != nil && !errors.Is(err, errLate) {
		c.end()
	}
	return err
}

// await sends lines that end in isready, and blocks until readyok.
func (c *checker) await(lines string) error {
	err := c.converse(lines, checkPatience, func(word, _ string) bool {
		c.again = c.again || word == "bestmove"
		return word == "readyok"
	})
	if err != nil {
		c.end()
	}
	return err
}

// move lets the engine choose in a position, and checks the move.
func (c *checker) move(setpos string, p rules.Position) (rules.Move, error) {
	lines := "setpos " + setpos + "\nisready\ngo\n"
	if offers(c.offered, "maxTime") {
		lines = fmt.Sprintf("setoption maxTime %v\n", shortTime.Seconds()) + lines
	}
	text, ready := "", false
	answer := func(word, rest string) bool {
		ready = ready || word == "readyok"
		c.again = c.again || !ready && word == "bestmove"
		text, _, _ = strings.Cut(rest, " ")
		return ready && word == "bestmove"
	}
	err := c.converse(lines, checkPatience/2, answer)
	if errors.Is(err, errLate) {
		err = c.converse("stop\n", checkPatience/2, answer)
	}
	if err != nil {
		c.end()
		return rules.NoMove, err
	}
	m, err := parseMove(c.rules, p, text)
	if err == nil {
		err = rules.NewGame(c.rules, p).Check(m)
	}
	if err != nil {
		return m, fmt.Errorf("setpos %s, bestmove %s: %w", setpos, text, err)
	}
	return m, nil
}

// moveOn is move on the board of the given rows.
func (c *checker) moveOn(setpos, rows string) (rules.Move, error) {
	p, err := parseRows(c.rules, rows)
	if err != nil {
		return rules.NoMove, err
	}
	return c.move(setpos, p)
}

func (c *checker) starts() (string, error) {
	return fmt.Sprintf("in %v", c.took.Round(time.Millisecond)), nil
}

func (c *checker) names() (string, error) {
	if c.name == "" {
		return "", note("no line id name")
	}
	return c.name, nil
}

func (c *checker) options() (string, error) {
	var missing []string
	for _, o := range []string{"maxPly", "maxTime", "maxNodes"} {
		if !offers(c.offered, o) {
			missing = append(missing, o)
		}
	}
	if len(missing) > 0 {
		return "", note("without " + strings.Join(missing, ", ") +
			" such a limit can't be set; a move that takes too long is stopped")
	}
	return "all options: " + strings.Join(c.offered, ", "), nil
}

func (c *checker) ready() (string, error) { return "", c.await("isready\n") }

func (c *checker) start() (string, error) {
	m, err := c.moveOn("start", startRows)
	return formatMove(m), err
}

// boards checks moves in positions of random games, with the mover at the bottom.
func (c *checker) boards() (string, error) {
	rng := rand.New(rand.NewPCG(5, 5))
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
		if _, err := c.moveOn("data "+rows, rows); err != nil {
			return "", err
		}
	}
	return "all moves legal", nil
}

// winBoard has a win for the mover: 23|36.
const winBoard = "000000/000000/000000/200003/123330/121210"

func (c *checker) wins() (string, error) {
	m, err := c.moveOn("data "+winBoard, winBoard)
	if err == nil && !m.IsGoal() {
		err = note(fmt.Sprintf("chose %s where 23|36 wins", formatMove(m)))
	}
	return formatMove(m), err
}

func (c *checker) time() (string, error) {
	if !offers(c.offered, "maxTime") {
		return "", note("has no option maxTime")
	}
	began := time.Now()
	if _, err := c.moveOn("start", startRows); err != nil {
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

func (c *checker) stops() (string, error) {
	setting := ""
	if offers(c.offered, "maxTime") {
		setting = fmt.Sprintf("setoption maxTime %v\n", longSearch.Seconds())
	}
	if err := c.await(setting + "isready\n"); err != nil {
		return "", err
	}
	isMove := func(word, _ string) bool { return word == "bestmove" }
	err := c.converse("setpos start\ngo\n", shortTime, isMove)
	done, stopped := err == nil, time.Now()
	if errors.Is(err, errLate) {
		err = c.converse("stop\n", checkPatience, isMove)
	}
	took := time.Since(stopped).Round(time.Millisecond)
	if err != nil {
		c.end()
		return "", fmt.Errorf("no bestmove: %w", err)
	}
	if err := c.await("isready\n"); err != nil {
		return "", err
	}
	switch {
	case c.again:
		return "", errors.New("sends two answers to one go")
	case done:
		return "was done before it could be stopped", nil
	case took > time.Second:
		return "", fmt.Errorf("answered %v late", took)
	}
	return fmt.Sprintf("within %v", took), nil
}

func (c *checker) survives() (string, error) {
	if err := c.await("nonsense 1 2 3\n\nsetoption\nisready\n"); err != nil {
		return "", note(err.Error())
	}
	return "", nil
}

func (c *checker) quits() (string, error) {
	obeyed, err := c.p.quit(2 * time.Second)
	c.p = nil
	if err == nil && !obeyed {
		err = note("runs on; it is killed")
	}
	return "", err
}

func (c *checker) ends() (string, error) {
	defer c.end()
	_ = c.p.in.Close()
	if !c.p.exitsWithin(2 * time.Second) {
		return "", note("runs on; it is killed")
	}
	return "", nil
}
