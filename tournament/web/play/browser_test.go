package play

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
	"gyges/tournament/web/internal/browsertest"
)

// listen serves the pages to browsers, and to tests with http.DefaultClient.
func listen(t *testing.T, s *testServer) string {
	t.Helper()
	return browsertest.Serve(t, s.Handler(), s.Close)
}

// rows is the board of a position text.
func rows(r *rules.Rules, p rules.Position) string {
	text, _, _ := strings.Cut(r.FormatPosition(p), " ")
	return text
}

// clicks plays a person's moves in a browser, and knows the game from its own record of it.
type clicks struct {
	*browsertest.Tab
	t     *testing.T
	game  *rules.Game
	rng   *rand.Rand
	you   rules.Side
	drags bool // the next move
}

// play makes a move by the mouse, by clicks and by dragging in turn.
func (c *clicks) play(m rules.Move) {
	c.t.Helper()
	if c.drags = !c.drags; c.drags {
		c.drag(m)
	} else {
		c.click(m)
	}
}

// end names the cell where a move's piece ends.
func (c *clicks) end(m rules.Move) string {
	if m.IsGoal() {
		return "goal-" + string(c.you.Letter())
	}
	return m.To().String()
}

// drag drags the piece to where it ends, and one displaced from there to where it goes.
func (c *clicks) drag(m rules.Move) {
	c.t.Helper()
	c.Drag(fmt.Sprintf(`[data-at="%s"]`, c.cell(m)), fmt.Sprintf(`[data-at="%s"]`, c.end(m)))
	if m.Drop() != rules.NoSquare && c.Text(`document.querySelector(".drop")?.dataset.at ?? ""`) != "" {
		c.Drag(`.displaced`, fmt.Sprintf(`.drop[data-at="%v"]`, m.Drop()))
	}
}

// click makes a move by clicks: the piece, where it ends, and where the one displaced goes.
func (c *clicks) click(m rules.Move) {
	c.t.Helper()
	var sources []string
	c.Eval(`[...document.querySelectorAll(".cell.source")].map((e) => e.dataset.at)`, &sources)
	picked := c.Text(`document.querySelector(".cell.picked")?.dataset.at ?? ""`)
	if from := c.cell(m); from != picked {
		require.Contains(c.t, sources, from)
		c.Click(fmt.Sprintf(`[data-at="%s"]`, from))
	}
	clickEnd(c.t, c.Tab, c.end(m), c.game.Position(), m)
}

// clickEnd clicks on the cell where the piece that is picked ends, and where the one displaced goes. That is shown
// above the one that takes its place until it has a square.
func clickEnd(t *testing.T, b *browsertest.Tab, cell string, p rules.Position, m rules.Move) {
	t.Helper()
	b.Click(fmt.Sprintf(`[data-at="%s"]`, cell))
	if m.Drop() != rules.NoSquare && b.Text(`document.querySelector(".drop")?.dataset.at ?? ""`) != "" {
		height := p.At(m.To())
		require.Equal(t, fmt.Sprintf("%v%d", m.To(), height), b.Text(`document.querySelector(".lifted").dataset.lifted`))
		require.Contains(t, b.Text(headline), fmt.Sprintf("Put down the %d that stood on %v.", height, m.To()))
		b.Click(fmt.Sprintf(`.drop[data-at="%v"]`, m.Drop()))
	}
}

// cell names the cell of a move's piece.
func (c *clicks) cell(m rules.Move) string {
	from := fromText(m)
	if height := strings.Trim(from, "+@"); height != from {
		return "hand-" + string(c.you.Letter()) + height
	}
	return from
}

// follow takes in the moves that the page lists and checks the board.
func (c *clicks) follow() {
	c.t.Helper()
	var moves []string
	c.Eval(`[...document.querySelectorAll("#moves .m")].map((e) => e.textContent)`, &moves)
	require.GreaterOrEqual(c.t, len(moves), len(c.game.Moves()))
	for _, text := range moves[len(c.game.Moves()):] {
		m, err := c.game.Rules().ParseMove(c.game.Position(), text)
		require.NoError(c.t, err, text)
		require.NoError(c.t, c.game.Play(m), text)
	}
	require.Equal(c.t, rows(c.game.Rules(), c.game.Position()),
		c.Text(`document.querySelector("#table .board").dataset.position`))
	below, above := "a1", "a6"
	if c.you == rules.North {
		below, above = above, below
	}
	const top = `document.querySelector('[data-at="%s"]').getBoundingClientRect().top`
	require.Equal(c.t, "true", c.Text(fmt.Sprintf("String("+top+" > "+top+")", below, above)), "one's own row is below")
}

