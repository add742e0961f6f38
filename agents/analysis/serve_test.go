package analysis

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/greedy"
	"gyges/rules"
)

// middle is a position in the middle of a game.
const middle = "202110/000330/000000/000200/000100/030123 s"

// reply is any line of output.
type reply struct {
	ID          string `json:"id"`
	Line        int    `json:"line"`
	Ply         int    `json:"ply"`
	Partial     bool   `json:"partial"`
	Terminated  bool   `json:"terminated"`
	Position    string `json:"position"`
	Side        string `json:"side"`
	Result      string `json:"result"`
	Reason      string `json:"reason"`
	Lines       []Line `json:"lines"`
	Field       string `json:"field"`
	Error       string `json:"error"`
	Action      string `json:"action"`
	TerminateID string `json:"terminate_id"`
	Version     string `json:"version"`
}

// config is a service of small agents.
func config(workers int) Config {
	return Config{
		Version: "gyges 1", Registry: agents.NewRegistry(alphabeta.Kind(), greedy.Kind(), agents.Kind{
			Name: "panics", New: func(agents.Values) (agents.Agent, error) {
				return testAgent(func(context.Context, *rules.Game) (agents.Decision, error) { panic("boom\x1b") }), nil
			},
		}),
		Spec: agents.Spec{Kind: "alphabeta"}, Workers: workers, Rules: rules.MustParse("standard"), Multi: 1,
		Log: slog.New(slog.DiscardHandler),
	}
}

// replies reads lines of output.
func replies(t *testing.T, text string) []reply {
	t.Helper()
	var list []reply
	for line := range strings.Lines(text) {
		var r reply
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&r), line)
		list = append(list, r)
	}
	return list
}

// serve answers lines.
func serve(t *testing.T, c Config, lines ...string) []reply {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out, c))
	return replies(t, out.String())
}

// Every mistake is answered with its field, and ends nothing.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]reply{
		`rubbish`:                {Line: 1, Error: "expected a JSON object: invalid character 'r'"},
		`[1]`:                    {Line: 1, Error: "expected a JSON object"},
		`{"id":"x"} {}`:          {ID: "x", Error: "expected one JSON object in a line, found more"},
		`{}`:                     {Line: 1, Field: "id", Error: "expected a text of 1 to 200 bytes, found 0"},
		`{"id":7}`:               {Line: 1, Field: "id", Error: "expected a text, found a JSON number"},
		`{"id":"x","node":1}`:    {ID: "x", Field: "node", Error: "there is no such field"},
		`{"id":"x","nodes":"1"}`: {ID: "x", Field: "nodes", Error: "expected a whole number, found a JSON string"},
		`{"id":"x","nodes":0}`:   {ID: "x", Field: "nodes", Error: "expected 1 to 1000000000000, found 0"},
		`{"id":"x","depth":65}`:  {ID: "x", Field: "depth", Error: "expected 1 to 64, found 65"},
		`{"id":"x","multi":51}`:  {ID: "x", Field: "multi", Error: "expected 1 to 50, found 51"},
		`{"id":"x","time":1e99}`: {ID: "x", Field: "time", Error: "expected 0.001 to 86400 seconds, found 1e+99"},
		`{"id":"x","report_every":0}`: {ID: "x", Field: "report_every",
			Error: "expected 0.001 to 86400 seconds, found 0"},
		`{"id":"x","rules":"standrad"}`:                            {ID: "x", Field: "rules", Error: "did you mean \"standard\"?"},
		`{"id":"x","rules":"/etc/passwd"}`:                         {ID: "x", Field: "rules", Error: "unknown rules"},
		`{"id":"x","position":"1"}`:                                {ID: "x", Field: "position", Error: "column 2: expected the height on b1"},
		`{"id":"x"}`:                                               {ID: "x", Field: "position", Error: "in which all pieces are placed"},
		`{"id":"x","moves":["3@a1"]}`:                              {ID: "x", Field: "position", Error: "in which all pieces are placed"},
		`{"id":"x","moves":["3@a1","z"]}`:                          {ID: "x", Field: "moves", Error: "move 2: "},
		`{"id":"x","moves":"3@a1"}`:                                {ID: "x", Field: "moves", Error: "expected a list of texts, found a JSON string"},
		`{"id":"x","position":"` + middle + `","moves":["a1-a2"]}`: {ID: "x", Field: "moves", Error: "move 1: a1-a2 is not legal"},
		`{"id":"x","position":"` + middle + `","plies":[1]}`:       {ID: "x", Field: "plies", Error: "expected 0 to 0, found 1"},
		`{"id":"x","position":"` + middle + `","plies":[-1]}`:      {ID: "x", Field: "plies", Error: "expected 0 to 0, found -1"},
		`{"id":"x","position":"` + middle + `","plies":[]}`:        {ID: "x", Field: "plies", Error: "at least one number"},
		`{"id":"x","plies":"some"}`:                                {ID: "x", Field: "plies", Error: `expected "all" or a list of numbers, found "some"`},
		`{"id":"x","action":"stop"}`:                               {ID: "x", Field: "action", Error: `unknown action "stop"`},
		`{"id":"x","action":"terminate"}`:                          {ID: "x", Field: "terminate_id", Error: "expected the id of a request"},
		strings.Repeat(" ", maxLine) + `{"id":"x"}`:                {Line: 1, Error: fmt.Sprintf("expected at most %d bytes", maxLine-1)},
	} {
		got := serve(t, config(1), line, `{"id":"last","action":"query_version"}`)
		require.Len(t, got, 2, line)
		require.Contains(t, got[0].Error, want.Error, line)
		want.Error = got[0].Error
		require.Equal(t, want, got[0], line)
		require.Equal(t, reply{ID: "last", Action: "query_version", Version: "gyges 1"}, got[1])
	}
}

