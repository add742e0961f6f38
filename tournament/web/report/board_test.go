package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"gyges/rules"
)

// drawnBoard draws a position, and a move if text is not empty, and parses the picture.
func drawnBoard(t *testing.T, ruleSet, position, text string) element {
	t.Helper()
	r := rules.MustParse(ruleSet)
	p, err := r.ParsePosition(position)
	require.NoError(t, err)
	m, course := rules.NoMove, []rules.Step(nil)
	if text != "" {
		m, course, err = r.ParseCourse(p, text)
		require.NoError(t, err)
		require.NoError(t, rules.NewGame(r, p).Check(m))
	}
	file := Board(r, p, m, course).StandaloneSVG()
	require.NoError(t, wellFormed(file))
	require.NotContains(t, file, "http://www.w3.org/1999") // nothing is fetched or linked
	require.Contains(t, file, "prefers-color-scheme: dark")
	root, err := html.Parse(strings.NewReader(file))
	require.NoError(t, err)
	return element{root}.all("svg")[0]
}

// titles returns the titles of elements.
func titles(list []element) []string {
	return mapped(list, func(e element) string { return e.all("title")[0].text() })
}

func TestBoardPosition(t *testing.T) {
	t.Parallel()
	svg := drawnBoard(t, "standard", "321120/300000/000000/000000/000000/321123 n", "")
	rings := map[string]int{}
	for _, title := range titles(svg.withClass("circle", "ring")) {
		rings[title]++
	}
	require.Equal(t, map[string]int{
		"3 on a1": 3, "2 on b1": 2, "1 on c1": 1, "1 on d1": 1, "2 on e1": 2, "3 on a2": 3,
		"3 on a6": 3, "2 on b6": 2, "1 on c6": 1, "1 on d6": 1, "2 on e6": 2, "3 on f6": 3,
	}, rings)
	require.Equal(t, []string{"a", "b", "c", "d", "e", "f"}, texts(svg.withClass("text", "file")))
	require.Equal(t, []string{"1", "2", "3", "4", "5", "6"}, texts(svg.withClass("text", "row")))
	require.Len(t, svg.withClass("rect", "square"), 36)
	require.Equal(t, []string{"South’s goal"}, texts(svg.withClass("text", "aim-s")))
	caption := "Board, from South’s side: 3 on a1, 2 on b1, 1 on c1, 1 on d1, 2 on e1, 3 on a2, " +
		"3 on a6, 2 on b6, 1 on c6, 1 on d6, 2 on e6, 3 on f6. North to move."
	require.Equal(t, caption, svg.attribute("aria-label"))
	require.Equal(t, caption, svg.all("title")[0].text())
	require.Empty(t, svg.withClass("path", "path"))
}

// The line leads through the squares as written, though a course with fewer legs exists.
func TestBoardCourse(t *testing.T) {
	t.Parallel()
	svg := drawnBoard(t, "simplified", "000000/000300/012003/000000/021003/101223 s",
		"d2-(c2-b2)-b3-c3-(c4)-c5-b5-(b6)-goal")
	require.Equal(t, "M236 296L176 296L116 296L116 236L176 236L176 176L176 116L116 116L116 56L116 22",
		svg.withClass("path", "path")[0].attribute("d")) // d2 is 3.5 squares from the left, 1.5 from below
	require.Equal(t, []string{
		"bounces off the 1 on b3", "bounces off the 2 on c3", "bounces off the 1 on c5", "bounces off the 2 on b5",
	}, titles(svg.withClass("circle", "bounced")))
	require.Len(t, svg.withClass("circle", "from"), 1)
	require.Len(t, svg.withClass("text", "height"), 11) // one piece is in the goal
	require.Empty(t, svg.withClass("line", "droppath"))
}

func TestBoardDisplacement(t *testing.T) {
	t.Parallel()
	svg := drawnBoard(t, "standard", "321123/000000/000000/000000/000000/321123 s", "c1xd1@d5")
	require.Empty(t, svg.withClass("circle", "bounced"))
	require.Len(t, svg.withClass("line", "droppath"), 1)
	require.Equal(t, []string{"the 1 from d1"}, titles(svg.withClass("circle", "landed")))
	require.Contains(t, titles(svg.withClass("circle", "ring")), "1 on d5")
	require.NotContains(t, titles(svg.withClass("circle", "ring")), "1 on c1")
}

// A piece enters from beyond the edge; hands and goals stand beside the board.
func TestBoardHands(t *testing.T) {
	t.Parallel()
	svg := drawnBoard(t, "kang", "000000/000000/000100/000000/000000/000000 s 222/122 0-2 -", "+2-(c1)-c2")
	require.Equal(t, "M176 390L176 356L176 296", svg.withClass("path", "path")[0].attribute("d"))
	require.Empty(t, svg.withClass("circle", "from"))
	require.Contains(t, titles(svg.withClass("circle", "ring")), "2 on c2")
	require.Equal(t, []string{"North holds 1 2 2 3 3; 2 out"}, texts(svg.withClass("text", "aim-n")))

	placing := drawnBoard(t, "standard", "000000/000000/000000/000000/000000/000000 s 222/222", "2@c1")
	require.Equal(t, "176", placing.withClass("circle", "landed")[0].attribute("cx"))
	require.Equal(t, []string{"South holds 1 1 2 3 3"}, texts(placing.withClass("text", "aim-s")))
}
