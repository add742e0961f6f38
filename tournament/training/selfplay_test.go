package training

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/agents/tuning/dataset"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/internal/runtest"
	"gyges/tournament/record"
)

func spec(t testing.TB, text string) agents.Spec {
	t.Helper()
	s, err := agents.ParseSpec(text)
	require.NoError(t, err)
	return s
}

// config plays so that much comes about: repeated positions, random moves, draws by length, two agents, two rule sets.
func selfPlayConfig(t testing.TB) SelfPlay {
	t.Helper()
	c := DefaultSelfPlay()
	c.Tournament.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=12"),
		rules.MustParse("kang:max_plies=16")}
	c.Tournament.Agents = []agents.Spec{spec(t, "alphabeta:depth=1,hash=1"), spec(t, "mcts:iterations=4,hash=1")}
	c.Tournament.Pairs = 12
	c.Tournament.Openings.Plies = 0
	c.Tournament.Workers = 2
	c.Tournament.Out = t.TempDir()
	c.Explore = explore.Options{Temperature: 0.3, Random: 0.1, Plies: 10}
	c.Split = Split{Validation: 20, Test: 30}
	return c
}

// extract converts the games in a folder.
func extract(t testing.TB, c *Positions, dir string, about map[string]string) Extraction {
	t.Helper()
	s, err := c.Extract(context.Background(), testEnv(Observer{}), dir, about)
	require.NoError(t, err)
	return s
}

// play plays and extracts, and returns the folder.
func play(t testing.TB, c SelfPlay) (string, Extraction) {
	t.Helper()
	require.NoError(t, c.Validate(registry()))
	_, err := tournament.Run(context.Background(), c.Games(), registry(), nil)
	require.NoError(t, err)
	s := extract(t, &c.Positions, c.Tournament.Out, c.Provenance("v1"))
	return c.Tournament.Out, s
}

// text is a training position in words, so that none of the package's own types are needed to compare.
type text struct {
	rules, position     string
	game, ply, toEnd    int
	wins, draws, losses int
	score               int
	move                string
}

// slow gathers the positions of records in lists, by search.
func slow(t *testing.T, games []*record.Record, split Split) (lists [dataset.NumSplits][]text) {
	t.Helper()
	find := func(split int, r, p string) int {
		return slices.IndexFunc(lists[split], func(x text) bool { return x.rules == r && x.position == p })
	}
	for _, g := range games {
		part := int(split.part(g.Pair))
		_, err := record.ReplayEach(g, func(game *rules.Game, m rules.Move) {
			i := len(game.Moves())
			if g.Scores[i] == record.NoScore {
				return
			}
			position := game.Rules().FormatPosition(game.Position())
			at := find(part, g.Rules, position)
			if at < 0 {
				at = len(lists[part])
				best := g.Moves[i]
				if g.Best != nil && g.Best[i] != "" {
					require.NotEqual(t, best, g.Best[i])
					best = g.Best[i]
				}
				lists[part] = append(lists[part], text{rules: g.Rules, position: position, game: int(g.Game), ply: i,
					toEnd: len(g.Moves) - i, score: int(g.Scores[i]), move: best})
			}
			points := map[string]int{"1-0": 2, "0-1": 0, "1/2-1/2": 1}[g.Result]
			if game.Position().Side() == rules.North {
				points = 2 - points
			}
			x := &lists[part][at]
			switch points {
			case 2:
				x.wins++
			case 1:
				x.draws++
			default:
				x.losses++
			}
		})
		require.NoError(t, err)
	}
	for i := dataset.NumSplits - 1; i > 0; i-- {
		lists[i] = slices.DeleteFunc(lists[i], func(x text) bool {
			return find(0, x.rules, x.position) >= 0 || i == 2 && find(1, x.rules, x.position) >= 0
		})
	}
	return lists
}

