package analysis

import (
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

// newBatch returns a search with small agents.
func newBatch(workers int) *Batch {
	return &Batch{
		Registry: agents.NewRegistry(alphabeta.Kind(), greedy.Kind(), agents.Kind{
			Name: "panics", New: func(agents.Values) (agents.Agent, error) {
				return testAgent(func(context.Context, *rules.Game) (agents.Decision, error) { panic("boom\x1b") }), nil
			},
		}, agents.Kind{
			Name: "waits", New: func(agents.Values) (agents.Agent, error) {
				return testAgent(func(ctx context.Context, _ *rules.Game) (agents.Decision, error) {
					<-ctx.Done()
					return agents.Decision{}, ctx.Err()
				}), nil
			},
		}),
		Spec: agents.Spec{Kind: "alphabeta"}, Workers: workers, Rules: rules.MustParse("standard"), Multi: 1,
		Log: slog.New(slog.DiscardHandler),
	}
}

// answers returns the answers to lines, in the order of the lines.
func answers(t *testing.T, b *Batch, lines ...string) []answer {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, b.Run(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out))
	list := make([]answer, len(lines))
	for line := range strings.Lines(out.String()) {
		var a answer
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&a), line)
		require.Zero(t, list[a.Line-1].Line, "two answers to one line")
		list[a.Line-1] = a
	}
	return list
}

// Every mistake is answered, and ends nothing.
func TestBatchRefuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`rubbish`:                    "expected JSON",
		`[1]`:                        "expected an object, found a list",
		"\xff\xfe":                   "expected JSON",
		`{"id":"x"} {}`:              "after top-level value",
		`{"id":"x","node":1}`:        "node: there is no such field",
		`{"id":"x","nodes":"1"}`:     "nodes",
		`{"id":"x","nodes":0}`:       "nodes: expected 1 to 1000000000000, found 0",
		`{"id":"x","depth":65}`:      "depth: expected 1 to 64, found 65",
		`{"id":"x","multi":51}`:      "multi: expected 1 to 50, found 51",
		strings.Repeat("x", 300_000): "expected at most 262144 bytes, found a longer line",
		`{"id":"x","time":1e99}`:     "time: expected seconds from 0.001 to 86400, found 1e+99",

		`{"id":"x","nodes":0,"depth":0,"position":"` + middle + `"}`: "depth: ",
		`{"id":"x","rules":"standrad"}`:                              "did you mean \"standard\"?",
		`{"id":"x","rules":"/etc/passwd"}`:                           "rules: unknown rules",
		`{"id":"x","position":"1"}`:                                  "position: \"1\", column 2: expected the height on b1",
		`{"id":"x"}`:                                                 "position: expected one in which all pieces are placed",
		`{"id":"x","moves":["3@a1","z"]}`:                            "moves: move 2: ",
		`{"id":"x","position":"` + middle + `","moves":["a1-a2"]}`:   "moves: move 1: a1-a2 is not legal",
	} {
		got := answers(t, newBatch(1), "", line, `{"id":"last","depth":1,"position":"`+middle+`"}`)
		require.Contains(t, string(got[1].Error), want, line)
		require.Equal(t, 2, got[1].Line)
		require.Empty(t, got[1].Lines)
		require.EqualValues(t, "last", got[2].ID)
		require.Len(t, got[2].Lines, 1)
	}
	got := answers(t, newBatch(1), `{"id":"\u001b[31m\n","nodes":0}`)
	require.Equal(t, "\x1b[31m\n", string(got[0].ID))
	err := newBatch(1).Run(t.Context(), strings.NewReader("\n"+strings.Repeat(" ", 5*maxLine)), io.Discard)
	require.EqualError(t, err, "line 2: the line has no end")
}

