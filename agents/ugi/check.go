package ugi

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gyges/rules"
)

// Verdict is how a program did at one point of a check.
type Verdict string

// The verdicts.
const (
	Pass Verdict = "ok"
	Note Verdict = "note" // not as it might be; hosts can live with it
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
	shortSearch   = "0.2"           // seconds, as maxTime
	shortTime     = 200 * time.Millisecond
	longSearch    = "30"
)

// Check tries a program out as an engine, point by point, and reports each as
// it is done. The error is ctx's, or says that the program can't be started.
func Check(ctx context.Context, command []string, dir string, report func(CheckResult)) error {
	h := host{command: command, dir: dir}
	if err := h.findProgram(); err != nil {
		return err
	}
	c := &checker{ctx: ctx, command: command, dir: dir, rules: rules.MustParse("italian")}
	defer c.end()
	started := true
	for i, point := range []struct {
		name string
		try  func(*checker) (Verdict, string)
	}{
		{"starts and says ugiok", (*checker).starts},
		{"names itself", (*checker).names},
		{"offers maxPly, maxTime, maxNodes", (*checker).offers},
		{"says readyok", (*checker).ready},
		{"moves after setpos start", (*checker).start},
		{fmt.Sprintf("moves on %d boards", checkBoards), (*checker).boards},
		{"takes a win at once", (*checker).wins},
		{"keeps to maxTime", (*checker).time},
		{"answers stop, once", (*checker).stops},
		{"survives what it doesn't know", (*checker).survives},
		{"obeys quit", (*checker).quits},
		{"ends with its input", (*checker).ends},
	} {
		verdict, detail := Fail, "not tried, since it doesn't start"
		if started {
			verdict, detail = point.try(c)
		}
		started = started && (i > 0 || verdict == Pass)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report(CheckResult{point.name, verdict, escape(detail, 2*maxShown)})
	}
	return nil
}

// checker has an engine running most of the time.
type checker struct {
	ctx     context.Context
	command []string
	dir     string
	rules   *rules.Rules

	p       *process
	trace   trace
	name    string
	offered []string
	again   bool // it has answered a go a second time
}

func (c *checker) end() {
	if c.p != nil {
		_ = c.p.kill() // nobody asks any more
		c.p = nil
	}
}