func TestPositionsAreThoseOfTheRecords(t *testing.T) {
	t.Parallel()
	c := selfPlayConfig(t)
	dir, summary := play(t, c)
	replayed := records(t, dir)
	want := slow(t, replayed, c.Split)
	total, met, drawn, explored := 0, 0, 0, 0
	for split := range dataset.Split(dataset.NumSplits) {
		i := 0
		for s, err := range dataset.Read(filepath.Join(dir, PositionsDir), split, nil) {
			require.NoError(t, err)
			require.Equal(t, want[split][i], text{
				s.Rules.String(), s.Rules.FormatPosition(s.Position), int(s.Game), int(s.Ply), int(s.ToEnd),
				int(s.Wins), int(s.Draws), int(s.Losses), int(s.Score), s.Move.String(),
			})
			if n := replayed[s.Game].Moves[s.Ply]; n != s.Move.String() {
				explored++
			}
			require.True(t, s.Scored)
			require.Equal(t, dataset.Quiet(s.Rules, s.Position), s.Quiet)
			met += int(s.Count())
			drawn += int(s.Draws)
			i++
		}
		require.Len(t, want[split], i)
		require.Greater(t, i, 100)
		total += i
	}
	require.EqualValues(t, 144, summary.Games)
	require.EqualValues(t, total, summary.Total())
	require.Equal(t, summary.Plies, summary.Total()+summary.RandomMoves+summary.Repeated+summary.Duplicates)
	require.Positive(t, summary.RandomMoves)
	require.Positive(t, summary.Repeated)
	require.Positive(t, summary.Duplicates)
	require.Positive(t, drawn, "draws")
	require.Greater(t, explored, 100, "positions with another best move than the one played")
	about, err := dataset.Provenance(filepath.Join(dir, PositionsDir))
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"program": "v1", "split": "validation=20,test=30", "games": "144", "openings": "random", "seed": "1",
		"agents": "explore:agent='alphabeta:depth=1,hash=1',temperature=0.3,random=0.1,plies=10 explore:agent='mcts:iterations=4,hash=1',temperature=0.3,random=0.1,plies=10",
	}, about)
}

// records returns the games of a run.
func records(t *testing.T, dir string) (list []*record.Record) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, tournament.GamesFile))
	require.NoError(t, err)
	defer f.Close()
	for r := record.NewReader(f, f.Name()); ; {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		list = append(list, g)
	}
}

// positionsIn returns the positions' files as bytes; their names hold checksums.
func positionsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(dir, PositionsDir))
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, PositionsDir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(data)
	}
	return all
}

