package play

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/tournament/web/internal/browsertest"
)

const headline = `document.querySelector("#headline").textContent`

// doubleClick clicks twice on an element, as fast as people do.
func doubleClick(b *browsertest.Tab, selector string) {
	b.Eval(fmt.Sprintf(`document.querySelector(%q).scrollIntoView({ block: "center", behavior: "instant" })`, selector), nil)
	x, y := b.Middle(selector)
	for n := range 2 {
		b.Do(chromedp.MouseClickXY(x, y, chromedp.ClickCount(n+1)))
	}
}

// A game that went on elsewhere is shown as it is once a move is refused or the page is seen again.
func TestBrowserStaleGame(t *testing.T) {
	s := newTestServer(t)
	p, b, _ := inGame(t, s, 2)
	m, _ := quiet(p.game)
	p.move(m) // in another tab
	require.Empty(t, p.now.Result)
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	yourTurn(b, 4)
	require.Equal(t, boardAfter(t, p.now, 4), b.Text(shown))

	m, _ = quiet(p.game)
	p.move(m)
	require.Empty(t, p.now.Result)
	b.Eval(`document.dispatchEvent(new Event("visibilitychange"))`, nil)
	yourTurn(b, 6)

	// one that the server doesn't have any more is over on the page, which keeps its moves
	s.games.endIdle(time.Now().Add(2 * maxIdleTime))
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	b.Wait(headline + `.startsWith("The server has ended this game")`)
	for _, id := range []string{"undo", "hint", "resign"} {
		require.Equal(t, "true", b.Text(fmt.Sprintf(`String(document.getElementById(%q).disabled)`, id)), id)
	}
	b.Click(`#to-analyse`)
	b.Wait(`location.pathname === "/analyse" && document.querySelectorAll("#tree .ply").length === 6`)

	// its address leads to the form
	b.Visit("about:blank")
	openPlay := listen(t, s) + "/play"
	b.Visit(openPlay + "#game=" + p.now.ID)
	b.Wait(`document.querySelector("#other").textContent.startsWith("There is no such game")`)
	require.Equal(t, openPlay, b.Text(`location.href`))
}

// A page that waits for a slow server says so, and makes no request twice.
func TestBrowserSlowServer(t *testing.T) {
	s := newTestServer(t, shallow)
	b := browsertest.Open(t)
	console := b.Visit(listen(t, s) + "/play")
	b.Wait(`document.querySelector("#lesson-steps button")`)
	const delayed = `void (window.posts = 0, window.go = [], window.soon = window.fetch, window.fetch = async (path, more) => {
		if (more?.method === "POST") { posts++; await new Promise((r) => go.push(r)); }
		return soon(path, more);
	})`
	b.Eval(delayed, nil)
	release := func() { b.Eval(`void go.splice(0).forEach((f) => f())`, nil) }
	b.Click(`input[value=random][name=setup]`)
	doubleClick(b, `#form button[type=submit]`)
	b.Wait(`document.querySelector("#form-problem").textContent === "Waiting for the server."`)
	require.Equal(t, "1", b.Text(`String(posts)`))
	release()
	yourTurn(b, 0)
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	b.Wait(headline + ` === "Waiting for the server …"`)
	b.Wait(`document.querySelector("#announcement").textContent === "Waiting for the server …"`)
	b.Click("#again") // the move is made, but the game has been left
	b.Wait(`document.querySelector("#play").hidden`)
	release()
	b.Eval(`void (window.late = 0, setTimeout(() => { late = 1; }, 200))`, nil)
	b.Wait(`late === 1`)
	b.Is(`document.querySelector("#play").hidden`)
	require.Equal(t, "2", b.Text(`String(posts)`))
	b.Click("#other a")
	b.Wait(`!document.querySelector("#play").hidden && document.querySelector("#moves li")`)

	b.Visit(listen(t, s) + "/analyse#" + question("moves", "a1-b2").Encode())
	board{b, t}.shows(middle, 0)
	b.Eval(delayed, nil)
	b.Click("#next")
	b.Wait(`document.querySelector("#problem").textContent === "Waiting for the server."`)
	release()
	b.Wait(`document.querySelector("#tree [aria-current]") && document.querySelector("#problem").textContent === ""`)
	require.Empty(t, console())
}

