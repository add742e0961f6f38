package play

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/web/internal/browsertest"
)

// yourTurn waits until the board shows all moves and the person is to move.
func yourTurn(b *browsertest.Tab, plies int) {
	b.Wait(fmt.Sprintf(`document.querySelectorAll("#moves li").length === %d && `+
		`document.querySelector("#headline").textContent.startsWith("Your turn")`, plies))
}

// shown is the board that the page shows.
const shown = `document.querySelector("#table .board").dataset.position`

// boardAfter is the board after some moves of a game.
func boardAfter(t *testing.T, now state, plies int) string {
	t.Helper()
	r := rules.MustParse(now.Rules)
	p, err := r.ParsePosition(now.Opening)
	require.NoError(t, err)
	for _, text := range now.Moves[:plies] {
		m, err := r.ParseMove(p, text)
		require.NoError(t, err)
		p = r.Apply(p, m)
	}
	return rows(r, p)
}

// countLifted counts the pieces that are drawn above boards from now on.
func countLifted(b *browsertest.Tab) {
	b.Eval(`void (window.lifted = 0, new MutationObserver(() => { lifted += document.querySelectorAll(".lifted").length; })
		.observe(document.querySelector("main"), { childList: true, subtree: true }))`, nil)
}

// quiet is a move of South that ends on an empty square, and safe reports that North can't win at once
// after it. Where no move is, the random opponent seldom finds the one of its 200 that wins.
func quiet(g *rules.Game) (quiet rules.Move, safe bool) {
	for m := range g.Legal().All() {
		if m.Drop() != rules.NoSquare || m.IsGoal() {
			continue
		}
		quiet = m
		if !g.Rules().CanReachGoal(g.Rules().Apply(g.Position(), m), rules.North) {
			return m, true
		}
	}
	return quiet, false
}

// begun is a game against random in which some moves have been made, and South has a quiet move that is safe.
// Set-ups and replies are random, so that it may take several games.
func begun(t *testing.T, s *testServer, plies int) *replica {
	t.Helper()
	for range 20 {
		p := s.replica(s.begin("random", "standard", "south", "random"))
		m, safe := quiet(p.game)
		for safe && len(p.game.Moves()) < plies {
			p.move(m)
			m, safe = quiet(p.game)
			safe = safe && p.now.Result == ""
		}
		if safe {
			return p
		}
	}
	require.Fail(t, "no game of 20 has a quiet move")
	return nil
}

// inGame shows such a game on the page to play.
func inGame(t *testing.T, s *testServer, plies int) (p *replica, b *browsertest.Tab, console func() []string) {
	t.Helper()
	p, b = begun(t, s, plies), browsertest.Open(t)
	console = b.Visit(listen(t, s) + "/play#game=" + p.now.ID)
	yourTurn(b, plies)
	return p, b, console
}

// The list of moves leads to earlier positions, by the mouse and by keys, and back; from
// one the game goes on, and from one of a game that is over another game does.
func TestBrowserEarlierPositions(t *testing.T) {
	s := newTestServer(t)
	p, b, console := inGame(t, s, 6)
	require.Equal(t, boardAfter(t, p.now, 6), b.Text(shown))

	b.Click(`#moves li[data-ply="3"]`)
	require.Equal(t, "Position after ply 3 of 6.", b.Text(`document.querySelector("#headline").textContent`))
	require.Equal(t, boardAfter(t, p.now, 3), b.Text(shown))
	require.True(t, strings.HasPrefix(b.Text(`document.querySelector("#last").textContent`), "South "))
	require.Equal(t, p.now.Moves[2], b.Text(`document.querySelector("#course").textContent`))
	require.Equal(t, 0, b.Count(".cell.source"))
	b.PressOn(`#moves`, kb.ArrowUp)
	require.Equal(t, boardAfter(t, p.now, 2), b.Text(shown))
	b.Press(kb.Home)
	require.Equal(t, boardAfter(t, p.now, 0), b.Text(shown))
	b.Press(kb.Escape)
	yourTurn(b, 6)
	b.Click(`#moves li[data-ply="1"]`)
	b.Click(`#back`)
	yourTurn(b, 6)
	require.Equal(t, boardAfter(t, p.now, 6), b.Text(shown))
	b.Is(`document.querySelector("#earlier").hidden`)

	b.Click(`#moves li[data-ply="2"]`)
	b.Click(`#go-on`)
	yourTurn(b, 2)
	require.Equal(t, boardAfter(t, p.now, 2), b.Text(shown))
	b.Click(`#resign`)
	b.Click(`#resign`)
	b.Wait(`document.querySelector("#headline").textContent.startsWith("You lost")`)
	b.Click(`#moves li[data-ply="1"]`)
	require.Equal(t, boardAfter(t, p.now, 1), b.Text(shown))
	b.PressOn(`#moves`, kb.Home)
	b.Click(`#go-on`)
	yourTurn(b, 0)
	b.Wait(fmt.Sprintf(`location.hash !== "#game=%s"`, p.now.ID)) // it is another game
	require.Empty(t, console())
}

