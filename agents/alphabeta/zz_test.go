package alphabeta

import (
	"fmt"
	"testing"
	"time"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

func TestFind(t *testing.T) {
	gs := newGames(t, "simplified", 4, 40, 1500)
	free := rules.MustParse("simplified:repetition=none")
	t0 := time.Now()
	n := 0
	for found := 0; found < 6 && time.Since(t0) < 150*time.Second; n++ {
		g := rules.NewGame(gs.rules, gs.next().Position())
		for d := 2; d <= 4; d++ {
			w := minimax(g, gs.eval, d, 0)
			if w != minimax(rules.NewGame(free, g.Position()), gs.eval, d, 0) {
				found++
				a := agenttest.New(t, Kind(), fmt.Sprintf("alphabeta:depth=%d,hash=1", d), g)
				dec := agenttest.Choose(t, a, g, agents.Limits{})
				fmt.Println(d, gs.rules.FormatPosition(g.Position()), w, dec.Score, dec.PV)
			}
		}
	}
	fmt.Println(n, time.Since(t0))
}
