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
	require.Equal(t, []string{
		"3 on a1", "2 on b1", "1 on c1", "1 on d1", "2 on e1", "3 on a2",
		"3 on a6", "2 on b6", "1 on c6", "1 on d6", "2 on e6", "3 on f6",
	}, titles(svg.withClass("g", "piece")))
	require.Equal(t, "translate(356 410) scale(1)", drawnBoard(t, "kang",
		"000003/000000/000000/000000/000000/000000 s 222/221 0-0 -", "").withClass("g", "piece")[11].attribute("transform"))
	for _, piece := range svg.withClass("g", "piece") { // a ring for each height
		require.Len(t, piece.all("circle"), int(piece.all("title")[0].text()[0]-'0'))
	}
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
	require.Equal(t, "M236 304L176 304L116 304L116 244L176 244L176 184L176 124L116 124L116 64L116 27",
		svg.withClass("path", "path")[0].attribute("d")) // d2 is 3.5 squares from the left, 1.5 from below
	require.Equal(t, []string{
		"bounces off the 1 on b3", "bounces off the 2 on c3", "bounces off the 1 on c5", "bounces off the 2 on b5",
	}, titles(svg.withClass("circle", "bounced")))
	require.Len(t, svg.withClass("circle", "door"), 8)
	require.Len(t, svg.withClass("circle", "from"), 1)
	require.Len(t, svg.withClass("g", "piece"), 11) // one is in the goal
	require.Equal(t, "translate(116 17) rotate(-90)", svg.withClass("path", "arrow")[0].attribute("transform"))
	require.Empty(t, svg.withClass("path", "droppath"))
}

func TestBoardDisplacement(t *testing.T) {
	t.Parallel()
	svg := drawnBoard(t, "standard", "321123/000000/000000/000000/000000/321123 s", "c1xd1@d5")
	require.Empty(t, svg.withClass("circle", "bounced"))
	require.Equal(t, "M241.1 340.5Q262 244 243.6 159.2", svg.withClass("path", "droppath")[0].attribute("d"))
	require.Equal(t, []string{"the 1 from d1"}, titles(svg.withClass("circle", "landed")))
	require.Contains(t, titles(svg.withClass("g", "piece")), "1 on d5")
	require.NotContains(t, titles(svg.withClass("g", "piece")), "1 on c1")
}

// A piece enters from beyond the edge; hands and goals stand beside the board.
func TestBoardHands(t *testing.T) {
	t.Parallel()
	svg := drawnBoard(t, "kang", "000000/000000/000100/000000/000000/000000 s 222/122 0-2 -", "+2-(c1)-c2")
	require.Equal(t, "M176 461L176 410L176 380", svg.withClass("path", "path")[0].attribute("d"))
	require.Empty(t, svg.withClass("circle", "from"))
	require.Contains(t, titles(svg.withClass("g", "piece")), "2 on c2")
	require.Len(t, svg.withClass("g", "piece"), 12)
	require.Contains(t, texts(svg.withClass("text", "aim-n")), "North: 2 out")

	placing := drawnBoard(t, "standard", "000000/000000/000000/000000/000000/000000 s 222/222", "2@c1")
	require.Equal(t, "176", placing.withClass("circle", "landed")[0].attribute("cx"))
	require.Contains(t, titles(placing.withClass("g", "piece")), "3 in North’s hand")
}
