package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
	"gyges/tournament/web/internal/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main{M: m}.Run()) }

// saved writes a page to a file and returns its address.
func savePage(t *testing.T, p *Page) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, WriteHTML(f, p))
	require.NoError(t, f.Close())
	return "file://" + path
}

const position = `document.querySelector(".board").dataset.position`

// rows is the board of a position text.
func rows(r *rules.Rules, p rules.Position) string {
	text, _, _ := strings.Cut(r.FormatPosition(p), " ")
	return text
}

// bounces are the squares on which a course bounces, its start left out.
func bounces(course []rules.Step) []string {
	list := []string{}
	for i, s := range course[:len(course)-1] {
		if !s.Crossed && i > 0 {
			list = append(list, s.Square.String())
		}
	}
	slices.Sort(list)
	return list
}

// showcase is a Kang game in which one piece bounces from the board, and one is displaced.
func showcase(t *testing.T, games []*record.Record) *record.Record {
	for _, g := range games {
		v := Replay(0, g)
		if v.Note != "" || g.Rules != "kang" {
			continue
		}
		text := strings.Join(v.Moves, " ")
		if regexp.MustCompile(`(^| )[a-f]\d-(\([^)]*\)-)?[a-f]\d[-x]`).MatchString(text) && strings.Contains(text, "@") &&
			strings.Contains(text, "goal") {
			return g
		}
	}
	t.Fatal("no game has it all")
	return nil
}

// A report opens with nothing on the console and no request, and its viewer shows the right board after every ply of a
// Kang game, with courses, bounces, hands and goals.
func TestBrowserViewer(t *testing.T) {
	games := drawRun("alpha:x=1", "beta", "gamma's")
	p := samplePage(t)
	b := browsertest.Open(t)
	url := savePage(t, p)
	console := b.Visit(url)

	g := showcase(t, games)
	id := fmt.Sprint("1.", g.Game)
	b.Eval(fmt.Sprintf(`void (location.hash = "#game=%s&ply=0")`, id), nil)
	require.Eventually(t, func() bool {
		return strings.HasPrefix(b.Text(`document.querySelector(".sides").textContent`), "North: "+g.North.Agent)
	}, time.Minute, 10*time.Millisecond)
	b.Focus(`.stage`)

	r := rules.MustParse(g.Rules)
	start, err := r.ParsePosition(g.Opening)
	require.NoError(t, err)
	game := rules.NewGame(r, start)
	require.Equal(t, rows(r, start), b.Text(position))
	bounced, displaced, out := 0, 0, 0
	for i, text := range g.Moves {
		before := game.Position()
		m, err := r.ParseMove(before, text)
		require.NoError(t, err)
		require.NoError(t, game.Play(m))
		b.Press(kb.ArrowRight)
		require.Equal(t, rows(r, game.Position()), b.Text(position), "after ply %d, %s", i+1, text)
		pieces(b, t, r, game.Position())
		course, ok := r.Course(before, m)
		require.True(t, ok)
		if m.FromHand() > 0 {
			course = append([]rules.Step{{Square: rules.NoSquare}}, course...)
		}
		var shown []string
		b.Eval(`[...document.querySelectorAll("[data-bounce]")].map((e) => e.dataset.bounce).sort()`, &shown)
		require.Equal(t, bounces(course), shown, "%s", text)
		var doors int
		b.Eval(`document.querySelectorAll(".board .door").length`, &doors)
		require.Equal(t, len(course)-2, doors, "a dot on every door but the last, where the arrow is: %s", text)
		require.Equal(t, m.Drop() != rules.NoSquare, b.Text(`String(!!document.querySelector(".board .landed"))`) == "true")
		bounced += len(shown)
		if m.Drop() != rules.NoSquare {
			displaced++
		}
		if m.IsGoal() {
			out++
		}
	}
	b.Wait(fmt.Sprintf(`location.hash === "#game=%s&ply=%d"`, id, len(g.Moves)))
	require.NotZero(t, bounced)
	require.NotZero(t, displaced)
	require.NotZero(t, out)
	require.Contains(t, b.Text(`document.querySelector(".board").textContent`),
		fmt.Sprintf("%d out", game.Position().Goals(rules.South)))

	require.Empty(t, console())
	require.Empty(t, b.Requests(), "the page asks for nothing")
}