// Lines without an end, without anything, and with hostile bytes are answered, too.
func TestServeAnyBytes(t *testing.T) {
	t.Parallel()
	got := serve(t, config(1), "", "\r", "\x00", "\xff\xfe", `{"id":"\u001b[31m\n"}`, strings.Repeat("[", 1<<20))
	require.Len(t, got, 4)
	require.Equal(t, []int{3, 4, 0, 6}, []int{got[0].Line, got[1].Line, got[2].Line, got[3].Line})
	require.Equal(t, "\x1b[31m\n", got[2].ID)
}

// The answers are the same with any number of workers, but for their order and the time.
func TestServeIsDeterministic(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	start, err := r.ParsePosition(middle)
	require.NoError(t, err)
	g := rules.NewGame(r, start)
	var moves []string
	for range 6 {
		m := g.Legal().At(0)
		moves = append(moves, m.String())
		g.PlayLegal(m)
	}
	text, err := json.Marshal(moves)
	require.NoError(t, err)
	lines := []string{fmt.Sprintf(`{"id":"all","position":%q,"moves":%s,"plies":"all","nodes":800,"multi":2}`, middle, text)}
	for i := range 5 {
		lines = append(lines, fmt.Sprintf(`{"id":"%d","position":%q,"moves":%s,"plies":[%d],"nodes":%d}`, i, middle, text, i, 300+i))
	}
	answers := func(workers int) map[string]reply {
		byPly := map[string]reply{}
		for _, a := range serve(t, config(workers), lines...) {
			require.Empty(t, a.Error)
			require.NotEmpty(t, a.Lines)
			for i := range a.Lines {
				a.Lines[i].Seconds = 0
			}
			byPly[fmt.Sprint(a.ID, " ", a.Ply)] = a
		}
		require.Len(t, byPly, 12)
		return byPly
	}
	one := answers(1)
	require.Equal(t, one, answers(1))
	require.Equal(t, one, answers(4))
	require.Equal(t, middle, one["all 0"].Position)
	require.Equal(t, "north", one["all 1"].Side)
	require.Len(t, one["all 3"].Lines, 2)
}

