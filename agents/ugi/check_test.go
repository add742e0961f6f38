package ugi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/rules/base/lists"
)

// check returns the results of a check of a test engine by the point's name, and those that count.
func check(t *testing.T, sets []*rules.Rules, args ...string) (results map[string]CheckResult, passed, points int) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	results = map[string]CheckResult{}
	passed, points, err = (*Log)(nil).Check(t.Context(), append([]string{exe}, args...), "", sets,
		func(r CheckResult) { results[r.Name] = r })
	require.NoError(t, err)
	return results, passed, points
}

func TestCheckedEngines(t *testing.T) {
	t.Parallel()
	const games, repeats, win, limits = "plays games: ", "observes repetition: ", "plays a win in one", "keeps to the limits of go"
	const italian, stop, maxTime, defaults = games + "italian", "answers stop, once", "keeps to maxTime", "accepts its options' defaults"
	server := []string{"server", "alphabeta:hash=1,nodes=2000"}
	options := func(lines ...string) string {
		path := filepath.Join(t.TempDir(), "options")
		text := "option " + strings.Join(lines, "\noption ") + "\n"
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	forgets := []string{"forgets", "alphabeta:hash=1,nodes=2000"}
	for _, test := range []struct {
		engine []string
		sets   []string
		points int
		want   map[string]Verdict // but for those that pass
	}{
		{[]string{"good"}, nil, 13, map[string]Verdict{}},
		{[]string{"exit"}, nil, 13, map[string]Verdict{italian: Fail, win: Note, maxTime: Fail, stop: Fail}},
		{[]string{"illegal"}, nil, 13, map[string]Verdict{italian: Fail, win: Fail, maxTime: Fail, stop: Fail}},
		{[]string{"twice"}, nil, 13, map[string]Verdict{italian: Fail, win: Note, stop: Fail}},
		{[]string{"thrice"}, nil, 13, map[string]Verdict{italian: Fail, win: Note, stop: Fail}},
		{[]string{"deaf"}, nil, 13, map[string]Verdict{win: Note, "exits on quit": Note, "exits at end of input": Note}},
		{[]string{"public"}, nil, 13, map[string]Verdict{"exits at end of input": Note}},
		{[]string{"mute"}, nil, 1, map[string]Verdict{"starts and sends ugiok": Fail, "all others": Skip}},
		{[]string{options("x type spin default 11 max 10", "mode type choice default a var a", "z type colour", "y type int default 3")}, nil, 13,
			map[string]Verdict{win: Note, maxTime: Note, "offers maxPly, maxTime, maxNodes": Note, defaults: Note}},
		{[]string{options(strings.Split(announced["many"], "\noption ")...)}, nil, 13,
			map[string]Verdict{win: Note, maxTime: Note, "offers maxPly, maxTime, maxNodes": Note}},
		// Those without the extensions can play by the rules of boards alone.
		{[]string{"good"}, []string{"standard", "cosmoludo"}, 14, map[string]Verdict{}},
		{[]string{"good"}, []string{"simplified"}, 13, map[string]Verdict{games + "simplified": Fail}},
		// Those with them are checked as they are used then.
		{server, nil, 17, map[string]Verdict{}},
		{server, []string{"russian", "italian-kang"}, 13, map[string]Verdict{}},
		{[]string{options("rules type choice default kang var kang var simplified")}, nil, 15, map[string]Verdict{
			games + "kang": Fail, games + "simplified": Fail, repeats + "kang": Fail, repeats + "simplified": Fail,
			win: Fail, maxTime: Fail, limits: Fail, stop: Fail,
		}},
		{forgets, nil, 17, map[string]Verdict{repeats + "standard": Fail, repeats + "simplified": Fail, repeats + "kang": Fail}},
		{forgets, []string{"kang:repetition=none"}, 12, map[string]Verdict{}},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			results, passed, points := check(t, lists.Map(test.sets, rules.MustParse), test.engine...)
			found, failed := map[string]Verdict{}, 0
			for name, r := range results {
				if r.Verdict != Pass {
					found[name] = r.Verdict
				}
				if r.Verdict == Fail {
					failed++
				}
			}
			require.Equal(t, test.want, found, "%v", results)
			require.Equal(t, test.points, points)
			require.Equal(t, points-failed, passed)
		})
	}
}

// forgetful returns the commands of a host, with positions in place of the games that led to them.
func forgetful(in io.Reader) io.Reader {
	out, to := io.Pipe()
	s := &server{}
	go func() {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			line := lines.Text()
			if name, ok := strings.CutPrefix(line, "setoption rules "); ok {
				s.options.Rules = rules.MustParse(name)
				s.setRules(s.options.Rules)
			}
			if text, ok := strings.CutPrefix(line, "setpos "); ok && s.setPosition(text) == nil {
				line = "setpos pos " + s.options.Rules.FormatPosition(s.game.Position())
			}
			fmt.Fprintln(to, line)
		}
		_ = to.Close()
	}()
	return out
}

func TestClaimedRules(t *testing.T) {
	for line, want := range map[string][]string{
		"Hash":                             {"italian"},
		"rules type text default standard": {"standard", "simplified", "kang"},
		"rules type choice var kang":       {"kang"},
		"name rules type combo var chess var kang:max_plies=9 var italian": {"kang:max_plies=9", "italian"},
		"rules type choice var chess":                                      {"standard"},
	} {
		c := &checker{host: host{client: new(client)}}
		c.addOption(line)
		require.Equal(t, want, lists.Map(c.claimed(), (*rules.Rules).String), line)
	}
}

// On the board of the check of repetition the opponent could take back any move.
func TestReversibleBoard(t *testing.T) {
	for _, name := range []string{"standard", "simplified", "kang"} {
		c := &checker{set: rules.MustParse(name)}
		g := c.board(reversible)
		require.Equal(t, 5, g.Legal().Len())
		for m := range g.Legal().All() {
			behind := c.set.Apply(g.Position(), m)
			forbids := func(back rules.Move) bool {
				again := rules.NewGame(c.set, behind)
				again.PlayLegal(back)
				return again.OnlyRepeats(m) && again.Legal().Len() == 4
			}
			backs := slices.Collect(rules.NewGame(c.set, behind).Legal().All())
			require.True(t, slices.ContainsFunc(backs, forbids), "%v", m)
		}
	}
}

func TestCheckIsCancelled(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err = (*Log)(nil).Check(ctx, []string{exe, "good"}, "", nil, func(CheckResult) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}
