package source

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/rules/base/jsonl"
)

// entries is what a file holds, as text: a line for each game, or its error. err is the one that
// ended the reading.
func entries(r *Results) (list []string, err error) {
	for {
		var g Result
		err := r.ReadResult(&g)
		bad, isLine := errors.AsType[*jsonl.LineError](err)
		switch {
		case isLine:
			list = append(list, fmt.Sprintf("%d: %v", bad.Line, bad.Err))
		case errors.Is(err, ErrUnfinished):
			list = append(list, "unfinished")
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return list, err
		default:
			list = append(list, strings.TrimRight(fmt.Sprintf("%s-%s %+d %s %s %s", g.South, g.North, g.Result, g.Rules, g.ID,
				g.Pair), " "))
			if errors.As(g.Damage, &bad) {
				list = append(list, fmt.Sprintf("%d: damage: %v", bad.Line, bad.Err))
			}
		}
	}
}

// found is what a text holds.
func found(t testing.TB, text string) []string {
	format, in, err := Sniff(strings.NewReader(text))
	require.NoError(t, err)
	list, err := entries(NewResults(format, in, "x"))
	require.NoError(t, err)
	return list
}

func tags(white, black, result string) string {
	return fmt.Sprintf("[White %q]\n[Black %q]\n[Result %q]\n", white, black, result)
}

// Tags and moves are those of the game that was read last.
func TestTagsAndMoves(t *testing.T) {
	text := "[White \"a\"]\n[Opening \"x\\\\y\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {\n[X \"y\"]\n} e5;z\n%no\n1-0\n" +
		"[White \"c\"]\n[Black \"d\"]\n[Result \"0-1\"]\n[White \"e\"]\n[Black \"f\"]\n[Result \"1-0\"]\n1. " +
		strings.Repeat("x", maxFields)
	in := NewResults(PGN, strings.NewReader(text), "x")
	for _, want := range []struct {
		line           int
		opening, moves string
	}{{1, `x\y`, " 1. e4 e5 1-0"}, {11, "", ""}, {14, "", " 1. " + strings.Repeat("x", maxFields)}} {
		var g Result
		require.NoError(t, in.ReadResult(&g))
		moves, err := in.Moves()
		require.NoError(t, err)
		require.Equal(t, want.line, g.Line)
		require.Equal(t, []string{want.opening, want.moves}, []string{in.Tag("Opening"), moves})
	}
	require.ErrorIs(t, in.ReadResult(new(Result)), io.EOF)
}