// pieces checks what stands on the board, and in the hands.
func pieces(b *browsertest.Tab, t *testing.T, r *rules.Rules, p rules.Position) {
	t.Helper()
	var want, got []string
	for s := range rules.Square(rules.NumSquares) {
		if h := p.At(s); h > 0 {
			want = append(want, fmt.Sprintf("%v%d", s, h))
		}
	}
	b.Eval(`[...document.querySelectorAll("[data-piece]")].map((e) => e.dataset.piece)`, &got)
	require.Equal(t, want, got)
	held := 0
	for _, side := range []rules.Side{rules.South, rules.North} {
		for h := rules.Height(1); h <= 3; h++ {
			held += p.Hand(side, h)
		}
	}
	var drawn int
	b.Eval(`document.querySelectorAll(".board .ring.top").length`, &drawn)
	require.Equal(t, len(want)+held, drawn, "%s", r.FormatPosition(p))
}

// The script follows moves as the rules do, under every preset: board, hands and goals after each ply. What lists say of
// a move reads on a page as it does in texts.
func TestBrowserAgreesWithGo(t *testing.T) {
	b := browsertest.Open(t)
	b.Visit(savePage(t, samplePage(t)))
	number := int64(1000)
	for _, preset := range rules.Presets() {
		r := rules.MustParse(preset.Name)
		for range 3 {
			number++
			g := drawGame(preset.Name, number, "a", "b")
			v := Replay(0, g)
			require.Empty(t, v.Note)
			game, err := record.Replay(g)
			require.NoError(t, err)
			p, want := game.Start(), []string{}
			for _, m := range game.Moves() {
				p = r.Apply(p, m)
				want = append(want, fmt.Sprintf("%s %s %d-%d", rows(r, p), hands(p), p.Goals(rules.South), p.Goals(rules.North)))
			}
			data, err := json.Marshal(v)
			require.NoError(t, err)
			var got []string
			b.Eval(fmt.Sprintf(`(() => { %s; const g = %s; let p = parsePosition(g.opening); return g.moves.map((t) => {
				p = apply(p, parseMove(t));
				return rows(p) + " " + p.hands.map((h) => h.join("")).join("/") + " " + p.goals.join("-");
			}) })()`, script("dom.js", "board.js"), data), &got)
			require.Equal(t, want, got, preset.Name)
		}
	}

	type listed struct {
		text  string
		value any
	}
	cases := []listed{{"%d nodes", 12}, {"said %s", "$& $1 $$ %d %"}, {"%v", "a\\b"}, {"%.2f s", 1.2345},
		{"%.0f %%", 99.6}, {"100 %% of %d", 0}, {"%v", true}}
	for _, list := range record.Lists {
		if list.Text != "" {
			cases = append(cases, listed{list.Text, 7})
		}
	}
	for _, c := range cases {
		arguments, err := json.Marshal([]any{c.text, c.value})
		require.NoError(t, err)
		got := b.Text(fmt.Sprintf(`(() => { %s; return formatted(...%s) })()`, script("dom.js"), arguments))
		require.Equal(t, fmt.Sprintf(c.text, c.value), got)
	}
}

func hands(p rules.Position) string {
	text := ""
	for _, side := range []rules.Side{rules.South, rules.North} {
		for h := rules.Height(1); h <= 3; h++ {
			text += fmt.Sprint(p.Hand(side, h))
		}
		if side == rules.South {
			text += "/"
		}
	}
	return text
}

// Table cells lead to the games behind them, and an address to a game and ply.
// Hostile names stay text in the script's hands as well.
func TestBrowserLinks(t *testing.T) {
	games := drawRun(hostile, strings.Repeat("n", 200), "plain")
	c, rated := collect(t, Options{Games: 500}, RunInfo{Name: hostile}, games)
	p := Build(c, Input{Title: hostile, Tables: rated})
	b := browsertest.Open(t)
	url := savePage(t, p)
	console := b.Visit(url + "#game=1.7&ply=2")
	require.Equal(t, fmt.Sprintf("2 of %d", len(games[7].Moves)), b.Text(`document.querySelector(".at").textContent`))
	require.Contains(t, b.Text(`document.querySelector(".sides").textContent`),
		`"><script>alert(1)</script><img src=x onerror=alert(2)>'`)
	require.Equal(t, "[]", b.Text(`JSON.stringify([...document.querySelectorAll("img")].map(String))`))

	// The first cell of the first crosstable.
	var count int
	b.Eval(`void document.querySelector("table.matrix td a").click()`, nil)
	require.Eventually(t, func() bool {
		b.Eval(`document.querySelectorAll(".games tbody tr").length`, &count)
		return count == 12
	}, time.Minute, 10*time.Millisecond, "%d games", count)
	require.Equal(t, "12 games", b.Text(`document.querySelector("#viewer [role=status]").textContent`))
	require.True(t, strings.HasPrefix(b.Text("location.hash"), "#list&"))

	// A matrix is one stop of the tab key, and arrows lead on, past the player itself; the tip is seen.
	b.PressOn(`table.matrix td a`, kb.ArrowDown)
	require.Equal(t, "3", b.Text(`document.activeElement.closest("tr").cells[0].textContent`))
	require.Equal(t, "fixed", b.Text(`getComputedStyle(document.activeElement.querySelector(".tip")).position`))
	require.Empty(t, console())
	require.Empty(t, b.Requests())
}

