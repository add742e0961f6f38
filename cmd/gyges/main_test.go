package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "gyges" {
		flag.Parse()
		if p := flag.Lookup("test.parallel"); p.Value.String() == p.DefValue {
			_ = p.Value.Set("6") // some scripts wait more than they work
		}
	}
	testscript.Main(m, map[string]func(){"gyges": main})
}

// TestScripts runs the scripts of testdata/script. Beside testscript's commands they have:
//
//	exits CODE program args...   runs a program that must end with that exit code
//	refused args...              runs gyges, which must refuse: exit code 2,
//	                             nothing on stdout, and one clear line on stderr
//	waitfor FILE                 waits until a file holds something
//
// $PORT is a port on which nothing listens.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setFreePort,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   scriptExits,
			"refused": scriptRefused,
			"waitfor": scriptWaitFor,
		},
	})
}

// setFreePort sets $PORT to one on which nothing listens.
func setFreePort(e *testscript.Env) error {
	port, err := freePort()
	e.Setenv("PORT", port)
	return err
}

// freePort returns a port of this machine on which nothing listens.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ee *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ee) {
		got = ee.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, expected %d", got, want)
	}
}

// clearLine is what a user's mistake looks like on stderr.
var clearLine = regexp.MustCompile(`\Agyges: [^\n]*[^\n.:]\n\z`)

func scriptRefused(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: refused args...")
	}
	scriptExits(ts, false, append([]string{"2", "gyges"}, args...))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("expected nothing on stdout, found %q", out)
	}
	if text := ts.ReadFile("stderr"); !clearLine.MatchString(text) {
		ts.Fatalf("expected one line 'gyges: ...', found %q", text)
	}
}

func scriptWaitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor FILE")
	}
	const patience = 30 * time.Second
	for start := time.Now(); time.Since(start) < patience; time.Sleep(20 * time.Millisecond) {
		if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() > 0 {
			return
		}
	}
	ts.Fatalf("%s is still empty after %v", args[0], patience)
}

// gyges runs the program in this process.
func gyges(ctx context.Context, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(ctx, args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

func TestBadPositions(t *testing.T) {
	const good = "321123/000000/000000/000000/000000/321123 s"
	kang := "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -"
	bad := map[string][]string{
		"standard": {
			"", "/", "\x00", "é", strings.Repeat("/", 200), good[:41], good + " 1-1", strings.Replace(good, "3", "4", 1),
			good + "\n" + good, "\x1b[31m" + good,
		},
		"kang": {
			good, kang[:51], kang + " x", strings.Replace(kang, "222/", "322/", 1), strings.Replace(kang, "-", "−", 1),
		},
	}
	for rules, list := range bad {
		for _, text := range list {
			for _, command := range [][]string{{"moves"}, {"perft", "--depth", "1"}} {
				args := append(command, "--rules", rules, "--", text)
				code, out, errText := gyges(t.Context(), "", args...)
				require.Equal(t, exitUsage, code, "%q", text)
				require.Empty(t, out, "%q", text)
				require.Regexp(t, clearLine, errText)
				if text != "" {
					require.Regexp(t, `^gyges: position ".*", column \d+: `, errText, "%q", text)
				}
			}
		}
	}
}

// TestAnyArguments throws words at the program: it never panics, and says something exactly when it fails.
func TestAnyArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	words := []string{
		"moves", "perft", "rules", "agents", "rate", "play", "tournament", "--agent", "random", "--anchor", "--out", "--south", "--north", "completion", "version", "help", "--help", "-h", "-v", "--rules", "--set",
		"--long", "--depth", "--depth=1", "--split", "--workers", "--workers=2", "--epd", "--format", "--format=json",
		"standard", "kang", "standard:", "kang:max_plies=1", "null_move=allow", "=", "", "-", "--", "---", "-1", "0", "1", "99", "bash",
		"321123/000000/000000/000000/000000/321123 s", "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -", "s", "\n", "\x00\xff", "é",
	}
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.SampledFrom(words), 0, 7).Draw(t, "args")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		code, out, errText := gyges(ctx, "", args...)
		switch code {
		case exitOK:
			if strings.Contains(errText, "gyges: ") {
				t.Fatalf("exit code 0 with %q", errText)
			}
		case exitUsage:
			for line := range strings.Lines(errText) {
				if !strings.HasPrefix(line, "gyges: ") {
					t.Fatalf("unexpected line on stderr: %q", line)
				}
			}
			if errText == "" || out != "" {
				t.Fatalf("exit code 2 with stdout %q, stderr %q", out, errText)
			}
		default:
			t.Fatalf("exit code %d with %q", code, errText)
		}
	})
}

func TestHelpOfEveryCommand(t *testing.T) {
	var c cli
	parser, err := newParser(&c, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	require.NoError(t, err)
	for _, n := range parser.Model.Children {
		name := n.Name
		code, out, errText := gyges(t.Context(), "", name, "--help")
		require.Zero(t, code, name)
		require.Empty(t, errText)
		require.Contains(t, out, "\nExamples:\n  ", n.Name)
		if n.DefaultCmd != nil { // its help is shown
			n = n.DefaultCmd
		}
		require.Contains(t, out, n.Help)
		_, second, _ := gyges(t.Context(), "", "help", name)
		if i := slices.IndexFunc(topics, func(t topic) bool { return t.name == name }); i >= 0 {
			require.Equal(t, topics[i].manual(), second)
			continue
		}
		require.Equal(t, out, second)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, out, errText := gyges(ctx, "", "perft", "--depth", "9", "321123/000000/000000/000000/000000/321123 s")
	require.Equal(t, exitInterrupted, code)
	require.Empty(t, out)
	require.Empty(t, errText)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatFails(t *testing.T) {
	var errText bytes.Buffer
	code := run(t.Context(), []string{"rules"}, os.Stdin, fullDisk{}, &errText)
	require.Equal(t, exitNo, code)
	require.Equal(t, "gyges: write the output: no space left on device\n", errText.String())
}

// A full disk is no mistake of the user's, whatever was being written.
func TestExitCodeOfFullDisk(t *testing.T) {
	for err, want := range map[syscall.Errno]int{syscall.ENOSPC: exitNo, syscall.EIO: exitNo, syscall.ENOENT: exitUsage} {
		full := fileError("--out", &os.PathError{Op: "write", Path: "run/manifest.json", Err: err})
		require.Equal(t, want, exitCode(t.Context(), full), err)
	}
}

func TestComplain(t *testing.T) {
	var out bytes.Buffer
	complain(&output{w: &out}, errors.New("one\n\ntwo \x1b[2J\u202e é\r\n"))
	require.Equal(t, "gyges: one\ngyges: two \\x1b[2J\\u202e é\\r\n", out.String())
}