func TestPGN(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"tags alone, blank lines between": {tags("a", "b", "1-0") + "\n" + tags("b", "a", "1/2-1/2"),
			[]string{"a-b +1", "b-a +0"}},
		"no blank lines": {tags("a", "b", "1-0") + tags("b", "a", "0-1"), []string{"a-b +1", "b-a -1"}},
		"with moves": {tags("a", "b", "1-0") + "\n1. e4 e5 1-0\n\n" + tags("b", "a", "0-1") +
			"\n1. d4 0-1\n", []string{"a-b +1", "b-a -1"}},
		"line ends of Windows, a mark": {"\ufeff" + strings.ReplaceAll(tags("a", "b", "1-0"), "\n", "\r\n"),
			[]string{"a-b +1"}},
		"several tags on a line": {`[White "a"] [Black "b"][Result "0-1"]` + "\n", []string{"a-b -1"}},
		"escapes":                {tags(`a"\b`, "b", "1-0"), []string{`a"\b-b +1`}},
		"a tag in a comment": {tags("a", "b", "1-0") + "\n1. e4 {\n[White \"x\"]\n} e5 1-0\n",
			[]string{"a-b +1"}},
		"a comment left open": {tags("a", "b", "1-0") + "\n1. e4 {\n[White \"x\"]\n\nso [\n\n" + tags("b", "a", "1-0") +
			"\n1. e4 {\n\n" + tags("c", "a", "0-1"),
			[]string{"a-b +1", "5: damage: expected } at the end of a comment, found the end of the game",
				"b-a +1", "14: damage: expected } at the end of a comment, found the end of the game", "c-a -1"}},
		"marks of files in one": {tags("a", "b", "1-0") + "\n1. e4 1-0\n\n\ufeff" + tags("b", "a", "0-1"),
			[]string{"a-b +1", "b-a -1"}},
		"a brace after a semicolon": {tags("a", "b", "1-0") + "\n1. e4 ; {\n1-0\n\n" + tags("b", "a", "1-0"),
			[]string{"a-b +1", "b-a +1"}},
		"a comment left open in a game without tags": {"{x\n\n" + tags("a", "b", "1-0"),
			[]string{"1: expected } at the end of a comment, found the end of the game", "a-b +1"}},
		"a comment left open, no blank line": {tags("a", "b", "1-0") + "1. e4 {x\n" + tags("b", "a", "0-1") + "1. e4 {y",
			[]string{"a-b +1", "4: damage: expected } at the end of a comment, found the end of the game",
				"b-a -1", "8: damage: expected } at the end of a comment, found the end of the file"}},
		"old Macs": {strings.ReplaceAll(tags("a", "b", "1-0")+"\n1. e4 1-0\n\n"+tags("b", "a", "2"), "\n", "\r"),
			[]string{"a-b +1", `9: expected points of South, 1, 0.5 or 0, found "2"`}},
		"two carriage returns": {strings.ReplaceAll(tags("a", "b", "1-0"), "\n", "\r\r\n"), []string{"a-b +1"}},
		"moves without tags": {"%\n1. e4 1-0\n\n" + tags("a", "b", "1-0") + "\n1. e4 e5 1-0\n\n1. d4 d5\n0-1\n",
			[]string{"2: expected tags White, Black and Result, found none of White", "a-b +1",
				"10: expected tags White, Black and Result, found none of White"}},
		"words behind the result": {tags("a", "b", "1-0") + "\n1. e4 (1. d4 1-0\n) e5 1-0 {x} $1 1-0\n{y}\n; z\n1-0\n",
			[]string{"a-b +1"}},
		"another result on the line": {tags("a", "b", "1-0") + "\n1. e4 1-0 {x} 0-1\n" + tags("c", "d", "1-0"),
			[]string{"a-b +1", "5: expected tags White, Black and Result, found none of White", "c-d +1"}},
		"no tag Result": {"[White \"a\"]\n[Black \"b\"]\n\n1. e4 {0-1} 1-0\n\n" + tags("a", "b", "*") + "\n1. e4 e50-1\n" +
			"[White \"a\"]\n[Black \"b\"]\n\n1. e4 *\n",
			[]string{"a-b +1", "a-b -1", "11: expected tags White, Black and Result, found none of Result"}},
		"another result behind the moves": {tags("a", "b", "1-0") + "\n1. e4 0-1\n\n" + tags("a", "b", "1/2") +
			"\n1. e4 1/2-1/2\n\n" + tags("a", "b", "1-0") + "\n1. e4 *\n\n" + tags("a", "b", "1-0") + "\n1. e4 ½-½\n",
			[]string{"5: expected the result 1-0 of the tag behind the moves, found 0-1", "a-b +0", "a-b +1",
				"23: expected the result 1-0 of the tag behind the moves, found ½-½"}},
		"each tag once": {"[Round \"1\"]\n" + tags("a", "b", "1-0") + "[FEN \"x\"]\n[Round \"2\"]\n" + tags("b", "a", "1-0"),
			[]string{"a-b +1   x\x001", "b-a +1"}},
		"a tag repeated": {tags("a", "b", "1-0") + "[FEN \"x\"]\n[ECO \"?\"]\n[FEN \"x\"]\n\n1. e4 1-0\n" + tags("b", "a", "1-0"),
			[]string{"a-b +1   x\x00", "b-a +1"}},
		"names in two forms": {tags("Jose\u0301", "b", "1-0") + "\n" + tags("Jos\u00e9", "b", "1-0"),
			[]string{"José-b +1", "José-b +1"}},
		"quotes in tags": {"[Event \"5th \"M\" Open\\\"]\n" + tags("a", "b", "1-0") + "\n[White \"c \"x\" d\"]\n[Black \"b\"]\n" +
			"[Result \"1-0\"]\n", []string{"a-b +1", `c "x" d-b +1`}},
		"blanks in tags": {"[ White\t\"a\" ]\n[Black\"b\"]\n[Result  \"1-0\"]", []string{"a-b +1"}},
		"blanks around names": {tags(" a", "b", "1-0") + "\n" + "[White \"b\t\"]\n[Black \"a\u00a0\"]\n[Result \"1-0\"]\n",
			[]string{"a-b +1", "b-a +1"}},
		"tags that end comments": {tags("a", "b", "1-0") + "\n1. e4 {\n[x \"1\"]} e5 {\n[x \"1\"]} e4 {\n[x \"1\"] } e5 1-0\n",
			[]string{"a-b +1"}},
		"unfinished": {tags("a", "b", "*"), []string{"unfinished"}},
		"no result": {"\n" + tags("a", "b", "1-0") + "\n[White \"x\"]\n[Black \"y\"]\n",
			[]string{"a-b +1", "6: expected tags White, Black and Result, found none of Result"}},
		"a wrong result": {tags("a", "b", "2-0"),
			[]string{`3: expected a result 1-0, 0-1, 1/2-1/2 or *, found "2-0"`}},
		"no name": {tags("?", "b", "1-0"), []string{`1: expected the name of White, found "?"`}},
		"a tag cut short": {"[White \"a\"]\n[Black \"b]\n[Result \"1-0\"]\n\n" + tags("c", "d", "1-0"),
			[]string{`2: expected a tag [Name "value"], found "[Black \"b]"`, "c-d +1"}},
		"id, pair and rules": {tags("a", "b", "1-0") + "[GameId \"g7\"]\n[Pair \"3\"]\n[Variant \"kang\"]\n",
			[]string{"a-b +1 kang g7 3"}},
		"a pair by round and opening": {tags("a", "b", "1-0") + "[Round \"1\"]\n[FEN \"x\"]\n",
			[]string{"a-b +1   x\x001"}},
		"nothing": {"", nil},
	} {
		require.Equal(t, c.want, found(t, c.text), name)
	}
}

