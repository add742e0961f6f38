package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/greedy"
	"gyges/agents/internal/agenttest"
	"gyges/agents/random"
	"gyges/rules"
)

func start(t *testing.T, spec string, g *rules.Game) agents.Agent {
	t.Helper()
	return agenttest.New(t, Kind(agents.NewRegistry(greedy.Kind(), random.Kind())), spec, g)
}

// place lets an agent place the pieces of the side to move, and returns its row.
func place(t *testing.T, g *rules.Game) (text string) {
	t.Helper()
	side := g.Position().Side()
	a := start(t, "proof:agent=greedy", g)
	for g.Position().Side() == side && g.Rules().SettingUp(g.Position()) {
		require.NoError(t, g.Play(agenttest.Choose(t, a, g, agents.Limits{}).Move))
	}
	for _, h := range rowOf(g.Position(), side) {
		text += fmt.Sprint(h)
	}
	return text
}

func placeRow(t *testing.T, g *rules.Game, row string) {
	t.Helper()
	rank := g.Position().Side() * (rules.Rows - 1)
	for file, h := range row {
		m, err := g.Rules().ParseMove(g.Position(), fmt.Sprintf("%c@%v", h, rules.SquareAt(file, int(rank))))
		require.NoError(t, err)
		require.NoError(t, g.Play(m))
	}
}

func TestSouthPlacesTheRowThatWins(t *testing.T) {
	r := rules.MustParse("simplified")
	require.Contains(t, []string{"213132", "231312"}, place(t, rules.NewGame(r, r.Start())))
	g := rules.NewGame(r, r.Start())
	require.NoError(t, g.Play(parse(t, g, "3@d1")))
	require.Equal(t, "231312", place(t, g)) // what is placed stays
}

func parse(t *testing.T, g *rules.Game, text string) rules.Move {
	t.Helper()
	m, err := g.Rules().ParseMove(g.Position(), text)
	require.NoError(t, err)
	return m
}

// TestWinsEveryGame plays as North against each row but the one that wins for South, and as South, by
// placing its own row; the opponent plays at random.
func TestWinsEveryGame(t *testing.T) {
	r := rules.MustParse("simplified")
	rng := rand.New(rand.NewPCG(3, 4))
	games := [2]int{}
	for _, row := range []string{"112233", "211332", "231132", "312132", "321321", "213132", "132132", "123321"} {
		for _, side := range []rules.Side{rules.South, rules.North} {
			g := rules.NewGame(r, r.Start())
			if side == rules.South {
				place(t, g)
				placeRow(t, g, row)
			} else {
				placeRow(t, g, row)
				place(t, g)
			}
			if side == rules.North && (row == "213132" || row == "231312") {
				continue
			}
			a := start(t, "proof:agent=random", g)
			for {
				o, _ := g.Outcome()
				if o != rules.Undecided {
					require.Equal(t, rules.WinFor(side), o)
					break
				}
				if g.Position().Side() != side {
					g.PlayLegal(g.Legal().At(rng.IntN(g.Legal().Len())))
					continue
				}
				d, err := a.Choose(context.Background(), g, agents.Limits{})
				require.NoError(t, err)
				plies, proven := d.Score.Proven()
				require.True(t, d.Scored && proven && plies > 0)
				require.NoError(t, g.Play(d.Move))
			}
			games[side]++
		}
	}
	require.Equal(t, [2]int{8, 7}, games)
}

func TestPlaysLikeTheOtherAgentElsewhere(t *testing.T) {
	for _, name := range []string{"standard", "kang", "turkish-basic"} {
		r := rules.MustParse(name)
		g := rules.NewGame(r, r.Start())
		a, b := start(t, "proof:agent=random", g), start(t, "proof:agent=random", g)
		inner := agenttest.New(t, random.Kind(), "random", g)
		for range 30 {
			if o, _ := g.Outcome(); o != rules.Undecided {
				break
			}
			want := agenttest.Choose(t, inner, g, agents.Limits{})
			require.Equal(t, want, agenttest.Choose(t, a, g, agents.Limits{}))
			require.Equal(t, want, agenttest.Choose(t, b, g, agents.Limits{}))
			require.NoError(t, g.Play(want.Move))
		}
	}
}

func TestRefusesAgents(t *testing.T) {
	registry := agents.NewRegistry(Kind(agents.NewRegistry(random.Kind())))
	for text, want := range map[string]string{
		"proof:agent=nobody":            "nobody",
		"proof:agent='random:x=1'":      "unknown parameter",
		"proof:agent=proof":             "unknown kind",
		"proof:agent=random,depth=3":    "unknown parameter",
		"proof:agent='proof:agent=''x'": "proof",
	} {
		spec, err := agents.ParseSpec(text)
		if err == nil {
			_, err = registry.New(spec)
		}
		require.ErrorContains(t, err, want, text)
	}
}
