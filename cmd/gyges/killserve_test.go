//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// visitor plays games against a server until it is gone.
type visitor struct {
	base   string
	client *http.Client
	rng    *rand.Rand

	mu    *sync.Mutex
	begun *int // games
	kept  map[string]visitedGame
}

// visitedGame is a game as the page shows it.
type visitedGame struct {
	ID      string   `json:"id"`
	Opening string   `json:"opening"`
	Moves   []string `json:"moves"`
	Sources []struct {
		Ends []struct {
			Course string `json:"course"`
		} `json:"ends"`
	} `json:"sources"`
	Version int64  `json:"version"`
	Result  string `json:"result"`
	Kept    string `json:"kept"`
	Waiting bool   `json:"waiting"`
}

// serving matches the address that gyges serve prints.
const serving = `(http://[^ ]+)/ until Ctrl-C\n`

// killServer kills servers while people play there, and starts them again in the same folder. Every game that the page
// has shown as kept is recorded, once and as it was played; no other is but those that were begun.
func killServer(t *testing.T, rng *rand.Rand, kills int) {
	dir := t.TempDir()
	v := visitor{mu: new(sync.Mutex), begun: new(int), kept: map[string]visitedGame{}}
	terms := 0
	for range kills {
		p := startProcess(t, dir, "serve --addr 127.0.0.1:0 --results results")
		v.base, v.client = p.address(t, serving), &http.Client{Transport: new(http.Transport)}
		var visitors sync.WaitGroup
		for range 4 {
			one := v
			one.rng = rand.New(rand.NewPCG(rng.Uint64(), 0))
			visitors.Go(func() {
				for one.playGame() {
				}
			})
		}
		p.ended(time.Duration(rng.Int64N(int64(time.Second))))
		signal := syscall.SIGKILL
		if rng.IntN(4) == 0 {
			signal = syscall.SIGTERM
			terms++
		}
		require.NoError(t, p.signal(signal))
		require.Contains(t, []int{-1, 0}, p.exitCode(t), "%s", &p.text)
		v.client.CloseIdleConnections()
		visitors.Wait()
	}
	p := startProcess(t, dir, "serve --addr 127.0.0.1:0 --results results") // removes what was left over
	require.NotEmpty(t, p.address(t, serving), "%s", &p.text)
	p.stop(t)
	games := v.compare(t, filepath.Join(dir, "results"))
	t.Logf("| serve | %d | %d | %d | 0 of %d games shown as kept; %d recorded |", kills, terms, kills, len(v.kept), games)
}

// playGame plays a few moves, resigns, and notes the game if the page shows it as
// kept. It reports whether the server was there until then.
func (v *visitor) playGame() bool {
	var g visitedGame
	if !v.ask("/api/games", `{"agent":"random","time":0,"rules":"simplified","side":"south","setup":"random"}`, &g) {
		return false
	}
	v.mu.Lock()
	*v.begun++
	v.mu.Unlock()
	path := "/api/games/" + g.ID
	for n := v.rng.IntN(4); n > 0 && g.Result == "" && len(g.Sources) > 0; n-- {
		ends := g.Sources[v.rng.IntN(len(g.Sources))].Ends
		body := fmt.Sprintf(`{"ply":%d,"move":%q}`, len(g.Moves), ends[v.rng.IntN(len(ends))].Course)
		if !v.ask(path+"/move", body, &g) || !v.settle(path, &g) {
			return false
		}
	}
	if g.Result == "" && !v.ask(path+"/resign", "{}", &g) {
		return false
	}
	for g.Kept == "" {
		if !v.ask(fmt.Sprintf("%s?after=%d", path, g.Version), "", &g) {
			return false
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.kept[g.Kept] = g
	return true
}

// settle waits until it is the visitor's turn, or the game is over.
func (v *visitor) settle(path string, g *visitedGame) bool {
	for g.Waiting {
		if !v.ask(fmt.Sprintf("%s?after=%d", path, g.Version), "", g) {
			return false
		}
	}
	return true
}

// ask sends a request until it is answered. It reports whether the server is there.
func (v *visitor) ask(path, body string, g *visitedGame) bool {
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	for {
		r, err := http.NewRequest(method, v.base+path, strings.NewReader(body))
		if err != nil {
			return false
		}
		r.Header.Set("Content-Type", "application/json")
		w, err := v.client.Do(r)
		if err != nil {
			return false
		}
		text, err := io.ReadAll(w.Body)
		_ = w.Body.Close() // it was only read
		switch {
		case err != nil:
			return false
		case w.StatusCode == http.StatusTooManyRequests || w.StatusCode == http.StatusServiceUnavailable:
			time.Sleep(100 * time.Millisecond) // as a browser would
		case w.StatusCode >= 300:
			return false // the game is over
		default:
			*g = visitedGame{}
			return json.Unmarshal(text, g) == nil
		}
	}
}

// compare compares the records with what the visitors have seen, and returns how many there are.
func (v *visitor) compare(t *testing.T, results string) int {
	t.Helper()
	recorded := map[string]*record.Record{} // by the address at which the page shows it
	for name, text := range folderContents(t, results) {
		require.Equal(t, tournament.GamesFile, filepath.Base(name), "left over")
		next := int64(0)
		for r := record.NewReader(strings.NewReader(text), name); ; next++ {
			g, err := r.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			require.Equal(t, next, g.Game, name)
			recorded[fmt.Sprintf("%s/%d", filepath.Dir(name), g.Game)] = g
		}
	}
	require.LessOrEqual(t, len(recorded), *v.begun, "games that nobody played")
	for address, seen := range v.kept {
		g := recorded[address]
		require.NotNil(t, g, "%s is lost", address)
		require.Equal(t, []any{seen.Opening, seen.Result, seen.Moves}, []any{g.Opening, g.Result, longMoves(t, g)}, address)
	}
	return len(recorded)
}

// longMoves returns a game's moves as the page shows them.
func longMoves(t *testing.T, g *record.Record) []string {
	t.Helper()
	r, err := rules.Parse(g.Rules)
	require.NoError(t, err)
	p, err := r.ParsePosition(g.Opening)
	require.NoError(t, err)
	list := []string{}
	for _, text := range g.Moves {
		m, err := r.ParseMove(p, text)
		require.NoError(t, err)
		list = append(list, r.LongText(p, m))
		p = r.Apply(p, m)
	}
	return list
}