func TestCSV(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a header":    {"Result,White,Black\n1-0,a,b\n0.5,b,a\n", []string{"a-b +1", "b-a +0"}},
		"all columns": {"game,pair,rules,south,north,result,extra\n7,3,kang,a,b,0-1,x\n", []string{"a-b -1 kang 7 3"}},
		"no header":   {"a,b,1\nb,a,0\nb,a,1.0\na,b,0.0\n", []string{"a-b +1", "b-a -1", "b-a +1", "a-b -1"}},
		"semicolons":  {"white;black;result\n\"a;x\";b;1/2-1/2\n", []string{"a;x-b +0"}},
		"tabs":        {"white\tblack\tresult\na,x\tb\t1-0\n", []string{"a,x-b +1"}},
		"too few fields": {"south,north,result\na,b\nb,a,1-0\n",
			[]string{"2: expected at least 3 fields, found 2", "b-a +1"}},
		"a wrong result": {"south,north,result\n\na,b,won\n",
			[]string{`3: expected a result 1-0, 0-1, 1/2-1/2 or *, found "won"`}},
		"a quote left open": {"south,north,result\n\"a,b,1-0\nc,d,1-0\n",
			[]string{"2: expected fields of CSV: extraneous or missing \" in quoted-field", "c-d +1"}},
		"headers of several files": {"white,black,result\na,b,1-0\nresult;game;south;north\n0.5;7;c;d\nx;8;c;d\n",
			[]string{"a-b +1", "c-d +0  7", `5: expected a result 1-0, 0-1, 1/2-1/2 or *, found "x"`}},
		"a decimal comma":            {"white;black;result\na;b;1,0\na;b;0,5\na;b;0,0\n", []string{"a-b +1", "a-b +0", "a-b -1"}},
		"a decimal comma, no header": {"a;b;0,5\nb;a;1,0\n", []string{"a-b +0", "b-a +1"}},
		"a decimal comma among commas": {"white,black,result\na,b,0,5\na,b,1,\n",
			[]string{"2: expected 3 fields, as the first line has, found 4", "a-b +1"}},
		"no name": {"south,north,result\n,b,1-0\n", []string{`2: expected the name of South, found ""`}},
		"line ends in quotes": {"white,black,result,pgn\r\na,b,1-0,\"[X \"\"y\"\"]\r\n\r\n1. e4\"\r\nb,a,0-1,\"x\nc,d,1-0,y\n\"\na,b,x,\n",
			[]string{"a-b +1", "b-a -1", `8: expected a result 1-0, 0-1, 1/2-1/2 or *, found "x"`}},
		"a quote left open, then good ones": {"south,north,result,x\na,b,\"1-0\nc,d,1-0,\n\"e\",f,1-0,\"z\"\ng,h,1-0,z\"\"\n",
			[]string{"2: expected fields of CSV: extraneous or missing \" in quoted-field", "c-d +1", "e-f +1",
				"5: expected fields of CSV: bare \" in non-quoted-field"}},
		"blanks before quotes": {"white, black, result\na, \"b\", 1-0\n", []string{"a-b +1"}},
		"an index":             {",white,black,result\n0,a,b,1-0\n1,b,a,0.5\n", []string{"a-b +1", "b-a +0"}},
		"a line of Excel":      {"sep=;\nwhite;black;result\na;b;1-0\n", []string{"a-b +1"}},
		"several columns that could be meant": {"player1,player2,black,white,score,result\na,b,a,b,0,1-0\n",
			[]string{"b-a +1"}},
		"blanks around names": {"white,black,result\n a\u00a0,b , 1-0\n", []string{"a-b +1"}},
		"unfinished":          {"south,north,result\na,b,*\n", []string{"unfinished"}},
	} {
		require.Equal(t, c.want, found(t, c.text), name)
	}
}

