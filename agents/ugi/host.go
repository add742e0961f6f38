package ugi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/rules"
)

const (
	quitGrace  = time.Second // for a program to end after quit
	maxOptions = 1000        // of a program, more are ignored
)

// Kind returns the kind of agent that is an external program.
func Kind() agents.Kind {
	wait := func(name, value, doc string) agents.ParamDef {
		return agents.ParamDef{Name: name, Type: agents.Duration, Default: value, Min: 0.001, Max: maxSeconds, Doc: doc}
	}
	return agents.Kind{
		Name: "ugi",
		Doc:  "an external program that speaks the UGI protocol",
		Params: []agents.ParamDef{
			{Name: "cmd", Type: agents.Text, Doc: "the program and its arguments, separated by blanks; " +
				"words with blanks in double quotes"},
			{Name: "dir", Type: agents.Text, Doc: "folder to run it in; a program named with a slash is looked for from there"},
			{Name: "depth", Type: agents.Int, Min: 1, Max: maxPly, Doc: "plies to search, if the program has an option for it"},
			{Name: "nodes", Type: agents.Int, Min: 1, Max: 1e12, Doc: "nodes for a move, if the program has an option for it"},
			{Name: "movetime", Type: agents.Duration, Min: 0.001, Max: 3600, Doc: "time for a move"},
			{Name: "opt.", Type: agents.Text, Doc: "opt.NAME=VALUE sends setoption NAME VALUE when the program has started"},
			wait("start", "10s", "time to start and send ugiok"),
			wait("ready", "10s", "time to send readyok"),
			wait("move", "1m", "time for a move that no movetime bounds; then stop is sent"),
			wait("grace", "1s", "how much later than its time a move may come"),
			{Name: "memory", Type: agents.Int, Min: 1, Max: 1 << 20, Doc: "MB of memory that the program may have, " +
				"and each that it starts; on Linux"},
			{Name: "restart", Type: agents.Text, Default: "crash", Choices: []string{"crash", "game"},
				Doc: "start the program anew after a crash only, or for every game"},
		},
		New: newHost,
	}
}

// host is a program as an agent. The program is started when the first game
// begins, and used for all games until it fails.
type host struct {
	command []string
	dir     string
	given   []setting // options of the spec, by name
	start   time.Duration
	ready   time.Duration
	move    time.Duration
	grace   time.Duration
	restart bool // for every game
	limits  agents.Limits
	memory  int // MB that the program may have; 0: no bound

	proc     *process
	trace    trace
	offered  []string          // names of the program's options
	extended bool              // it supports our extensions
	sent     map[string]string // limits set as options
	pending  pendingAnswers

	setup agents.Setup
	rng   *rand.Rand // for set-ups, which a program without the extensions can't choose
	found []finding  // of the last search, by depth
}

// setting is an option with its value.
type setting struct{ name, value string }

// pendingAnswers are the answers that the program has not sent yet.
type pendingAnswers struct {
	ready, move bool
	again       bool // bestmove may come a second time, since stop was sent as it answered
}

var (
	_ agents.Agent  = (*host)(nil)
	_ agents.Suiter = (*host)(nil)
	_ agents.Tracer = (*host)(nil)
)

func newHost(v agents.Values) (agents.Agent, error) {
	h := &host{
		command: splitCommand(v["cmd"]), dir: v["dir"],
		start: v.Duration("start"), ready: v.Duration("ready"), move: v.Duration("move"), grace: v.Duration("grace"),
		restart: v["restart"] == "game", memory: v.Int("memory"),
		limits: agents.Limits{Depth: v.Int("depth"), Nodes: int64(v.Int("nodes")), MoveTime: v.Duration("movetime")},
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if option, ok := strings.CutPrefix(name, "opt."); ok {
			if strings.ContainsAny(v[name], "\r\n") {
				return nil, fmt.Errorf("parameter %s: expected one line, found %.60q", name, v[name])
			}
			h.given = append(h.given, setting{option, v[name]})
		}
	}
	return h, findProgram(h.command, h.dir)
}

