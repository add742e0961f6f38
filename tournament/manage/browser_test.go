package manage

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/internal/browsertest"
)

// A tournament is begun by the form, which shows what is wrong and its YAML; it is stopped, renamed and removed on its
// page.
func TestBrowser(t *testing.T) {
	s := newTestServer(t)
	b := browsertest.Open(t)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		require.NoError(t, s.Close()) // pages that wait for events let go
		h.Close()
	})
	console := b.Visit(h.URL)
	b.Click(`a[href="/new"]`)
	b.Wait(`document.querySelector("#form") && document.readyState === "complete"`)
	fill := func(id, text string) {
		b.Eval(fmt.Sprintf(`void document.getElementById(%q).focus()`, id), nil)
		b.Press(text)
	}
	b.Click(`[data-add="agents"]`)
	b.Wait(`document.querySelector("#problems li")`)
	require.Equal(t, "agents: expected 2 to 1000 agents, found 1", b.Text(`document.querySelector("#problems").textContent`))
	require.Equal(t, "true", b.Text(`document.querySelector("#agents").ariaInvalid`))
	b.Eval(`void (() => {
		const agent = document.getElementById("agent");
		agent.value = "alphabeta";
		agent.dispatchEvent(new Event("input", { bubbles: true }));
	})()`, nil)
	b.Click(`[data-kind="alphabeta"] summary`)
	fill("alphabeta-depth", "1")
	fill("alphabeta-weight.", "near=15")
	fill("alphabeta-name", "a'b")
	b.Click(`[data-add="agents"]`)
	require.Equal(t, "random\nalphabeta:depth=1,weight.near=15,name='a''b'", b.Text(`document.querySelector("#agents").value.trim()`))
	fill("name", "begun")
	fill("pairs", "90000")
	b.Wait(`document.querySelector("#games").textContent === "180,000 games at most"`)
	require.Contains(t, b.Text(`document.querySelector("#yaml").textContent`), "- alphabeta:depth=1,weight.near=15,name='a''b'\n")
	require.Equal(t, "false", b.Text(`document.querySelector("#agents").ariaInvalid`))
	b.Click("aside .main")

	b.Wait(`document.querySelector("#stop:not([hidden])")`)
	id := b.Text(`document.querySelector("h1").textContent`)
	require.Regexp(t, `^begun-\d{8}-\d{6}$`, id)
	require.Equal(t, tournament.Running, s.manifest(id).Status)
	b.Click("#stop")
	b.Wait(`document.querySelector("#stop[hidden]")`)
	require.Equal(t, tournament.Interrupted, s.manifest(id).Status)
	b.Click("#manage summary")
	require.Contains(t, b.Text(`document.querySelector("#yaml").textContent`), "pairs: 90000\n")
	require.Contains(t, b.Text(`document.querySelector("#command").textContent`), "--out "+filepath.Join(s.results, id))
	b.Eval(`void document.getElementById("to").select()`, nil)
	b.Press("../x")
	b.Click("#rename button")
	b.Wait(`document.querySelector("#manage-problem").textContent.startsWith("To: expected a name below the results")`)
	b.Eval(`void document.getElementById("to").select()`, nil)
	b.Press("tests/mine")
	b.Click("#rename button")
	b.Wait(`document.querySelector("h1").textContent === "tests/mine" && !document.querySelector("#settings").hidden`)
	b.Click("#manage summary")
	b.Click("#remove")
	b.Wait(`document.querySelector("#manage a")`)
	dir, _, _ := strings.Cut(strings.TrimPrefix(b.Text(`document.querySelector("#manage").textContent`), "It is in "), " now")
	require.FileExists(t, filepath.Join(dir, tournament.ManifestFile))
	require.Contains(t, dir, filepath.Join(s.results, ".trash"))
	for _, message := range console() {
		require.Contains(t, message, "422", "of the mistakes")
	}

	phone := h.URL + "/new"
	b.PhoneInTheDark()
	b.Visit(phone)
	b.Wait(`document.querySelector("#form") && document.readyState === "complete"`)
	b.FitsPhone()
}
