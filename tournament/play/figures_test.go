package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
)

// visitor is a client of a server, from an address of this machine.
type visitor struct {
	url string
	*http.Client
}

func newVisitor(t *testing.T, url, address string) visitor {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return visitor{url, &http.Client{Transport: transport}}
}

// ask sends a request, and reads the answer as JSON if to is given; else to its end.
func (v visitor) ask(ctx context.Context, method, path, body string, to any) error {
	r, err := http.NewRequestWithContext(ctx, method, v.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	w, err := v.Do(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(w.Body)
	if w.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s", method, path, text)
	}
	if err == nil && to != nil {
		err = json.Unmarshal(text, to)
	}
	return errors.Join(err, w.Body.Close())
}

// begin begins a game.
func (v visitor) begin(ctx context.Context, agent, side string) (now state, err error) {
	body := fmt.Sprintf(`{"agent":%q,"rules":"standard","side":%q,"setup":"random"}`, agent, side)
	return now, v.ask(ctx, "POST", "/api/games", body, &now)
}

// act changes a game.
func (v visitor) act(ctx context.Context, now *state, action, body string) error {
	return v.ask(ctx, "POST", "/api/games/"+now.ID+"/"+action, body, now)
}

// move makes a move, and waits for the agent's.
func (v visitor) move(ctx context.Context, now *state) error {
	from := now.Sources[len(now.Moves)%len(now.Sources)]
	end := from.Ends[len(now.Moves)%len(from.Ends)]
	err := v.act(ctx, now, "move", fmt.Sprintf(`{"ply":%d,"move":%q}`, len(now.Moves), end.Course))
	for err == nil && now.Waiting {
		path := fmt.Sprintf("/api/games/%s?after=%d", now.ID, now.Version)
		*now = state{}
		err = v.ask(ctx, "GET", path, "", now)
	}
	return err
}

// waits plays for a time and returns how long the agent's moves take.
func (v visitor) waits(ctx context.Context, agent string, span time.Duration) (list []time.Duration, err error) {
	var now state
	for end := time.Now().Add(span); err == nil && time.Now().Before(end); {
		if now.ID == "" || now.Result != "" {
			now, err = v.begin(ctx, agent, "south")
			continue
		}
		began := time.Now()
		err = v.move(ctx, &now)
		list = append(list, time.Since(began))
		time.Sleep(span / 50)
	}
	if now.ID != "" && now.Result == "" {
		err = errors.Join(err, v.act(ctx, &now, "resign", "{}"))
	}
	return list, err
}

// attacks are what an address does at a time, again and again, to have the server for itself. The server may refuse it.
var attacks = map[string][]func(context.Context, visitor) error{
	"1. nobody": {},
	"2. six games against `alphabeta` at 10 s, a move taken back after each answer": slices.Repeat(
		[]func(context.Context, visitor) error{takeBack}, 6),
	"3. games begun and left, as fast as it can": {beginGames},
	"4. analyses begun and left, and reviews":    {analyseShortly, analyseShortly, reviewAgain, reviewAgain},
	"5. hints asked for and not waited for":      {hintAndGo, hintAndGo, hintAndGo, hintAndGo},
	"6. all of these":                            {takeBack, takeBack, beginGames, analyseShortly, reviewAgain, hintAndGo, hintAndGo},
}

func takeBack(ctx context.Context, v visitor) error {
	now, err := v.begin(ctx, "alphabeta", "south")
	for err == nil && now.Result == "" {
		if err = v.move(ctx, &now); err == nil {
			err = v.act(ctx, &now, "undo", "{}")
		}
	}
	return err
}

func beginGames(ctx context.Context, v visitor) error {
	now, err := v.begin(ctx, "alphabeta", "north")
	if err == nil {
		err = v.act(ctx, &now, "resign", "{}")
	}
	return err
}

func analyseShortly(ctx context.Context, v visitor) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return v.ask(ctx, "GET", "/api/analyse?"+question().Encode(), "", nil)
}

func reviewAgain(ctx context.Context, v visitor) error {
	return v.ask(ctx, "POST", "/api/review", `{"run":"one","game":0}`, nil)
}

func hintAndGo(ctx context.Context, v visitor) error {
	now, err := v.begin(ctx, "random", "south")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	return errors.Join(v.ask(ctx, "POST", "/api/games/"+now.ID+"/hint", `{"ply":0}`, nil), v.act(ctx, &now, "resign", "{}"))
}

// TestFairnessFigures measures how long one address waits while another asks for all that it can get. It prints the
// table of results/reference/reliability.md. GYGES_FAIRNESS is how long each opponent is played against in each row.
func TestFairnessFigures(t *testing.T) {
	if os.Getenv("GYGES_FAIRNESS") == "" {
		t.Skip("GYGES_FAIRNESS is not set")
	}
	span, err := time.ParseDuration(os.Getenv("GYGES_FAIRNESS"))
	require.NoError(t, err)
	opponents := []string{"random", "novice", "expert", "master", "alphabeta 250 ms"}
	specs := map[string]string{
		"random": "random", "novice": "explore:agent=greedy,random=0.98,temperature=0", "expert": "alphabeta:nodes=18000",
		"master": "alphabeta:nodes=200000,hash=16", "alphabeta 250 ms": "alphabeta:movetime=250ms",
		"alphabeta": "alphabeta:movetime=10s", "analyst": "alphabeta:hash=64", "hint": "alphabeta:movetime=1s",
	}
	s := newTestServer(t, func(c *testConfig) {
		c.web.Open, c.web.Rate, c.Searches, c.Players = true, 0, 0, nil
		c.Registry = builtin.Registry(explore.Kind(builtin.Registry()))
		for name, text := range specs {
			spec, err := agents.ParseSpec(text)
			require.NoError(t, err)
			c.Players = append(c.Players, Player{Name: name, Spec: spec})
			switch name {
			case "analyst":
				c.Analyst = spec
			case "hint":
				c.Hint = spec
			}
		}
	})
	writeRun(t, filepath.Join(s.results, "one"), "finished", lines(drawPair(0)...))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- s.Serve(ctx, l) }()
	url := "http://" + l.Addr().String()
	t.Log("| 127.0.0.2 | " + strings.Join(opponents, " | ") + " | review |")
	for _, name := range slices.Sorted(maps.Keys(attacks)) {
		attack, end := context.WithCancel(ctx)
		var attackers sync.WaitGroup
		for _, act := range attacks[name] {
			attackers.Go(func() {
				v := newVisitor(t, url, "127.0.0.2")
				for attack.Err() == nil {
					if act(attack, v) != nil { // it is refused
						time.Sleep(100 * time.Millisecond)
					}
				}
			})
		}
		time.Sleep(2 * time.Second)
		row, v := "| "+name, newVisitor(t, url, "127.0.0.3")
		for _, agent := range opponents {
			list, err := v.waits(ctx, agent, span)
			require.NoError(t, err)
			slices.Sort(list)
			row += fmt.Sprintf(" | %.2f s, %.2f s", list[len(list)/2].Seconds(), list[len(list)-1].Seconds())
		}
		began := time.Now()
		require.NoError(t, reviewAgain(ctx, v))
		t.Logf("%s | %.1f s |", row, time.Since(began).Seconds())
		end()
		attackers.Wait()
		s.endGames()
	}
	cancel()
	require.NoError(t, <-served)
}

// endGames ends all games.
func (s *testServer) endGames() {
	s.games.endIdle(time.Now().Add(2 * maxIdleTime))
	s.idle()
}