// atWidths runs a test of the sample page in windows of two widths.
func atWidths(t *testing.T, test func(t *testing.T, b *browsertest.Tab, url string)) {
	url := savePage(t, samplePage(t))
	for _, width := range []int64{390, 1280} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			b := browsertest.Open(t)
			b.Resize(width, 900)
			test(t, b, url)
		})
	}
}

// Keys step through the game without a click on the board, except where what has the
// focus uses them, and those that scroll only while the viewer is in view.
func TestBrowserKeys(t *testing.T) {
	atWidths(t, func(t *testing.T, b *browsertest.Tab, url string) {
		console := b.Visit(url + "#game=1.7&ply=0")
		total := strings.TrimPrefix(b.Text(at), "0 of ")
		press := func(key, want string) {
			t.Helper()
			b.Press(key)
			require.Equal(t, want+" of "+total, b.Text(at), "%q", key)
		}
		press(kb.ArrowRight, "1")
		press(kb.End, total)
		press(kb.Home, "0")
		press(kb.ArrowRight, "1")
		press(kb.ArrowLeft, "0")
		b.Press(".")
		require.NotEqual(t, "0 of "+total, b.Text(at))
		press(",", "0")
		for _, want := range []string{"Pause", "Play"} {
			space := `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true }))`
			require.Equal(t, "false", b.Text("String("+space+")"), "the page doesn't scroll by it")
			require.Equal(t, want, b.Text(playing))
		}
		b.Press(kb.Home)

		b.Focus(`[data-act=next]`)
		press(" ", "1")
		require.Equal(t, "Play", b.Text(playing), "Space is the button's")
		press(kb.ArrowRight, "2")
		b.Focus(`.picker select`)
		press(kb.ArrowLeft, "2")
		b.Focus(`.moves`)
		press(kb.Home, "0")
		b.Focus(`.games`)
		b.Eval(`void (document.querySelector(".games").style.maxHeight = "5rem")`, nil)
		press(kb.End, "0")

		b.Eval(`void document.activeElement.blur()`, nil)
		b.Eval(`scrollTo({ top: 0, behavior: "instant" })`, nil)
		press(kb.ArrowRight, "1")
		require.Equal(t, "0", b.Text(`String(scrollY)`))
		b.Focus(`table.matrix td a`)
		press(kb.ArrowRight, "1")
		b.Is(`!(document.querySelector("table.matrix td a") === document.activeElement)`)
		b.Eval(`void document.activeElement.blur()`, nil)
		b.Eval(`scrollTo({ top: 0, behavior: "instant" })`, nil)
		press(kb.End, "1")
		b.Wait(`scrollY > 0`)
		require.Empty(t, console())
	})
}

const (
	at      = `document.querySelector(".at").textContent`
	playing = `document.querySelector("[data-act=play]").textContent`
)

// An address of a game and a ply brings the board, the game's row in the list and the move's in the list of moves into
// view, when the page is opened and when the address changes; playing leaves the page where it is.
func TestBrowserDeepLinks(t *testing.T) {
	const inBox = `((e, box) => { const r = e.getBoundingClientRect(), b = box.getBoundingClientRect();
		return r.top >= b.top - 1 && r.bottom <= b.bottom + 1; })`
	seen := func(t *testing.T, b *browsertest.Tab, id string) {
		t.Helper()
		b.Wait(`document.querySelector(".games [aria-current]")?.dataset.id === "` + id + `"`)
		b.Wait(inBox + `(document.querySelector(".games [aria-current]"), document.querySelector(".games"))`)
		b.Wait(inBox + `(document.querySelector(".moves [aria-current]"), document.querySelector(".moves"))`)
		b.Wait(`(() => { const r = document.querySelector(".stage").getBoundingClientRect(), nav = document.querySelector("nav");
			const row = document.querySelector(".games [aria-current]").getBoundingClientRect(), top = nav.getBoundingClientRect().bottom - 1;
			return r.top >= top && r.bottom <= innerHeight && row.top >= top; })()`)
	}
	atWidths(t, func(t *testing.T, b *browsertest.Tab, url string) {
		games := drawRun("alpha:x=1", "beta", "gamma's")
		long := func(from int) *record.Record {
			return games[from+slices.IndexFunc(games[from:], func(g *record.Record) bool { return len(g.Moves) > 14 })]
		}
		first, second := long(22), long(0)
		require.NotEqual(t, first.Game, second.Game)
		address := func(g *record.Record) string { return fmt.Sprintf("#game=1.%d&ply=%d", g.Game, len(g.Moves)-3) }
		b.Visit(url + address(first))
		seen(t, b, fmt.Sprint("1.", first.Game))
		b.Eval(`scrollTo({ top: 0, behavior: "instant" })`, nil)
		b.Eval(fmt.Sprintf(`void (location.hash = %q)`, address(second)), nil)
		b.Wait(fmt.Sprintf(`%s === "%d of %d"`, at, len(second.Moves)-3, len(second.Moves)))
		seen(t, b, fmt.Sprint("1.", second.Game))
		y := b.Text(`String(scrollY)`)
		b.Eval(`scrollBy({ top: 40, behavior: "instant" })`, nil)
		require.NotEqual(t, y, b.Text(`String(scrollY)`))
		y = b.Text(`String(scrollY)`)
		b.Eval(`void document.querySelector("[data-act=play]").click()`, nil)
		b.Wait(fmt.Sprintf(`%s === "%d of %d"`, at, len(second.Moves), len(second.Moves)))
		require.Equal(t, y, b.Text(`String(scrollY)`))
		var over int
		b.Eval(`document.documentElement.scrollWidth - innerWidth`, &over)
		require.LessOrEqual(t, over, 0)
	})
}

