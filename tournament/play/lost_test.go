package play

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/internal/browsertest"
)

// While nothing comes from the server, the page of a game says so: as it waits for the opponent's move, and after a move
// of the person's. It is as the server has it once that answers again.
func TestBrowserLostGame(t *testing.T) {
	s := newTestServer(t)
	p := begun(t, s, 2)
	b := browsertest.Open(t)
	proxy := browsertest.NewProxy(t, listen(t, s))
	b.Visit(proxy.URL + "/play#game=" + p.now.ID)
	yourTurn(b, 2)
	proxy.Lock()
	b.Silence("1")
	b.Click(`.cell.source`)
	b.Click(`.cell.end`)
	b.Wait(headline + ` === "Not connected; trying again …"`)
	b.Silence("45")
	proxy.Unlock() // the move comes late, or never
	b.Wait(`!` + headline + `.startsWith("Not connected")`)
	require.Equal(t, "false", b.Text(`String(document.querySelector("#play").classList.contains("thinking"))`))

	waiting := s.begin("sleeps", "standard", "north", "random")
	b.Visit("about:blank")
	b.Visit(proxy.URL + "/play#game=" + waiting.ID)
	b.Wait(headline + ` === "South is thinking …"`)
	proxy.Lock()
	b.Silence("1")
	b.Wait(headline + ` === "Not connected; trying again …"`)
	require.Equal(t, "Not connected; trying again …", b.Text(`document.querySelector("#announcement").textContent`))
	b.Silence("45")
	proxy.Unlock()
	b.Wait(headline + ` === "South is thinking …"`)
	require.Empty(t, b.Text(`document.querySelector("#problem").textContent`))
}

// An analysis of which nothing is heard is begun again.
func TestBrowserLostAnalysis(t *testing.T) {
	s := newTestServer(t)
	b := browsertest.Open(t)
	proxy := browsertest.NewProxy(t, listen(t, s))
	b.Visit(proxy.URL + "/analyse#" + question().Encode())
	const progress = `document.getElementById("progress").textContent`
	b.Wait(progress + ` === "searching"`)
	proxy.Lock()
	b.Silence("1")
	b.Wait(progress + ` === "not connected"`)
	b.Silence("45")
	proxy.Unlock()
	b.Wait(progress + ` === "searching"`)
}