// A double click doesn't resign, and a game that was left by mistake can be gone back to.
func TestBrowserMishaps(t *testing.T) {
	s := newTestServer(t)
	_, b, console := inGame(t, s, 2)
	require.Equal(t, "Your turn", b.Text(`document.title`))
	doubleClick(b, "#resign")
	require.Equal(t, "Really resign?", b.Text(`document.querySelector("#resign").textContent`))

	doubleClick(b, ".cell.source")
	require.NotEmpty(t, b.Text(`document.querySelector(".cell.picked")?.dataset.at ?? ""`), "a piece stays picked")

	b.Click("#again")
	b.Wait(`!document.querySelector("#new").hidden`)
	b.Click("#other a")
	b.Wait(`!document.querySelector("#play").hidden`)
	yourTurn(b, 2)
	b.Click("#again")
	b.Wait(`!document.querySelector("#new").hidden`)
	b.Eval(`history.back()`, nil)
	b.Wait(`!document.querySelector("#play").hidden`)
	yourTurn(b, 2)

	b.PressOn(`#resign`, kb.Enter)
	b.Press(kb.Enter)
	b.Wait(headline + `.startsWith("You lost")`)
	b.Wait(`document.activeElement.id === "again"`)
	b.Press(kb.Enter)
	b.Wait(`!document.querySelector("#new").hidden`)
	require.Empty(t, b.Text(`document.querySelector("#other").textContent`), "it is over")
	require.Equal(t, "Play", b.Text(`document.title`))
	require.Empty(t, console())
}

// By the keyboard the focus stays where it was, and the link to the content keeps the address. No click and no key on
// the analysis board loses the focus: after a click on the board the arrow keys step through the moves, and the tab key
// leads to its squares. In a low window nothing covers anything, and the hint is whole.
func TestBrowserFocusStays(t *testing.T) {
	s := newTestServer(t, shallow)
	_, b, console := inGame(t, s, 2)
	focus := func(selector string) { b.Eval(fmt.Sprintf(`document.querySelector(%q).focus()`, selector), nil) }
	address := b.Text(`location.href`)
	focus(".skip")
	b.Press(kb.Enter)
	require.Equal(t, "main", b.Text(`document.activeElement.id`))
	require.Equal(t, address, b.Text(`location.href`))

	focus("#hint")
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("#play-hint")`)
	require.Equal(t, "hint", b.Text(`document.activeElement.id`))
	b.Resize(1280, 480)
	var over []string
	b.Eval(`[[".words-now", ".moves-now"], ["#play-hint", ".moves-now"], [".moves-now", ".controls-now"], [".controls-now", "#below"], ["#below", "#lesson"]]
		.filter(([a, b]) => document.querySelector(a).getBoundingClientRect().bottom > document.querySelector(b).getBoundingClientRect().top).map(String)`, &over)
	require.Empty(t, over)
	b.Resize(1100, 1000)
	for range 3 {
		focus("#lesson-next")
		b.Press(kb.Enter)
	}
	require.Equal(t, "lesson-back", b.Text(`document.activeElement.id`), "there is no next step")

	b.Visit(listen(t, s) + "/analyse#" + question("moves", "a1-b2").Encode())
	board{b, t}.shows(middle, 0)
	focus("#next")
	b.Press(kb.Enter)
	b.Wait(`document.activeElement.id === "back"`)
	b.Wait(`location.hash.endsWith("at=1")`)
	address = b.Text(`location.href`)
	focus(".skip")
	b.Press(kb.Enter)
	require.Equal(t, address, b.Text(`location.href`))
	b.Eval(`void (location.hash = "main")`, nil)
	b.Press(kb.ArrowLeft)
	board{b, t}.shows(middle, 0) // and not a set-up drawn

	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	b.Wait(`document.querySelector("#tree [aria-current]") && !document.querySelector("#back").disabled`)
	require.Equal(t, "table", b.Text(`document.activeElement.id`))
	b.Press(kb.ArrowLeft)
	board{b, t}.shows(middle, 0)
	b.Press(kb.Tab)
	b.Is(`document.activeElement.matches(".cell")`)
	for _, id := range []string{"next", "back", "turn", "switch", "switch", "edit", "cancel", "random"} {
		b.PressOn("#"+id, kb.Enter)
		b.Wait(`document.activeElement !== document.body`)
	}
	b.Wait(`document.querySelector("#text").value !== "` + middle + `" && document.querySelector("#lines .m")`) // the random one's
	b.Click(`#lines .m`)
	b.Wait(`document.querySelectorAll("#tree .ply").length === 1 && document.activeElement !== document.body`)
	require.Empty(t, console())
}