// run makes sure that the engine runs.
func (c *checker) run() error {
	if c.p != nil {
		return nil
	}
	p, err := launch(c.command, c.dir, 0, &c.trace)
	if err != nil {
		return err
	}
	c.p, c.name, c.offered = p, "", nil
	err = c.ask("ugi", func(word, rest string) bool {
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
		return fmt.Errorf("no ugiok: %w", err)
	}
	return nil
}

// ask says lines and hands over what is heard until take tells that it is
// enough. After an error the engine is gone.
func (c *checker) ask(lines string, take func(word, rest string) bool) error {
	c.p.until(time.Now().Add(checkPatience))
	stop := context.AfterFunc(c.ctx, func() { _ = c.p.out.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	err := c.p.say([]byte(lines + "\n"))
	for err == nil {
		var line []byte
		if line, err = c.p.hear(c.ctx); err == nil {
			word, rest, _ := bytes.Cut(line, []byte{' '})
			if take(string(bytes.TrimSpace(word)), string(rest)) {
				return nil
			}
		}
	}
	c.end()
	return err
}

func (c *checker) awaitReady(lines string) error {
	if lines != "" {
		lines += "\n"
	}
	return c.ask(lines+"isready", func(word, _ string) bool { return word == "readyok" })
}

// move lets the engine choose in a position and tells what is wrong with its
// move.
func (c *checker) move(setpos string, p rules.Position) (rules.Move, error) {
	if err := c.run(); err != nil {
		return rules.NoMove, err
	}
	lines := "setpos " + setpos + "\nisready\ngo"
	if c.has("maxTime") {
		lines = "setoption maxTime " + shortSearch + "\n" + lines
	}
	stopped := time.AfterFunc(checkPatience/2, func() { _, _ = c.p.in.WriteString("stop\n") })
	defer stopped.Stop()
	text, asked := "", false
	err := c.ask(lines, func(word, rest string) bool {
		asked = asked || word == "readyok"
		c.again = c.again || !asked && word == "bestmove"
		text, _, _ = strings.Cut(rest, " ")
		return asked && word == "bestmove"
	})
	if err != nil {
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

func (c *checker) has(option string) bool {
	return slices.ContainsFunc(c.offered, func(o string) bool { return strings.EqualFold(o, option) })
}

// verdict is a pass, or a failure with the reason.
func verdict(err error, detail string) (Verdict, string) {
	if err != nil {
		return Fail, err.Error()
	}
	return Pass, detail
}

func (c *checker) starts() (Verdict, string) {
	began := time.Now()
	err := c.run()
	return verdict(err, fmt.Sprintf("in %v", time.Since(began).Round(time.Millisecond)))
}

func (c *checker) names() (Verdict, string) {
	if c.name == "" {
		return Note, "no line id name"
	}
	return Pass, c.name
}

func (c *checker) offers() (Verdict, string) {
	var missing []string
	for _, o := range []string{"maxPly", "maxTime", "maxNodes"} {
		if !c.has(o) {
			missing = append(missing, o)
		}
	}
	if len(missing) > 0 {
		return Note, "without " + strings.Join(missing, ", ") + " such a limit can't be set; a move that takes too long is stopped"
	}
	return Pass, "all options: " + strings.Join(c.offered, ", ")
}

func (c *checker) ready() (Verdict, string) {
	if err := c.run(); err != nil {
		return Fail, err.Error()
	}
	return verdict(c.awaitReady(""), "")
}

func (c *checker) start() (Verdict, string) {
	p, err := parseRows(c.rules, startRows)
	var m rules.Move
	if err == nil {
		m, err = c.move("start", p)
	}
	return verdict(err, formatMove(m))
}

// boards takes positions from random games, always seen by the mover.
func (c *checker) boards() (Verdict, string) {
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
		p := g.Position()
		if p.Side() == rules.North {
			p = p.Rotate()
		}
		if _, err := c.move("data "+formatRows(c.rules, p), p); err != nil {
			return Fail, err.Error()
		}
	}
	return Pass, "all moves legal"
}

// winBoard has a win for the mover: 23|36.
const winBoard = "000000/000000/000000/200003/123330/121210"

func (c *checker) wins() (Verdict, string) {
	p, err := parseRows(c.rules, winBoard)
	var m rules.Move
	if err == nil {
		m, err = c.move("data "+winBoard, p)
	}
	if err == nil && !m.IsGoal() {
		return Note, fmt.Sprintf("chose %s where 23|36 wins", formatMove(m))
	}
	return verdict(err, formatMove(m))
}

func (c *checker) time() (Verdict, string) {
	if !c.has("maxTime") {
		return Note, "has no option maxTime"
	}
	p, err := parseRows(c.rules, startRows)
	if err != nil {
		return Fail, err.Error()
	}
	began := time.Now()
	if _, err := c.move("start", p); err != nil {
		return Fail, err.Error()
	}
	took := time.Since(began).Round(time.Millisecond)
	detail := fmt.Sprintf("%v for %v", took, shortTime)
	switch {
	case took > shortTime+time.Second:
		return Fail, detail
	case took > 2*shortTime:
		return Note, detail
	}
	return Pass, detail
}

func (c *checker) stops() (Verdict, string) {
	if err := c.run(); err != nil {
		return Fail, err.Error()
	}
	setting := ""
	if c.has("maxTime") {
		setting = "setoption maxTime " + longSearch
	}
	if err := c.awaitReady(setting); err != nil {
		return Fail, err.Error()
	}
	var stopped time.Time
	p := c.p
	timer := time.AfterFunc(shortTime, func() {
		_, _ = p.in.WriteString("stop\n")
	})
	defer timer.Stop()
	began := time.Now()
	if err := c.ask("setpos start\ngo", func(word, _ string) bool { return word == "bestmove" }); err != nil {
		return Fail, fmt.Sprintf("no bestmove: %v", err)
	}
	stopped = time.Now()
	timer.Stop()
	if err := c.ask("isready", func(word, _ string) bool {
		c.again = c.again || word == "bestmove"
		return word == "readyok"
	}); err != nil {
		return Fail, err.Error()
	}
	took := stopped.Sub(began)
	switch {
	case c.again:
		return Fail, "gives two answers to one go"
	case took < shortTime:
		return Pass, "was done before it could be stopped"
	case took > shortTime+time.Second:
		return Fail, fmt.Sprintf("answered %v late", took-shortTime)
	}
	return Pass, fmt.Sprintf("within %v", (took - shortTime).Round(time.Millisecond))
}

func (c *checker) survives() (Verdict, string) {
	if err := c.run(); err != nil {
		return Fail, err.Error()
	}
	if err := c.awaitReady("nonsense 1 2 3\n\nsetoption"); err != nil {
		return Note, err.Error()
	}
	return Pass, ""
}

func (c *checker) quits() (Verdict, string) {
	if err := c.run(); err != nil {
		return Fail, err.Error()
	}
	obeyed, err := c.p.quit(2 * time.Second)
	c.p = nil
	if err == nil && !obeyed {
		return Note, "runs on; it is killed"
	}
	return verdict(err, "")
}

func (c *checker) ends() (Verdict, string) {
	if err := c.run(); err != nil {
		return Fail, err.Error()
	}
	_ = c.p.in.Close()
	defer c.end()
	select {
	case <-c.p.exited:
		return Pass, ""
	case <-time.After(2 * time.Second):
		return Note, "runs on; it is killed"
	}
}
