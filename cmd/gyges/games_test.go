package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

// someGames makes records of games between a few players.
func someGames(n int) []*record.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]*record.Record, n)
	for i := range list {
		g := &record.Record{
			Game: int64(i), Pair: int64(i / 2), Rules: []string{"standard", "kang"}[rng.IntN(2)], Opening: "x",
			Reason: []string{"goal", "length"}[rng.IntN(2)], Result: []string{"1-0", "0-1", "1/2-1/2"}[rng.IntN(3)],
			Plies: rng.IntN(5), South: record.Player{Agent: string("abc"[rng.IntN(3)])},
			North: record.Player{Agent: string("abc"[rng.IntN(3)])},
		}
		g.Moves = make([]string, g.Plies)
		list[i] = g
	}
	return list
}

func recordsText(list []*record.Record) string {
	text, err := record.Lines(list...)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// points returns what an agent made of a game on one side.
func points(g *record.Record, south bool) string {
	switch {
	case g.Result == "1/2-1/2":
		return "drawn"
	case (g.Result == "1-0") == south:
		return "won"
	}
	return "lost"
}

// The filter agrees with one that is written out, flag by flag.
func TestGameFilter(t *testing.T) {
	list := someGames(300)
	text := recordsText(list)
	for args, want := range map[string]func(g *record.Record) bool{
		"":                       func(*record.Record) bool { return true },
		"--agent a":              func(g *record.Record) bool { return g.South.Agent == "a" || g.North.Agent == "a" },
		"--agent a --side north": func(g *record.Record) bool { return g.North.Agent == "a" },
		"--agent a --agent b": func(g *record.Record) bool {
			x := g.South.Agent + g.North.Agent
			return x == "ab" || x == "ba"
		},
		"--agent a --agent a":     func(g *record.Record) bool { return g.South.Agent+g.North.Agent == "aa" },
		"--result 0-1":            func(g *record.Record) bool { return g.Result == "0-1" },
		"--reason length":         func(g *record.Record) bool { return g.Reason == "length" },
		"--reason length,goal":    func(*record.Record) bool { return true },
		"--min-plies 3":           func(g *record.Record) bool { return g.Plies >= 3 },
		"--max-plies 0":           func(g *record.Record) bool { return g.Plies == 0 },
		"--rules kang":            func(g *record.Record) bool { return g.Rules == "kang" },
		"--rules kang,simplified": func(g *record.Record) bool { return g.Rules == "kang" },
		"--agent a --agent b --side north --result won": func(g *record.Record) bool {
			return g.South.Agent == "b" && g.North.Agent == "a" && points(g, false) == "won"
		},
		"--agent b --side south --result lost": func(g *record.Record) bool {
			return g.South.Agent == "b" && points(g, true) == "lost"
		},
		"--agent c --agent a --result drawn": func(g *record.Record) bool {
			x := g.South.Agent + g.North.Agent
			return (x == "ca" || x == "ac") && points(g, true) == "drawn"
		},
		"--agent c --agent a --result lost": func(g *record.Record) bool {
			x := g.South.Agent + g.North.Agent
			return x == "ca" && points(g, true) == "lost" || x == "ac" && points(g, false) == "lost"
		},
	} {
		var chosen []*record.Record
		for _, g := range list {
			if want(g) {
				chosen = append(chosen, g)
			}
		}
		require.NotEmpty(t, chosen, args)
		code, out, errText := gyges(t.Context(), text, append([]string{"games", "-", "--format", "jsonl"},
			strings.Fields(args)...)...)
		require.Zero(t, code, errText)
		require.Equal(t, recordsText(chosen), out, args)
		_, out, _ = gyges(t.Context(), text, append([]string{"games", "-", "--format", "jsonl", "--limit", "3"},
			strings.Fields(args)...)...)
		require.Equal(t, recordsText(chosen[:min(3, len(chosen))]), out, args)
	}
}

// A long list is printed in tables, each with a header; every game is on a line of its own.
func TestGamesInColumns(t *testing.T) {
	list := someGames(1010)
	_, out, _ := gyges(t.Context(), recordsText(list), "games", "-")
	require.Len(t, strings.Split(out, "\n"), len(list)+8)
	require.Equal(t, 2, strings.Count(out, " Game  Pair  Rules"))
}

// A run that was stopped while it wrote, or that goes on, can be looked at.
func TestGamesOfATornFile(t *testing.T) {
	text := recordsText(someGames(2))
	code, out, errText := gyges(t.Context(), text[:len(text)-9], "games", "-")
	require.Zero(t, code)
	require.Contains(t, out, "\n1 game: ")
	require.Equal(t, "gyges: left out: standard input:2: expected a game record: the line is cut short\n", errText)
	code, _, errText = gyges(t.Context(), text[:len(text)-9]+"\n", "games", "-")
	require.Equal(t, exitUsage, code)
	require.Equal(t, "gyges: standard input:2: expected a game record: the line is cut short\n", errText)
}

// Numbers stay apart, and pairs together, when several runs are exported.
func TestExportOfSeveralRuns(t *testing.T) {
	w := renumbering{}
	seen := map[string]bool{}
	for file, n := range []int{3, 1, 4} {
		for _, g := range someGames(n) {
			pair := fmt.Sprint(file, g.Pair)
			g = w.renumbered(file, g)
			require.False(t, seen[fmt.Sprint(g.Game)], g.Game)
			seen[fmt.Sprint(g.Game)] = true
			require.Equal(t, map[string]int64{"0 0": 0, "0 1": 1, "1 0": 2, "2 0": 3, "2 1": 4}[pair], g.Pair)
		}
	}
}

// stuck is a standard input that gives the same text again and again, a line without an end, or without one nothing
// until the test ends. It cancels the command that reads it.
type stuck struct {
	cancel func()
	text   string
	end    <-chan struct{}
}

func (r stuck) Read(p []byte) (int, error) {
	r.cancel()
	if r.text == "" {
		<-r.end
		return 0, io.EOF
	}
	return copy(p, strings.Repeat(r.text, len(p))), nil
}

// Ctrl-C ends a command that waits for its standard input, and the reading, even of one line that never ends.
func TestReadingIsInterrupted(t *testing.T) {
	for args, text := range map[string]string{
		"rate -": "", "games -": "", "export -": "", "import - --out new": "", "perft --epd -": "", "openings -": "",
		"tactics run -": "", "games show - 5": "x", "games - --limit 1": "x", "export - --limit 1": "x",
		"import - --rules kang --out new": "x",
	} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			end := make(chan struct{})
			defer close(end)
			var out, errText bytes.Buffer
			require.Equal(t, exitInterrupted, run(ctx, strings.Fields(args), stuck{cancel, text, end}, &out, &errText),
				errText.String())
			require.Empty(t, errText.String())
			require.NoDirExists(t, "new")
		})
	}
}

