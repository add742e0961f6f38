package play

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/web/internal/browsertest"
)

// board is a page to analyse.
type board struct {
	*browsertest.Tab
	t *testing.T
}

// shallow ends searches early.
func shallow(c *testConfig) {
	c.Analyst.Params = append(c.Analyst.Params, agents.Param{Name: "depth", Value: "2"})
}

// openAnalysis opens the page with a position in the middle of a game, or what is named in its place.
func openAnalysis(t *testing.T, s *testServer, change ...string) (b board, console func() []string) {
	t.Helper()
	b = board{browsertest.Open(t), t}
	return b, b.Visit(listen(t, s) + "/analyse#" + question(change...).Encode())
}

// shows waits until the page shows a position after a number of moves.
func (b board) shows(text string, plies int) {
	b.t.Helper()
	b.Wait(fmt.Sprintf(`document.getElementById("text").value === %q && +(document.querySelector("#tree [aria-current] .n")?.textContent ?? 0) === %d`, text, plies))
}

// move makes a move by clicks, and returns the position after it.
func (b board) move(g *rules.Game, m rules.Move) {
	b.t.Helper()
	plies := len(g.Moves()) + 1
	if b.Text(`document.querySelector(".cell.picked")?.dataset.at ?? ""`) != m.From().String() {
		b.Click(fmt.Sprintf(`[data-at="%v"]`, m.From()))
	}
	to := m.To().String()
	if m.IsGoal() {
		to = "goal-" + string(g.Position().Side().Letter())
	}
	clickEnd(b.t, b.Tab, to, g.Position(), m)
	require.NoError(b.t, g.Play(m))
	b.shows(g.Rules().FormatPosition(g.Position()), plies)
}

// moves lists the buttons of the tree, the current one in brackets.
func (b board) moves() (list []string) {
	b.Eval(`[...document.querySelectorAll("#tree .ply")].map((e) => {
		const text = ">".repeat(e.closest(".variation") ? 1 : 0) + e.textContent;
		return e.hasAttribute("aria-current") ? "[" + text + "]" : text;
	})`, &list)
	return list
}

// press clicks on a button below the lines, which moves as they come.
func (b board) press(id string) { b.Eval(fmt.Sprintf(`document.getElementById(%q).click()`, id), nil) }

// deepens waits for lines of some depth on the position shown.
func (b board) deepens(lines, depth int) {
	b.t.Helper()
	b.Wait(fmt.Sprintf(`document.querySelectorAll("#lines li").length === %d && +document.querySelector("#lines .depth").textContent.slice(6) >= %d`, lines, depth))
}

// A position is set up, moves and a variation are made, lines come and are played, and a link leads back to all of it.
func TestBrowserAnalyse(t *testing.T) {
	s := newTestServer(t, shallow)
	b := board{browsertest.Open(t), t}
	address := listen(t, s)
	console := b.Visit(address + "/analyse")
	b.Wait(`document.querySelector(".cell.source")`)

	// the editor
	r := rules.MustParse("standard")
	start, err := r.ParsePosition(middle)
	require.NoError(t, err)
	b.Click("#edit")
	b.Click("#clear")
	require.Contains(t, b.Text(`document.getElementById("missing").textContent`), "4 of height 3 missing")
	for height := rules.Height(1); height <= 3; height++ {
		b.Click(fmt.Sprintf(`#editor [name=piece][value="%d"]`, height))
		for square := range rules.Square(rules.NumSquares) {
			if start.At(square) == height {
				b.Click(fmt.Sprintf(`[data-at="%v"]`, square))
			}
		}
		if height == 2 {
			b.Click(`#editor button[type=submit]`)
			b.Wait(`document.getElementById("problem").textContent.startsWith("Position")`)
		}
	}
	require.Equal(t, "All pieces are there.", b.Text(`document.getElementById("missing").textContent`))
	for _, drag := range [][2]string{{"#table [data-at=a1]", "#table [data-at=a3]"}, {"#table [data-at=a3]", "#headline"}} {
		b.Drag(drag[0], drag[1]) // one beyond the board changes nothing
		require.Equal(t, "002110/000330/200000/000200/000100/030123", b.Text(shown))
	}
	b.Drag("#table [data-at=a3]", "#table [data-at=a1]")
	b.Click(`#editor button[type=submit]`)
	b.shows(middle, 0)
	b.deepens(3, 1)

	// moves and a variation
	g := rules.NewGame(r, start)
	moves := make([]rules.Move, 0, 3)
	for range 3 {
		m := g.Legal().At(g.Legal().Len() / 2)
		moves = append(moves, m)
		b.move(g, m)
	}
	b.deepens(3, 1)
	b.Press(kb.ArrowLeft)
	b.Press(kb.ArrowLeft)
	g.Undo()
	g.Undo()
	b.shows(r.FormatPosition(g.Position()), 1)
	var other rules.Move
	for m := range g.Legal().All() {
		if m != moves[1] && m.Drop() == rules.NoSquare {
			other = m
		}
	}
	b.move(g, other)
	require.Len(t, b.moves(), 4)
	require.Regexp(t, `^\[>2.*\]$`, b.moves()[2])
	b.Press(kb.ArrowUp)
	b.Wait(`!document.querySelector(".variation [aria-current]")`)
	b.Press(kb.ArrowDown)
	b.shows(r.FormatPosition(g.Position()), 2)
	b.deepens(3, 1)

	// a line is played
	b.Click(`#lines li:nth-child(2) .m`)
	b.Wait(`document.querySelector("#tree [aria-current] .n").textContent === "3"`)
	b.press("promote")
	b.Wait(`document.getElementById("promote").disabled`)
	promoted := b.moves()
	require.Len(t, promoted, 5)

	// a link
	b.Eval(`void import("/dom.js").then((dom) => dom.flush())`, nil)
	link := b.Text(`location.href`)
	require.Len(t, console(), 1, "the position that was refused")
	b.Visit("about:blank")
	console = b.Visit(link)
	b.Wait(`document.querySelector("#tree [aria-current] .n")?.textContent === "3"`)
	texts := func(list []string) (all []string) {
		for _, text := range list {
			all = append(all, text[:4]) // moves that were not shown yet are in short notation
		}
		return all
	}
	require.Equal(t, texts(promoted), texts(b.moves()))
	b.Click("#first")
	b.shows(middle, 0)
	b.Click("#last")
	b.Wait(`document.querySelector("#tree [aria-current] .n")?.textContent === "3"`)
	b.Click("#back")
	b.press("delete")
	b.Wait(`document.querySelectorAll("#tree .ply").length === 3`)

	// switched off, nothing is searched
	b.Wait(`document.querySelector("#switch").getAttribute("aria-pressed") === "true"`)
	b.Click("#switch")
	b.Wait(`document.querySelector("#switch").getAttribute("aria-pressed") === "false"`)
	require.Eventually(t, func() bool { return s.games.moves.busy()+s.games.lines.busy() == 0 }, time.Minute, time.Millisecond)
	require.Empty(t, console())
}