// The board can be turned, and so can a game that is played as North. It leads to its position on the analysis board.
func TestBrowserTurn(t *testing.T) {
	s := newTestServer(t, shallow)
	b := browsertest.Open(t)
	now := s.settled(s.begin("greedy", "standard", "north", "random"))
	require.Len(t, now.Moves, 1)
	console := b.Visit(listen(t, s) + "/play#game=" + now.ID)
	b.Wait(`document.querySelector(".cell.source")`)
	above := func(upper, lower string) {
		const top = `document.querySelector('%s').getBoundingClientRect().top`
		require.Equal(t, "true", b.Text(fmt.Sprintf("String("+top+" < "+top+")", upper, lower)), "%s above %s", upper, lower)
	}
	above(`[data-at="a1"]`, `[data-at="a6"]`)
	above(`[data-at="goal-n"]`, `[data-at="goal-s"]`)
	require.Contains(t, b.Text(`document.querySelector("#below").textContent`), "North you")
	b.Focus(`[data-at="f6"]`)
	for key, want := range map[string]string{kb.ArrowRight: "e6", kb.ArrowUp: "f5"} {
		b.PressOn(`[data-at="f6"]`, key)
		require.Equal(t, want, b.Text(`document.activeElement.dataset.at`))
	}
	b.Click(`#turn`)
	above(`[data-at="a6"]`, `[data-at="a1"]`)
	above(`[data-at="goal-s"]`, `[data-at="goal-n"]`)
	require.Contains(t, b.Text(`document.querySelector("#above").textContent`), "North you")
	b.Click(`.cell.source`)
	require.NotEqual(t, "0", b.Text(`String(document.querySelectorAll(".cell.end, .cell.displace").length)`))

	// the game is played with help from the analysis board on
	b.Click("#to-analyse")
	b.Wait(`location.pathname === "/analyse"`)
	board{b, t}.shows(now.Position, 1)
	g, err := s.games.find(now.ID)
	require.NoError(t, err)
	g.mu.Lock()
	defer g.mu.Unlock()
	require.True(t, g.helped)
	require.Empty(t, console())
}

