package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/tournament/record"
	"gyges/tournament/review"
	"gyges/tournament/web/internal/browsertest"
)

// sampleReviews are reviews of the first games of both rule sets.
var sampleReviews = sync.OnceValues(func() ([]*review.Review, error) {
	games := drawRun("alpha:x=1", "beta", "gamma's")
	list := slices.DeleteFunc(slices.Concat(games[:16], games[36:40]), func(g *record.Record) bool {
		return review.Check(g) != nil // one ends by a move that isn't legal
	})
	reviews := make([]*review.Review, len(list))
	return reviews, review.Run(context.Background(), 300, 0, list, reviews, func(*review.Review) error { return nil })
})

// reviewedPage is a page of games, of which the first of both rule sets are reviewed.
func reviewedPage(t *testing.T) (*Page, []*review.Review) {
	t.Helper()
	about := sampleRun()
	about.Reviews.Nodes = 300
	var err error
	about.Reviews.Games, err = sampleReviews()
	require.NoError(t, err)
	c, rated := collect(t, Options{Games: 500, Seed: 1}, about, drawRun("alpha:x=1", "beta", "gamma's"))
	return Build(c, Input{Title: "sample", Tables: rated, Program: "gyges test"}), about.Reviews.Games
}

// Reviewed games have tables of where they were lost, with links to moves, and the viewer has the reviews; a
// page without reviews has neither.
func TestReviews(t *testing.T) {
	p, reviews := reviewedPage(t)
	i := slices.IndexFunc(p.Sections, func(s Section) bool { return s.ID == "reviews" })
	require.Positive(t, i)
	s := p.Sections[i]
	require.Contains(t, s.Parts[0].Text, fmt.Sprintf("%d of 72 games reviewed: ", len(reviews)))
	require.Contains(t, s.Parts[0].Text, "of 300 nodes")
	var tables []*grid.Table
	for _, b := range s.Parts {
		if b.Table != nil {
			tables = append(tables, b.Table)
		}
	}
	byRules := map[string]int{}
	for _, g := range reviews {
		byRules[g.Rules] += 2
	}
	require.Greater(t, len(byRules), 1)
	require.Len(t, tables, 4*len(byRules))
	var headings []string
	counted := 0
	for _, b := range s.Parts {
		if b.Heading != "" {
			headings = append(headings, strings.TrimPrefix(b.Heading, "Games under "))
		}
		if b.Table != nil && b.Table.Columns[1].Title == "Games" {
			n := 0
			for _, row := range b.Table.Rows {
				of, err := strconv.Atoi(row[1].Text)
				require.NoError(t, err)
				n += of
			}
			require.Equal(t, byRules[headings[len(headings)-1]], n, "both players of each game, under %v", headings)
			counted++
		}
	}
	require.Equal(t, len(byRules), counted)
	worst := tables[3]
	require.NotEmpty(t, worst.Rows)
	require.Regexp(t, `^#game=1\.\d+&ply=\d+$`, worst.Rows[0][3].Link)
	require.Equal(t, worst.Rows[0][3].Link, worst.Rows[0][1].Link)
	n := 0
	for _, g := range p.Viewer.Games {
		if g.Review != nil {
			n++
			require.Len(t, g.Review.Moves, len(g.Moves))
		}
	}
	require.Equal(t, len(reviews), n)

	for _, s := range samplePage(t).Sections {
		require.NotEqual(t, "reviews", s.ID)
	}
}

// A page of reviews alone has all of the games; that of one game has no tables.
func TestBuildReviews(t *testing.T) {
	_, reviews := reviewedPage(t)
	games := drawRun("alpha:x=1", "beta", "gamma's")
	build := func(n int) (*Page, []string) {
		c := NewCollector(Options{Games: 1000})
		c.AddRun(RunInfo{Name: "<x>", Reviews: review.Reviews{Header: review.Header{Nodes: 300}, Games: reviews[:n]}})
		for _, g := range reviews[:n] {
			c.Add(games[g.Game])
		}
		p := BuildReviews(c, Input{Title: "<script>", Program: "gyges test"})
		var html bytes.Buffer
		require.NoError(t, WriteHTML(&html, p))
		require.Contains(t, html.String(), "<h1>&lt;script&gt;</h1>")
		require.Len(t, p.Viewer.Games, n)
		for _, g := range p.Viewer.Games {
			require.NotNil(t, g.Review)
		}
		require.Contains(t, p.Facts, Fact{"nodes a move", "300"})
		return p, mapped(p.Sections, func(s Section) string { return s.ID })
	}
	one, ids := build(1)
	require.Equal(t, []string{"games", "reproducibility"}, ids)
	require.Equal(t, "The game can be replayed here.", one.Sampled)
	all, ids := build(len(reviews))
	require.Equal(t, []string{"reviews", "games", "reproducibility"}, ids)
	require.Equal(t, fmt.Sprintf("All %d games can be replayed here.", len(reviews)), all.Sampled)
}