// Links of any kind lead to a page that works.
func TestBrowserAnalyseLinks(t *testing.T) {
	s := newTestServer(t, shallow)
	b := board{browsertest.Open(t), t}
	address := listen(t, s)
	long := url.Values{"rules": {"standard"}, "position": {middle}, "moves": {"a1-(b1)-b2 ( a1-a3 ) e6-(e5)-d5-d4-(d3)xd2@a4"}, "at": {"3"}}
	for _, c := range []struct {
		hash  string
		plies int
	}{
		{long.Encode(), 2},
		{"rules=kang&position=" + url.QueryEscape("000000/000000/000000/000000/000000/000000 s 222/222 0-0 -") + "&moves=%2B3-a1", 0},
		{"rules=" + url.QueryEscape(hostile) + "&position=" + url.QueryEscape(hostile), 0},
		{"rules=standard&position=" + url.QueryEscape(middle) + "&moves=" + url.QueryEscape("( ( ) ) "+hostile) + "&at=-7", 0},
		{"rules=standard&position=" + url.QueryEscape(middle) + "&moves=a1-f6&at=1", 0}, // no legal move
	} {
		b.VisitAnew(address + "/analyse#" + c.hash)
		b.Wait(`document.getElementById("text").value !== ""`)
		b.Wait(fmt.Sprintf(`+(document.querySelector("#tree [aria-current] .n")?.textContent ?? 0) === %d`, c.plies))
		b.Wait(fmt.Sprintf(`(document.getElementById("problem").textContent === "") === %t`, c.plies > 0 || strings.HasPrefix(c.hash, "rules=kang")))
		require.Empty(t, b.Text(`document.querySelector("main script, main img")?.outerHTML ?? ""`))
	}
}

// Under Kang all of a board with hands is in view, and the hands are edited too; the keyboard alone is enough. While
// pieces are set up there are no steps through moves.
func TestBrowserAnalyseKang(t *testing.T) {
	const start = "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -"
	b, console := openAnalysis(t, newTestServer(t, shallow), "rules", "kang", "position", start, "moves", "+1-a1")
	b.Resize(1280, 800)
	b.shows(start, 0)
	require.Equal(t, "South to move. Choose one of the marked pieces in the hand.", b.Text(headline))
	b.Is(`document.querySelector("#table").getBoundingClientRect().bottom <= innerHeight`)
	b.Click("#edit")
	require.Equal(t, "", b.Text(`["first", "back", "next", "last"].filter((id) => document.getElementById(id).checkVisibility()).join()`))
	b.Is(`document.getElementById("bar").classList.contains("empty")`)
	b.Press("3")
	b.PressOn(`[data-at="c2"]`, kb.Enter)
	require.Equal(t, "c2, height 3", b.Text(`document.getElementById("announcement").textContent`))
	require.Equal(t, "1 of height 3 too many.", b.Text(`document.getElementById("missing").textContent`))
	for range 4 { // of 2, 3, 4, 0 and 1
		b.Click(`[data-at="hand-s3"]`)
	}
	b.Eval(`document.getElementById("goals").value = "1-2"`, nil)
	b.Click(`#editor [name=side][value=n]`)
	b.Click(`#editor button[type=submit]`)
	b.shows("000000/003000/000000/000000/000000/000000 n 221/222 1-2 -", 0)
	b.PressOn(`[data-at="hand-n1"]`, kb.Enter)
	b.Wait(`document.querySelector(".cell.end")`)
	b.PressOn(`.cell.end`, kb.Enter)
	b.Wait(`document.querySelectorAll("#tree .ply").length === 1`)
	b.PressOn(`#back`, kb.ArrowLeft)
	b.shows("000000/003000/000000/000000/000000/000000 n 221/222 1-2 -", 0)
	require.Empty(t, console())
}

