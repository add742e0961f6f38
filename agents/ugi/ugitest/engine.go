// Package ugitest holds engines for tests: one that behaves, one with the habits of the best public
// engine, and some that misbehave, each in a way of its own. A test's TestMain calls [Main], and
// the test binary is the engine then.
package ugitest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gyges/rules"
)

// variable is set in the environment of processes that are to be engines.
const variable = "GYGES_TEST_ENGINE"

// forever is longer than any test waits.
const forever = 10 * time.Minute

// Main turns the process into an engine, and doesn't return, if it was started as one by the spec
// that [Spec] returns. Otherwise it makes sure that processes started from here are.
func Main() {
	started := os.Getenv(variable) != "" && len(os.Args) == 2
	if started && !strings.HasPrefix(os.Args[1], "-") {
		run(os.Args[1])
	}
	if err := os.Setenv(variable, "1"); err != nil {
		panic(err)
	}
}

// Spec returns the agent spec of the engine with the given habit, followed by more parameters, like
// ",grace=10ms". The habit may be a file, whose lines the engine announces as its options.
func Spec(tb testing.TB, habit, more string) string {
	tb.Helper()
	path, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return `ugi:cmd="` + path + `" ` + habit + more
}

// engine is a simple engine: it plays the first legal move, or, if it means well, a goal where
// there is one.
type engine struct {
	habit string
	rules *rules.Rules
	pos   rules.Position
	moves int // chosen so far
	last  string
	stop  bool // a search waits for stop
}

// run obeys commands until quit or the end of input, and ends the process.
func run(habit string) {
	if habit == "bystander" {
		time.Sleep(time.Minute) // it ends then even if it is not killed
	}
	e := &engine{habit: habit, rules: rules.MustParse("italian")}
	e.begin()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if words := strings.Fields(in.Text()); len(words) > 0 {
			e.obey(words)
		}
	}
	switch habit {
	case "deaf", "public":
		for i := uint(1); i != 0; i += 2 { // some engines spin when their input has ended
		}
	}
	os.Exit(0)
}

// begin does what an engine does before it reads a command.
func (e *engine) begin() {
	switch e.habit {
	case "stillborn":
		fmt.Fprintln(os.Stderr, "no weights found\x1b[2J")
		os.Exit(7)
	case "mute":
		time.Sleep(forever)
	case "session":
		//nolint:noctx // it is to be left behind
		bystander(exec.Command("setsid", os.Args[0], "bystander"))
	case "public":
		fmt.Print("Gyges UGI Engine v2.0.0\n\n")
	}
}

// obey carries a command out.
func (e *engine) obey(words []string) {
	switch words[0] {
	case "ugi":
		options, err := os.ReadFile(e.habit)
		if err != nil {
			options = []byte("option maxPly\noption maxTime\noption maxNodes\noption threads\n")
		}
		fmt.Printf("id name tester\nid author nobody\n%sugiok\n", options)
	case "isready":
		switch {
		case e.habit == "notready", e.habit == "stalls" && e.moves > 0:
		default:
			fmt.Println("readyok")
		}
	case "setpos":
		if err := e.setPosition(strings.Join(words[1:], " ")); err != nil {
			fmt.Fprintln(os.Stderr, "thread 'main' panicked:", err)
			os.Exit(101)
		}
	case "go":
		e.search()
	case "stop":
		if e.stop || e.habit == "public" {
			e.stop = false
			fmt.Println("bestmove " + e.last)
		}
	case "quit":
		if e.habit != "deaf" {
			os.Exit(0)
		}
	}
}

// setPosition runs a command setpos, of which text is what follows that word.
func (e *engine) setPosition(text string) (err error) {
	rows, ok := strings.CutPrefix(text, "data ")
	switch {
	case text == "start":
		rows = "321123/000000/000000/000000/000000/321123"
	case !ok:
		return errors.New("expected setpos start or setpos data ROWS")
	}
	e.pos, err = e.rules.ParsePosition(rows + " s")
	return err
}