// An address with a game that the page doesn't have is told so, in view, on load and later.
func TestBrowserAbsentGame(t *testing.T) {
	b := browsertest.Open(t)
	told := func(id string) {
		b.Wait(`(() => { const e = document.querySelector(".absent"), r = e.getBoundingClientRect();
			return e.textContent.includes("Game ` + id + `, which the address names, is not among") && r.top >= 0 && r.bottom <= innerHeight; })()`)
	}
	b.Visit(savePage(t, samplePage(t)) + "#game=99.1&ply=3")
	told("99.1")
	b.Eval(`scrollTo({ top: 0, behavior: "instant" })`, nil)
	b.Eval(`void (location.hash = "#game=99.2")`, nil)
	told("99.2")
	b.Eval(`void document.querySelector(".games a").click()`, nil)
	b.Wait(`document.querySelector(".absent").textContent === ""`)
}

// Where there is one game the viewer has no list to choose from.
func TestBrowserOneGame(t *testing.T) {
	c := NewCollector(Options{Games: 10})
	c.AddRun(RunInfo{Name: "one"})
	c.Add(drawRun("alpha:x=1", "beta", "gamma's")[0])
	b := browsertest.Open(t)
	console := b.Visit(savePage(t, BuildReviews(c, Input{Title: "One game"})))
	for selector, want := range map[string]bool{"#viewer .board": true, "#viewer .picker": false, "#viewer .games": false} {
		var seen bool
		b.Eval(`document.querySelector("`+selector+`").checkVisibility()`, &seen)
		require.Equal(t, want, seen, selector)
	}
	require.Empty(t, console())
}

// Steps through a game change the address some times a second at most, as browsers refuse more; one that refuses is
// asked again until it has the last ply.
func TestBrowserAddress(t *testing.T) {
	b := browsertest.Open(t)
	console := b.Visit(savePage(t, samplePage(t)))
	b.Wait(`document.querySelector(".games a")`)
	b.Eval(`addEventListener("hashchange", () => (window.opened = true))`, nil)
	b.Click(".games a")
	b.Wait(`window.opened`)
	var calls int
	b.Eval(`(() => {
		const replaceState = history.replaceState.bind(history);
		window.calls = 0;
		history.replaceState = (...values) => {
			if (++window.calls === 2) throw new DOMException("more than 100 times per 10 seconds", "SecurityError");
			replaceState(...values);
		};
		const press = (key) =>
			document.querySelector(".stage").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
		for (let i = 0; i < 60; i++) press("ArrowRight"), press("ArrowLeft");
		press("End");
		return window.calls;
	})()`, &calls)
	require.LessOrEqual(t, calls, 1, "the others are left out")
	b.Wait(`location.hash.endsWith("&ply=" + document.querySelectorAll(".moves li").length)`)
	b.Eval(`window.calls`, &calls)
	require.LessOrEqual(t, calls, 3, "one was refused")
	require.Empty(t, console())
}

// The report can be read in windows of all sizes, light and dark, and uses them.
func TestBrowserLooks(t *testing.T) {
	b := browsertest.Open(t)
	b.Looks("report", savePage(t, samplePage(t))+"#game=1.7&ply=5", func(bool) { b.Wait(`document.querySelector("#viewer .board")`) })
}