// Another position leaves the variations of the last one a step back in the browser.
func TestBrowserAnalyseBack(t *testing.T) {
	b, console := openAnalysis(t, newTestServer(t, shallow), "moves", "a1-b2 ( a1-a3 )", "at", "1")
	b.Wait(`document.querySelectorAll("#tree .ply").length === 2`)
	address, text := b.Text(`location.href`), b.Text(`document.getElementById("text").value`)
	for _, act := range []string{
		`document.getElementById("random").click()`,
		`((document.getElementById("rules").value = "kang"), document.getElementById("rules").dispatchEvent(new Event("change")))`,
	} {
		b.Eval("void "+act, nil)
		b.Wait(`!document.querySelector("#tree .ply")`)
		b.Eval(`history.back()`, nil)
		b.shows(text, 1)
		require.Len(t, b.moves(), 2)
		require.Equal(t, address, b.Text(`location.href`))
	}
	b.press("delete")
	b.Wait(`document.querySelectorAll("#tree .ply").length === 1`)
	b.Eval(`history.back()`, nil)
	b.shows(text, 1)
	require.Len(t, b.moves(), 2)
	require.Len(t, console(), 1, "a standard position can't be one of Kang")
}

// The moves stay where they are, from the beginning on, while lines come and go, and the best move is an arrow. All that
// sets up a position is in view at a height of 800 pixels.
func TestBrowserMovesStay(t *testing.T) {
	b := board{browsertest.Open(t), t}
	b.Resize(1280, 800)
	address := listen(t, newTestServer(t)) + "/analyse#" + question("moves", "a1-b2 e6xd2@a4").Encode()
	b.Visit(address)
	b.Eval(`void (window.treeTop = () => document.getElementById("tree").getBoundingClientRect().top + scrollY, window.empty = 0,
		window.tops = [treeTop()], new MutationObserver(() => {
		if (!document.querySelector("#lines li")) empty++;
		tops.push(treeTop());
	}).observe(document.getElementById("lines"), { childList: true }))`, nil)
	b.deepens(3, 2)
	b.press("next")
	b.Wait(`empty > 0 && document.querySelector("#lines li")`)
	b.Wait(`document.querySelectorAll(".pointed .head").length > 0`)
	b.press("switch")
	b.Wait(`document.getElementById("switch").getAttribute("aria-pressed") === "false"`)
	b.Eval(`void tops.push(treeTop())`, nil)
	require.Equal(t, "1", b.Text(`String(new Set(tops).size)`), b.Text(`tops.join()`))
	b.Eval(`scrollTo(0, 0)`, nil)
	require.Empty(t, b.Text(`[...document.querySelectorAll(".setup-now *, #table")].map((e) => [e, e.getBoundingClientRect()])
		.filter(([, r]) => r.bottom > innerHeight || r.right > innerWidth).map(([e]) => e.id).join()`))
	b.press("edit")
	require.Equal(t, 0, b.Count(".pointed .head"))
}

// While pieces are placed a height stays picked, also when it is tapped again and after the motion of a piece. The
// editor then counts those on the board alone.
func TestBrowserPlacing(t *testing.T) {
	s := newTestServer(t, shallow)
	b := board{browsertest.Open(t), t}
	address := listen(t, s)
	for path, list := range map[string]string{
		"/play#game=" + s.begin("random", "standard", "south", "place").ID:                                           "#moves li",
		"/analyse#rules=standard&position=" + url.QueryEscape("000000/000000/000000/000000/000000/000000 s 222/222"): "#tree .ply",
	} {
		b.VisitAnew(address + path)
		b.Wait(`document.querySelector(".cell.source")`)
		for range 2 {
			b.Click(`[data-at="hand-s3"]`)
			b.Is(`document.querySelector(".cell.picked")?.dataset.at === "hand-s3"`)
		}
		countLifted(b.Tab)
		b.Click(`[data-at="a1"]`)
		b.Wait(fmt.Sprintf(`lifted > 0 && document.querySelectorAll(%q).length === 1 && document.querySelector(".cell.source")`, list))
		b.Wait(`document.querySelector(".cell.picked")?.dataset.at === "hand-s3"`)
	}
	b.VisitAnew(address + "/analyse#rules=standard&position=" + url.QueryEscape("300000/000000/000000/000000/000000/000000 s 221/222"))
	b.Wait(`document.querySelector(".cell.source")`)
	b.Click("#edit")
	require.Equal(t, "4 of height 1 missing, 4 of height 2 missing, 3 of height 3 missing.", b.Text(`document.getElementById("missing").textContent`))
}