// choose returns a move in the protocol's numbers, with the mover at the bottom.
func (e *engine) choose() string {
	var ms rules.MoveSet
	e.rules.Moves(e.pos, &ms)
	wins := e.habit == "good" || e.habit == "public" // on sight
	m := ms.At(0)
	for other := range ms.All() {
		if other.IsGoal() == wins {
			m = other
			break
		}
	}
	if m == rules.Pass {
		return "null"
	}
	text := fmt.Sprintf("%d|%d", m.From(), min(m.To(), rules.NumSquares)) // 36 is either goal
	if m.Drop() != rules.NoSquare {
		text += fmt.Sprintf("|%d", m.Drop())
	}
	return text
}

// search answers go. The first answer is always good, so that every habit shows while a game is
// under way.
func (e *engine) search() {
	e.last = e.choose()
	e.moves++
	if e.moves > 1 && e.misbehave() {
		return
	}
	if !strings.HasSuffix(e.last, "|36") {
		fmt.Printf("info ply 1 bestmove %[1]s score 12 nodes 34 nps 1000 time 0.034 pv %[1]s\n",
			e.last)
	}
	fmt.Println("bestmove " + e.last)
}

// printed is what engines print in place of an answer, by habit; MOVE stands for the move.
var printed = map[string]string{
	"waits":    "", // for stop, as an engine without limits does
	"capitals": "BESTMOVE MOVE\n",
	"crlf":     "bestmove MOVE\r\n",
	"indented": " \t bestmove\t MOVE\n",
	"garbage":  "bestmove \x00\xff\x1b[31m|\n",
	"nothing":  "bestmove\n",
	"half":     "bestmove 0|",
	"halfhang": "bestmove 0|",
	"illegal":  "bestmove 0|35|34\n",
	"nopiece":  "bestmove 20|21\n",
	"null":     "bestmove null\n",

	// These answer, too.
	"longinfo": "info pv " + strings.Repeat("0|1 ", 10_000) + "\nbestmove MOVE\n",
	"noise": "\x00\xff\n\n \nready\ninfo\ninfo pv\n" +
		"info score x nodes -1 ply 99999999999 bestmove\nbest move 1|2\nbestmove MOVE\n",
	"twice": "bestmove MOVE\nbestmove MOVE\n",
}

// misbehave answers in a wrong way, or ends the process, if that is the engine's habit, which done
// reports.
func (e *engine) misbehave() (done bool) {
	switch e.habit {
	case "exit":
		fmt.Fprintln(os.Stderr, "out of \x07memory")
		os.Exit(3)
	case "orphans":
		cmd := exec.Command(os.Args[0], "bystander") //nolint:noctx // it is to be left behind
		cmd.Stdout = os.Stdout
		cmd.Stderr = os.Stderr
		bystander(cmd)
		os.Exit(4)
	case "waits":
		e.stop = true
	case "ponders": // for ever, when it has answered
		go repeat("", 0)
	case "signal":
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		time.Sleep(forever)
	case "public": // it checks the clock rarely
		time.Sleep(150 * time.Millisecond)
	case "hang", "stalls":
		time.Sleep(forever)
	case "closes":
		_ = os.Stdout.Close()
		time.Sleep(forever)
	case "infos": // slowly, and no answer
		repeat("info string still searching\n", 10*time.Millisecond)
	case "drips":
		repeat("b", 10*time.Millisecond)
	case "flood":
		repeat("info string and more and more\n", 0)
	case "endless":
		repeat(strings.Repeat("x", 1000), 0)
	case "complains":
		line := strings.Repeat("!", 100) + "\n"
		for range 1 << 13 {
			fmt.Fprint(os.Stderr, line)
		}
	case "thrice": // an answer too many to every third question only
		if e.moves%3 == 0 {
			fmt.Println("bestmove " + e.last)
		}
	}
	text, done := printed[e.habit]
	fmt.Print(strings.ReplaceAll(text, "MOVE", e.last))
	if e.habit == "half" {
		os.Exit(0)
	}
	return done
}

// repeat prints a text for ever, with a pause each time.
func repeat(text string, pause time.Duration) {
	for {
		fmt.Print(text)
		time.Sleep(pause)
	}
}

// bystander starts a process that would outlive the engine, and prints its process id.
func bystander(cmd *exec.Cmd) {
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "bystander", cmd.Process.Pid)
}