// ready waits until the person is to move, or the game is over.
func (c *clicks) ready() {
	c.t.Helper()
	c.Wait(`!document.querySelector("#play").hidden && /^(Your turn|You won|You lost|It is a draw)/.test(document.querySelector("#headline").textContent)`)
}

// A full game is played against an agent by clicks and by dragging, its pieces placed by these and by keys, with a hint
// and a move taken back; the board is right after every move, and the record is one that replays.
func TestBrowserPlay(t *testing.T) {
	for set, side := range map[string]rules.Side{"standard": rules.South, "kang": rules.North} {
		t.Run(set, func(t *testing.T) { playByClicks(t, set, side) })
	}
}

// The form offers every preset with its options, shows the rules in words, and begins a game by the rules it shows.
func TestBrowserRules(t *testing.T) {
	s := newTestServer(t)
	b := browsertest.Open(t)
	console := b.Visit(listen(t, s) + "/play")
	shown := func(text string) {
		b.Wait(fmt.Sprintf(`document.getElementById("prose").textContent.includes(%q)`, text))
	}
	shown("not behind the opponent's first occupied row")
	b.Choose("#rules", "turkish-advanced")
	shown("the row that the opponent can play")
	require.Equal(t, "per_leg", b.Text(`document.getElementById("option-door_rule").value`))
	b.Eval(`document.getElementById("rules-more").open = true`, nil)
	b.Choose("#option-null_move", "allow")
	shown("A turn may leave the board as it was.")
	b.Choose("#option-max_plies", "0")
	b.Wait(`document.getElementById("form-problem").textContent.includes("a number from 1 to 100000")`)
	b.Choose("#option-max_plies", "300")
	b.Wait(`document.getElementById("form-problem").textContent === ""`)
	b.Click(`#form button[type=submit]`)
	b.Wait(`document.getElementById("rules-now").textContent.includes("turkish-advanced:null_move=allow,max_plies=300")`)
	require.Len(t, console(), 1, "the request that was refused")
}

func playByClicks(t *testing.T, set string, you rules.Side) {
	s := newTestServer(t)
	s.games.seed = func() uint64 { return 1 }
	b := browsertest.Open(t)
	url := listen(t, s)
	console := b.Visit(url + "/play")
	b.Choose("#rules", set)
	b.Click(fmt.Sprintf(`input[name=side][value=%s]`, you.Name()))
	b.Choose("#speed", "off")
	b.Click(`#form button[type=submit]`)
	c := &clicks{Tab: b, t: t, game: rules.NewGame(rules.MustParse(set), rules.MustParse(set).Start()),
		rng: rand.New(rand.NewPCG(1, 2)), you: you}
	c.ready()
	if set == "standard" {
		c.placeByKeys()
	}
	hinted, undone, displaced, bounced := false, false, 0, 0
	for {
		c.ready()
		c.follow()
		if o, _ := c.game.Outcome(); o != rules.Undecided {
			break
		}
		if !hinted && !c.game.Rules().SettingUp(c.game.Position()) {
			hinted = true
			c.hint()
			continue
		}
		m := c.choose(displaced == 0)
		if m.Drop() != rules.NoSquare {
			displaced++
		}
		bounced += bounces(c.game.Rules(), c.game.Position(), m)
		n := len(c.game.Moves())
		c.play(m)
		b.Wait(fmt.Sprintf(`document.querySelectorAll("#moves li").length > %d`, n))
		if n >= 8 && !undone {
			undone = true
			c.takeBack(n)
		}
	}
	require.NotZero(t, displaced)
	t.Logf("%d plies, %d displaced, %d bounces", c.game.Ply(), displaced, bounced)
	outcome, reason := c.game.Outcome()
	require.Contains(t, b.Text(`document.querySelector("#headline").textContent`),
		outcome.String()+" ("+string(reason)+")")
	b.Wait(`document.querySelector("#advice a")`)

	games := s.kept()
	require.Len(t, games, 1)
	g := games[0]
	replayed, err := record.Replay(g)
	require.NoError(t, err)
	require.Equal(t, c.game.Moves(), replayed.Moves())
	players := [2]string{g.South.Agent, g.North.Agent}
	require.Equal(t, helpedPerson, players[you])
	require.Equal(t, "random", players[you.Other()])
	require.Len(t, g.Timing.MoveMS, len(g.Moves))

	// The record is a run that can be looked at.
	own := func() {
		for _, r := range b.Requests() {
			require.True(t, strings.HasPrefix(r, url) || strings.HasPrefix(r, "data:"), r)
		}
	}
	own()
	require.Empty(t, console())
	console = b.Visit(url)
	b.Click(`.runs tbody a`)
	b.Wait(`document.querySelector("#viewer .board")`)
	require.Contains(t, b.Text(`document.querySelector(".top").textContent`), "games1")
	require.Empty(t, console())
	own()
}