// Each spelling of a result that has one meaning counts, in CSV as in PGN.
func TestResults(t *testing.T) {
	for spelling, want := range map[string]int{
		"1-0": 1, "1": 1, "1.0": 1, "1.00": 1, "1 - 0": 1, "1\u00a0-\u00a00": 1, "1–0": 1, "1:0": 1, "1.0-0.0": 1, "1e0": 1,
		"1.000000e+00": 1, "win": 1, "White": 1, "south": 1, "0-1": -1, "0": -1, "0.00": -1, "0:1": -1, "0—1": -1,
		"Loss": -1, "black": -1, "NORTH": -1, "1/2-1/2": 0, "1/2": 0, "½": 0, "½-½": 0, "1/2 : 1/2": 0, "0.5": 0, ".5": 0,
		"0.50": 0, "5e-01": 0, "0.5-0.5": 0, "1/2–1/2": 0, "draw": 0, "Draw ": 0, "0,5-0,5": 0,
		"White wins": 1, "black  wins": -1, "drawn": 0, "win-loss": 1,
	} {
		line := fmt.Sprintf("a-b %+d", want)
		require.Equal(t, []string{line}, found(t, strings.ReplaceAll(tags("a", "b", "r"), "r\"", spelling+"\"")), spelling)
		require.Equal(t, []string{line}, found(t, "white;black;result\na;b;"+spelling+"\n"), spelling)
	}
	for _, spelling := range []string{"", "NaN", "inf", "1-1", "0-0", "1-", "-", "1/2-0", "1-0-1", "won", "+", "=", "e4",
		"BlackWin", "black loss", "0 1", "WhiteWin", "lossloss", "1 0", "01", "00"} {
		require.Equal(t, []string{fmt.Sprintf("2: expected a result 1-0, 0-1, 1/2-1/2 or *, found %q", spelling)},
			found(t, "white;black;result\na;b;"+spelling+"\n"))
	}
	for _, scale := range []string{"-1", "2", "+1", "100", "0.1", "-0.5", "-0.0"} { // 0 is a draw in some of them
		_, err := entries(NewResults(CSV, strings.NewReader("white,black,result\na,b,0\na,b,"+scale+"\n"), "x"))
		require.EqualError(t, err, fmt.Sprintf(
			"x: line 3: expected points of South, 1, 0.5 or 0, found %q, so that no result of the file can be relied on", scale))
	}
}