// The reviews in a run's folder are read; a review of other moves than the record's is not shown, and a file
// that can't be read is noted.
func TestReadReviews(t *testing.T) {
	_, reviews := reviewedPage(t)
	line, err := json.Marshal(reviews[0])
	require.NoError(t, err)
	var file bytes.Buffer
	_, _ = fmt.Fprintln(&file, `{"reviews":1,"nodes":300,"program":"x"}`)
	_, _ = fmt.Fprintln(&file, string(line))
	r := ReadRunFS(t.Context(), fstest.MapFS{review.FileName: {Data: file.Bytes()}}, "x")
	require.Empty(t, r.Notes)
	require.Equal(t, reviews[:1], r.Reviews.Games)
	require.EqualValues(t, 300, r.Reviews.Nodes)
	games := drawRun("alpha:x=1", "beta", "gamma's")
	shown := func(g *record.Record) *review.Review {
		c := NewCollector(Options{Games: 1})
		c.AddRun(r)
		c.Add(g)
		v := c.viewer(strings.ToUpper)
		return v.Games[0].Review
	}
	require.Equal(t, reviews[0], shown(games[0]))
	other := *games[1]
	other.Game = 0
	require.Nil(t, shown(&other))

	r = ReadRunFS(t.Context(), fstest.MapFS{review.FileName: {Data: []byte("<script>\n")}}, "x")
	require.Len(t, r.Notes, 1)
	require.Contains(t, r.Notes[0], "reviews.jsonl:1: expected the first line")
}

// The viewer shows marks beside moves, what a move lost, and the better line on the board.
func TestBrowserReview(t *testing.T) {
	p, reviews := reviewedPage(t)
	i := slices.IndexFunc(reviews, func(g *review.Review) bool { return g.Rules == "standard" && len(g.Turning) > 1 && g.Decisive > 0 })
	require.GreaterOrEqual(t, i, 0)
	g := reviews[i]
	b := browsertest.Open(t)
	console := b.Visit(savePage(t, p) + fmt.Sprintf("#game=1.%d&ply=0", g.Game))
	marks := 0
	for _, m := range g.Moves {
		if slices.Contains([]review.Mark{review.Inaccuracy, review.Mistake, review.Blunder, review.MissedWin, review.Only}, m.Mark) {
			marks++
		}
	}
	var shown int
	b.Eval(`document.querySelectorAll(".moves [class^=mark-]").length`, &shown)
	require.Equal(t, marks, shown)
	require.Contains(t, b.Text(`document.querySelector(".review-summary").textContent`),
		fmt.Sprintf("South: accuracy index %.1f", g.SouthMoves.Accuracy))
	require.Equal(t, "null", b.Text(`String(document.querySelector(".review-start"))`), "a file can't ask for reviews")

	b.Eval(`[...document.querySelectorAll(".review-turn")].find(e => e.textContent.endsWith(". The game was lost here")).click()`, nil)
	b.Wait(fmt.Sprintf(`location.hash === "#game=1.%d&ply=%d"`, g.Game, g.DecisiveMove()+1))
	b.Eval(`document.querySelector(".review-turn").click()`, nil)
	m := g.Moves[slices.IndexFunc(g.Moves, func(m review.Move) bool { return m.Ply == g.Turning[0] })]
	b.Wait(fmt.Sprintf(`location.hash === "#game=1.%d&ply=%d"`, g.Game, m.Ply))
	require.Contains(t, strings.ToLower(b.Text(`document.querySelector(".review-move").textContent`)), string(m.Mark[:6]))
	atMove := b.Text(position)

	r := rules.MustParse(g.Rules)
	game, err := record.Replay(drawRun("alpha:x=1", "beta", "gamma's")[g.Game])
	require.NoError(t, err)
	for len(game.Moves()) >= m.Ply {
		game.Undo()
	}
	best, err := r.ParseMove(game.Position(), m.Line[0])
	require.NoError(t, err)
	b.Eval(`document.querySelector(".review-line button").click()`, nil)
	require.Equal(t, rows(r, r.Apply(game.Position(), best)), b.Text(position))
	require.Equal(t, "true", b.Text(`document.querySelector(".review-line button").getAttribute("aria-pressed")`))
	require.NotEmpty(t, b.Text(`document.querySelector(".review-status").textContent`))
	b.Eval(`document.querySelector(".review-line button").click()`, nil)
	require.Equal(t, atMove, b.Text(position))

	b.Resize(360, 740)
	var over int
	b.Eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`, &over)
	require.Zero(t, over)
	require.Empty(t, console())
}

// The table of worst moves says how many players it leaves out.
func TestWorstOfManyPlayers(t *testing.T) {
	t.Parallel()
	c, _ := collect(t, Options{}, RunInfo{Name: "x"}, drawRun("a", "b", "c"))
	b := newBuilder(c, Input{})
	players := make([]*review.Player, maxAgentRows+1)
	for i := range players {
		players[i] = new(review.Player)
	}
	few := b.worst(&review.Summary{Players: players[1:]}).Title
	require.Equal(t, few+", the first 200 of 201 players", b.worst(&review.Summary{Players: players}).Title)
}