// commandWord is a word of a command: double quotes hold blanks together. An open
// quote ends with the command.
var commandWord = regexp.MustCompile(`(?:"[^"]*(?:"|$)|[^\s"])+`)

// splitCommand splits a command into words at blanks, without a shell.
func splitCommand(text string) []string {
	words := commandWord.FindAllString(text, -1)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], `"`, "")
	}
	return words
}

// CheckCommand returns an error unless there is a program that a command, as in
// the parameter cmd, could start.
func CheckCommand(command string) error { return findProgram(splitCommand(command), "") }

// findProgram checks that there is a program to start in a folder; "": here.
func findProgram(command []string, dir string) error {
	if len(command) == 0 {
		return errors.New("expected cmd=PROGRAM, found none")
	}
	path := command[0]
	if dir != "" && strings.ContainsRune(path, filepath.Separator) && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if _, err := exec.LookPath(path); err != nil && !errors.Is(err, exec.ErrDot) {
		return fmt.Errorf("parameter cmd: %w", err)
	}
	return nil
}

// Trace implements [agents.Tracer].
func (h *host) Trace() []string { return h.trace.last() }

// Close ends the program.
func (h *host) Close() error {
	if h.proc == nil {
		return nil
	}
	p := h.proc
	h.proc = nil
	if h.pending.move { // it may not read quit before it has answered
		_ = p.send("stop\n")
	}
	_, err := p.quit(quitGrace)
	return err
}

// fail kills the program, which is in an unknown state, unless err is nil or the
// context's. It returns err.
func (h *host) fail(ctx context.Context, err error) error {
	if h.proc != nil && err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		_ = h.proc.kill() // err says more
		h.proc = nil
	}
	return err
}

// NewGame implements [agents.Agent].
func (h *host) NewGame(ctx context.Context, s agents.Setup) error {
	h.setup, h.rng = s, s.Rand()
	return h.fail(ctx, h.newGame(ctx))
}

func (h *host) newGame(ctx context.Context) error {
	if h.restart {
		if err := h.Close(); err != nil {
			return err
		}
	}
	if err := h.settle(ctx, ""); err != nil {
		return err
	}
	if h.proc == nil {
		if err := h.launch(ctx); err != nil {
			return err
		}
	}
	if err := h.canPlay(h.setup.Rules); err != nil {
		return err
	}
	commands := ""
	if h.extended {
		commands = fmt.Sprintf("setoption rules %s\nsetoption seed %d\n", h.setup.Rules, h.setup.Seed)
	}
	return h.settle(ctx, commands+"isready\n")
}

// Suits implements [agents.Suiter]. It starts the program to learn whether it supports
// the extensions, where the rules need them. One that can't be started suits all rules:
// its games say why.
func (h *host) Suits(r *rules.Rules) error {
	if !needsExtensions(r) {
		return nil
	}
	if h.proc == nil {
		_ = h.launch(context.Background()) // see above
	}
	if h.proc == nil {
		return nil
	}
	return h.canPlay(r)
}

// needsExtensions reports whether rules can't be played by positions of the standard
// game alone.
func needsExtensions(r *rules.Rules) bool {
	o := r.Options()
	return o.Kang || !o.Relocation
}

// canPlay returns an error if the rules can't be sent to the program.
func (h *host) canPlay(r *rules.Rules) error {
	if h.extended {
		again, err := rules.Parse(r.String())
		if err != nil || again.Options() != r.Options() {
			return fmt.Errorf("expected rules that their name describes completely, found %s", r)
		}
		return nil
	}
	if needsExtensions(r) {
		return fmt.Errorf("the engine plays the standard game only (it offers no option rules), not %s", r)
	}
	return nil
}

