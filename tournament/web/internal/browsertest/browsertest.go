// Package browsertest opens pages in a real browser, for tests.
package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	env = "GYGES_BROWSER_TEST" // lets the tests run: they take longer than all others together

	pollInterval = 15 * time.Millisecond // of [Tab.Wait]
)

// Tab is a page open in a browser.
type Tab struct {
	t   *testing.T
	ctx context.Context
}

var (
	// startBrowser starts the browser that the tests of a package share, with a page that stays
	// empty; endBrowser ends it.
	startBrowser = sync.OnceValues(func() (context.Context, error) {
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.NoSandbox, chromedp.WindowSize(1100, 1000))
		ctx, endProcess := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, end := chromedp.NewContext(ctx)
		endBrowser = func() {
			end()
			endProcess()
		}
		return ctx, chromedp.Do(ctx, chromedp.Navigate("about:blank"))
	})
	endBrowser = func() {}
)

// Main are the tests of a package with pages. Its TestMain runs them.
type Main struct{ *testing.M }

// Run runs the tests, and ends the browser.
func (m Main) Run() int {
	defer func() { endBrowser() }()
	return m.M.Run()
}

// Serve serves pages to a browser until the test ends, and returns their address. stop lets pages
// that wait for events go.
func Serve(t *testing.T, pages http.Handler, stop func() error) string {
	t.Helper()
	h := httptest.NewServer(pages)
	t.Cleanup(func() {
		_ = stop() // tests of its error call it
		h.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return h.URL
}

// Open opens a page in a context of its own: it shares nothing with those of other tests, beside
// which the test goes on. It needs a Chromium, as of apt-get install chromium; the test is skipped
// unless the environment asks for it. The page ends with the test; a picture of its end is saved
// where GYGES_SHOTS names a folder.
func Open(t *testing.T) *Tab {
	t.Helper()
	if os.Getenv(env) == "" {
		t.Skip(env + "=1 runs the tests of pages in a browser")
	}
	t.Parallel()
	browser, err := startBrowser()
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b := &Tab{t: t, ctx: ctx}
	b.Do(chromedp.Navigate("about:blank"))
	focused := emulation.SetFocusEmulationEnabledParams{Enabled: true}
	Call(b, emulation.SetFocusEmulationEnabled, focused)
	t.Cleanup(func() { b.save(filepath.Base(t.Name())) })
	return b
}

// Call gives the browser a command of its protocol.
func Call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, command, params)
	require.NoError(b.t, err)
}

// save saves a picture of the page where GYGES_SHOTS names a folder.
func (b *Tab) save(name string) {
	b.t.Helper()
	dir := os.Getenv("GYGES_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// Do carries out actions.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// Visit opens a page. console returns the messages that it has written since.
func (b *Tab) Visit(url string) (console func() []string) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	messages := chromedp.Console(ctx)
	b.Do(chromedp.Navigate(url))
	return func() []string {
		// The mark is the last message: all others have arrived before it.
		const mark = "end of messages"
		b.Eval(`console.log("`+mark+`")`, nil)
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

// VisitAnew opens a page that is loaded even if its address differs from the last one in the
// fragment alone.
func (b *Tab) VisitAnew(url string) {
	b.t.Helper()
	b.Visit("about:blank")
	b.Visit(url)
}

// Eval runs an expression of JavaScript and reads its value into to, if that isn't nil.
func (b *Tab) Eval(script string, to any) {
	b.t.Helper()
	require.NoError(b.t, b.eval(script, to), script)
}

// eval is Eval with an error, which a page that is being left may give too.
func (b *Tab) eval(script string, to any) error {
	text := "JSON.stringify((()=>{return " + script + "})()) ?? \"null\""
	raw, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](text))
	if err != nil || to == nil {
		return err
	}
	if err := json.Unmarshal([]byte(raw), to); err != nil {
		return fmt.Errorf("%s: %w", raw, err)
	}
	return nil
}

// Text is Eval for a text.
func (b *Tab) Text(script string) (text string) {
	b.t.Helper()
	b.Eval(script, &text)
	return text
}

// Count is the number of elements that a selector finds.
func (b *Tab) Count(selector string) (n int) {
	b.t.Helper()
	b.Eval(fmt.Sprintf("document.querySelectorAll(%q).length", selector), &n)
	return n
}

// Is checks that an expression is true.
func (b *Tab) Is(script string) {
	b.t.Helper()
	var is bool
	b.Eval("!!("+script+")", &is)
	require.True(b.t, is, script)
}

// Wait waits until an expression is true. One that can't be evaluated isn't: the page may be about
// to be left.
func (b *Tab) Wait(script string) {
	b.t.Helper()
	var done bool
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(pollInterval) {
		err = b.eval("!!("+script+")", &done)
		if err == nil && done {
			return
		}
	}
	require.FailNow(b.t, "not true within a minute", "%s (last error: %v)", script, err)
}

// Press presses keys.
func (b *Tab) Press(keys string) {
	b.t.Helper()
	b.Do(chromedp.KeyEvent(keys))
}

// PressOn presses keys on what a selector finds, which gets the focus.
func (b *Tab) PressOn(selector, keys string) {
	b.t.Helper()
	b.Focus(selector)
	b.Press(keys)
}

// Focus gives the focus to what a selector finds, which stays where it is in the window.
func (b *Tab) Focus(selector string) {
	b.t.Helper()
	b.Eval(fmt.Sprintf(`document.querySelector(%q).focus({ preventScroll: true })`, selector), nil)
}

// Choose chooses a value in a menu that a selector finds.
func (b *Tab) Choose(selector, value string) {
	b.t.Helper()
	b.Eval(fmt.Sprintf(`((e) => {
		e.value = %q;
		e.dispatchEvent(new Event("change", { bubbles: true }));
	})(document.querySelector(%q))`, value, selector), nil)
}

// Click clicks in the middle of what a selector finds, as a mouse does.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.bring(selector, "center")
	x, y := b.Middle(selector)
	b.Do(chromedp.MouseClickXY(x, y))
}

