package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const startText = "321123/000000/000000/000000/000000/321123 s"

// kangMid is a Kang position with pieces in hand, goals and a cooldown.
const kangMid = "001020/300000/000000/020000/000003/100230 n 101/110 1-2 s"

// kangSouth is the same with South to move.
const kangSouth = "001020/300000/000000/020000/000003/100230 s 101/110 1-2 s"

func parse(t testing.TB, r *Rules, text string) Position {
	t.Helper()
	p, err := r.ParsePosition(text)
	require.NoError(t, err)
	return p
}

func TestPositionTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rules, text string }{
		{"standard", startText},
		{"standard", "000003/000000/011320/021230/002100/030000 n"},
		{"standard", "000000/220200/003113/003000/002300/000001 s 0-1"},
		{"standard", "000000/000000/000000/000000/000000/000000 s 222/222"},
		{"standard", "300000/000000/000000/000000/000000/000000 s 221/222"},
		{"standard", "321123/000000/000000/000000/000000/000000 n 000/222"},
		{"russian", "300000/000000/000000/000000/000000/000000 n 221/222"},
		{"cosmoludo", "000000/300000/000000/000000/000000/000000 s 221/222"},
		{"kang", "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -"},
		{"kang", kangMid},
		{"kang", strings.Replace(kangMid, " s", " sn", 1)},
	} {
		r := MustParse(c.rules)
		require.Equal(t, c.text, r.FormatPosition(parse(t, r, c.text)))
		require.Equal(t, parse(t, r, c.text), parse(t, r, " "+strings.ReplaceAll(c.text, " ", "  \t")+" "))
	}
	require.Equal(t, MustParse("kang").Start(), parse(t, MustParse("kang"),
		"000000/000000/000000/000000/000000/000000 s 222/222 0-0 -"))
}

func TestBadPositions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules, text string
		column      int
		reason      string
	}{
		{"standard", "", 1, "expected the height on a1 (a digit from 0 to 3), found the end"},
		{"standard", "32112", 6, "expected the height on f1"},
		{"standard", "3211234/000000/000000/000000/000000/321123 s", 7, "expected '/' after the six squares of row 1"},
		{"standard", "321124/000000/000000/000000/000000/321123 s", 6, "found '4'"},
		{"standard", "321123/000000/000000/000000/000000 s", 35, "expected '/' after the six squares of row 5"},
		{"standard", "321123/000000/000000/000000/000000/321123/000000 s", 42, "expected a space and the side to move"},
		{"standard", "321123/000000/000000/000000/000000/321123", 42, "found the end"},
		{"standard", "321123/000000/000000/000000/000000/321123s", 42, "expected a space"},
		{"standard", "321123/000000/000000/000000/000000/321123 w", 43, "'s' or 'n'"},
		{"standard", "321123/000000/000000/000000/000000/321122 s", 44, "expected 4 pieces of height 2 in all, found 5"},
		{"standard", "321120/000000/000000/000000/000000/321123 s", 44, "expected 4 pieces of height 3 in all, found 3"},
		{"standard", "321123/100000/000000/000000/000000/321123 s", 44, "found 5"},
		{"standard", startText + " 000/000", 45, "expected no reserves"},
		{"standard", startText + " 1-0", 48, "expected eleven pieces"},
		{"standard", "021123/000000/000000/000000/000000/321123 s 1-1", 48, "one winner"},
		{"standard", "001123/000000/000000/000000/000000/321123 s 1-0", 48, "eleven pieces"},
		{"standard", startText + " x", 45, "expected how many pieces"},
		{"standard", startText + " 222/222 junk", 53, "expected the end"},
		{"standard", "000000/300000/000000/000000/000000/000000 s 221/222", 52, "placed in South's zone"},
		{"standard", "300000/000000/000000/000000/000000/000000 n 221/222", 52, "expected South to place"},
		{"russian", "300000/000000/000000/000000/000000/000000 s 221/222", 52, "expected North to place"},
		{"kang", startText, 44, "expected a space and the reserves"},
		{"kang", startText + " 100/000 0-0 -", 58, "expected 4 pieces of height 1 in all, found 5"},
		{"kang", startText + " 000/000 0-0", 56, "expected a space and who"},
		{"kang", startText + " 000/000 4-0 -", 53, "South's goals (a digit from 0 to 3), found '4'"},
		{"kang", startText + " 000/000 3-3 -", 53, "both sides"},
		{"kang", startText + " 000/000 0-0 q", 57, "who took a piece out last"},
		{"kang", startText + " 005/000 0-0 -", 47, "found '5'"},
		{"kang", startText + " 000000 0-0 -", 48, "expected '/'"},
		{"kang", startText + " 000/000 0-0 - -", 59, "expected the end"},
		{"standard", strings.Repeat("3", 10000), 129, "at most 128 bytes"},
		{"standard", "321123/000000/000000/000000/000000/32112\x00 s", 41, "found '\\x00'"},
	} {
		_, err := MustParse(c.rules).ParsePosition(c.text)
		require.ErrorContains(t, err, fmt.Sprintf("column %d: ", c.column), c.text)
		require.ErrorContains(t, err, c.reason)
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, len(err.Error()), 250)
	}
}

func TestMoveTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rules, position, text, short string }{
		{"standard", startText, "a1-(a2-a3)-a4", "a1-a4"},
		{"standard", startText, "c1xd1@e5", "c1xd1@e5"},
		{"standard", startText, "c1-d1xe1@c1", "c1xe1@c1"},
		{"standard", startText, "  a1-a4 ", "a1-a4"},
		{"standard", startText, "pass", "pass"},
		{"standard", "000000/000000/000000/000000/000000/000000 s 222/222", "2@c1", "2@c1"},
		{"kang", kangSouth, "+1-c1-b1", "+1-b1"},
		{"kang", kangSouth, "+1xc1@d4", "+1xc1@d4"},
		{"kang", kangSouth, "+3-(b1-b2)-c2", "+3-c2"},
		{"kang", kangSouth, "+3-goal", "+3-goal"},
	} {
		r := MustParse(c.rules)
		m, err := r.ParseMove(parse(t, r, c.position), c.text)
		require.NoError(t, err)
		require.Equal(t, c.short, m.String())
	}
}

func TestBadMoves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		column int
		reason string
	}{
		{"", 1, "expected the start square, a1 to f6, found the end"},
		{"g1-a1", 1, "a1 to f6"},
		{"a7-a1", 2, "a row from 1 to 6"},
		{"a1", 3, "expected '-' or 'x'"},
		{"a1-", 4, "a square or goal"},
		{"a2-a3", 1, "no piece on a2"},
		{"a1+a4", 3, "found '+'"},
		{"a1–a4", 3, "found '–'"},
		{"\u200ba1-a4", 1, `found '\u200b'`},
		{"a1-a4 a5", 6, "expected the end"},
		{"a1-a4-", 7, "a square or goal"},
		{"a1xb1", 6, "expected '@'"},
		{"a1xb1@", 7, "the drop square"},
		{"a1xb1@b9", 8, "a row from 1 to 6"},
		{"a1xb1@b2x", 9, "expected the end"},
		{"a1xgoal@b2", 4, "the displaced piece's square"},
		{"a1-goalx", 8, "expected the end"},
		{"a1-(a2-a3)", 11, "where the piece ends"},
		{"a1-(a2-a3", 10, "')' or '-'"},
		{"a1-(a2)-(a3)-a4", 9, "a landing between"},
		{"a1-(a2-a3)-b4", 12, "a square next to a3"},
		{"a1-(a2)-a3", 9, "expected 1 more steps"},
		{"a1-(a2-a3-a4)-a5", 11, "expected the leg to end on a4"},
		{"a1-(a2-a1)-a2", 8, "has been used"},
		{"a1-(b1-b2)-b3", 5, "b1 is occupied"},
		{"a1-(a2-a3)-a4-a5", 12, "a piece to bounce off on a4"},
		{"c1-d1-c1", 7, "has been used"},
		{"+0-a1", 2, "from 1 to 3"},
		{"+4-a1", 2, "from 1 to 3"},
		{"0@a1", 1, "from 1 to 3"},
		{"2@a1-", 5, "expected the end"},
		{"2@", 3, "the square to place it on"},
		{strings.Repeat("a1-", 400), 513, "at most 512"},
	} {
		r := MustParse("standard")
		_, err := r.ParseMove(parse(t, r, startText), c.text)
		require.ErrorContains(t, err, fmt.Sprintf("column %d: ", c.column), c.text)
		require.ErrorContains(t, err, c.reason)
	}
}