// The pages can be read in a wide window and on a phone, and use both. On a phone the form for a game comes first, and
// nothing is said of keys. The board uses the height that there is, and the buttons are in sight.
func TestBrowserLooks(t *testing.T) {
	analysis := "/analyse#" + question("moves", "a1-b2", "at", "1").Encode()
	for name, path := range map[string]string{
		"play": "/play", "exercises": "/exercises", "nothing": "/nothing", "analyse": analysis, "editor": analysis,
		"standard": "/play#game=", "kang": "/play#game=",
	} {
		t.Run(name, func(t *testing.T) {
			b, s := board{browsertest.Open(t), t}, newTestServer(t, shallow)
			isGame := strings.HasSuffix(path, "game=")
			if isGame {
				path += s.begin("random", name, "south", "random").ID
			}
			b.Looks(name, listen(t, s)+path, func(isPhone bool) {
				switch {
				case isGame:
					yourTurn(b.Tab, 0)
					b.Click(".cell.source")
					b.Eval(`scrollTo(0, 0)`, nil)
					least := map[bool]int{true: 330, false: 660}[isPhone]
					const box = `document.querySelector("#table .board").getBoundingClientRect()`
					b.Is(fmt.Sprintf(`%[2]s.height >= %[1]d && %[2]s.bottom <= innerHeight && %[2]s.width <= innerWidth`, least, box))
					b.Is(fmt.Sprintf(`%t || [...document.querySelectorAll(".controls-now button")]`+
						`.every((e) => e.getBoundingClientRect().bottom <= innerHeight)`, isPhone))
				case name == "play":
					b.Wait(`document.querySelector("#lesson-steps button")`)
					if isPhone {
						b.Is(`document.querySelector("#agent").getBoundingClientRect().bottom <= innerHeight`)
					}
				case name == "exercises":
					b.Wait(`document.querySelectorAll("#grades button").length === 20 && document.querySelector(".cell.source")`)
				case path == analysis:
					b.Wait(`document.querySelectorAll("#lines li").length === 3`)
					b.Is(fmt.Sprintf(`%t === document.querySelector(".words-now").getBoundingClientRect().top > `+
						`document.querySelector(".table").getBoundingClientRect().bottom`, isPhone))
					if name == "editor" {
						b.press("edit")
						b.Wait(`!document.getElementById("editor").hidden`)
					}
				}
				if name == "play" || name == "analyse" {
					b.Is(fmt.Sprintf(`%t !== [...document.querySelectorAll("kbd")].some((e) => e.checkVisibility())`, isPhone))
				}
			})
		})
	}
}

// The board of a game by itself is as large as the one to play on, and its graph is not cut.
func TestBrowserReplayLooks(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "one"), "finished", lines(shortGame()))
	url, b := listen(t, s), browsertest.Open(t)
	width := func() (width float64) {
		b.Eval(`document.querySelector(".board").getBoundingClientRect().width`, &width)
		return width
	}
	game := s.begin("random", "standard", "south", "random").ID
	widths := map[bool]float64{}
	b.Looks("played", url+"/play#game="+game, func(isPhone bool) {
		yourTurn(b, 0)
		widths[isPhone] = width()
	})
	b.Looks("replay", url+"/game/one/0#review", func(isPhone bool) {
		b.Wait(`document.querySelector(".review-summary .graph")`)
		require.InDelta(t, widths[isPhone], width(), 2, isPhone)
	})
}