// Two games of one id are copies only if the rest is the same.
func TestContent(t *testing.T) {
	content := func(format Format, text string) uint64 {
		var g Result
		require.NoError(t, NewResults(format, strings.NewReader(text), "x").ReadResult(&g))
		return g.Content
	}
	pgn := "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[GameId \"1\"]\n[FEN \"o\"]\n[UTCTime \"1\"]\n\n1. e4 {x} e5\n1-0\n"
	again := strings.NewReplacer("\n1-0", " 1-0", "{x}", "; y\n", "[FEN", "[Event \"z\"]\n[FEN")
	require.Equal(t, content(PGN, pgn), content(PGN, again.Replace(pgn)))
	for _, other := range []string{"White \"a", "Black \"b", "FEN \"o", "UTCTime \"1", "1. e4", "e5"} {
		require.NotEqual(t, content(PGN, pgn), content(PGN, strings.ReplaceAll(pgn, other, other+"x")), other)
	}
	require.NotEqual(t, content(PGN, pgn), content(PGN, strings.ReplaceAll(pgn, "1-0", "0-1")))
	csv := "id,white,black,result,moves\n1,a,b,1-0,e4\n"
	require.Equal(t, content(CSV, csv), content(CSV, csv))
	for _, other := range []string{"2,a,b,1-0,e4", "1,c,b,1-0,e4", "1,a,b,0-1,e4", "1,a,b,1-0,d4"} {
		require.NotEqual(t, content(CSV, csv), content(CSV, strings.ReplaceAll(csv, "1,a,b,1-0,e4", other)))
	}
}

func TestCSVWithoutColumnsIsRefused(t *testing.T) {
	_, err := entries(NewResults(CSV, strings.NewReader("who,when\n"), "x"))
	require.EqualError(t, err,
		`x: line 1: expected a header with the columns south, north and result (or white, black, result), or a game in that order; found "who,when"`)
	_, err = entries(NewResults(CSV, strings.NewReader("a,b,\"1-1\"\n"), "x"))
	require.ErrorContains(t, err, "or a game in that order; found", "quotes don't change what is missing")
}

func TestLongLinesAreBounded(t *testing.T) {
	long := strings.Repeat("x", 3*maxFields)
	require.Equal(t, []string{"a-b +1", "b-a +1"}, found(t, tags("a", "b", "1-0")+"\n1. "+long+" 1-0\n\n"+tags("b", "a",
		"1-0")))
	got := found(t, `[White "`+long+"\"]\n\n"+tags("a", "b", "1-0"))
	require.Equal(t, []string{"1: expected a line of tags of at most 262144 bytes, found a longer one", "a-b +1"}, got)
	got = found(t, "south,north,result\n"+long+",b,1-0\na,b,1-0\n")
	require.Equal(t, []string{"2: expected a line of at most 262144 bytes, found a longer one", "a-b +1"}, got)
	got = found(t, tags(strings.Repeat("x", maxName+1), "b", "1-0"))
	require.Equal(t, []string{"1: expected a name of at most 1000 bytes for White, found 1001"}, got)
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]Format{
		"\ufeff\n\n [White \"a\"]": PGN, "": PGN, "% x": PGN, "{\"game\":0}": Records, "a,b,1-0": CSV, strings.Repeat("\n",
			1000) + "{": Records,
	} {
		f, r, err := Sniff(strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, want, f, "%.20q", text)
		all, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, text, string(all), "nothing is lost")
	}
}