// Games are found in text of other encodings, also where gzip has packed it, and what can't be read is refused.
func TestPackedGames(t *testing.T) {
	const csv, binary = "white,black,result\nAda,Bob,1-0\n", "expected text, which gzip may have packed, found a file that another program has packed"
	packed := func(text string) string {
		var b strings.Builder
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, errors.Join(err, w.Close()))
		return b.String()
	}
	wide := func(text string) string { return strings.ReplaceAll(text, "", "\x00")[1:] }
	for text, want := range map[string]string{
		csv: "", packed(csv): "", packed(csv[:20]) + packed(csv[20:]): "", "\xff\xfe" + wide(csv): "", packed(wide(csv)): "",
		packed(packed(csv)): binary, "BZh1AY&SY": binary, "\xfd7zXZ": binary, packed(csv)[:30]: "unexpected EOF",
		packed(csv) + csv:  "gzip: invalid header",
		"[\n{\"game\":0}]": "standard input:1: expected a game record: the line is no JSON object",
	} {
		code, out, errText := gyges(t.Context(), text, "rate", "-", "--format", "csv")
		require.Contains(t, errText, want)
		require.Equal(t, want == "", code == exitOK, "%q %s", text, errText)
		require.Equal(t, want == "", strings.Contains(out, ",Ada,"), errText)
	}
}