// A game that is over has its result in place of lines; the set-up of a game is passed over.
func TestServeWholeGame(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	g := rules.NewGame(r, r.Start())
	var moves []string
	for o, _ := g.Outcome(); o == rules.Undecided; o, _ = g.Outcome() {
		m := g.Legal().At(0)
		for win := range g.Legal().Goals() {
			m = win
		}
		moves = append(moves, m.String())
		g.PlayLegal(m)
	}
	text, err := json.Marshal(moves)
	require.NoError(t, err)
	got := serve(t, config(2), fmt.Sprintf(`{"id":"g","moves":%s,"plies":"all","nodes":20}`, text))
	require.Len(t, got, len(moves)-12+1)
	for _, a := range got {
		require.GreaterOrEqual(t, a.Ply, 12)
		o, reason := g.Outcome()
		if a.Ply < len(moves) {
			require.Empty(t, a.Result)
			require.NotEmpty(t, a.Lines)
			continue
		}
		require.Equal(t, []string{o.String(), string(reason)}, []string{a.Result, a.Reason})
		require.Empty(t, a.Lines)
	}
}

// An action ends a request: the position that is searched has the lines found so far, the
// others none. Its id can be used again.
func TestServeTerminates(t *testing.T) {
	t.Parallel()
	const position = `"position":"` + middle + `","moves":["a1-b2"]`
	got := serveWaiting(t,
		`{"id":"a",`+position+`,"plies":"all","report_every":5}`,
		`{"id":"low",`+position+`,"time":2}`,
		`{"id":"high",`+position+`,"time":2,"priority":1}`,
		`{"id":"a",`+position+`}`,
		`{"id":"t","action":"terminate","terminate_id":"a"}`,
		`{"id":"t","action":"terminate","terminate_id":"nothing"}`)
	require.ElementsMatch(t, []string{
		"a 0 true 1 ", "a 1 true 0 ", "t 0 false 0 terminate", "t 0 false 0 terminate",
		"a 0 false 0 a request with this id isn't answered in full yet", "high 1 false 1 ", "low 1 false 1 ",
	}, got)
	require.Equal(t, []string{"high 1 false 1 ", "low 1 false 1 "}, got[len(got)-2:])
}

// An action ends all requests before it, and none after it.
func TestServeTerminatesAll(t *testing.T) {
	t.Parallel()
	const position = `"position":"` + middle + `","moves":["a1-b2"]`
	got := serveWaiting(t,
		`{"id":"t","action":"terminate_all"}`,
		`{"id":"a",`+position+`,"plies":"all"}`,
		`{"id":"b",`+position+`}`,
		`{"id":"t","action":"terminate_all"}`,
		`{"id":"b",`+position+`,"time":2}`)
	require.ElementsMatch(t, []string{
		"t 0 false 0 terminate_all", "a 0 true 1 ", "a 1 true 0 ", "b 1 true 0 ", "t 0 false 0 terminate_all",
		"b 1 false 1 ",
	}, got)
	require.Equal(t, "b 1 false 1 ", got[len(got)-1])
}

// serveWaiting serves lines with one agent that waits, each when nothing else happens any
// more, and returns the answers: id, ply, whether terminated, number of lines, action or error.
func serveWaiting(t *testing.T, lines ...string) (got []string) {
	synctest.Test(t, func(t *testing.T) {
		in, to := io.Pipe()
		var out bytes.Buffer
		done := make(chan error)
		c := config(1)
		c.Registry = agents.NewRegistry(agents.Kind{Name: "waits", New: func(agents.Values) (agents.Agent, error) {
			return &waiting{}, nil
		}})
		c.Spec = agents.Spec{Kind: "waits"}
		go func() { done <- Serve(t.Context(), in, &out, c) }()
		for _, line := range lines {
			_, err := io.WriteString(to, line+"\n")
			require.NoError(t, err)
			synctest.Wait()
		}
		require.NoError(t, to.Close())
		require.NoError(t, <-done)
		for _, r := range replies(t, out.String()) {
			got = append(got, fmt.Sprint(r.ID, " ", r.Ply, " ", r.Terminated, " ", len(r.Lines), " ", r.Action, r.Error))
		}
	})
	return got
}

// waiting is an agent that reports a move at once and searches until its time is over.
type waiting struct{ info func(agents.Decision) }

