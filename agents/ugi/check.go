package ugi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/rules"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
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
	checkPlies    = 24                     // of a game at most
	shortTime     = 200 * time.Millisecond // of a move
)

// quick are the limits of a move whose time isn't checked.
var quick = agents.Limits{MoveTime: shortTime / 4}

// checks are what is tested, in order, each with an engine that runs. An error of one is a failure,
// or a note, or says that it doesn't apply to the engine or the rule set.
var checks = []struct {
	name string
	each bool // it is tested for each rule set
	try  func(*checker) (detail string, err error)
}{
	{"starts and sends ugiok", false, func(c *checker) (string, error) {
		return fmt.Sprintf("in %v", c.took), nil
	}},
	{"sends id name", false, func(c *checker) (string, error) {
		if c.name == "" {
			return "", note("no line id name")
		}
		return c.name, nil
	}},
	{"offers maxPly, maxTime, maxNodes", false, func(c *checker) (string, error) {
		if c.extended { // it is told the limits of a move behind go
			return "", notApplied
		}
		missing := slices.DeleteFunc([]string{"maxPly", "maxTime", "maxNodes"}, c.offers)
		if len(missing) > 0 {
			return "", note("without " + strings.Join(missing, ", ") +
				" such a limit can't be set; a move that takes too long is stopped")
		}
		return "", nil
	}},
	{"sends readyok", false, func(c *checker) (string, error) { return "", c.await("") }},
	{"moves after setpos start", false, (*checker).usualStart},
	{"plays games", true, (*checker).games},
	{"observes repetition", true, (*checker).repetition},
	{"plays a win in one", false, func(c *checker) (string, error) {
		m, err := c.move(c.board("000000/000000/000000/200003/123330/121210"), quick)
		if err == nil && !m.IsGoal() {
			err = note("chose " + formatMove(m) + " where 23|36 wins")
		}
		return formatMove(m), err
	}},
	{"keeps to maxTime", false, (*checker).time},
	{"keeps to the limits of go", false, (*checker).limits},
	{"answers stop, once", false, (*checker).stops},
	{"ignores unknown commands", false, func(c *checker) (string, error) {
		err := c.await("nonsense 1 2 3\n\nsetoption\n")
		if err != nil {
			c.kill()
			err = note(err.Error())
		}
		return "", err
	}},
	{"accepts its options' defaults", false, (*checker).defaults},
	{"exits on quit", false, func(c *checker) (string, error) {
		obeyed, err := c.proc.quit(2 * time.Second)
		c.proc = nil
		if err == nil && !obeyed {
			err = note("runs on; it is killed")
		}
		return "", err
	}},
	{"exits at end of input", false, func(c *checker) (string, error) {
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

// notApplied is the error of a check that doesn't count.
const notApplied = note("doesn't apply")

// Check tests a program as an engine, in all of [checks] that apply to it, and calls report after
// each. What is tested for each rule set is tested for the given ones; without any, for those that
// the engine claims. If it doesn't start, the others have one result, [Skip]. Check returns how
// many points there are, and how many of them are no failure. The error is that of a program that
// can't be started, or that of ctx.
func (l *Log) Check(
	ctx context.Context, command []string, dir string, sets []*rules.Rules,
	report func(CheckResult),
) (passed, all int, err error) {
	if err := findProgram(command, dir); err != nil {
		return 0, 0, err
	}
	c := &checker{ctx: ctx}
	c.client = &client{command: command, dir: dir, log: l, label: command[0]}
	settings.SetDefaults(&c.config)
	c.config.Move = checkPatience
	defer c.kill()
	for _, check := range checks {
		over := c.claimed()
		if !check.each {
			over = over[:1]
		} else if len(sets) > 0 {
			over = sets
		}
		for _, c.set = range over {
			verdict, detail := c.result(check.try)
			if ctx.Err() != nil {
				return 0, 0, ctx.Err()
			}
			if verdict == Skip {
				continue
			}
			name := check.name
			if check.each {
				name += ": " + c.set.String()
			}
			report(CheckResult{name, verdict, printable(detail)})
			all++
			if verdict != Fail {
				passed++
			}
		}
		if passed == 0 { // not even the first one
			report(CheckResult{"all others", Skip, "not checked, since the engine doesn't start"})
			break
		}
	}
	return passed, all, nil
}

// checker is a host that keeps what the checks need.
type checker struct {
	host
	ctx  context.Context
	set  *rules.Rules  // of the check
	took time.Duration // the last start or move
}

// result tries a check. Skip is the verdict of one that doesn't apply.
func (c *checker) result(try func(*checker) (string, error)) (v Verdict, detail string) {
	// Each check finds an engine that runs, as one before may have ended it.
	began := time.Now()
	err := c.run(c.ctx)
	c.took = time.Since(began).Round(time.Millisecond)
	if err == nil {
		detail, err = try(c)
	}
	switch {
	case err == nil:
		return Pass, detail
	case errors.Is(err, notApplied):
		return Skip, ""
	case errors.As(err, new(note)):
		return Note, err.Error()
	case errors.As(err, new(*agents.Failure)): // its state is unknown
		c.kill()
	}
	return Fail, err.Error()
}

// claimed returns the rule sets that the engine says it plays, unknown ones left out; at least one.
func (c *checker) claimed() (sets []*rules.Rules) {
	names := []string{"italian"} // which needs no name and no history
	if c.extended {
		names = []string{"standard", "simplified", "kang"}
	}
	if option, _ := c.option("rules"); option.vars != nil {
		names = option.vars
	}
	for _, name := range names {
		if r, err := rules.Parse(name); err == nil {
			sets = append(sets, r)
		}
	}
	if sets == nil {
		sets = append(sets, rules.MustParse("standard"))
	}
	return sets
}

// await sends lines and isready, and blocks until readyok.
func (c *checker) await(lines string) error {
	return c.wait(c.ctx, lines+"isready\n", checkPatience)
}

// board returns a game on a board of all pieces with South to move; under Kang a goal wins there.
func (c *checker) board(rows string) *rules.Game {
	text := rows + " s"
	if c.set.Options().Kang {
		text += " 000/000 2-2 -"
	}
	p, _ := c.set.ParsePosition(text) // all rule sets have it
	return rules.NewGame(c.set, p)
}

// move lets the engine choose, in a new game at its first move there. The move is legal without an
// error.
func (c *checker) move(g *rules.Game, limits agents.Limits) (m rules.Move, err error) {
	if len(g.Moves()) < 2 {
		if err := c.NewGame(c.ctx, agents.SetupOf(g, math.MaxUint64)); err != nil {
			return m, err
		}
	}
	began := time.Now()
	d, err := c.Choose(c.ctx, g, agents.Request{Limits: limits})
	c.took = d.Answered.Sub(began).Round(time.Millisecond)
	if err == nil {
		err = g.Check(d.Move)
	}
	if err != nil {
		err = fmt.Errorf("%w, in %s", err, c.set.FormatPosition(g.Position()))
	}
	return d.Move, err
}

// usualStart checks the command that sets the usual set-up.
func (c *checker) usualStart() (string, error) {
	if c.extended {
		return "", notApplied
	}
	commands := []byte("setpos start\nisready\ngo\n")
	if err := c.search(c.ctx, commands, checkPatience, shortTime, checkPatience); err != nil {
		return "", err
	}
	g := rules.NewGame(c.set, startPosition(c.set))
	d, err := c.decide(g)
	if err == nil {
		err = g.Check(d.Move)
	}
	return c.answer.move, err
}

// games plays six games against random moves from random set-ups, as either side in turn.
func (c *checker) games() (string, error) {
	rng := rand.New(rand.NewPCG(5, 5)) // the same games each time
	for n := range rules.Side(6) {
		g := rules.NewGame(c.set, c.set.RandomSetup(rng))
		for g.Legal().Len() > 0 && len(g.Moves()) < checkPlies {
			m, err := random.Move(g, rng)
			if g.Position().Side() == n%2 {
				m, err = c.move(g, quick)
			}
			if err != nil {
				return "", err
			}
			g.PlayLegal(m)
		}
	}
	return "all moves legal", nil
}

// reversible is a board on which the opponent could take back any move; a search has found it.
const reversible = "323232/010121/000031/000000/000000/000000"

// repetition checks that the engine doesn't bring a position back: it is asked again for a move
// that it has chosen, in a game that began with the position behind that move.
func (c *checker) repetition() (string, error) {
	if !c.extended || c.set.Options().Repetition != rules.Superko {
		return "", notApplied
	}
	g := c.board(reversible)
	m, err := c.move(g, quick)
	if err != nil {
		return "", err
	}
	behind := c.set.Apply(g.Position(), m)
	for back := range rules.NewGame(c.set, behind).Legal().All() {
		again := rules.NewGame(c.set, behind)
		again.PlayLegal(back)
		if again.OnlyRepeats(m) {
			_, err = c.move(again, quick)
			break
		}
	}
	return "", err
}

// time checks that a search with a move time ends by itself in about that time. A much later move
// is an error of the host.
func (c *checker) time() (string, error) {
	if !c.extended && !c.offers("maxTime") {
		return "", note("has no option maxTime")
	}
	err := c.bothSides(agents.Limits{MoveTime: shortTime})
	detail := fmt.Sprintf("%v for %v", c.took, shortTime)
	if err == nil && c.took > 2*shortTime {
		err = note(detail)
	}
	return detail, err
}

// bothSides lets the engine choose from the usual set-up as South, and then as North.
func (c *checker) bothSides(limits agents.Limits) error {
	south := startPosition(c.set)
	_, err := c.move(rules.NewGame(c.set, south), limits)
	if err == nil {
		_, err = c.move(rules.NewGame(c.set, south.Rotate()), limits)
	}
	return err
}

// limits checks the limits that may follow go, but for the move time.
func (c *checker) limits() (string, error) {
	if !c.extended {
		return "", notApplied
	}
	for _, limits := range []agents.Limits{
		{Depth: 2},
		{Nodes: 1000},
		{Clock: agents.Clock{Left: time.Second, Increment: shortTime, MovesToGo: 9}},
	} {
		err := c.bothSides(limits)
		if err == nil && c.took > time.Second {
			err = note("takes " + c.took.String())
		}
		if err != nil {
			return "", fmt.Errorf("go%s: %w", appendLimits(nil, limits, rules.North), err)
		}
	}
	return "", nil
}

// stops checks that a search without limits answers stop in time, and with one move.
func (c *checker) stops() (detail string, err error) {
	c.config.Move = shortTime
	err = c.bothSides(agents.Limits{})
	if c.pending.again == 0 {
		detail = "was done before it could be stopped"
	}
	// A second answer would come before readyok.
	if err == nil {
		err = c.await("")
	}
	if c.twice {
		err = errors.New("sends two answers to one go")
	}
	return detail, err
}

// defaults sets each option to its default, which changes nothing. A line that can't be understood
// is a note.
func (c *checker) defaults() (string, error) {
	var unclear []string
	for _, o := range c.offered {
		d := o.param()
		kind := o.values["type"]
		initial := strings.TrimPrefix(o.values["default"], "<empty>")
		isClear := typesOf[kind] == d.Type() && initial == d.Default()
		if kind != "" && !isClear {
			unclear = append(unclear, o.name)
		}
		if d.Default() == "" {
			continue
		}
		if err := c.await(c.optionCommand(o.name, d.Default())); err != nil {
			return "", fmt.Errorf("after setoption %s: %w", o.name, err)
		}
	}
	if unclear != nil {
		return "", note("can't be understood: " + textfmt.List(unclear, 5))
	}
	return "", nil
}
