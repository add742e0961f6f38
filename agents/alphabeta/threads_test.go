package alphabeta

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// Threads find legal moves and keep to the limits; they also see what one sees.
func TestThreads(t *testing.T) {
	r := rules.MustParse("standard")
	g := agenttest.Game(t, r, "210201/002300/000030/000000/000003/130102 n")
	d := agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta:depth=4,threads=3", g), g, agents.Limits{})
	require.Equal(t, agents.WinIn(3), d.Score)

	g = agenttest.RandomGame(r, rand.New(rand.NewPCG(4, 4)), 3)
	a := agenttest.New(t, Kind(), "alphabeta:threads=3,hash=1", g)
	for range 3 {
		d := agenttest.Choose(t, a, g, agents.Limits{Nodes: 3000})
		require.LessOrEqual(t, d.Nodes, int64(3000))
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	d, err := a.Choose(ctx, g, agents.Request{Limits: agents.Limits{Depth: 40}})
	require.NoError(t, err)
	require.NoError(t, g.Check(d.Move))
}

// A panic of any thread is one of Choose, which makes it the agent's fault; no thread is left.
func TestThreadThatPanics(t *testing.T) {
	r := rules.MustParse("standard")
	g := agenttest.RandomGame(r, rand.New(rand.NewPCG(4, 4)), 3)
	before := goleak.IgnoreCurrent()
	for broken := range 3 {
		a := agenttest.New(t, Kind(), "alphabeta:threads=3,hash=1", g).(*player)
		a.searches[broken].eval = nil
		require.Panics(t, func() {
			_, _ = a.Choose(t.Context(), g, agents.Request{Limits: agents.Limits{Depth: 40}})
		}, broken)
		goleak.VerifyNone(t, before) // a thread may end a moment after its result is there
		require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 0)))
		d := agenttest.Ask(t, a, g, agents.Request{Limits: agents.Limits{Depth: 1}})
		require.NoError(t, g.Check(d.Move), "after it the agent plays again")
	}
}

// startedSearch returns the first thread of two that begin to search a game.
func startedSearch(t *testing.T) (*rules.Game, *search) {
	t.Helper()
	g := agenttest.RandomGame(rules.MustParse("standard"), rand.New(rand.NewPCG(4, 4)), 3)
	a := agenttest.New(t, Kind(), "alphabeta:threads=2,hash=1", g).(*player)
	s := &a.searches[0]
	s.begin(g, nil, budget{ctx: t.Context()})
	return g, s
}

// The moves that another thread searches come last, with the numbers that they had in their order.
// The first move is never deferred.
func TestMovesSearchedElsewhereComeLast(t *testing.T) {
	g, s := startedSearch(t)
	p := g.Position()
	f := &s.stack[0]
	moves := func(next func(*movePicker) (rules.Move, int)) (list []deferredMove) {
		s.generate(p, f)
		var k movePicker
		for {
			m, number := next(&k)
			if m == rules.NoMove {
				return list
			}
			list = append(list, deferredMove{m, number})
		}
	}
	ordered := moves(func(k *movePicker) (rules.Move, int) {
		k.number++
		return s.nextMove(k, f, p, 4), k.number - 1
	})
	shared := func(depth int) []deferredMove {
		return moves(func(k *movePicker) (rules.Move, int) { return s.nextShared(k, f, p, depth) })
	}
	require.Equal(t, ordered, shared(4))

	var elsewhere frame
	for _, i := range []int{0, 1, 3} {
		next := g.Rules().Apply(p, ordered[i].move)
		s.open(&elsewhere, sharedNode{next.Hash(), 0, 3})
	}
	last := []deferredMove{ordered[1], ordered[3]}
	want := slices.Concat(ordered[:1], ordered[2:3], ordered[4:], last)
	require.Equal(t, want, shared(4))

	pruned := moves(func(k *movePicker) (rules.Move, int) {
		k.pruned = k.number >= 10
		return s.nextShared(k, f, p, 4)
	})
	require.Equal(t, slices.Concat(ordered[:1], ordered[2:3], ordered[4:10], last), pruned)

	s.close(&elsewhere) // the last one opened
	want = slices.Concat(ordered[:1], ordered[2:], ordered[1:2])
	require.Equal(t, want, shared(4))
}

// A thread leaves a node whose result another one has found, and goes on above it.
func TestSettledNodeIsLeft(t *testing.T) {
	g, s := startedSearch(t)
	root := g.Position()
	s.generate(root, &s.stack[0])
	first := g.Rules().Apply(root, s.stack[0].moves.At(0))
	key := first.Hash()
	store := func(score int16, depth uint8) {
		s.table.store(entry{key: key, score: score, depth: depth}, lowerBound)
	}
	s.line.Push(root)
	s.open(&s.stack[1], sharedNode{key, 50, 4})
	s.line.Push(first)

	store(50, 3) // not deep enough
	s.findSettled()
	require.False(t, s.stopped)
	store(49, 4) // below beta
	s.findSettled()
	require.False(t, s.stopped)
	store(55, 4)
	s.findSettled()
	require.True(t, s.stopped)

	s.leave(2)
	require.True(t, s.stopped)
	require.Equal(t, agents.Score(55), s.leave(1))
	require.False(t, s.stopped)
	require.NotEqual(t, key, s.openNodes.slot(key).Load(), "the node is closed")
}