// A game was seen before exactly if a plain map says so.
func TestSeenAgreesWithMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Seen
		seen := map[string]bool{}
		id := rapid.OneOf(rapid.Map(rapid.IntRange(0, 30), func(n int) string { return fmt.Sprint(n) }),
			rapid.SampledFrom([]string{"a", "b", "007", "7 ", "-1", fmt.Sprint(maxNumber), fmt.Sprint(maxNumber - 1)}))
		for range rapid.IntRange(0, 60).Draw(t, "games") {
			x, content := id.Draw(t, "id"), rapid.Uint64Range(1, 4).Draw(t, "content")
			key := fmt.Sprint(x, "/", content)
			require.Equal(t, seen[key], s.Has([]byte(x), content), key)
			require.Equal(t, seen[key], s.Add([]byte(x), content), key)
			seen[key] = true
		}
	})
}

func TestSeenIsBounded(t *testing.T) {
	t.Parallel()
	s := Seen{hashes: hashes{times: make(map[uint64]times, maxHashes)}}
	for i := range uint64(maxHashes) {
		s.times[i] = times{count: 1}
	}
	require.False(t, s.Full())
	require.False(t, s.Add([]byte("7"), 1))
	for range 2 {
		require.False(t, s.Add([]byte("7"), 2))
	}
	require.True(t, s.Full())
	require.Len(t, s.times, maxHashes)
	require.False(t, s.Add([]byte("8"), 1), "numbers are remembered still")
	require.True(t, s.Add([]byte("8"), 1))
}

func FuzzRead(f *testing.F) {
	f.Add(tags("a", "b", "1-0") + "\n1. e4 {x} 1-0\n")
	f.Add("south,north,result\na,b,1-0\n")
	f.Fuzz(func(t *testing.T, text string) {
		format, r, err := Sniff(strings.NewReader(text))
		require.NoError(t, err)
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
		for in := NewResults(format, r, "x"); ; {
			var g Result
			err := in.ReadResult(&g)
			bad, isLine := errors.AsType[*jsonl.LineError](err)
			switch {
			case isLine && (bad.Line < 1 || bad.Line > lines):
				t.Errorf("line %d of %d: %v", bad.Line, lines, err)
			case err == nil && (g.South == "" || g.North == "" || len(g.South) > maxName):
				t.Errorf("a game between %q and %q", g.South, g.North)
			case err != nil && !isLine && !errors.Is(err, ErrUnfinished):
				return
			}
		}
	})
}

// Quotes left open, even on many lines, take no longer than other lines.
func TestOpenQuotes(t *testing.T) {
	t.Parallel()
	text := "south,north,result\n" + strings.Repeat("\"a,b,1-0\na,\"b\"x,1-0\n", 100_000)
	require.Len(t, found(t, text), 200_000)
}

// forever repeats a byte without an end.
type forever byte

func (f forever) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(f)
	}
	return len(p), nil
}

// A line without an end ends the reading.
func TestEndlessLine(t *testing.T) {
	for format, heads := range map[Format][]string{
		PGN: {"", "[White \"", "[White \"a\"]\n{"},
		CSV: {"", "south,north,result\n\"", "a;b;1-0\nc;\""},
	} {
		for _, head := range heads {
			_, err := entries(NewResults(format, io.MultiReader(strings.NewReader(head), forever('"')), "x"))
			require.ErrorContains(t, err, fmt.Sprintf("line %d: expected", 1+strings.Count(head, "\n")), "%s %q", format, head)
		}
	}
}