// The moves are shown door by door; a click goes to their end, and so does the wish for less motion.
func TestBrowserMotion(t *testing.T) {
	s := newTestServer(t)
	p, b, console := inGame(t, s, 2)
	require.Equal(t, "normal", b.Text(`document.querySelector("#speed").value`))
	b.Choose("#speed", "slow")
	countLifted(b)
	m, _ := quiet(p.game)
	(&clicks{Tab: b, t: t, game: p.game, you: rules.South}).click(m)
	b.Wait(`lifted > 0 && document.querySelectorAll("#moves li").length === 4`)
	b.Click(`[data-at="c3"]`)
	require.Contains(t, b.Text(`document.querySelector("#headline").textContent`), "Your turn", "the motion is over")
	p.now = s.state(s.get("/api/games/"+p.now.ID), 200)
	require.Equal(t, boardAfter(t, p.now, 4), b.Text(shown))

	// a move is taken back while it is shown
	p.follow()
	b.Eval(`void (lifted = 0)`, nil)
	m, _ = quiet(p.game)
	(&clicks{Tab: b, t: t, game: p.game, you: rules.South}).click(m)
	b.Wait(`lifted > 0 && document.querySelectorAll("#moves li").length === 6`)
	b.Eval(`document.querySelector("#undo").click()`, nil)
	yourTurn(b, 4)
	b.Wait(`document.querySelector(".cell.source")`)
	require.Equal(t, boardAfter(t, p.now, 4), b.Text(shown))

	b.Eval(`void (window.ended = 0, Promise.all([import("/board.js"), import("/motion.js")]).then(([B, motion]) => { // a forced pass among the moves
		const start = B.parsePosition("321123/000000/000000/000000/000000/321123 s");
		const list = ["f1-(f2-e2)-e3", "pass", "e3-(e4-e5)-d5"].reduce((list, text) => {
			const before = list.at(-1)?.position ?? start, move = B.parseMove(text);
			return [...list, { before, move, position: B.apply(before, move) }];
		}, []);
		motion.create().play(B.createBoard(), list, () => { ended++; });
	}))`, nil)
	b.Wait(`ended === 1`)

	b.Visit(b.Text(`location.href.replace("#", "?slow#")`))
	yourTurn(b, 4)
	require.Equal(t, "slow", b.Text(`document.querySelector("#speed").value`), "the choice is kept")
	browsertest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	b.Wait(`document.querySelector("#speed").disabled`)
	countLifted(b)
	m, _ = quiet(p.game)
	(&clicks{Tab: b, t: t, game: p.game, you: rules.South}).click(m)
	b.Wait(`document.querySelectorAll("#moves li").length === 6`)
	require.Equal(t, "0", b.Text(`String(lifted)`))
	require.Empty(t, console())
}

// A game with a clock shows the time on both sides, and takes no move back.
func TestBrowserClock(t *testing.T) {
	s := newTestServer(t)
	b := browsertest.Open(t)
	console := b.Visit(listen(t, s) + "/play")
	b.Eval(`document.querySelector("#clock").value = "3m+2s"`, nil)
	b.Click(`input[value=random][name=setup]`)
	b.Click(`#form button[type=submit]`)
	yourTurn(b, 0)
	b.Wait(`/^2:5\d/.test(document.querySelector("#below .clock").textContent)`)
	require.Contains(t, b.Text(`document.querySelector("#above .clock").textContent`), "used 0:0")
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	yourTurn(b, 2)
	b.Is(`document.querySelector("#undo").disabled`)
	b.Click(`#moves li`)
	b.Is(`document.querySelector("#go-on").disabled`)
	require.Empty(t, console())
}

// The steps of a lesson can be clicked through, and show the positions after their moves; the last one leads to the
// exercises. On a phone there is a way from the form to the lesson and back. The raw options of the rules are behind a
// fold of their own.
func TestBrowserLesson(t *testing.T) {
	s := newTestServer(t)
	b := browsertest.Open(t)
	console := b.Visit(listen(t, s) + "/play")
	b.Choose("#speed", "off")
	for _, preset := range []string{"simplified", "kang"} {
		b.Choose("#rules", preset)
		b.Wait(fmt.Sprintf(`document.getElementById("lesson-rules").textContent === %q`, preset))
		r := rules.MustParse(preset)
		steps := s.lesson(preset)
		b.Click(`#lesson-steps button`)
		for i, step := range steps {
			require.Equal(t, step.title, b.Text(`document.querySelector("#lesson-texts > :not([hidden]) h3").textContent`))
			require.Equal(t, step.text, b.Text(`document.querySelector("#lesson-texts > :not([hidden]) p").textContent.trim().replace(/\s+/g, " ")`))
			p, err := r.ParsePosition(step.position)
			require.NoError(t, err)
			m, err := r.ParseMove(p, step.move)
			require.NoError(t, err)
			require.Equal(t, rows(r, r.Apply(p, m)), b.Text(`document.querySelector("#lesson-board .board").dataset.position`))
			if i < len(steps)-1 {
				b.Click(`#lesson-next`)
			}
		}
	}
	b.Choose("#speed", "fast")
	countLifted(b)
	b.Click(`#lesson-again`)
	b.Wait(`lifted > 0 && document.querySelector("#lesson-board .landed")`)
	require.Empty(t, console())

	b.Resize(390, 844)
	b.Eval(`scrollTo({ top: 0, behavior: "instant" })`, nil)
	b.Click("#to-lesson")
	b.Wait(`Math.abs(document.querySelector("#lesson").getBoundingClientRect().top) < 100`)
	b.Eval(`document.querySelector("#to-new").click()`, nil) // the page may still be moving
	b.Wait(`Math.abs(document.querySelector("#new").getBoundingClientRect().top) < 100`)
	visible := func(selector string) string { return `document.querySelector("` + selector + `").checkVisibility()` }
	b.Click(`#rules-more summary`)
	b.Is(visible("#prose") + " && !" + visible("#options"))
	b.Click(`#rules-more details summary`)
	b.Is(visible("#options"))
	b.Click(`#lesson-back`)
	b.Is("!" + visible("#to-exercises"))
	b.Click(`#lesson-next`)
	b.Click(`#to-exercises`)
	b.Wait(`location.pathname === "/exercises"`)
}

