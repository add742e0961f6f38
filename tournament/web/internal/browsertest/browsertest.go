// Package browsertest opens pages in a real browser, for tests.
package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const env = "GYGES_BROWSER_TEST" // lets the tests run: they take longer than all others together

// Tab is a page open in a browser.
type Tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
}

// startBrowser starts the browser that the tests of a package share, with a page that stays empty; endBrowser ends it.
var (
	startBrowser = sync.OnceValues(func() (context.Context, error) {
		ctx, endProcess := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.NoSandbox, chromedp.WindowSize(1100, 1000))...)
		ctx, end := chromedp.NewContext(ctx)
		endBrowser = func() { end(); endProcess() }
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

// Open opens a page in a context of its own: it shares nothing with those of other tests, beside which the test goes
// on. It needs a Chromium, as of apt-get install chromium; the test is skipped unless the environment asks for it. The
// page ends with the test; a picture of its end is saved where GYGES_SHOTS names a folder.
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
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("about:blank")))
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	focused := emulation.SetFocusEmulationEnabledParams{Enabled: true}
	_, err = chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, focused)
	require.NoError(t, err)
	if dir := os.Getenv("GYGES_SHOTS"); dir != "" {
		t.Cleanup(func() { b.save(dir, filepath.Base(t.Name())) })
	}
	require.NoError(t, chromedp.Listen(ctx, func(ev any) {
		if r, ok := ev.(*network.EventRequestWillBeSent); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.requests = append(b.requests, r.Request.URL)
		}
	}))
	return b
}

func (b *Tab) save(dir, name string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// Visit opens a page. console returns the messages that it has written since.
func (b *Tab) Visit(url string) (console func() []string) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	messages := chromedp.Console(ctx)
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Navigate(url)))
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

// Eval runs an expression of JavaScript and reads its value into to, if that isn't nil.
func (b *Tab) Eval(script string, to any) {
	b.t.Helper()
	require.NoError(b.t, b.eval(script, to), script)
}

// eval is Eval with an error, which a page that is being left may give too.
func (b *Tab) eval(script string, to any) error {
	raw, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("JSON.stringify((()=>{return "+script+"})()) ?? \"null\""))
	if err != nil || to == nil {
		return err
	}
	if err := json.Unmarshal([]byte(raw), to); err != nil {
		return fmt.Errorf("%s: %w", raw, err)
	}
	return nil
}

// Text is Eval for a text.
func (b *Tab) Text(script string) string {
	b.t.Helper()
	var text string
	b.Eval(script, &text)
	return text
}

// Wait waits until an expression is true. One that can't be evaluated isn't: the page may be about to be left.
func (b *Tab) Wait(script string) {
	b.t.Helper()
	var done bool
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(15 * time.Millisecond) {
		if err = b.eval("!!("+script+")", &done); err == nil && done {
			return
		}
	}
	require.FailNow(b.t, "not true within a minute", "%s (last error: %v)", script, err)
}

// Press presses keys.
func (b *Tab) Press(keys string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.KeyEvent(keys)))
}

// Click clicks in the middle of what a selector finds, as a mouse does.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.bring(selector, "center")
	x, y := b.Middle(selector)
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.MouseClickXY(x, y)), selector)
}

// Drag presses the button of a mouse in the middle of what a selector finds, moves to that of
// another one, and releases it there. The window must have room for both.
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
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.MouseEvent(what, x, y, chromedp.ButtonLeft)), selector)
}

// bring scrolls what a selector finds to a place in the window.
func (b *Tab) bring(selector, block string) {
	b.t.Helper()
	script := fmt.Sprintf(`document.querySelector(%q).scrollIntoView({ block: %q, behavior: "instant" })`, selector, block)
	b.Eval("void "+script, nil)
}

// Middle is the middle in the window of what a selector finds.
func (b *Tab) Middle(selector string) (x, y float64) {
	b.t.Helper()
	var at [2]float64
	b.Eval(fmt.Sprintf(`(() => {
		const r = document.querySelector(%q).getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`, selector), &at)
	return at[0], at[1]
}

// show gives the window a size and a colour scheme. What is as narrow as a phone is touched.
func (b *Tab) show(width, height int64, scheme string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)))
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(b.t, err)
	touch := emulation.SetTouchEmulationEnabledParams{Enabled: width < 500}
	_, err = chromedp.Call(b.ctx, emulation.SetTouchEmulationEnabled, touch)
	require.NoError(b.t, err)
}

//go:embed testdata/looks.js
var looks string

// Looks shows a page in windows of three sizes, light and dark, and checks that its text can be read, that nothing
// overlaps or is wider than the window, that each figure has a picture in view, and that wide windows are used. ready
// waits until the page shows what it is to show, and may check it. Pictures are saved where GYGES_SHOTS names a folder.
func (b *Tab) Looks(name, url string, ready func(width int64)) {
	b.t.Helper()
	for _, size := range [][2]int64{{1280, 800}, {1920, 1080}, {360, 740}} {
		for _, scheme := range []string{"light", "dark"} {
			b.show(size[0], size[1], scheme)
			if scheme == "light" {
				b.Visit("about:blank") // an address that differs in its fragment alone is a new page too
				b.Visit(url)
				ready(size[0])
			}
			var problems []string
			b.Eval(looks, &problems)
			require.NotNil(b.t, problems)
			if dir := os.Getenv("GYGES_SHOTS"); dir != "" {
				b.save(dir, fmt.Sprintf("%s-%d-%s", name, size[0], scheme))
			}
			assert.Empty(b.t, problems, "%s at %d × %d, %s", name, size[0], size[1], scheme)
		}
	}
}

// Requests are the addresses requested so far.
func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// Context is the browser's, for other calls of chromedp.
func (b *Tab) Context() context.Context { return b.ctx }
