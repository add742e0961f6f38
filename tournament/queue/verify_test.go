package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
)

// crashing is a registry in which an agent of this process crashes, as only programs can.
func crashing() *agents.Registry {
	kinds := testRegistry().Kinds()
	i := slices.IndexFunc(kinds, func(k agents.Kind) bool { return k.Name == "other" })
	kinds[i].New = func(agents.Config) (agents.Agent, error) {
		return wrap(func(context.Context, int) error {
			return &agents.Failure{Kind: agents.Crashed, Err: errors.New("it lies")}
		})
	}
	return agents.NewRegistry(kinds...)
}

// A worker whose results don't agree with the run is named, and left out after some; others play
// its pairs.
func TestWorkerThatLies(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	var log, own logged
	c := testConfig(t, 20, "random", "other")
	want := local(t, c)
	c.Executor = testPool(t, connect(t, s), func(o *Options) {
		o.Log, o.tries, o.statusEvery = log.log(), 100, 50*time.Millisecond
	})
	startWorker(t, connect(t, s), func(o *WorkerOptions) {
		o.Name, o.Registry, o.Log = "liar", crashing(), own.log()
	})
	done := begun(t.Context(), c)
	log.await(t, `level=WARN msg="a result is refused; its pair is played again"`)
	log.await(t, `expected another reason than crash, as \"other\" is no program (on liar)`)
	log.await(t, `level=WARN msg="a worker is left out of the run"`)
	own.await(t, "results for a run are refused")
	log.await(t, `msg="a worker doesn't play for this run"`)
	require.Contains(t, log.String(), `worker=liar why="the coordinator refuses its results"`)
	startWorker(t, connect(t, s), nil)
	require.NoError(t, <-done)
	require.Equal(t, want, timeless(t, c.Out))
	status, ok := readStatus(t, c.Out)
	require.True(t, ok)
	require.Equal(t, "liar", status.Workers[0].Name)
	require.EqualValues(t, "refuses", status.Workers[0].State)
}

// Results that are forged by who has read the job are refused, whatever is wrong with them; the
// pair is played again.
func TestForgedResults(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	c := testConfig(t, 3, "random", "other")
	c.Rules = c.Rules[:1]
	want := local(t, c)
	won := regexp.MustCompile(`"game":(\d*[02468]),"pair":(\d+),.*"result":"1-0","reason":"goal"`).FindStringSubmatch(want)
	require.NotNil(t, won)
	pair, err := strconv.ParseInt(won[2], 10, 64)
	require.NoError(t, err)
	edit := func(change func(*record.Record)) func(string) string {
		return func(text string) string {
			games, err := parseGames([]byte(text))
			require.NoError(t, err)
			change(games[0])
			lines, err := record.Lines(games...)
			require.NoError(t, err)
			return string(lines)
		}
	}
	forgeries := map[string]func(text string) string{
		"expected 1-0 by goal, found 0-1 by goal":   edit(func(g *record.Record) { g.Result = "0-1" }),
		"found 1/2-1/2 by passes":                   edit(func(g *record.Record) { g.Result, g.Reason = "1/2-1/2", "passes" }),
		"found 1-0 by bribery":                      edit(func(g *record.Record) { g.Reason = "bribery" }),
		"opening: expected ":                        edit(func(g *record.Record) { g.Opening = strings.Replace(g.Opening, "1", "2", 1) }),
		"move 1: ":                                  edit(func(g *record.Record) { g.Moves[0] = "a1-a9" }),
		"found -1 s":                                edit(func(g *record.Record) { g.Timing.Seconds = -1 }),
		"plies from 0 to":                           edit(func(g *record.Record) { g.Plies = 1e9 }),
		"south: expected random, found greedy":      edit(func(g *record.Record) { g.South.Agent = "greedy" }),
		"the record was changed after it was writt": func(text string) string { return strings.Replace(text, `"result":"1-0"`, `"result":"0-1"`, 1) },
		"expected timing.crc32c": func(text string) string {
			return regexp.MustCompile(`,"crc32c":"[0-9a-f]*"`).ReplaceAllString(text, "")
		},
		"given twice":                  func(text string) string { return strings.Replace(text, `"game":`, `"game":0,"game":`, 1) },
		"expected a game that was pla": edit(func(g *record.Record) { suspend(g) }),
		"own, found an imported game": edit(func(g *record.Record) {
			moves := g.Moves[:2]
			suspend(g)
			g.Moves, g.Plies, g.Reason, g.Fault = moves, 2, "imported", nil
		}),
	}
	var log logged
	c.Executor = testPool(t, nc, func(o *Options) { o.Log, o.tries = log.log(), 100 })
	player := tournament.NewRunner(&c, testRegistry().New)
	var sent []string // what is expected of the forgeries
	c.Out = t.TempDir()
	err = whileRunning(t, func(ctx context.Context) error {
		left := slices.Sorted(maps.Keys(forgeries))
		return answerText(ctx, c.Executor.(*Coordinator), c.Out, func(j job) ([]byte, error) {
			games, err := player.Play(ctx, j.Job, 1)
			if err != nil {
				return nil, err
			}
			text, err := record.Lines(games...)
			if j.Pair == pair && len(left) > 0 {
				sent = append(sent, left[0])
				text = []byte(forgeries[left[0]](string(text)))
				left = left[1:]
			}
			return text, err
		})
	}, func() {
		_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
	})
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	require.Len(t, sent, len(forgeries))
	lines := regexp.MustCompile(`level=WARN msg="a result is refused; its pair is played again".*`).FindAllString(log.String(), -1)
	require.Len(t, lines, len(sent))
	for i, line := range lines {
		require.Contains(t, line, sent[i])
		require.Contains(t, line, fmt.Sprintf("pair=%d why=", pair))
	}
}

func suspend(g *record.Record) {
	dropLists(g)
	g.Moves, g.Plies = []string{}, 0
	g.Result, g.Reason = "0-1", "suspended"
	g.Fault = &record.Fault{Side: "south", Kind: "suspended"}
}

// dropLists empties the lists that have an element for each move.
func dropLists(g *record.Record) {
	for _, l := range record.Lists {
		l.Drop(g)
	}
}

// Workers have names of their own, whatever they are called; one that comes back has its name
// again.
func TestWorkersAreTold(t *testing.T) {
	now := time.Now()
	var lines []string
	r := newTestRun(&tournament.Config{Out: t.TempDir()}, func(line string) { lines = append(lines, line) })
	report := func(id, name string) string {
		r.answer(t, workerReport{Worker: status.Worker{ID: id, Name: name, Version: version, Workers: 1}}, now)
		return r.workers[digest([]byte(id))].Name
	}
	require.Equal(t, "box", report("a", "box"))
	require.Equal(t, "box-2", report("b", "box"))
	require.Equal(t, "box-2-2", report("c", "box-2"))
	require.Equal(t, "box-3", report("d", "box"))
	require.Equal(t, "box-2", report("b", "box"))
	require.Equal(t, "box-2-3", report("e", "box-2"))
	require.Equal(t, "worker box-2 joined: 1 game at a time", lines[1])

	long := strings.Repeat("é", maxWord)
	require.NotEqual(t, report("f", long), report("g", long))

	// All but one are away for a while.
	now = now.Add(2 * goneAfter)
	require.Equal(t, "box-3", report("d", "box"))
	r.countWorkers(now)
	require.Contains(t, lines, "worker box-2 left: no answer for 15s")
	require.Equal(t, "box-2", report("b", "box"))
	require.Equal(t, "box", report("new", "box"))
	require.Equal(t, "box-4", report("a", "box"), "its name is another's by now")
}
