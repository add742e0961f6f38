package ugi

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gyges/agents"
	"gyges/rules"
)

// FuzzServer sends any text. The server never fails; each line it says is short, printable, and begins as the protocol
// has it; after whatever it was, the position is one the rules know.
func FuzzServer(f *testing.F) {
	for _, seed := range []string{
		"ugi\nisready\nsetpos start moves a1-a4 35|17\ngo depth 1\nstop\nquit",
		"setoption rules kang\nsetpos start moves +1|0\ngo depth 1",
		"setpos data 213132/000000/000000/000000/000000/112233\nsetoption maxTime 0.1\ngo nodes 5",
		"setpos pos 000000/000000/000000/000000/000000/000000 s 222/222 moves @3|0\ngo wtime 5 btime 5",
		"go\ngo\n\x00\xff\r\nsetoption name seed value 3\nsetpos data 1,2 3/|",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out strings.Builder
		input := text + "\nstop\nsetoption rules standard\ngo\n"
		if err := Serve(context.Background(), strings.NewReader(input), &out,
			testServer(agents.Spec{Kind: "random"})); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			word, _, _ := strings.Cut(line, " ")
			switch word {
			case "id", "option", "ugiok", "readyok", "info", "bestmove":
			default:
				t.Fatalf("unexpected line %q", line)
			}
			if len(line) > 1000 || strings.ContainsFunc(line, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) ||
				!utf8.ValidString(line) {
				t.Fatalf("a line that is not fit to print: %q", line)
			}
		}
	})
}

// FuzzHost lets any text be an engine's output after it was asked for a move:
// the answer is a move that can be checked, or a failure.
func FuzzHost(f *testing.F) {
	for _, seed := range []string{
		"readyok\ninfo ply 1 bestmove 0|7 score 12 nodes 34 nps 1 time 0.1 pv 0|7\nbestmove 0|7 score 3",
		"bestmove null", "readyok\nbestmove 3|37\n", "readyok\nbestmove +1|2|3\n", "readyok\n\x00\xff\nbestmove \x1b", "info score NaN",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	r := rules.MustParse("standard")
	p := opening(r)
	f.Fuzz(func(t *testing.T, text string, north bool) {
		g := rules.NewGame(r, p)
		if north {
			g.PlayLegal(g.Legal().At(0))
		}
		h := &host{client: &client{pending: pendingAnswers{ready: true, move: true}}}
		for line := range strings.Lines(text) {
			word, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
			done, err := h.handleLine(word, rest)
			if err == nil && !done {
				continue
			}
			if err == nil {
				var d agents.Decision
				if d, err = h.decide(g); err == nil {
					_ = g.Check(d.Move)
					if d.Score > agents.MaxEval || d.Score < -agents.MaxEval || d.Nodes < 0 || d.Depth < 0 {
						t.Fatalf("out of bounds: %+v", d)
					}
				}
			}
			if err != nil && (len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\x1b\x00\n")) {
				t.Fatalf("not fit to print: %q", err)
			}
			return
		}
	})
}