// Drag presses the button of a mouse in the middle of what a selector finds, moves to the middle of
// what another one finds, and releases it there. The window must have room for both.
func (b *Tab) Drag(from, to string) {
	b.t.Helper()
	b.bring(to, "nearest")
	b.bring(from, "nearest")
	b.Mouse(input.DispatchMouseEventTypeMousePressed, from)
	b.Mouse(input.DispatchMouseEventTypeMouseMoved, to)
	b.Mouse(input.DispatchMouseEventTypeMouseReleased, to)
}

// Mouse does something with the left button of a mouse in the middle of what a selector finds.
func (b *Tab) Mouse(what input.DispatchMouseEventType, selector string) {
	b.t.Helper()
	x, y := b.Middle(selector)
	b.Do(chromedp.MouseEvent(what, x, y, chromedp.ButtonLeft))
}

// bring scrolls what a selector finds to a place in the window.
func (b *Tab) bring(selector, place string) {
	b.t.Helper()
	b.Eval(fmt.Sprintf(`document.querySelector(%q).scrollIntoView(
		{ block: %q, behavior: "instant" })`, selector, place), nil)
}

// Middle is the middle in the window of what a selector finds.
func (b *Tab) Middle(selector string) (x, y float64) {
	b.t.Helper()
	var middle [2]float64
	b.Eval(fmt.Sprintf(`((e) => {
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})(document.querySelector(%q))`, selector), &middle)
	return middle[0], middle[1]
}

// Resize gives the window a size.
func (b *Tab) Resize(width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

//go:embed testdata/looks.js
var looks string

// Looks shows a page in a wide window, light, and on a phone, dark, which is touched. It checks
// that its text can be read, that nothing overlaps or is wider than the window, that each figure
// has a picture in view, and that a wide window is used. ready waits until the page shows what it
// is to show, and may check it. Pictures are saved where GYGES_SHOTS names a folder.
func (b *Tab) Looks(name, url string, ready func(isPhone bool)) {
	b.t.Helper()
	for _, isPhone := range []bool{false, true} {
		kind, scheme := "wide", "light"
		b.Resize(1280, 800)
		if isPhone {
			kind, scheme = "phone", "dark"
			b.Resize(360, 740)
		}
		media := emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}
		Call(b, emulation.SetEmulatedMedia, media)
		touch := emulation.SetTouchEmulationEnabledParams{Enabled: isPhone}
		Call(b, emulation.SetTouchEmulationEnabled, touch)
		b.VisitAnew(url)
		ready(isPhone)
		var problems []string
		b.Eval(looks, &problems)
		require.NotNil(b.t, problems)
		b.save(name + "-" + kind)
		assert.Empty(b.t, problems, "%s, %s", name, kind)
	}
}

// Requests are the addresses that the page has requested.
func (b *Tab) Requests() (list []string) {
	b.t.Helper()
	b.Eval(`performance.getEntriesByType("resource").map((e) => e.name)`, &list)
	return list
}