func TestOptionErrors(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		"chess":                             `unknown rules "chess"; expected one of: standard, simplified, kang`,
		"":                                  `unknown rules ""`,
		"standard:":                         "expected option=value",
		"standard:null_move":                "expected option=value",
		"standard:null_move=yes":            `rule option null_move: expected forbid or allow, found "yes"`,
		"standard:nul_move=allow":           `unknown rule option "nul_move", did you mean "null_move"?`,
		"standard:max_plies=0":              "a number from 1 to 100000",
		"standard:max_plies=1e9":            "expected a whole number",
		"standard:kang=maybe":               "expected true or false",
		"standard:null_move=allow,,":        "expected option=value",
		"standard:door_rule=directed,a=b=c": `unknown rule option "a"`,
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, reason, text)
	}
	_, err := New("mine", Options{})
	require.ErrorContains(t, err, "rules mine: setup_zone: expected")
	for _, opt := range DefaultOptions().List() {
		require.NotEmpty(t, opt.Accepts())
		require.NotEmpty(t, opt.Tag.Get("help"))
	}
}

func FuzzPosition(f *testing.F) {
	for _, s := range []string{startText, kangMid, "300000/000000/000000/000000/000000/000000 s 221/222", "x"} {
		f.Add(s)
	}
	all := []*Rules{MustParse("standard"), MustParse("kang"), MustParse("turkish-basic"), MustParse("cosmoludo")}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range all {
			p, err := r.ParsePosition(text)
			if err != nil {
				continue
			}
			again, err := r.ParsePosition(r.FormatPosition(p))
			require.NoError(t, err)
			require.Equal(t, p, again)
			n := countPieces(r, p)
			require.LessOrEqual(t, n[1]+n[2]+n[3], NumPieces)
			var ms MoveSet
			r.Moves(p, &ms)
			require.Equal(t, ms.Len(), r.Count(p))
		}
	})
}

func FuzzMove(f *testing.F) {
	for _, s := range []string{"a1-a4", "c1xd1@e5", "a1-(a2-a3)-a4", "pass", "2@c1", "+1-c1", "c1-goal"} {
		f.Add(s)
	}
	r, k := MustParse("standard"), MustParse("kang:door_rule=directed")
	f.Fuzz(func(t *testing.T, text string) {
		for rules, p := range map[*Rules]Position{r: parse(t, r, startText), k: k.Start()} {
			m, err := rules.ParseMove(p, text)
			if err != nil {
				continue
			}
			again, err := rules.ParseMove(p, m.String())
			require.NoError(t, err)
			require.Equal(t, m, again)
			if NewGame(rules, p).Check(m) == nil {
				rules.FormatPosition(rules.Apply(p, m))
			}
		}
	})
}

// A course is the one written; a move in short notation gets one with the fewest legs.
func TestParseCourse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rules, position, move, course string }{
		{"standard", startText, "a1-(a2-b2)-b3", "a1-(a2-b2)-b3"},
		{"standard", startText, "a1-(b2-b3)-c3", ""},
		{"standard", startText, "c1-e3", "c1-d1-e1-(e2)-e3"},
		{"standard", startText, "c1-d1xe1@d3", "c1-d1xe1@d3"},
		{"standard", startText, "c1-c2", "c1-c2"},
		{"standard", "000000/000300/012003/000000/021003/101223 s", "d2-goal", "d2-(c2-b2)-b3-c3-(c4)-c5-b5-(b6)-goal"},
		{"standard", "000000/000000/000000/000000/000000/000000 s 222/222", "2@c1", "2@c1"},
		{"kang", "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -", "+3-(a1-a2)-b2", "+3-(a1-a2)-b2"},
		{"kang", "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -", "+1-f1", "+1-f1"},
		{"simplified", "333322/221111/000000/000000/000000/000000 s", "pass", "pass"},
	} {
		r := MustParse(c.rules)
		m, course, err := r.ParseCourse(parse(t, r, c.position), c.move)
		if c.course == "" {
			require.Error(t, err, c.move)
			require.Nil(t, course)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.course, m.LongText(course))
	}
}