// A move that can't be shown, as the server is not there, is kept. The page says so if the server is stopped while it
// searches.
func TestBrowserAnalyseWithoutServer(t *testing.T) {
	s := newTestServer(t)
	b, _ := openAnalysis(t, s, "moves", "a1-b2")
	b.shows(middle, 0)
	b.Eval(`window.request = window.fetch`, nil)
	b.Eval(`window.fetch = () => Promise.reject(new Error("gone"))`, nil)
	b.Click("#next")
	b.Wait(`document.getElementById("problem").textContent === "Not connected: the server doesn't answer."`)
	require.Len(t, b.moves(), 1)
	b.Eval(`window.fetch = window.request`, nil)
	b.Click("#next")
	b.Wait(`document.querySelector("#tree [aria-current]")`)
	b.deepens(3, 1)
	s.Close()
	b.Wait(`document.getElementById("progress").textContent === "not connected"`)
}

// Steps forward and lines that are played are shown in motion, at the speed of the page to
// play; those who want less motion get none.
func TestBrowserAnalyseMotion(t *testing.T) {
	b, console := openAnalysis(t, newTestServer(t, shallow), "moves", "a1-b2 e6xd2@a4")
	b.shows(middle, 0)
	b.Choose("#speed", "slow")
	countLifted(b.Tab)
	b.press("next")
	b.Wait(`lifted > 0`)
	require.Empty(t, b.Text(`document.querySelector(".cell.source")?.dataset.at ?? ""`), "no piece can be picked on the way")
	b.press("next")
	b.Wait(`lifted > 0 && document.querySelector("#tree [aria-current] .n").textContent === "2"`)
	b.Click(`[data-at="a6"]`)
	const current = `document.querySelector("#table .board").dataset.position === document.getElementById("text").value.split(" ")[0]`
	require.Equal(t, "true", b.Text("String("+current+")"), "a click ends the motion")
	b.Wait(`document.querySelector(".cell.source")`)
	b.Eval(`void (window.lifted = 0)`, nil)
	b.press("back")
	b.shows(b.Text(`document.getElementById("text").value`), 1)
	require.Equal(t, "0", b.Text(`String(lifted)`), "steps back are shown at once")
	b.press("next")
	b.Wait(`lifted > 0`)
	b.press("edit")
	require.Equal(t, "true", b.Text("String("+current+")"), "the editor ends the motion")
	b.press("cancel")

	b.Choose("#speed", "off")
	b.press("first")
	b.shows(middle, 0)
	b.Eval(`void (window.lifted = 0)`, nil)
	b.press("last")
	b.Wait(`document.querySelector("#tree [aria-current] .n")?.textContent === "2"`)
	require.Equal(t, "0", b.Text(`String(lifted)`))
	require.Empty(t, console())
}

// Moves have the scores of the positions that were analysed, each for the side that made it.
func TestBrowserAnalyseScores(t *testing.T) {
	b, console := openAnalysis(t, newTestServer(t, shallow), "moves", "a1-b2 ( a1-a3 ) e6xd2@a4", "at", "1")
	b.deepens(3, 1)
	b.press("switch")
	const ofMove = `document.querySelector("#tree .ply .v").textContent.trim()`
	var scores [2]string
	b.Eval(`[document.querySelector("#lines .score").textContent, `+ofMove+`]`, &scores)
	opposite := strings.NewReplacer("+", "−", "−", "+", "wins", "loses", "loses", "wins").Replace(scores[0])
	opposite, _, _ = strings.Cut(opposite, " in ") // a ply further
	require.True(t, strings.HasPrefix(scores[1], opposite), "%q", scores)
	b.press("back")
	b.shows(middle, 0)
	require.Equal(t, scores[1], b.Text(ofMove), "it stays")
	require.Empty(t, b.Text(`document.querySelectorAll("#tree .v")[1].textContent`), "what was not analysed has none")

	// the first moves of lines have theirs, too
	b.press("switch")
	b.deepens(3, 1)
	b.press("switch")
	b.Eval(`(() => { // a line that begins with another move than those analysed
		const line = [...document.querySelectorAll("#lines li")].find((l) => !l.querySelector(".m").textContent.startsWith("a1-"));
		window.score = line.querySelector(".score").textContent;
		line.querySelector(".m").click();
	})()`, nil)
	b.Wait(`document.querySelector("#tree [aria-current] .n")?.textContent === "1"`)
	require.Equal(t, b.Text(`score`), b.Text(`document.querySelector("#tree [aria-current] .v").textContent.trim()`))
	require.Empty(t, console())
}