// Where a limit stops all threads, the best move that one of them has found counts.
func TestInterruptedThreads(t *testing.T) {
	a := &player{searches: make([]search, 3)}
	for i := range a.searches {
		a.searches[i].sharedState = &a.shared
	}
	before := agents.Decision{Move: 1, Scored: true, Score: 40, Depth: 4}
	require.Equal(t, before, a.interrupted(before, 5), "none has a result")
	a.searches[1].stack[0].pv = []rules.Move{2}
	a.searches[1].rootScore = 20
	a.searches[2].stack[0].pv = []rules.Move{3}
	a.searches[2].rootScore = 30
	require.Equal(t, rules.Move(3), a.interrupted(before, 5).Move)
	before.Score = agents.WinIn(7)
	require.Equal(t, before, a.interrupted(before, 5), "a proven win stays")
	a.searches[1].rootScore = agents.WinIn(5)
	require.Equal(t, rules.Move(2), a.interrupted(before, 5).Move)
}

// What a helper found before another move came is no move of the present search.
func TestThreadsForgetTheSearchBefore(t *testing.T) {
	g := agenttest.RandomGame(rules.MustParse("standard"), rand.New(rand.NewPCG(4, 4)), 3)
	a := agenttest.New(t, Kind(), "alphabeta:threads=2,hash=1", g).(*player)
	d := agenttest.Choose(t, a, g, agents.Limits{Depth: 4})
	a.searches[1].stack[0].pv = []rules.Move{d.Move}
	a.searches[1].rootScore = agents.WinIn(5)
	g.PlayLegal(d.Move)
	d = agenttest.Choose(t, a, g, agents.Limits{Nodes: 10})
	require.NotEqual(t, agents.WinIn(5), d.Score)
}

type threadsPosition struct {
	rules, position string
	depth           int
}

// threadsPositions are positions from the start and the middle of games, each with a depth that
// takes one thread about a second.
var threadsPositions = []threadsPosition{
	{"standard", "321123/000000/000000/000000/000000/321123 s", 8},
	{"standard", "202110/000330/000000/000200/000100/030123 s", 10},
	{"standard", "001213/001000/003000/003000/000200/032102 s", 10},
	{"standard", "021230/003000/000000/000130/000200/031120 n", 11},
	{"standard", "301230/002000/000100/000300/000100/232100 n", 10},
	{"standard", "103231/200000/000000/300000/000000/231021 n", 8},
	{"standard", "012100/020003/030003/010000/120000/023000 s", 13},
	{"standard", "210302/010000/030000/000000/020030/113002 s", 11},
	{"simplified", "322131/000000/000000/000000/000000/321132 s", 16},
	{"simplified", "123213/000000/000000/000000/000000/321132 s", 15},
	{"simplified", "302123/000100/000000/000000/000000/132132 n", 17},
	{"simplified", "213321/000000/000000/000000/000000/221331 s", 15},
	{"simplified", "322311/000000/000000/000000/000000/331212 s", 17},
	{"simplified", "311223/000000/000000/000000/000000/212331 s", 14},
	{"simplified", "320231/001000/000000/000000/001000/120233 n", 15},
	{"simplified", "130201/000002/000000/000003/001000/322031 n", 15},
	{"kang", "000000/000000/000000/000000/332211/211320 s 000/001 1-0 -", 14},
	{"kang", "000330/010010/020010/000020/031200/002300 n 000/000 0-0 -", 10},
	{"kang", "000100/003100/203030/000200/030220/000100 n 000/100 2-1 sn", 13},
	{"kang", "000000/020320/001330/013100/202010/000000 s 000/000 2-1 s", 11},
	{"kang", "000002/003030/202033/001021/000011/000000 n 000/000 1-0 -", 10},
	{"kang", "002303/000100/000000/000000/020003/001000 n 110/111 0-0 -", 8},
	{"kang", "000000/030013/020030/020002/110000/310000 s 010/000 0-1 n", 10},
	{"kang", "000000/000000/000020/023032/011321/013000 s 000/000 0-0 -", 12},
}

// BenchmarkThreads measures the time of searches to a fixed depth with several threads: of each
// position the median time against the median with one thread, of these ratios the geometric mean.
func BenchmarkThreads(b *testing.B) {
	for _, rules := range []string{"standard", "simplified", "kang"} {
		for threads := 2; threads <= runtime.NumCPU(); threads *= 2 {
			b.Run(fmt.Sprintf("%s/threads=%d", rules, threads), func(b *testing.B) {
				sum := 0.0
				count := 0
				for _, p := range threadsPositions {
					if p.rules != rules {
						continue
					}
					one := p.medianTime(b, 1)
					sum += math.Log(p.medianTime(b, threads) / one)
					count++
				}
				b.ReportMetric(math.Exp(sum/float64(count)), "time-ratio")
			})
		}
	}
}

// medianTime returns the median time of the benchmark's searches of a position.
func (p *threadsPosition) medianTime(b *testing.B, threads int) float64 {
	b.Helper()
	r := rules.MustParse(p.rules)
	g := agenttest.Game(b, r, p.position)
	a := agenttest.New(b, Kind(), fmt.Sprintf("alphabeta:hash=64,threads=%d", threads), g)
	var seconds []float64
	for range b.N {
		require.NoError(b, a.NewGame(b.Context(), agents.SetupOf(g, 1)))
		began := time.Now()
		agenttest.Choose(b, a, g, agents.Limits{Depth: p.depth})
		seconds = append(seconds, time.Since(began).Seconds())
	}
	slices.Sort(seconds)
	return seconds[len(seconds)/2]
}
