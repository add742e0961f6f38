package report

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
)

// browserEnv makes a missing browser a failure.
const browserEnv = "GYGES_BROWSER_TEST"

// findBrowser returns the path of a Chromium. Without one the test is skipped,
// or fails if the environment asks for it.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv(browserEnv) != "" {
		t.Fatal("there is no chromium, and " + browserEnv + " asks for one; apt-get install chromium")
	}
	t.Skip("there is no chromium; apt-get install chromium to run this test")
	return ""
}

// tab is a page open in a browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
}

// openTab starts a browser.
func openTab(t *testing.T) *tab {
	t.Helper()
	path := findBrowser(t)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.ExecPath(path), chromedp.WindowSize(1100, 900))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	require.NoError(t, chromedp.Listen(ctx, func(ev any) {
		if r, ok := ev.(*network.EventRequestWillBeSent); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.requests = append(b.requests, r.Request.URL)
		}
	}))
	return b
}

// visit opens a page and returns what it has written to the console since, once
// asked.
func (b *tab) visit(url string) (console func() []string) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	messages := chromedp.Console(ctx)
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Navigate(url)))
	return func() []string {
		// A mark of ours comes last: nothing is still on its way then.
		const mark = "that was all"
		b.eval(`console.log("`+mark+`")`, nil)
		defer cancel()
		var list []string
		for m, err := range messages {
			require.NoError(b.t, err)
			if m.Text == mark {
				break
			}
			list = append(list, m.String())
		}
		return list
	}
}

// eval runs a script and reads its value.
func (b *tab) eval(script string, to any) {
	b.t.Helper()
	raw, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("JSON.stringify((()=>{return "+script+"})()) ?? \"null\""))
	require.NoError(b.t, err, script)
	if to != nil {
		require.NoError(b.t, json.Unmarshal([]byte(raw), to), "%s: %s", script, raw)
	}
}

func (b *tab) text(script string) string {
	b.t.Helper()
	var text string
	b.eval(script, &text)
	return text
}

func (b *tab) press(keys string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.KeyEvent(keys)))
}

