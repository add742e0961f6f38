package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/ratings"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// countsOf returns what was counted under a rule set.
func countsOf(c *Collector, rules string) *standings.RuleSet {
	i := slices.IndexFunc(c.RuleSets, func(s *standings.RuleSet) bool { return s.Name == rules })
	return c.RuleSets[i]
}

// The sample has the first games of every kind by priority, as choosing from all games at once gives them.
func TestSampleIsFair(t *testing.T) {
	t.Parallel()
	const bound = 30
	s := sample{Options: Options{Games: bound, Seed: 3}}
	priorities := map[kind][]uint64{}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range int64(20_000) {
		g := &record.Record{Game: i, Rules: "r", South: record.Player{Agent: fmt.Sprint(rng.IntN(4))},
			North: record.Player{Agent: "x"}, Reason: "goal", Moves: []string{"a"}}
		if i%5000 == 0 {
			g.Reason = "rare"
		}
		s.add(0, g)
		k := kind{g.Rules, g.South.Agent, g.North.Agent, g.Reason}
		priorities[k] = append(priorities[k], agents.MixSeed(3, 0, uint64(i)))
		require.LessOrEqual(t, len(s.kept), 4*bound)
	}
	count := map[kind]int{}
	got := map[kind][]uint64{}
	for _, g := range s.chosen() {
		count[g.kind]++
		got[g.kind] = append(got[g.kind], g.priority)
	}
	require.Len(t, s.chosen(), bound)
	require.True(t, s.dropped)
	for k, list := range priorities {
		slices.Sort(list)
		slices.Sort(got[k])
		require.NotEmpty(t, got[k], "%v", k)
		require.Equal(t, list[:len(got[k])], got[k])
		if len(list) > bound {
			require.GreaterOrEqual(t, count[k], (bound-4)/4)
		}
	}
}

func TestSampleBoundsPlies(t *testing.T) {
	t.Parallel()
	s := sample{Options: Options{Games: 10}}
	for i := range int64(1000) {
		s.add(0, &record.Record{Game: i, Moves: make([]string, 300)})
	}
	require.Len(t, s.chosen(), 10*pliesPerGame/300)
	s.add(0, &record.Record{Game: 1000, Moves: make([]string, 10*pliesPerGame+1)})
	require.Len(t, s.chosen(), 10*pliesPerGame/300)
}

// Many games stay exact in the counts and bounded in memory and page.
func TestScale(t *testing.T) {
	const games, players = 20_000, 12
	c := NewCollector(Options{Games: 500, Seed: 1})
	c.AddRun(RunInfo{Name: "big"})
	samples := make([]*record.Record, 64)
	for i := range samples {
		samples[i] = drawGame("standard", int64(i), "a", "b")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	south := int64(0)
	for i := range int64(games) {
		g := *samples[i%64]
		g.Game, g.Pair, g.Moves = i, i/2, slices.Clone(g.Moves)
		a, b := fmt.Sprint("p", i/2%players), fmt.Sprint("p", (i/2+1+i/2/players%(players-1))%players)
		if i%2 == 1 {
			a, b = b, a
		}
		g.South.Agent, g.North.Agent = a, b
		c.Add(&g)
		if g.Result == "1-0" {
			south++
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+15<<20)
	require.EqualValues(t, games, c.Games())
	require.Equal(t, south, countsOf(c, "standard").Results[0])
	repeats := c.Data().Identical.Pairs // of the few games that there are
	require.EqualValues(t, games/2, countsOf(c, "standard").Pairs.Pairs()+int64(repeats))

	tables, err := c.Fit(t.Context(), ratings.Options{}, false)
	require.NoError(t, err)
	p := Build(c, Input{Title: "big", Tables: tables})
	require.Len(t, p.Viewer.Games, 500)
	require.Contains(t, p.Sampled, "500 of 20,000 games can be replayed here")
	var page bytes.Buffer
	require.NoError(t, WriteHTML(&page, p))
	require.Less(t, page.Len(), 4<<20)
	require.Contains(t, page.String(), "<dd>20,000</dd>")
	for _, b := range p.Sections[0].Parts {
		if b.Table != nil && b.Class == "matrix" && strings.HasPrefix(b.Table.Title, "Score") {
			for i, row := range b.Table.Rows {
				for j, cell := range row[2:] {
					require.Equal(t, i == j, cell.Link == "", "a cell without games behind it")
				}
			}
		}
	}
}

// Games imported without moves count, but have no lengths and aren't replayed.
func TestImportedGames(t *testing.T) {
	t.Parallel()
	games := drawRun("alpha:x=1", "beta")[:8]
	for i, g := range games[:4] {
		games[i] = &record.Record{Game: g.Game, Pair: g.Pair, South: g.South, North: g.North, Moves: []string{},
			Result: g.Result, Reason: record.Imported}
	}
	c, rated := collect(t, Options{Games: 10}, RunInfo{}, games)
	p := Build(c, Input{Tables: rated})
	require.Equal(t, "4 of 8 games can be replayed here; the others have no moves on record that can be read.", p.Sampled)
	require.Empty(t, countsOf(c, "").Lengths)
	require.EqualValues(t, 4, countsOf(c, "").Games())
	for _, b := range p.Sections[1].Parts {
		if b.Table != nil && b.Table.Title == "Results by side" {
			require.Equal(t, []string{"not named", "4", ""}, []string{b.Table.Rows[0][0].Text, b.Table.Rows[0][1].Text,
				b.Table.Rows[0][1].Link})
			require.NotEmpty(t, b.Table.Rows[1][1].Link)
		}
	}
}

// A page made while games still come changes nothing in a later one, also where
// it falls between the games of a pair or drops games from the sample.
func TestPagesWhileGamesCome(t *testing.T) {
	t.Parallel()
	games := drawRun("alpha:x=1", "beta", "gamma's")
	page := func(every int) string {
		c := NewCollector(Options{Games: 5, Seed: 2})
		c.AddRun(sampleRun())
		_, rated := collect(t, Options{}, RunInfo{}, games)
		for i, g := range games {
			c.Add(g)
			if i%every == 0 {
				Build(c, Input{Tables: rated})
			}
		}
		p := Build(c, Input{Tables: rated})
		var out bytes.Buffer
		require.NoError(t, WriteHTML(&out, p))
		return out.String()
	}
	require.Equal(t, page(len(games)), page(3))
}
