package play

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/tournament/web/internal/browsertest"
)

// The pages can be read in windows of all sizes, light and dark, and use them. On a phone the lesson comes first, and
// nothing is said of keys. The board uses the height that there is, and the buttons are in sight.
func TestBrowserLooks(t *testing.T) {
	analysis := "/analyse#" + question("moves", "a1-b2", "at", "1").Encode()
	for name, path := range map[string]string{
		"play": "/play", "exercises": "/exercises", "nothing": "/nothing", "analyse": analysis, "editor": analysis,
		"standard": "/play#game=", "kang": "/play#game=",
	} {
		t.Run(name, func(t *testing.T) {
			b, s := board{browsertest.Open(t), t}, newTestServer(t, shallow)
			game := strings.HasSuffix(path, "game=")
			if game {
				path += s.begin("random", name, "south", "random").ID
			}
			b.Looks(name, listen(t, s)+path, func(width int64) {
				phone := width < 500
				is := func(what string) { require.Equal(t, "true", b.Text("String("+what+")"), what) }
				switch {
				case game:
					yourTurn(b.Tab, 0)
					b.Click(".cell.source")
					b.Eval(`scrollTo(0, 0)`, nil)
					least := map[int64]int{360: 330, 1280: 660, 1920: 920}[width]
					const box = `document.querySelector("#table .board").getBoundingClientRect()`
					is(fmt.Sprintf(`%[2]s.height >= %[1]d && %[2]s.bottom <= innerHeight && %[2]s.width <= innerWidth`, least, box))
					is(fmt.Sprintf(`%t || [...document.querySelectorAll(".controls-now button")]`+
						`.every((e) => e.getBoundingClientRect().bottom <= innerHeight)`, phone))
				case name == "play":
					b.Wait(`document.querySelector("#lesson-steps button")`)
					if phone {
						const first = `[...document.querySelectorAll("main > section:not([hidden])")]
							.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0].id`
						require.Equal(t, "new", b.Text(first))
						is(`document.querySelector("#agent").getBoundingClientRect().bottom <= innerHeight`)
					}
				case name == "exercises":
					b.Wait(`document.querySelectorAll("#grades button").length === 20 && document.querySelector(".cell.source")`)
				case path == analysis:
					b.Wait(`document.querySelectorAll("#lines li").length === 3`)
					is(fmt.Sprintf(`%t === document.querySelector(".words-now").getBoundingClientRect().top > `+
						`document.querySelector(".table").getBoundingClientRect().bottom`, phone))
					if name == "editor" {
						b.press("edit")
						b.Wait(`!document.getElementById("editor").hidden`)
					}
				}
				if name == "play" || name == "analyse" {
					is(fmt.Sprintf(`%t !== [...document.querySelectorAll("kbd")].some((e) => e.checkVisibility())`, phone))
				}
			})
		})
	}
}

// No click and no key on the analysis board loses the focus. After a click on the board the arrow keys step through the
// moves, and the tab key leads to its squares.
func TestBrowserAnalysisFocus(t *testing.T) {
	s := newTestServer(t, shallow)
	b, console := openAnalysis(t, s)
	b.shows(middle, 0)
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	b.Wait(`document.querySelectorAll("#tree .ply").length === 1 && !document.querySelector("#back").disabled`)
	require.Equal(t, "table", b.Text(`document.activeElement.id`))
	b.Press(kb.ArrowLeft)
	b.shows(middle, 0)
	b.Press(kb.Tab)
	require.Equal(t, "true", b.Text(`String(document.activeElement.matches(".cell"))`))
	for _, id := range []string{"next", "back", "turn", "switch", "switch", "edit", "cancel", "random"} {
		b.Eval(`document.querySelector("#`+id+`").focus()`, nil)
		b.Press(kb.Enter)
		b.Wait(`document.activeElement !== document.body`)
	}
	b.Wait(`document.querySelector("#text").value !== "` + middle + `" && document.querySelector("#lines .m")`) // the random one's
	b.Click(`#lines .m`)
	b.Wait(`document.querySelectorAll("#tree .ply").length === 1`)
	b.Wait(`document.activeElement !== document.body`)
	require.Empty(t, console())
}

// The board of a game by itself is as large as the one to play on, on a desk and on a phone, and its graph is not cut.
func TestBrowserReplayLooks(t *testing.T) {
	s := newTestServer(t)
	writeRun(t, filepath.Join(s.results, "one"), "finished", lines(shortGame()))
	url, b := listen(t, s), browsertest.Open(t)
	game := s.begin("random", "standard", "south", "random").ID
	widths := map[string]float64{}
	for i, path := range []string{"/play#game=" + game, "/game/one/0#review"} {
		b.Looks("replay", url+path, func(width int64) {
			if i == 0 {
				yourTurn(b, 0)
			} else {
				b.Wait(`document.querySelector(".review-summary .graph")`)
			}
			var at float64
			b.Eval(`document.querySelector(".board").getBoundingClientRect().width`, &at)
			if key := fmt.Sprint(width); i == 0 {
				widths[key] = at
			} else {
				require.InDelta(t, widths[key], at, 2, key)
			}
			require.Equal(t, "[]", b.Text(`JSON.stringify([...document.querySelectorAll(".graph text")].filter((e) => {
				const { left, right } = e.getBoundingClientRect(), svg = e.closest("svg").getBoundingClientRect();
				return left < svg.left || right > svg.right;
			}).map((e) => e.textContent))`))
		})
	}
}