// choose wins where it can; otherwise it draws a move, one that displaces if that is wanted.
func (c *clicks) choose(displace bool) rules.Move {
	m := chooseMove(c.rng, c.game)
	if m.IsGoal() || !displace {
		return m
	}
	for m := range c.game.Legal().All() {
		if m.Drop() != rules.NoSquare {
			return m
		}
	}
	return m
}

// placeByKeys places a piece without the mouse.
func (c *clicks) placeByKeys() {
	c.Focus(`[data-at="hand-s3"]`)
	require.Equal(c.t, "2 of height 3 in South’s hand, can be placed", c.Text(`document.activeElement.getAttribute("aria-label")`))
	c.Press(kb.Enter)
	require.Equal(c.t, "2 of height 3 in South’s hand, picked", c.Text(`document.activeElement.getAttribute("aria-label")`))
	c.Press(kb.ArrowLeft)
	c.Press(kb.ArrowLeft)
	c.Press(kb.ArrowUp)
	c.Press(kb.ArrowUp)
	require.Equal(c.t, "a1, empty, can be placed here", c.Text(`document.activeElement.getAttribute("aria-label")`))
	c.Press(kb.ArrowRight)
	c.Press(kb.ArrowRight)
	c.Press(kb.ArrowUp)
	c.Press(kb.ArrowDown)
	require.Equal(c.t, "c1", c.Text(`document.activeElement.dataset.at`))
	c.Press(kb.Enter)
	c.Wait(`document.querySelectorAll("#moves li").length === 1`)
	require.Contains(c.t, c.Text(`document.querySelector("#announcement").textContent`), "South places a 3 on c1.")
	c.ready()
	c.follow()
}

// hint asks for a hint, which must be a legal move in words and on the board, and plays it.
func (c *clicks) hint() {
	c.t.Helper()
	c.Click("#hint")
	c.Wait(`document.querySelector("#play-hint")`)
	text := c.Text(`document.querySelector("#advice .m").textContent`)
	m, err := c.game.Rules().ParseMove(c.game.Position(), text)
	require.NoError(c.t, err)
	require.NoError(c.t, c.game.Check(m))
	require.Contains(c.t, c.Text(`document.querySelector("#advice p").textContent`), "Hint: "+c.you.String())
	c.Is(`document.querySelector("#table .board .arrow")`)
	n := len(c.game.Moves())
	c.Click("#play-hint")
	c.Wait(fmt.Sprintf(`document.querySelectorAll("#moves li").length > %d`, n))
	require.Equal(c.t, text, c.Text(fmt.Sprintf(`document.querySelectorAll("#moves .m")[%d].textContent`, n)))
}

// takeBack takes the move number n back and goes on from there.
func (c *clicks) takeBack(n int) {
	c.ready()
	c.follow()
	if o, _ := c.game.Outcome(); o != rules.Undecided {
		return
	}
	c.Click("#undo")
	c.Wait(fmt.Sprintf(`document.querySelectorAll("#moves li").length === %d`, n))
	for len(c.game.Moves()) > n {
		c.game.Undo()
	}
	c.ready()
	c.follow()
}
