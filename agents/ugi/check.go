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
	"gyges/agents/random"
	"gyges/rules"
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
	checkSets     = 12                     // rule sets that are checked of those an engine claims
	checkGames    = 6                      // by each rule set
	checkPlies    = 20                     // of each game at most
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
		return fmt.Sprintf("in %v", c.took.Round(time.Millisecond)), nil
	}},
	{"sends id name", false, func(c *checker) (string, error) {
		if c.name == "" {
			return "", note("no line id name")
		}
		return c.name, nil
	}},
	{"offers maxPly, maxTime, maxNodes", false, func(c *checker) (string, error) {
		if c.extended { // it is told the limits of a move behind go
			return "", errNotApplied
		}
		missing := slices.DeleteFunc(slices.Clone(limitOptions[:]), c.offers)
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
		d, err := c.move(c.board("000000/000000/000000/200003/123330/121210"), quick)
		move := formatMove(d.Move)
		if err == nil && !d.Move.IsGoal() {
			err = note("chose " + move + " where 23|36 wins")
		}
		return move, err
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

// errNotApplied is the error of a check that doesn't count.
var errNotApplied = errors.New("doesn't apply")

// Check tests a program as an engine, in all of [checks] that apply to it, and calls report after
// each. What is tested for each rule set is tested for the given ones; without any, for those that
// the engine claims. If it doesn't start, the others have one result, [Skip]. Check returns how
// many points there are, and how many of them are no failure. The error is that of a program that
// can't be started, or that of ctx.
func Check(
	ctx context.Context, command []string, dir string, sets []*rules.Rules,
	report func(CheckResult),
) (passed, all int, err error) {
	if err := findProgram(command, dir); err != nil {
		return 0, 0, err
	}
	c := &checker{ctx: ctx}
	c.command = command
	c.dir = dir
	c.config = config{
		Start: defaultStart,
		Ready: checkPatience,
		Move:  checkPatience / 2,
		Grace: time.Second, // as by default
	}
	defer c.kill()
	for i, check := range checks {
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
			report(CheckResult{name, verdict, textfmt.Escape(textfmt.Cut(detail, maxInfo))})
			all++
			if verdict != Fail {
				passed++
			}
		}
		if i == 0 && passed == 0 {
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
	took time.Duration // to start, if it didn't run
}

// result tries a check. Skip is the verdict of one that doesn't apply.
func (c *checker) result(try func(*checker) (string, error)) (v Verdict, detail string) {
	// Each check finds an engine that runs, as one before may have ended it.
	began := time.Now()
	err := c.run(c.ctx)
	c.took = time.Since(began)
	if err == nil {
		detail, err = try(c)
	}
	switch {
	case err == nil:
		return Pass, detail
	case errors.Is(err, errNotApplied):
		return Skip, ""
	case errors.As(err, new(note)):
		return Note, err.Error()
	case errors.As(err, new(*agents.Failure)): // its state is unknown
		c.kill()
	}
	return Fail, err.Error()
}

// claimed returns the rule sets that the engine says it plays, at least one.
func (c *checker) claimed() (sets []*rules.Rules) {
	names := []string{"italian"} // which needs no name and no history
	if c.extended {
		names = []string{"standard", "simplified", "kang"}
	}
	for _, o := range c.offered {
		if o.name == "rules" && len(o.vars) > 0 {
			names = o.vars
		}
	}
	for _, name := range names[:min(checkSets, len(names))] {
		r, err := rules.Parse(name)
		if err != nil { // a game shows what is wrong
			r = rules.MustParse("standard")
		}
		sets = append(sets, r)
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
	p, err := c.set.ParsePosition(text)
	if err != nil {
		panic(err)
	}
	return rules.NewGame(c.set, p)
}

// move lets the engine choose, in a new game at its first move there. The move is legal without an
// error.
func (c *checker) move(g *rules.Game, limits agents.Limits) (d agents.Decision, err error) {
	if len(g.Moves()) < 2 {
		err = c.NewGame(c.ctx, agents.SetupOf(g, 0))
	}
	if err == nil {
		d, err = c.Choose(c.ctx, g, agents.Request{Limits: limits})
	}
	if err == nil {
		err = g.Check(d.Move)
	}
	if err != nil {
		err = fmt.Errorf("%w, in %s", err, c.set.FormatPosition(g.Position()))
	}
	return d, err
}

// usualStart checks the command that sets the usual set-up.
func (c *checker) usualStart() (string, error) {
	if c.extended {
		return "", errNotApplied
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

// games plays against random moves from random set-ups, as either side in turn.
func (c *checker) games() (string, error) {
	rng := rand.New(rand.NewPCG(5, 5)) // the same games each time
	for n := range checkGames {
		side := rules.Side(n % 2)
		g := rules.NewGame(c.set, c.set.RandomSetup(rng))
		for g.Legal().Len() > 0 && len(g.Moves()) < checkPlies {
			m, err := random.Move(g, rng)
			if g.Position().Side() == side {
				var d agents.Decision
				d, err = c.move(g, quick)
				m = d.Move
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

// repetition checks that the engine doesn't bring a position back: a move that it has chosen is
// forbidden when it is asked again.
func (c *checker) repetition() (string, error) {
	if !c.extended || c.set.Options().Repetition != rules.Superko {
		return "", errNotApplied
	}
	g := c.board(reversible)
	d, err := c.move(g, quick)
	if err != nil {
		return "", err
	}
	if again := c.forbidding(g.Position(), d.Move); again != nil {
		_, err = c.move(again, quick)
	}
	return "", err
}

// forbidding returns a game in a position in which m, legal there, would bring back the position
// that the game began in; nil if nobody can take m back.
func (c *checker) forbidding(p rules.Position, m rules.Move) *rules.Game {
	behind := c.set.Apply(p, m)
	for back := range rules.NewGame(c.set, behind).Legal().All() {
		again := rules.NewGame(c.set, behind)
		again.PlayLegal(back)
		if again.OnlyRepeats(m) {
			return again
		}
	}
	return nil
}

// time checks that a search with a move time ends by itself in about that time. A much later move
// is an error of the host.
func (c *checker) time() (string, error) {
	if !c.extended && !c.offers("maxTime") {
		return "", note("has no option maxTime")
	}
	took, err := c.bothSides(agents.Limits{MoveTime: shortTime})
	detail := fmt.Sprintf("%v for %v", took, shortTime)
	if err == nil && took > 2*shortTime {
		err = note(detail)
	}
	return detail, err
}

// bothSides lets the engine choose from the usual set-up as either side, and returns how long the
// slower move took.
func (c *checker) bothSides(limits agents.Limits) (longest time.Duration, err error) {
	south := startPosition(c.set)
	for _, p := range []rules.Position{south, south.Rotate()} {
		began := time.Now()
		d, err := c.move(rules.NewGame(c.set, p), limits)
		if err != nil {
			return 0, err
		}
		longest = max(longest, d.Answered.Sub(began))
	}
	return longest.Round(time.Millisecond), nil
}

// limits checks the limits that may follow go, but for the move time.
func (c *checker) limits() (string, error) {
	if !c.extended {
		return "", errNotApplied
	}
	list := []agents.Limits{{Depth: 2}, {Nodes: 1000}}
	if c.offers("moveOverhead") {
		clock := agents.Clock{Left: time.Second, Increment: shortTime, MovesToGo: 9}
		list = append(list, agents.Limits{Clock: clock})
	}
	for _, limits := range list {
		took, err := c.bothSides(limits)
		if err == nil && took > time.Second {
			err = note(fmt.Sprintf("takes %v", took))
		}
		if err != nil {
			return "", fmt.Errorf("go%s: %w", appendLimits(nil, limits, rules.South), err)
		}
	}
	return "", nil
}

// stops checks that a search without limits answers stop at once, and with one move.
func (c *checker) stops() (string, error) {
	c.config.Move = shortTime
	took, err := c.bothSides(agents.Limits{})
	stopped := c.pending.again > 0
	// A second answer would come before readyok.
	if err == nil {
		err = c.await("")
	}
	switch {
	case err != nil:
		return "", err
	case c.twice:
		return "", errors.New("sends two answers to one go")
	case !stopped:
		return "was done before it could be stopped", nil
	}
	return fmt.Sprintf("within %v", took-shortTime), nil
}

// defaults sets each option to its default, which changes nothing.
func (c *checker) defaults() (string, error) {
	for _, o := range c.offered {
		if o.initial == "" {
			continue
		}
		if err := c.await(optionCommand(o.name, o.initial)); err != nil {
			return "", fmt.Errorf("%s %s: %w", o.name, o.initial, err)
		}
	}
	return textfmt.Plural(len(c.offered), "option"), nil
}