// saved writes a page to a file and returns its address.
func saved(t *testing.T, p *Page) string {
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

// showcase is a Kang game in which one piece bounces from the board, and one is
// displaced.
func showcase(t *testing.T, games []*record.Game) *record.Game {
	for _, g := range games {
		moves, err := longMoves(g)
		if err != nil || g.Rules != "kang" {
			continue
		}
		text := strings.Join(moves, " ")
		if regexp.MustCompile(`(^| )[a-f]\d-(\([^)]*\)-)?[a-f]\d[-x]`).MatchString(text) && strings.Contains(text, "@") && strings.Contains(text, "goal") {
			return g
		}
	}
	t.Fatal("no game has it all")
	return nil
}

// A report opens with nothing on the console and no request, and its viewer shows
// the right board after every ply of a Kang game, with courses, bounces, hands
// and goals.
func TestBrowserViewer(t *testing.T) {
	games := drawRun("alpha:x=1", "beta", "gamma's")
	p := samplePage(t)
	b := openTab(t)
	url := saved(t, p)
	console := b.visit(url)

	g := showcase(t, games)
	id := gameID(0, g.Game)
	b.eval(fmt.Sprintf(`void (location.hash = "#game=%s&ply=0")`, id), nil)
	require.Eventually(t, func() bool {
		return strings.HasPrefix(b.text(`document.querySelector(".sides").textContent`), "North: "+g.North.Agent)
	}, 5*time.Second, 10*time.Millisecond)
	b.eval(`document.querySelector(".stage").focus()`, nil)

	r := rules.MustParse(g.Rules)
	start, err := r.ParsePosition(g.Opening)
	require.NoError(t, err)
	game := rules.NewGame(r, start)
	require.Equal(t, rows(r, start), b.text(position))
	bounced, displaced, out := 0, 0, 0
	for i, text := range g.Moves {
		before := game.Position()
		m, err := r.ParseMove(before, text)
		require.NoError(t, err)
		require.NoError(t, game.Play(m))
		b.press(kb.ArrowRight)
		require.Equal(t, rows(r, game.Position()), b.text(position), "after ply %d, %s", i+1, text)
		b.pieces(r, game.Position())
		course, ok := r.Course(before, m)
		require.True(t, ok)
		if m.FromHand() > 0 {
			course = append([]rules.Step{{Square: rules.NoSquare}}, course...)
		}
		var shown []string
		b.eval(`[...document.querySelectorAll("[data-bounce]")].map((e) => e.dataset.bounce).sort()`, &shown)
		require.Equal(t, bounces(course), shown, "%s", text)
		var doors int
		b.eval(`document.querySelectorAll(".board .door").length`, &doors)
		require.Equal(t, len(course)-2, doors, "a dot on every door but the last, where the arrow is: %s", text)
		require.Equal(t, m.Drop() != rules.NoSquare, b.text(`String(!!document.querySelector(".board .landed"))`) == "true")
		require.Equal(t, fmt.Sprintf("#game=%s&ply=%d", id, i+1), b.text(`location.hash`))
		bounced += len(shown)
		if m.Drop() != rules.NoSquare {
			displaced++
		}
		if m.IsGoal() {
			out++
		}
	}
	require.NotZero(t, bounced)
	require.NotZero(t, displaced)
	require.NotZero(t, out)
	require.Contains(t, b.text(`document.querySelector(".board").textContent`), fmt.Sprintf("%d out", game.Position().Goals(rules.South)))

	// Back again, by keys and by doors.
	b.press(kb.Home)
	require.Equal(t, rows(r, start), b.text(position))
	steps := 0
	for b.text(`document.querySelector(".at").textContent`) != fmt.Sprintf("1 of %d", len(g.Moves)) {
		b.press(".")
		steps++
		require.Less(t, steps, 40)
	}
	first, err := r.ParseMove(start, g.Moves[0])
	require.NoError(t, err)
	course, _ := r.Course(start, first)
	if first.FromHand() == 0 {
		course = course[1:]
	}
	require.Equal(t, len(course), steps, "one key for each door")
	b.press(kb.End)
	require.Equal(t, rows(r, game.Position()), b.text(position))

	require.Empty(t, console())
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Equal(t, []string{url}, slices.Compact(b.requests), "the page asks for itself and nothing else")
}

// pieces checks what stands on the board, and in the hands.
func (b *tab) pieces(r *rules.Rules, p rules.Position) {
	b.t.Helper()
	var want, got []string
	for s := range rules.Square(rules.NumSquares) {
		if h := p.At(s); h > 0 {
			want = append(want, fmt.Sprintf("%v%d", s, h))
		}
	}
	b.eval(`[...document.querySelectorAll("[data-piece]")].map((e) => e.dataset.piece)`, &got)
	require.Equal(b.t, want, got)
	held := 0
	for _, side := range []rules.Side{rules.South, rules.North} {
		for h := rules.Height(1); h <= 3; h++ {
			held += p.Hand(side, h)
		}
	}
	var drawn int
	b.eval(`document.querySelectorAll(".board .ring.top").length`, &drawn)
	require.Equal(b.t, len(want)+held, drawn, "%s", r.FormatPosition(p))
}

// The script follows moves as the rules do, under every preset: board, hands and
// goals after each ply.
func TestBrowserFollowsRules(t *testing.T) {
	b := openTab(t)
	b.visit(saved(t, samplePage(t)))
	number := int64(1000)
	for _, preset := range rules.Presets() {
		r := rules.MustParse(preset.Name)
		for range 3 {
			number++
			g := drawGame(preset.Name, number, "a", "b")
			v := newViewerGame("1.1", g)
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
			b.eval(fmt.Sprintf(`(() => { const g = %s; let p = gygesBoard.parsePosition(g.opening); return g.moves.map((t) => {
				p = gygesBoard.apply(p, gygesBoard.parseMove(t));
				return gygesBoard.rows(p) + " " + p.hands.map((h) => h.join("")).join("/") + " " + p.goals.join("-");
			}) })()`, data), &got)
			require.Equal(t, want, got, preset.Name)
		}
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
	c, book := collect(t, Options{Games: 500}, Run{Name: hostile}, games)
	p, err := Build(t.Context(), c, Input{Title: hostile, Book: book})
	require.NoError(t, err)
	b := openTab(t)
	url := saved(t, p)
	console := b.visit(url + "#game=1.7&ply=2")
	require.Equal(t, fmt.Sprintf("2 of %d", len(games[7].Moves)), b.text(`document.querySelector(".at").textContent`))
	require.Contains(t, b.text(`document.querySelector(".sides").textContent`), `"><script>alert(1)</script><img src=x onerror=alert(2)>'`)
	require.Equal(t, "[]", b.text(`JSON.stringify([...document.querySelectorAll("img")].map(String))`))

	// The first cell of the first crosstable.
	var count int
	b.eval(`void document.querySelector("table.matrix td a").click()`, nil)
	require.Eventually(t, func() bool {
		b.eval(`document.querySelectorAll(".games tbody tr").length`, &count)
		return count == 12
	}, 5*time.Second, 10*time.Millisecond, "%d games", count)
	require.Equal(t, "12 games", b.text(`document.querySelector("#viewer [role=status]").textContent`))
	require.True(t, strings.HasPrefix(b.text("location.hash"), "#list&"))

	// A matrix is one stop of the tab key, and arrows lead on, past
	// the player itself; the tip is seen.
	b.eval(`document.querySelector("table.matrix td a").focus()`, nil)
	b.press(kb.ArrowDown)
	require.Equal(t, "3", b.text(`document.activeElement.closest("tr").cells[0].textContent`))
	require.Equal(t, "fixed", b.text(`getComputedStyle(document.activeElement.querySelector(".tip")).position`))
	require.Empty(t, console())
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		require.True(t, strings.HasPrefix(r, url), r)
	}
}

// On a phone nothing is wider than the screen but what scrolls by itself; dark is
// dark.
func TestBrowserPhoneAndDark(t *testing.T) {
	b := openTab(t)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(360, 740)))
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	require.NoError(t, err)
	b.visit(saved(t, samplePage(t)))
	var width int
	b.eval(`document.documentElement.scrollWidth`, &width)
	require.LessOrEqual(t, width, 360)
	require.Equal(t, "rgb(20, 23, 26)", b.text(`getComputedStyle(document.body).backgroundColor`))
}