// The same seed gives the same files, byte for byte, however many play and
// wherever the run was stopped; another seed gives others.
func TestPositionsAreRepeatable(t *testing.T) {
	t.Parallel()
	with := func(change func(*SelfPlay)) SelfPlay {
		c := selfPlayConfig(t)
		c.Tournament.Pairs = 4
		change(&c)
		return c
	}
	dir, _ := play(t, with(func(*SelfPlay) {}))
	want := positionsIn(t, dir)
	require.Len(t, want, 3)
	dir, _ = play(t, with(func(c *SelfPlay) { c.Tournament.Workers = 5 }))
	require.Equal(t, want, positionsIn(t, dir))
	dir, _ = play(t, with(func(c *SelfPlay) { c.Tournament.Seed = 2 }))
	require.NotEqual(t, want, positionsIn(t, dir))

	stopped := with(func(*SelfPlay) {})
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	_, err := tournament.Run(ctx, stopped.Games(), registry(), func(*record.Record) {
		if n++; n == 3 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	dir, _ = play(t, stopped)
	require.Equal(t, want, positionsIn(t, dir))
	_, err = stopped.Extract(ctx, testEnv(Observer{}), dir, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, want, positionsIn(t, dir))

	// What another process is making there is left alone.
	f, err := os.Open(filepath.Join(dir, tournament.GamesFile))
	require.NoError(t, err)
	require.NoError(t, files.Lock(f))
	half := filepath.Join(dir, "positions.new-17")
	require.NoError(t, os.Mkdir(half, 0o755))
	_, err = stopped.Extract(context.Background(), testEnv(Observer{}), dir, nil)
	require.ErrorIs(t, err, files.ErrInUse)
	require.ErrorContains(t, err, dir)
	require.DirExists(t, half)
	require.NoError(t, f.Close())

	other := stopped
	other.Explore.Temperature = 0.1
	_, err = tournament.Run(context.Background(), other.Games(), registry(), nil)
	require.ErrorContains(t, err, "holds a run of another configuration", "exploration is part of what is played")
}

// Pairs go to the splits in the shares asked for. One seed in 10,000 would fail.
func TestSplit(t *testing.T) {
	t.Parallel()
	for _, s := range []Split{{}, {5, 5}, {20, 30}, {90, 0}, {0, 90}} {
		var n [dataset.NumSplits]int
		for pair := range int64(100_000) {
			n[s.part(pair)]++
		}
		for split, percent := range []int{100 - s.Validation - s.Test, s.Validation, s.Test} {
			p := float64(percent) / 100
			require.InDelta(t, p*100_000, n[split], 3.9*math.Sqrt(100_000*p*(1-p)), "%+v", s)
		}
	}
}

// Positions are searched anew, and so are some of the search trees, with the same outcome whatever the number of cores.
func TestSearchedPositions(t *testing.T) {
	c := selfPlayConfig(t)
	c.Tournament.Agents = []agents.Spec{spec(t, "alphabeta:depth=1,hash=1")}
	c.Tournament.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=12")}
	c.Search = Search{Agent: spec(t, "alphabeta:nodes=400,hash=1"), Share: 0.5, Tree: 3}
	dir, s := play(t, c)
	require.InDelta(t, float64(s.Plies)/2, float64(s.Searched), 2*math.Sqrt(float64(s.Plies)))
	require.Greater(t, s.Unplayed, s.Searched, "trees have several positions each")
	require.InDelta(t, 0.05*float64(s.Plies), float64(s.RandomMoves), 0.05*float64(s.Plies), "half of a tenth")
	want := positionsIn(t, dir)

	procs := runtime.GOMAXPROCS(1)
	_, err := c.Extract(context.Background(), testEnv(Observer{}), dir, c.Provenance("v1"))
	runtime.GOMAXPROCS(procs)
	require.NoError(t, err)
	require.Equal(t, want, positionsIn(t, dir))

	played, unplayed := 0, int64(0)
	for split := range dataset.Split(dataset.NumSplits) {
		for p, err := range dataset.Read(filepath.Join(dir, PositionsDir), split, nil) {
			require.NoError(t, err)
			require.True(t, p.Scored)
			if p.Count() == 0 {
				unplayed++
			} else {
				played++
			}
			if _, proven := p.Score.Proven(); proven {
				wins := p.Rules.CanReachGoal(p.Position, p.Position.Side())
				require.Equal(t, wins, p.Score == agents.WinIn(1), p.Rules.FormatPosition(p.Position))
			}
		}
	}
	require.Equal(t, unplayed, s.Unplayed)
	require.Positive(t, played)

	// Without trees the scores of all positions are those of the search.
	c.Search.Share, c.Search.Tree = 1, 0
	s = extract(t, &c.Positions, dir, nil)
	require.Equal(t, s.Plies, s.Searched)
	require.Less(t, s.Unplayed, s.Searched/4, "before random moves")

	// Without a share they are those of the games.
	c.Search.Share = 0
	s = extract(t, &c.Positions, dir, nil)
	require.Zero(t, s.Searched)
	got := s
	c.Search = Search{}
	s = extract(t, &c.Positions, dir, nil)
	require.Equal(t, s, got)
}

// Games that a fault decided give no positions, and agents without scores give positions without.
func TestFaultsAndMissingScores(t *testing.T) {
	t.Parallel()
	broken := agents.Kind{Name: "broken", New: func(agents.Config) (agents.Agent, error) { return broken{}, nil }}
	all := builtin.Registry(broken)
	c := selfPlayConfig(t)
	c.Tournament.Agents = []agents.Spec{spec(t, "random"), spec(t, "broken")}
	c.Tournament.Pairs, c.Explore = 4, explore.Options{}
	_, err := tournament.Run(context.Background(), c.Games(), all, nil)
	require.NoError(t, err)
	s := extract(t, new(Positions), c.Tournament.Out, nil)
	require.EqualValues(t, 48, s.Games)
	require.EqualValues(t, 32, s.Faults)
	require.Positive(t, s.Total())
	for s, err := range dataset.Read(filepath.Join(c.Tournament.Out, PositionsDir), dataset.Train, nil) {
		require.NoError(t, err)
		require.False(t, s.Scored)
	}
}

type broken struct{ agents.Base }

func (broken) NewGame(context.Context, agents.Setup) error { return nil }

func (broken) Choose(context.Context, *rules.Game, agents.Request) (agents.Decision, error) {
	return agents.Decision{}, errors.New("out of order")
}

// Records that don't hold are refused with their game, and positions that are there stay.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	c := selfPlayConfig(t)
	c.Tournament.Pairs = 2
	dir, _ := play(t, c)
	before := positionsIn(t, dir)
	path := filepath.Join(dir, tournament.GamesFile)
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	for want, bad := range map[string]string{
		"games.jsonl:25: expected a game record: the line is cut short": string(good) + `{"game":`,
		"games.jsonl:1: expected a game record, found an empty line":    "\n" + string(good),
		"games.jsonl:1: game 0: the record was changed":                 strings.Replace(string(good), `"moves":["`, `"moves":["x`, 1),
		"games.jsonl:1: game 0: move 1: ": strings.Replace(runtest.WithoutSums(string(good)), `"moves":["`,
			`"moves":["x`, 1),
	} {
		require.NoError(t, os.WriteFile(path, []byte(bad), 0o600))
		_, err := c.Extract(context.Background(), testEnv(Observer{}), dir, nil)
		require.ErrorContains(t, err, want)
		require.Equal(t, before, positionsIn(t, dir))
	}
	_, err = c.Extract(context.Background(), testEnv(Observer{}), t.TempDir(), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = (&Positions{Split: Split{-1, 0}}).Extract(context.Background(), testEnv(Observer{}), dir, nil)
	require.ErrorContains(t, err, "split.validation: expected percent from 0 to 90, found -1")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	s := extract(t, &c.Positions, dir, nil)
	require.Len(t, s.Notes, 1)
	require.Contains(t, s.Notes[0], "games.jsonl has 0 of the 24 games that were played by its manifest.json")
	s.Notes = nil
	require.Zero(t, s)
}

func TestValidateSelfPlay(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*SelfPlay){
		"split.validation: expected percent from 0 to 90, found 91":                             func(c *SelfPlay) { c.Split.Validation = 91 },
		"split.test: expected percent from 0, with validation's 60 up to 90 together, found 31": func(c *SelfPlay) { c.Split = Split{60, 31} },
		"explore.temperature: expected a number from 0 to 10, found -1":                         func(c *SelfPlay) { c.Explore.Temperature = -1 },
		"explore.random: expected a number from 0 to 1, found 1.5":                              func(c *SelfPlay) { c.Explore.Random = 1.5 },
		"explore.plies: expected a number from 0 (all) to 100000, found -3":                     func(c *SelfPlay) { c.Explore.Plies = -3 },
		"agents: expected 1 to 1000 agents, found 0":                                            func(c *SelfPlay) { c.Tournament.Agents = nil },
		"agents[0]: agent \"explore:agent=greedy,temperature=0.3,random=0.1,plies=10\": greedy does not explore": func(c *SelfPlay) {
			c.Tournament.Agents = []agents.Spec{spec(t, "greedy")}
		},
		"pairs: expected a number from 1":                                 func(c *SelfPlay) { c.Tournament.Pairs = 0 },
		"search.share: expected a number from 0 to 1, found 2":            func(c *SelfPlay) { c.Search.Share = 2 },
		"search.tree: expected 0 without an agent that searches, found 2": func(c *SelfPlay) { c.Search.Tree = 2 },
		`search.agent: expected an agent that samples its tree, like alphabeta, found mcts`: func(c *SelfPlay) {
			c.Search = Search{Agent: spec(t, "mcts"), Tree: 2}
		},
		`search.agent: agent "alphabeta:nodes=0": parameter nodes: expected`: func(c *SelfPlay) {
			c.Search.Agent = spec(t, "alphabeta:nodes=0")
		},
	} {
		c := selfPlayConfig(t)
		change(&c)
		require.ErrorContains(t, c.Validate(registry()), want)
	}
	require.NoError(t, new(selfPlayConfig(t)).Validate(registry()))
}
