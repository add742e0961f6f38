package play

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/tournament/internal/browsertest"
)

// phone reports whether a window is that of a phone.
func phone(width int64) bool { return width < 500 }

// visible is whether what a selector finds is seen, as JavaScript.
func visible(selector string) string {
	return `[...document.querySelectorAll("` + selector + `")].some((e) => e.checkVisibility())`
}

// The pages to play and to analyse can be read in windows of all sizes, light and dark, and use them. On a phone the
// lesson comes first, and nothing is said of keys.
func TestBrowserLooks(t *testing.T) {
	s := newTestServer(t, shallow)
	url := listen(t, s)
	for name, page := range map[string]struct{ path, ready string }{
		"play":    {"/play", `document.querySelector("#lesson-steps button")`},
		"analyse": {"/analyse#" + question("moves", "a1-b2", "at", "1").Encode(), `document.querySelectorAll("#lines li").length === 3`},
	} {
		t.Run(name, func(t *testing.T) {
			b := browsertest.Open(t)
			b.Looks(name, url+page.path, func(width int64) {
				b.Wait(page.ready)
				require.Equal(t, phone(width), b.Text(`String(`+visible("kbd")+`)`) == "false", "keys on the page")
				if name == "play" && phone(width) {
					const first = `[...document.querySelectorAll("main > section:not([hidden])")]
						.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0].id`
					require.Equal(t, "lesson", b.Text(first))
					require.Equal(t, "true", b.Text(`String(document.querySelector("#lesson-board").getBoundingClientRect().bottom <= innerHeight)`))
				}
			})
		})
	}
	for name, rules := range map[string]string{"game": "standard", "kang-game": "kang"} {
		t.Run(name, func(t *testing.T) {
			b := browsertest.Open(t)
			g := s.begin("random", rules, "south", "random")
			b.Looks(name, url+"/play#game="+g.ID, func(int64) { b.Wait(`document.querySelector(".cell.source")`) })
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