func (a *waiting) NewGame(_ context.Context, s agents.Setup) error {
	a.info = s.Info
	return nil
}

func (a *waiting) Choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	d := agents.Decision{Move: g.Legal().At(0), Depth: 1}
	a.info(d)
	ctx, cancel := context.WithTimeout(ctx, lim.MoveTime)
	defer cancel()
	<-ctx.Done()
	return d, nil
}

// Intermediate answers come at an interval, if there is anything new.
func TestServeReports(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := config(1)
		c.Registry = agents.NewRegistry(agents.Kind{Name: "waits", New: func(agents.Values) (agents.Agent, error) {
			return &waiting{}, nil
		}})
		c.Spec = agents.Spec{Kind: "waits"}
		got := serve(t, c, `{"id":"a","position":"`+middle+`","time":10,"report_every":3}`)
		require.Len(t, got, 2)
		require.True(t, got[0].Partial)
		require.Len(t, got[0].Lines, 1)
		require.False(t, got[1].Partial)
		require.Len(t, got[1].Lines, 1)
	})
}

// Requests beyond the bound wait in the input.
func TestServeReadsNoFurther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		in, to := io.Pipe()
		c := config(1)
		c.Registry = agents.NewRegistry(agents.Kind{Name: "waits", New: func(agents.Values) (agents.Agent, error) {
			return &waiting{}, nil
		}})
		c.Spec = agents.Spec{Kind: "waits"}
		done, written := make(chan error), 0
		go func() { done <- Serve(ctx, in, io.Discard, c) }()
		go func() {
			for ; ; written++ {
				if _, err := fmt.Fprintf(to, "{\"id\":\"%d\",\"position\":\"%s\",\"time\":600}\n", written, middle); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		require.GreaterOrEqual(t, written, maxWaiting)
		require.Less(t, written, maxWaiting+maxLine/50)
		cancel()
		require.NoError(t, in.Close())
		require.ErrorIs(t, <-done, context.Canceled)
	})
}

// An agent that fails is an answer, with the others to follow.
func TestServeAgentsThatFail(t *testing.T) {
	t.Parallel()
	c := config(1)
	c.Spec = agents.Spec{Kind: "panics"}
	lines := []string{`{"id":"a","position":"` + middle + `"}`, `{"id":"b","position":"` + middle + `"}`}
	got := serve(t, c, lines...)
	require.Len(t, got, 2)
	require.Contains(t, got[0].Error, "panic: boom")
	require.Contains(t, got[1].Error, "panic: boom")

	c.Spec = agents.Spec{Kind: "greedy"}
	got = serve(t, c, `{"id":"a","multi":2,"position":"`+middle+`"}`)
	require.Equal(t, reply{ID: "a", Field: "multi", Error: ErrMulti.Error()}, got[0])
}

// A full disk ends the service.
func TestServeOutputFails(t *testing.T) {
	t.Parallel()
	err := Serve(t.Context(), strings.NewReader(strings.Repeat("x\n", 10)), broken{}, config(1))
	require.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("no space left")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// The manual names the keys of requests and answers.
func TestManual(t *testing.T) {
	t.Parallel()
	for _, v := range []any{message{}, answer{}, complaint{}, receipt{}, Line{}} {
		for f := range reflect.TypeOf(v).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			require.Regexp(t, `["\x60]`+name+`["\x60]`, agents.Manual)
		}
	}
}

// What is answered before the end of the context has been written whole; nothing comes later.
func TestServeInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	in, to := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, in, out, config(2))
		_ = out.Close()
	}()
	_, err := io.WriteString(to, `{"id":"short","nodes":100,"position":"`+middle+`"}`+"\n"+
		`{"id":"long","time":3600,"position":"`+middle+`"}`+"\n")
	require.NoError(t, err)
	lines := bufio.NewScanner(answers)
	require.True(t, lines.Scan())
	require.Equal(t, "short", replies(t, lines.Text())[0].ID)
	cancel()
	require.NoError(t, to.Close())
	require.False(t, lines.Scan())
	require.ErrorIs(t, <-done, context.Canceled)
}