// The answers are the same with any number of workers, but for their order and the time.
func TestBatchIsDeterministic(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	start, err := r.ParsePosition(middle)
	require.NoError(t, err)
	g := rules.NewGame(r, start)
	moves, lines := []string{}, []string{}
	for i := range 6 {
		text, err := json.Marshal(moves)
		require.NoError(t, err)
		lines = append(lines, fmt.Sprintf(`{"id":"%d","position":%q,"moves":%s,"nodes":%d,"multi":%d}`,
			i, middle, text, 800+i, 1+i%2))
		m := g.Legal().At(0)
		moves = append(moves, m.String())
		g.PlayLegal(m)
	}
	timeless := func(workers int) []answer {
		list := answers(t, newBatch(workers), lines...)
		for _, a := range list {
			require.Empty(t, a.Error)
			require.NotEmpty(t, a.Lines)
			for i := range a.Lines {
				a.Lines[i].Seconds = 0
			}
		}
		return list
	}
	one := timeless(1)
	require.Equal(t, one, timeless(1))
	require.Equal(t, one, timeless(4))
	require.Equal(t, []string{middle, "south", "north"}, []string{one[0].Position, one[0].Side, one[1].Side})
	require.Len(t, one[3].Lines, 2)
}

// A game that is over has its result in place of lines.
func TestBatchOver(t *testing.T) {
	t.Parallel()
	got := answers(t, newBatch(2),
		`{"position":"000000/000000/000000/032233/112300/110200 s","moves":["b4-goal"]}`)
	require.Equal(t, []string{"1-0", "goal"}, []string{got[0].Result, got[0].Reason})
	require.Empty(t, got[0].Lines)
}

// An agent that fails is an answer, with the others to follow.
func TestBatchAgentsThatFail(t *testing.T) {
	t.Parallel()
	b := newBatch(1)
	b.Spec = agents.Spec{Kind: "panics"}
	line := `{"position":"` + middle + `"}`
	for _, a := range answers(t, b, line, line) {
		require.Contains(t, string(a.Error), "panic: boom")
	}
	b.Spec, b.Multi = agents.Spec{Kind: "greedy"}, 2
	require.EqualValues(t, ErrMulti.Error(), answers(t, b, line)[0].Error)
}

// Lines beyond those that are searched wait in the input; nothing is answered after the end of
// the context.
func TestBatchInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		in, to := io.Pipe()
		b := newBatch(2)
		b.Spec = agents.Spec{Kind: "waits"}
		done, written, out := make(chan error), 0, new(bytes.Buffer)
		go func() { done <- b.Run(ctx, in, out) }()
		go func() {
			for ; ; written++ {
				if _, err := fmt.Fprintf(to, "{\"position\":\"%s\",\"time\":600}\n", middle); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		require.GreaterOrEqual(t, written, 2)
		require.Less(t, written, maxLine/50)
		cancel()
		require.NoError(t, in.Close())
		require.ErrorIs(t, <-done, context.Canceled)
		require.Zero(t, out.Len())
	})
}

// A full disk ends the search.
func TestBatchOutputFails(t *testing.T) {
	t.Parallel()
	err := newBatch(1).Run(t.Context(), strings.NewReader(strings.Repeat("x\n", 10)), broken{})
	require.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("no space left")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// The manual names the keys of lines.
func TestManual(t *testing.T) {
	t.Parallel()
	manual, err := agents.Manuals.ReadFile("README.md")
	require.NoError(t, err)
	for _, v := range []any{question{}, answer{}, Line{}} {
		for f := range reflect.TypeOf(v).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			require.Regexp(t, `["\x60]`+name+`["\x60]`, string(manual))
		}
	}
}

// FuzzBatch reads lines of any kind: each is a position to search, or an error.
func FuzzBatch(f *testing.F) {
	for _, line := range []string{
		`{"id":"a","position":"` + middle + `","moves":["a1-b2"],"multi":3}`,
		`{"id":"a","rules":"kang:max_plies=9","nodes":5,"time":0.5,"depth":3}`,
		`{"id":null,"moves":null}`, `[`, `{"moves":{}}`, `{"ID":"x"}`, "\xff",
	} {
		f.Add([]byte(line))
	}
	b := newBatch(1)
	f.Fuzz(func(t *testing.T, line []byte) {
		var q question
		if json.Unmarshal(line, &q) != nil {
			return
		}
		r, err := b.request(&q)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.False(t, r.Game.Rules().SettingUp(r.Game.Position()))
	})
}
