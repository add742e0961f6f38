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

// No click and no key on the analysis board loses the focus. After a click on the board the arrow keys step through the
// moves, and the tab key leads to its squares.
func TestBrowserAnalysisFocus(t *testing.T) {
	b, console := openAnalysis(t, newTestServer(t, shallow))
	b.shows(middle, 0)
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	b.Wait(`document.querySelectorAll("#tree .ply").length === 1 && !document.querySelector("#back").disabled`)
	require.Equal(t, "table", b.Text(`document.activeElement.id`))
	b.Press(kb.ArrowLeft)
	b.shows(middle, 0)
	b.Press(kb.Tab)
	b.Is(`document.activeElement.matches(".cell")`)
	for _, id := range []string{"next", "back", "turn", "switch", "switch", "edit", "cancel", "random"} {
		b.PressOn("#"+id, kb.Enter)
		b.Wait(`document.activeElement !== document.body`)
	}
	b.Wait(`document.querySelector("#text").value !== "` + middle + `" && document.querySelector("#lines .m")`) // the random one's
	b.Click(`#lines .m`)
	b.Wait(`document.querySelectorAll("#tree .ply").length === 1`)
	b.Wait(`document.activeElement !== document.body`)
	require.Empty(t, console())
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