// What was read of a line before an error is no line.
func TestReadErrorInsideALine(t *testing.T) {
	broken := errors.New("connection lost")
	for _, format := range []Format{CSV, PGN} {
		r := io.MultiReader(strings.NewReader("south,nor"), iotest.ErrReader(broken))
		list, err := entries(NewResults(format, r, "x"))
		require.ErrorIs(t, err, broken)
		require.Empty(t, list)
	}
}

// Text that is no UTF-8 is read as Windows-1252, of which Latin-1 is a part, line by line.
func TestLatin1(t *testing.T) {
	t.Parallel()
	pgn := "[White \"M\xfcller\"]\n[Black \"Jos\u00e9\"]\n[Result \"1-0\"]\n[Variant \"Sch\xe4ch\"]\n"
	require.Equal(t, []string{"Müller-José +1 Schäch"}, found(t, pgn))
	require.Equal(t, []string{"Müller-Ada +0"}, found(t, "white,black,result\r\nM\xfcller,Ada,\xbd\r\n"))
	require.Equal(t, []string{"Šarić-€ +1"}, found(t, "white,black,result\n\u0160ari\u0107,\u20ac,1\n"))
	require.Equal(t, []string{"Šara-O’Neil +1"}, found(t, "white,black,result\n\x8aara,O\x92Neil,1\n"))
}

// Pairs are the same whichever player began, for the same two players alone, and within a run or
// elsewhere.
func TestRepeats(t *testing.T) {
	var r Repeats
	game := func(south, north string, moves uint64) *Outcome {
		return &Outcome{South: south, North: north, Moves: moves}
	}
	pair := func(run int, a, b string, first, second uint64) string {
		before, inRun := r.Pair(run, game(a, b, first), game(b, a, second), 1)
		return map[[2]bool]string{{}: "new", {true, false}: "elsewhere", {true, true}: "again"}[[2]bool{before, inRun}]
	}
	require.Equal(t, "new", pair(1, "a", "b", 1, 2))
	require.Equal(t, "again", pair(1, "b", "a", 2, 1))
	require.Equal(t, "new", pair(1, "a", "b", 2, 1)) // the sides' games are others
	require.Equal(t, "new", pair(1, "a", "c", 1, 2))
	require.Equal(t, "new", pair(1, "a", "b", 1, 3))
	require.Equal(t, "elsewhere", pair(2, "a", "b", 1, 2))
	require.Equal(t, "again", pair(2, "a", "b", 1, 2))
	for _, unknown := range [][2]uint64{{0, 0}, {0, 1}, {1, 0}} {
		require.Equal(t, "new", pair(1, "a", "b", unknown[0], unknown[1]))
		require.Equal(t, "new", pair(1, "a", "b", unknown[0], unknown[1]))
	}
	for i, before := range []bool{false, true} {
		again, _ := r.Game(1, game("a", "b", 1), 1)
		require.Equal(t, before, again, i)
	}
	again, _ := r.Game(1, game("b", "a", 1), 1) // the other one had South
	require.False(t, again)
	for _, others := range []bool{true, false} { // taken back
		repeated, _ := r.Pair(2, game("b", "a", 3), game("a", "b", 1), 1)
		require.True(t, repeated)
		repeated, _ = r.Pair(2, game("a", "b", 1), game("b", "a", 3), -1)
		require.True(t, repeated)
		repeated, _ = r.Pair(1, game("c", "d", 8), game("d", "c", 9), 1)
		require.Equal(t, !others, repeated)
	}
	for _, others := range []bool{true, false} {
		repeated, _ := r.Pair(1, game("c", "d", 8), game("d", "c", 9), -1)
		require.Equal(t, others, repeated)
	}
	repeated, _ := r.Pair(1, game("c", "d", 8), game("d", "c", 9), 1)
	require.False(t, repeated)
	require.True(t, OneGame(game("a", "b", 1), game("b", "a", 1)))
	require.False(t, OneGame(game("a", "b", 0), game("b", "a", 0)))
}