// launch starts the program, and sets the options of the spec. A program that
// fails, or has not answered all when ctx ends, is killed.
func (h *host) launch(ctx context.Context) (err error) {
	h.offered, h.extended, h.sent, h.pending, h.trace = nil, false, nil, pendingAnswers{}, trace{}
	if h.proc, err = launch(h.command, h.dir, h.memory, &h.trace); err != nil {
		h.proc = nil
		return err
	}
	defer func() {
		if err != nil {
			_ = h.proc.kill() // err says more
			h.proc = nil
		}
	}()
	err = h.proc.converse(ctx, "ugi\n", h.start, func(word, rest string) (done bool, err error) {
		if name := optionName(rest); word == "option" && name != "" && len(h.offered) < maxOptions {
			h.offered = append(h.offered, name)
			h.extended = h.extended || name == "rules"
		}
		return word == "ugiok", nil
	})
	if err != nil {
		return timedOut(err, "the engine did not send ugiok within %v", h.start)
	}
	commands := ""
	for _, o := range h.given {
		commands += o.command()
	}
	return h.settle(ctx, commands+"isready\n")
}

// optionName returns the name of an option line, whose first word is taken off:
// "maxPly", "maxPly default 3", "name maxPly type spin".
func optionName(rest string) string {
	words := strings.Fields(rest)
	if len(words) > 1 && words[0] == "name" {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

func (s setting) command() string { return "setoption " + s.name + " " + s.value + "\n" }

// timedOut turns errLate into a failure and leaves other errors as they are.
func timedOut(err error, format string, args ...any) error {
	if errors.Is(err, errLate) {
		return &agents.Failure{Kind: agents.TimedOut, Err: fmt.Errorf(format, args...)}
	}
	return err
}

// settle sends commands that end in isready, or none, and blocks until no answer
// of the program is outstanding, also none to a search that was cancelled.
func (h *host) settle(ctx context.Context, commands string) error {
	h.pending.ready = h.pending.ready || commands != ""
	if h.proc == nil || !h.pending.ready && !h.pending.move {
		return nil
	}
	err := h.proc.converse(ctx, commands, h.ready, func(word, _ string) (done bool, err error) {
		switch word {
		case "readyok":
			h.pending.ready = false
		case "bestmove":
			h.pending.move = false
		}
		return !h.pending.ready && !h.pending.move, nil
	})
	return timedOut(err, "the engine did not send readyok within %v", h.ready)
}

// Choose implements [agents.Agent].
func (h *host) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	if err := ctx.Err(); err != nil {
		return agents.Decision{}, err
	}
	if o, _ := g.Outcome(); o != rules.Undecided {
		return agents.Decision{}, rules.ErrOver
	}
	if !h.extended {
		switch {
		case g.Rules().SettingUp(g.Position()):
			m, err := random.Move(g, h.rng)
			return agents.Decision{Move: m}, err
		case g.Legal().Contains(rules.Pass):
			return agents.Decision{Move: rules.Pass}, nil
		}
	}
	d, err := h.choose(ctx, g, h.timed(g, lim.Tighter(h.limits)))
	return d, h.fail(ctx, err)
}

func (h *host) choose(ctx context.Context, g *rules.Game, lim agents.Limits) (d agents.Decision, err error) {
	if err := h.settle(ctx, ""); err != nil {
		return d, err
	}
	if h.proc == nil { // the search before failed, and its game goes on all the same
		if err := h.newGame(ctx); err != nil {
			return d, err
		}
	}
	var commands string
	if h.extended {
		commands = "setpos pos " + g.Rules().FormatPosition(g.Start()) + " moves"
		for _, m := range g.Moves() {
			commands += " " + m.String()
		}
		commands += "\nisready\ngo" + goText(lim, g.Position().Side()) + "\n"
	} else {
		if commands, err = h.limit(ctx, lim); err != nil {
			return d, err
		}
		commands += "setpos data " + formatRows(g.Rules(), g.Position()) + "\nisready\ngo\n"
	}
	answer, err := h.search(ctx, commands, lim)
	if err != nil {
		return d, err
	}
	return h.decide(g, answer)
}

// timed returns limits with a move time in place of the clock, unless the program
// divides its time by itself: if it has our extensions and the option moveOverhead.
func (h *host) timed(g *rules.Game, lim agents.Limits) agents.Limits {
	if told := h.extended && offers(h.offered, "moveOverhead"); lim.Clock != (agents.Clock{}) && !told {
		own := agents.Limits{MoveTime: lim.Clock.MoveTime(g)}
		lim.Clock = agents.Clock{}
		lim = lim.Tighter(own)
	}
	return lim
}

// goText returns the limits of side's next move as they follow go.
func goText(lim agents.Limits, side rules.Side) (text string) {
	if lim.Depth > 0 {
		text += fmt.Sprintf(" depth %d", min(lim.Depth, maxPly))
	}
	if lim.Nodes > 0 {
		text += fmt.Sprintf(" nodes %d", lim.Nodes)
	}
	if lim.MoveTime > 0 {
		text += fmt.Sprintf(" movetime %d", max(lim.MoveTime.Milliseconds(), 1))
	}
	if c := lim.Clock; c != (agents.Clock{}) {
		who := [2]string{"w", "b"}[side]
		text += fmt.Sprintf(" %stime %d %sinc %d", who, c.Left.Milliseconds(), who, c.Increment.Milliseconds())
	}
	return text
}

// limit returns the commands that set the limits as options, those that the
// program offers and that have changed.
func (h *host) limit(ctx context.Context, lim agents.Limits) (commands string, err error) {
	wanted := map[string]string{}
	add := func(name string, on bool, value string) {
		if on && offers(h.offered, name) {
			wanted[name] = tighter(name, value, h.given)
		}
	}
	add("maxPly", lim.Depth > 0, strconv.Itoa(lim.Depth))
	add("maxNodes", lim.Nodes > 0, strconv.FormatInt(lim.Nodes, 10))
	add("maxTime", lim.MoveTime > 0, strconv.FormatFloat(lim.MoveTime.Seconds(), 'f', -1, 64))
	for name := range h.sent {
		if _, ok := wanted[name]; !ok { // there is no way to unset an option
			if err := h.Close(); err != nil {
				return "", err
			}
			if err := h.newGame(ctx); err != nil {
				return "", err
			}
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if h.sent[name] != wanted[name] {
			commands += setting{name, wanted[name]}.command()
		}
	}
	h.sent = wanted
	return commands, nil
}

// offers reports whether an option is among those of a program.
func offers(options []string, name string) bool {
	return slices.ContainsFunc(options, func(o string) bool { return strings.EqualFold(o, name) })
}

// tighter returns the lower of a limit and what the spec has for it.
func tighter(name, value string, given []setting) string {
	for _, g := range given {
		a, errA := strconv.ParseFloat(g.value, 64)
		b, errB := strconv.ParseFloat(value, 64)
		if strings.EqualFold(g.name, name) && errA == nil && errB == nil && 0 < a && a < b {
			return g.value
		}
	}
	return value
}

// search sends commands that end in isready and go, and returns the answer.
func (h *host) search(ctx context.Context, commands string, lim agents.Limits) (answer finding, err error) {
	budget, late := h.move, h.grace
	if most := cmp.Or(lim.MoveTime, lim.Clock.Left); most > 0 {
		budget = most
		if h.extended || h.sent["maxTime"] != "" { // the program keeps to it by itself
			budget, late = budget+late/2, late-late/2
		}
	}
	h.found = h.found[:0]
	h.pending.ready, h.pending.move = true, true
	listen := func(word, rest string) (done bool, err error) {
		answer, done, err = h.handleLine(word, rest)
		return done, err
	}
	err = h.proc.converse(ctx, commands, budget, listen)
	if errors.Is(err, errLate) {
		h.pending.again = true
		err = h.proc.converse(ctx, "stop\n", late, listen)
	}
	if err != nil && ctx.Err() != nil {
		_ = h.proc.send("stop\n") // settle receives the answer when the program is used again
	}
	return answer, timedOut(err, "the engine gave no move within %v and %v of grace", budget, late)
}

// handleLine handles a line that follows go, and reports whether it is the answer.
// What comes before readyok belongs to an earlier search.
func (h *host) handleLine(word, rest string) (answer finding, done bool, err error) {
	switch word {
	case "readyok":
		if h.pending.ready {
			h.pending.ready, h.pending.again = false, false
		}
	case "info":
		var f finding
		f.read(strings.Fields(rest))
		if !h.pending.ready && f.move != "" && len(h.found) < maxPly {
			h.found = append(h.found, f)
		}
	case "bestmove":
		words := strings.Fields(rest)
		switch {
		case h.pending.ready && h.pending.again:
			return answer, false, nil
		case h.pending.ready:
			return answer, false, broken("the engine answered twice: %.120q came before the next go", word+" "+rest)
		case len(words) == 0:
			return answer, false, broken("expected a move after bestmove, found none")
		}
		h.pending.move = false
		if n := len(h.found); n > 0 && h.found[n-1].move == words[0] {
			answer = h.found[n-1]
		}
		answer.read(words[1:])
		answer.move = words[0]
		return answer, true, nil
	}
	return answer, false, nil
}

// decide turns an answer into a decision.
func (h *host) decide(g *rules.Game, answer finding) (agents.Decision, error) {
	m, err := h.readMove(g, answer.move)
	if err != nil {
		return agents.Decision{}, &agents.Failure{Kind: agents.BadMove, Err: err}
	}
	if h.setup.OnRepetition == agents.AskNext && g.OnlyRepeats(m) {
		for _, f := range slices.Backward(h.found) {
			if other, err := h.readMove(g, f.move); err == nil && g.Legal().Contains(other) {
				m, answer = other, f
				break
			}
		}
	}
	d := agents.Decision{Move: m, Depth: answer.depth, Nodes: answer.nodes}
	if answer.scored {
		d.Scored, d.Score = true, answer.agentScore(h.extended)
	}
	return d, nil
}

// readMove reads a move in the program's numbers.
func (h *host) readMove(g *rules.Game, text string) (rules.Move, error) {
	p := g.Position()
	turn := !h.extended && p.Side() == rules.North
	if turn {
		p = p.Rotate()
	}
	m, err := parseMove(g.Rules(), p, text)
	if err != nil {
		return rules.NoMove, fmt.Errorf("the engine answered %.120q: %w", text, err)
	}
	if turn {
		m = m.Rotate()
	}
	return m, nil
}

// finding is what an engine reports of a search in lines info and bestmove.
type finding struct {
	move   string
	depth  int
	score  float64
	scored bool
	nodes  int64
}

// read sets the fields from the words that follow info or bestmove M. Unknown
// words and invalid numbers are skipped: only the move has to be right.
func (f *finding) read(words []string) {
	for i := 0; i+1 < len(words); i++ {
		value := words[i+1]
		switch words[i] {
		case "pv", "string": // what follows is no pair
			return
		case "ply", "depth":
			if n, err := strconv.Atoi(value); err == nil && 0 <= n && n <= maxPly {
				f.depth = n
			}
		case "bestmove":
			f.move = value
		case "score":
			x, err := strconv.ParseFloat(value, 64)
			if err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
				f.score, f.scored = x, true
			}
		case "nodes":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
				f.nodes = n
			}
		default:
			continue
		}
		i++
	}
}

// agentScore returns the score in the units of agents. One of a program without the
// extensions, in an unknown unit, counts as hundredths of a point and never as proven.
func (f *finding) agentScore(extended bool) agents.Score {
	top := float64(agents.MaxEval)
	if extended {
		top = float64(agents.WinTop)
	}
	return agents.Score(math.Round(min(max(f.score, -top), top)))
}
