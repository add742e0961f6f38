package play

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/analysis"
	"gyges/rules"
	"gyges/tournament/web"
)

// middle is a position in the middle of a game.
const middle = "202110/000330/000000/000200/000100/030123 s"

// position asks for a position.
func (s *testServer) position(q positionRequest, status int) (p positionState) {
	s.t.Helper()
	body, err := json.Marshal(q)
	require.NoError(s.t, err)
	w := s.post("/api/position", string(body))
	require.Equal(s.t, status, w.Code, w.Body.String())
	if status == http.StatusOK {
		d := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
		d.DisallowUnknownFields()
		require.NoError(s.t, d.Decode(&p))
	}
	return p
}

// The moves offered lead from position to position, under every preset, to the end of a game.
func TestPositions(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, preset := range rules.Presets() {
		now := s.position(positionRequest{Rules: preset.Name, Setup: "random"}, http.StatusOK)
		require.False(t, now.Placing)
		g, err := analysis.Replay(rules.MustParse(preset.Name), now.Start, nil)
		require.NoError(t, err)
		for range 40 {
			require.Equal(t, g.Rules().FormatPosition(g.Position()), now.Position)
			require.Equal(t, g.Position().Side().Name(), now.Turn)
			o, reason := g.Outcome()
			if o != rules.Undecided {
				require.Equal(t, []string{o.String(), string(reason)}, []string{now.Result, now.Reason})
				require.Empty(t, now.Sources)
				break
			}
			require.Equal(t, sources(g), append([]source{}, now.Sources...))
			m := g.Legal().At(g.Legal().Len() - 1)
			now.Moves = append(now.Moves, m.String()) // the others are in long notation
			g.PlayLegal(m)
			now = s.position(positionRequest{Rules: preset.Name, Position: now.Start, Moves: now.Moves}, http.StatusOK)
		}
	}
	now := s.position(positionRequest{Rules: "standard"}, http.StatusOK)
	require.True(t, now.Placing)
	require.Len(t, now.Sources, 3)
	over := s.position(positionRequest{Rules: "standard", Moves: []string{"b4-goal"},
		Position: "000000/000000/000000/032233/112300/110200 s"}, http.StatusOK)
	require.Equal(t, []string{"1-0", "goal"}, []string{over.Result, over.Reason})
}

// Positions that can't be, and whatever else comes, are refused with the reason.
func TestPositionsRefused(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for body, want := range map[string]string{
		`{"rules":"standard","position":"1"}`:                                      "position",
		`{"rules":"standard","position":"` + hostileJSON() + `"}`:                  "position",
		`{"rules":"standard","position":"` + middle + `","moves":["a1-a2"]}`:       "move 1: a1-a2 is not legal",
		`{"rules":"standard","moves":["` + hostileJSON() + `"]}`:                   "move 1",
		`{"rules":"../../etc/passwd"}`:                                             "rules",
		`{"rules":"kang","position":"` + middle + `"}`:                             "position",
		`{"rules":"standard","setup":"place"}`:                                     "setup: expected random or nothing",
		`{"rules":"standard","moves":[` + strings.Repeat(`"",`, maxMoves) + `""]}`: "moves: expected at most 1000, found 1001",
	} {
		w := s.post("/api/position", body)
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, body)
		require.Contains(t, w.Body.String(), want)
		require.NotContains(t, w.Body.String(), "<script>")
	}
	require.Equal(t, http.StatusBadRequest, s.post("/api/position", `{"rules":"standard","agent":"x"}`).Code)
}

// hostileJSON is hostile as it stands in a JSON string.
func hostileJSON() string {
	text, _ := json.Marshal(hostile)
	return strings.Trim(string(text), `"`)
}

// stream is an answer of server-sent events as a page receives it.
type stream struct {
	*http.Response
	t      *testing.T
	in     *bufio.Scanner
	cancel context.CancelFunc
}

// open asks for events over a connection.
func open(t *testing.T, method, address, body string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set(web.PageHeader, "1")
	r.Header.Set("Content-Type", "application/json")
	w, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		_ = w.Body.Close()
	})
	in := bufio.NewScanner(w.Body)
	in.Buffer(nil, 1<<20)
	return &stream{w, t, in, cancel}
}

// analyseAt asks for an analysis.
func analyseAt(t *testing.T, address string, q url.Values) *stream {
	t.Helper()
	return open(t, http.MethodGet, address+"/api/analyse?"+q.Encode(), "")
}

// next returns the next event.
func (s *stream) next() (event, data string) {
	s.t.Helper()
	for s.in.Scan() {
		switch line := s.in.Text(); {
		case strings.HasPrefix(line, "event: "):
			event = line[7:]
		case strings.HasPrefix(line, "data:"):
			data = strings.TrimSpace(line[5:])
		case line == "" && event != "":
			return event, data
		}
	}
	return "", ""
}