// A piece follows the pointer, with its course; one that is let go where it can't end stays picked,
// and the page says why. A finger drags, too, without scrolling the page.
func TestBrowserDragging(t *testing.T) {
	s := newTestServer(t)
	p, b, console := inGame(t, s, 2)
	m, _ := quiet(p.game)
	at := func(name string) string { return fmt.Sprintf(`[data-at="%s"]`, name) }
	from, to := m.From().String(), m.To().String()
	drawn := fmt.Sprintf(`String(!!document.querySelector('[data-piece^="%s"]'))`, from)
	const lifted = `String(!!document.querySelector("#table .lifted"))`
	b.Mouse(input.DispatchMouseEventTypeMousePressed, at(from))
	require.Equal(t, "true", b.Text(drawn))
	b.Mouse(input.DispatchMouseEventTypeMouseMoved, at(to))
	require.Equal(t, "false", b.Text(drawn), "the piece has left its square")
	require.Equal(t, "true", b.Text(lifted))
	require.True(t, strings.HasPrefix(b.Text(`document.querySelector("#course").textContent`), from+"-"))
	b.Mouse(input.DispatchMouseEventTypeMouseMoved, at("goal-n"))
	b.Mouse(input.DispatchMouseEventTypeMouseReleased, at("goal-n"))
	require.Equal(t, "true", b.Text(drawn))
	require.Equal(t, "That is the other side’s goal.", b.Text(`document.querySelector("#problem").textContent`))
	require.Equal(t, from, b.Text(`document.querySelector(".picked").dataset.at`))
	require.Equal(t, boardAfter(t, p.now, 2), b.Text(shown))

	for _, end := range []func(){
		func() { b.Press(kb.Escape) },
		func() { b.Eval(`document.querySelector("#turn").click()`, nil) }, // the board is laid out anew
		func() { b.Eval(`document.querySelector("#turn").click()`, nil) },
	} { // what ends a drag in its middle
		b.Mouse(input.DispatchMouseEventTypeMousePressed, at(from))
		b.Mouse(input.DispatchMouseEventTypeMouseMoved, at(to))
		require.Equal(t, "true", b.Text(lifted))
		end()
		require.Equal(t, []string{"false", "true"}, []string{b.Text(lifted), b.Text(drawn)})
		b.Mouse(input.DispatchMouseEventTypeMouseReleased, at(to))
		require.Equal(t, "", b.Text(`document.querySelector(".picked")?.dataset.at ?? ""`))
		require.Equal(t, 2, b.Count("#moves li"))
	}
	x, y := b.Middle(at(from))
	for i, kind := range []input.DispatchMouseEventType{
		input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMouseReleased,
	} { // a click with a shaking hand
		b.Do(chromedp.MouseEvent(kind, x+float64(min(i, 1)*9), y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
	require.Equal(t, from, b.Text(`document.querySelector(".picked")?.dataset.at ?? ""`))
	require.Equal(t, "true", b.Text(drawn))

	browsertest.Call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	finger := func(kind input.DispatchTouchEventType, names ...string) {
		var points []*input.TouchPoint
		for _, name := range names {
			x, y := b.Middle(at(name))
			points = append(points, &input.TouchPoint{X: x, Y: y})
		}
		browsertest.Call(b, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	finger(input.DispatchTouchEventTypeTouchStart, from)
	finger(input.DispatchTouchEventTypeTouchMove, to)
	finger(input.DispatchTouchEventTypeTouchEnd)
	b.Wait(`document.querySelectorAll("#moves li").length > 2`)
	require.True(t, strings.HasPrefix(b.Text(`document.querySelectorAll("#moves .m")[2].textContent`), from+"-"))
	require.Empty(t, console())
}

// The address of a first game begins one: simplified rules, the pieces set up, against the weakest level. The scores of
// the opponent are shown when they are asked for.
func TestBrowserFirstGame(t *testing.T) {
	s := newTestServer(t, func(c *testConfig) {
		c.Players = append([]Player{{Name: "beginner", Spec: agents.Spec{Kind: "greedy"}, Level: true}}, c.Players...)
	})
	b := browsertest.Open(t)
	console := b.Visit(listen(t, s) + "/play#first")
	yourTurn(b, 0)
	require.Equal(t, "simplified", b.Text(`document.querySelector("#rules-now").textContent`))
	require.Equal(t, 0, b.Count("#table [data-hand]"))
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	b.Wait(`document.querySelectorAll("#moves li").length === 2`)
	const score = `document.querySelectorAll("#moves li .v")[1]?.textContent ?? ""`
	require.Empty(t, b.Text(score))
	b.Click(`#scores`)
	require.NotEmpty(t, b.Text(score))
	b.Click(`#scores`)
	require.Empty(t, b.Text(score))
	require.Empty(t, console())
}

// That two people play at one screen is a choice of its own, with a name for each. They play both sides of the board.
// The marks that are explained beside it are those of the rules: nothing is displaced under simplified ones.
func TestBrowserTwoPeople(t *testing.T) {
	s := newTestServer(t)
	b := browsertest.Open(t)
	url := listen(t, s)
	console := b.Visit(url + "/play")
	visible := func() string {
		return b.Text(`["agent", "clock", "other-name"].filter((id) => document.getElementById(id).checkVisibility()).join(" ")`)
	}
	require.Equal(t, "agent clock", visible())
	require.Equal(t, 0, b.Count("#agent option[value=human]"))
	b.Click(`input[name=against][value=human]`)
	require.Equal(t, "other-name", visible())
	b.Choose("#rules", "simplified")
	b.Click(`input[name=setup][value=random]`)
	for id, name := range map[string]string{"name": "Ada", "other-name": "Bo"} {
		b.Click("#" + id)
		b.Press(name)
	}
	b.Click(`#form button[type=submit]`)
	for ply, side := range []string{"South", "North", "South"} {
		b.Wait(fmt.Sprintf(`document.querySelectorAll("#moves li").length === %d && %s.startsWith("%s to move. Choose")`,
			ply, headline, side))
		require.Equal(t, "South Ada, North Bo",
			b.Text(`["below", "above"].map((id) => document.querySelector("#" + id + " .name").textContent).join(", ")`))
		require.Contains(t, b.Text(`document.querySelector(".player.to-move").textContent.trim()`), side)
		b.Click(`.cell.source`)
		b.Click(`.cell.end:not([data-at^=goal])`)
	}
	b.Wait(headline + `.startsWith("North to move")`)
	marks := func(displaced bool) {
		for _, text := range []string{"displaces", "where it can go"} {
			b.Wait(fmt.Sprintf(`document.querySelector(".marks").innerText.includes(%q) === %v`, text, displaced))
		}
		b.Is(`document.querySelector(".marks").innerText.includes("can end here")`)
	}
	marks(false)
	b.Click(`#undo`)
	b.Wait(headline + `.startsWith("South to move")`)
	b.Click(`#resign`)
	b.Click(`#resign`)
	b.Wait(headline + `.startsWith("North won, 0-1 (resignation)")`)
	b.Click("#again")
	b.Click(`input[name=against][value=agent]`)
	require.Equal(t, "agent clock", visible())
	b.Click(`#form button[type=submit]`)
	yourTurn(b, 0)
	require.Empty(t, console())

	b.VisitAnew(url + "/play#game=" + s.begin("human", "standard", "south", "random").ID)
	b.Wait(headline + `.startsWith("South to move")`)
	marks(true)
	b.VisitAnew(url + "/play#game=" + s.begin("human", "standard", "south", "place").ID)
	b.Wait(`document.querySelector(".marks").innerText.trim() === "can end here"`)
}
