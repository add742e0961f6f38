package tactics

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/alphabeta"
	"gyges/agents/internal/agenttest"
	"gyges/agents/mcts"
	"gyges/agents/solver"
	"gyges/rules"
)

func player(t testing.TB, kind agents.Kind, spec string) agents.Agent {
	t.Helper()
	r := rules.MustParse("standard")
	return agenttest.New(t, kind, spec, rules.NewGame(r, r.Start()))
}

// suite reads the suite that is committed.
func suite(t *testing.T) []Task {
	t.Helper()
	const file = "../../results/reference/tactics.jsonl"
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	tasks, err := Read(f, file)
	require.NoError(t, err)
	return tasks
}

// The committed suite is what it says: proven again, no position twice; that the moves listed are
// all that solve it is shown for every third position.
func TestSuiteIsTrue(t *testing.T) {
	t.Parallel()
	tasks := suite(t)
	seen := map[rules.Position]bool{}
	for i, task := range tasks {
		require.False(t, seen[task.position] || seen[task.position.Rotate()], "line %d", i+1)
		seen[task.position] = true
	}
	for _, ruleSet := range []string{"standard", "simplified", "kang"} {
		t.Run(ruleSet, func(t *testing.T) {
			t.Parallel()
			s := solver.New(1)
			counts := map[Class]int{}
			for i, task := range tasks {
				if task.Rules == ruleSet {
					counts[task.Class]++
					checkTask(t, s, task, i%3 == 0, fmt.Sprintf("line %d", i+1))
				}
			}
			for _, c := range Classes() {
				require.GreaterOrEqual(t, counts[c], 20, c)
			}
		})
	}
}

// checkTask proves a task again, with its list of moves or only that these moves solve it.
func checkTask(t *testing.T, s *solver.Solver, task Task, all bool, line string) {
	t.Helper()
	ctx := t.Context()
	plies := map[Class]int{WinIn1: 1, WinIn3: 3, WinIn5: 5}[task.Class]
	r, err := s.Solve(ctx, task.game(), max(plies, 3))
	require.NoError(t, err)
	require.Equal(t, plies, r.Plies, line)
	var moves []rules.Move
	for m := range task.game().Legal().All() {
		if !all && !slices.Contains(task.moves, m) {
			continue
		}
		g := task.game()
		g.PlayLegal(m)
		o, _ := g.Outcome()
		after, err := s.Solve(ctx, g, max(plies-1, 3))
		require.NoError(t, err)
		solves := o == rules.WinFor(task.game().Position().Side()) || -plies < after.Plies && after.Plies < 0
		if task.Class == OnlyMove {
			solves = after.Plies <= 0 // it doesn't lose within 4 plies
		}
		if solves {
			moves = append(moves, m)
		}
	}
	require.True(t, task.Class != OnlyMove || len(moves) == 1, line)
	require.ElementsMatch(t, moves, task.moves, line)
}

// What agents must solve: all wins in 1, and the share of the others that was
// measured, in whole percent, which is in results/reference/strength.md.
func TestAgentsSolveTheSuite(t *testing.T) {
	t.Parallel()
	tasks := suite(t)
	for _, c := range []struct {
		agent agents.Agent
		least map[Class]int // percent
	}{
		{
			player(t, alphabeta.Kind(), "alphabeta:nodes=20000"),
			map[Class]int{WinIn1: 100, WinIn3: 95, WinIn5: 91, OnlyMove: 100},
		},
		{
			player(t, mcts.Kind(), "mcts:iterations=1000"),
			map[Class]int{WinIn1: 100, WinIn3: 93, WinIn5: 75, OnlyMove: 86},
		},
	} {
		t.Run(fmt.Sprintf("%T", c.agent), func(t *testing.T) {
			t.Parallel()
			trial, err := Try(t.Context(), "", c.agent, tasks, agents.Limits{})
			require.NoError(t, err)
			require.Len(t, trial.Attempts, len(tasks))
			for class, percent := range c.least {
				n := trial.Count("", class)
				require.GreaterOrEqual(t, n.Solved*100, n.Positions*percent, "%s: %d of %d", class, n.Solved, n.Positions)
			}
		})
	}
}

const good = `{"rules":"standard","class":"win in 1","position":"000020/302201/102303/001010/300000/000000 n","moves":["a5-goal"]}`

func TestReadRefuses(t *testing.T) {
	tasks, err := Read(strings.NewReader("\n"+good+"\n\n"), "f")
	require.NoError(t, err)
	require.Len(t, tasks, 1)
	for name, c := range map[string]struct{ text, want string }{
		"nothing": {"\n \n", "f: expected a line for each position, found none"},
		"no JSON": {"x", "f:1: expected {"},
		"more":    {good + good, "after top-level value"},
		"unknown field": {strings.Replace(good, `"rules"`, `"rule"`, 1),
			`f:1: expected {"rules":…,"class":…,"position":…,"moves":[…]}: rule: there is no such field`},
		"rules": {"\n" + strings.Replace(good, "standard", "chess", 1), "f:2: rules: "},
		"class": {strings.Replace(good, "in 1", "in 2", 1),
			`f:1: class: expected one of ["win in 1" "win in 3" "win in 5" "only move"], found "win in 2"`},
		"position":  {strings.Replace(good, "302201", "402201", 1), `f:1: position "`},
		"no moves":  {strings.Replace(good, `"a5-goal"`, "", 1), "f:1: moves: expected those that solve it, found none"},
		"move text": {strings.Replace(good, "a5-goal", "a5", 1), "f:1: moves: "},
		"illegal":   {strings.Replace(good, "a5-goal", "a2-goal", 1), "f:1: moves: a2-goal is not legal: "},
		"long line": {good + "\n" + strings.Repeat(" ", maxLine+1), "f:2: expected a line of at most 65536 bytes"},
		"too many":  {strings.Repeat(good+"\n", maxPuzzles+1), "f:10001: expected at most 10000 lines, found more"},
	} {
		_, err := Read(strings.NewReader(c.text), "f")
		require.ErrorContains(t, err, c.want, name)
	}
}

// lazy plays the first legal move.
type lazy struct{ agents.Base }

func (lazy) NewGame(context.Context, agents.Setup) error { return nil }

func (lazy) Choose(_ context.Context, g *rules.Game, _ agents.Request) (agents.Decision, error) {
	return agents.Decision{Move: g.Legal().At(0)}, nil
}

func TestTry(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "000020/302201/102303/001010/300000/000000 n")
	first := strings.Replace(good, "a5-goal", g.Legal().At(0).String(), 1)
	tasks, err := Read(strings.NewReader(good+"\n"+first), "f")
	require.NoError(t, err)
	trial, err := Try(context.Background(), "lazy", lazy{}, tasks, agents.Limits{})
	require.NoError(t, err)
	require.False(t, trial.Attempts[0].Solved)
	require.True(t, trial.Attempts[1].Solved)
	n := trial.Count("standard", WinIn1)
	require.Equal(t, []int{1, 2}, []int{n.Solved, n.Positions})
	require.Zero(t, trial.Count("standard", WinIn3).Positions)
	require.Equal(t, []string{"standard"}, trial.RuleSets())
}