// question is a request for an analysis.
func question(change ...string) url.Values {
	q := url.Values{"rules": {"standard"}, "position": {middle}, "multi": {"2"}}
	for i := 0; i < len(change); i += 2 {
		q.Set(change[i], change[i+1])
	}
	return q
}

// idle waits until nothing is searched and no client has an analysis.
func (s *testServer) idle() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		under := s.games.moves.busy() + s.games.lines.busy()
		for range s.games.analyses.Range {
			under++
		}
		return under == 0
	}, time.Minute, time.Millisecond)
}

// The lines come depth by depth, and the search ends when the page goes.
func TestAnalysis(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	at := analyseAt(t, listen(t, s), question("moves", "a1-b2"))
	require.Equal(t, http.StatusOK, at.StatusCode)
	require.Equal(t, "text/event-stream", at.Header.Get("Content-Type"))
	g, err := analysis.Replay(rules.MustParse("standard"), middle, []string{"a1-b2"})
	require.NoError(t, err)
	for depth := 1; depth < 3; {
		event, data := at.next()
		require.Equal(t, "lines", event)
		var lines []analysis.Line
		require.NoError(t, json.Unmarshal([]byte(data), &lines))
		for i, l := range lines {
			require.Equal(t, i+1, l.Rank)
			m, err := g.Rules().ParseMove(g.Position(), l.Moves[0])
			require.NoError(t, err)
			require.NoError(t, g.Check(m))
		}
		require.LessOrEqual(t, len(lines), 2)
		depth = lines[0].Depth
	}
	require.Equal(t, 1, s.games.lines.busy())
	at.cancel()
	s.idle()
}

// A proof ends it. An agent that fails does, too, and no other analysis.
func TestAnalysisEnds(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string][]string{"alphabeta": {"lines", "end", `"done"`}, "panics": {"end", `"failed"`}} {
		s := newTestServer(t, func(c *testConfig) { c.Analyst = agents.Spec{Kind: agent} })
		address := listen(t, s)
		for range 2 {
			at := analyseAt(t, address, question("position", "000000/000000/000000/032233/112300/110200 s", "multi", "1"))
			var events []string
			last := ""
			for event, data := at.next(); event != ""; event, data = at.next() {
				events = append(events, event)
				last = data
			}
			require.Equal(t, want, append(events, last))
		}
		s.idle()
	}
}

// An address's next analysis ends its last one; those of others wait for a free search.
func TestAnalysisOneOfAnAddress(t *testing.T) {
	t.Parallel()
	s := newTestServer(t) // one search
	address := listen(t, s)
	first := analyseAt(t, address, question())
	event, _ := first.next()
	require.Equal(t, "lines", event)
	for range 5 {
		next := analyseAt(t, address, question("multi", "1"))
		require.Equal(t, http.StatusOK, next.StatusCode)
		data := ""
		for event != "end" {
			event, data = first.next()
			require.NotEmpty(t, event)
		}
		require.Equal(t, `"replaced"`, data)
		event, _ = next.next()
		require.Equal(t, "lines", event)
		first = next
	}
	require.Equal(t, 1, s.games.lines.busy())
	now := s.settled(s.begin("answers", "standard", "north", "random")) // no move waits for an analysis
	require.Len(t, now.Moves, 1)
	first.cancel()
	s.idle()
}

// Closing the server ends the analyses, those that wait too.
func TestAnalysisEndsWithTheServer(t *testing.T) {
	t.Parallel()
	for _, waits := range []bool{false, true} {
		s := newTestServer(t) // one search
		if waits {
			end, err := s.games.lines.Turn(t.Context(), "x")
			require.NoError(t, err)
			defer end()
		}
		at := analyseAt(t, listen(t, s), question())
		s.Close()
		for event, _ := at.next(); event != ""; event, _ = at.next() {
			require.NotEqual(t, "end", event)
		}
	}
}

// Requests that make no sense are refused before anything is searched.
func TestAnalysisRefused(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, c := range []struct{ key, value, want string }{
		{"rules", strings.Repeat("x", 2000), "rules: expected at most 1000 bytes"},
		{"position", "", "in which all pieces are placed"},
		{"position", "000000/000000/000000/032233/112300/110200 s 1-0", "position"},
		{"moves", "a1-a2", "move 1"},
		{"multi", "0", "multi: expected 1 to 5"},
		{"multi", "6", "multi: expected 1 to 5"},
		{"multi", hostile, "multi: expected 1 to 5"},
	} {
		w := s.get("/api/analyse?" + question(c.key, c.value).Encode())
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, c)
		require.Contains(t, w.Body.String(), c.want)
	}
	over := question("position", "000000/000000/000000/032233/112300/110200 s", "moves", "b4-goal")
	require.Contains(t, s.get("/api/analyse?"+over.Encode()).Body.String(), "the game is over there")
	require.Zero(t, s.games.lines.busy())
}
