package tournament

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// fileRegistry has agents that play as a file says, and such as have one of these inside.
func fileRegistry() *agents.Registry {
	params := agents.ParamsOf(&struct {
		File  string `param:"file" names:"file"`
		Agent string `param:"agent" names:"agent"`
	}{})
	return agents.NewRegistry(
		agents.Kind{Name: "filed", Params: params[:1], New: func(c agents.Config) (agents.Agent, error) {
			read := c.Registry.File(c.Values["file"])
			switch {
			case read.Err != nil:
				return nil, read.Err
			case string(read.Content) == "first":
				return &first{}, nil
			case string(read.Content) == "broken":
				return &brokenStart{}, nil
			}
			return &picker{}, nil
		}},
		agents.Kind{Name: "like", Params: params[1:], New: func(c agents.Config) (agents.Agent, error) {
			spec, err := agents.ParseSpec(c.Values["agent"])
			if err != nil {
				return nil, err
			}
			return c.Registry.New(spec, c.Rules...)
		}},
		agents.Kind{Name: "random", New: func(agents.Config) (agents.Agent, error) { return &picker{}, nil }},
	)
}

func fileConfig(t *testing.T, specs ...string) Config {
	c := testConfig(t, specs...)
	c.Rules, c.Pairs = []*rules.Rules{rules.MustParse("simplified")}, 3
	return c
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// tree returns all files of a folder with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	}))
	return files
}

// A run goes on with the files that it began with, by their content, wherever an agent names them.
func TestChangedFilesAreRefused(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"filed:file=%s,name=a", "filed:file=%s", "like:agent=filed:file=%s,name=a",
		"like:agent='like:agent=''filed:file=%s'''"} {
		path := filepath.Join(t.TempDir(), "f")
		write(t, path, "any")
		c := fileConfig(t, fmt.Sprintf(spec, path), "random")
		_, err := Run(t.Context(), c, fileRegistry(), nil)
		require.NoError(t, err)
		require.Equal(t, []agents.File{{Name: path, SHA256: agents.Sum([]byte("any")), Players: []string{c.Agents[0].Label()}}},
			readManifest(t, c.Out).Files)
		text, err := os.ReadFile(filepath.Join(c.Out, GamesFile))
		require.NoError(t, err)
		kept := string(text[:bytes.IndexByte(text, '\n')+1])
		write(t, filepath.Join(c.Out, GamesFile), kept+`{"game":`) // a run that was killed

		write(t, path, "first")
		was, before := fmt.Sprintf("%.16s", agents.Sum([]byte("any"))), tree(t, c.Out)
		now := fmt.Sprintf("%.16s", agents.Sum([]byte("first")))
		for _, extend := range []bool{false, true} {
			changed := c
			if changed.Extend = extend; extend {
				changed.Pairs = 5
			}
			for _, err := range []error{changed.Resume(fileRegistry()), justRun(t, changed)} {
				require.ErrorContains(t, err, path+" has changed since the run began: its SHA-256 was "+was+", now "+now)
				require.NotContains(t, err.Error(), "\n")
				require.False(t, errors.As(err, new(*ExtendError)))
			}
			require.Equal(t, before, tree(t, c.Out))
		}

		// The old content goes on from another place, under the name that the records have.
		moved := filepath.Join(t.TempDir(), "moved")
		write(t, moved, "any")
		c.Agents = fileConfig(t, fmt.Sprintf(spec, moved), "random").Agents
		require.ErrorContains(t, justRun(t, c), "agents was")
		resumed := c
		require.NoError(t, resumed.Resume(fileRegistry()))
		require.NoError(t, justRun(t, resumed))
		require.Equal(t, fmt.Sprintf(spec, path), readManifest(t, c.Out).Config.Agents[0].String())
		require.Equal(t, kept, tree(t, c.Out)[filepath.Join(c.Out, GamesFile)][:len(kept)])

		// Another file is no other place.
		write(t, moved, "first")
		resumed = c
		require.ErrorContains(t, resumed.Resume(fileRegistry()), "agents was")
	}
}

func justRun(t *testing.T, c Config) error {
	t.Helper()
	_, err := Run(t.Context(), c, fileRegistry(), nil)
	return err
}

// A file that is replaced while the run goes on doesn't change who plays, whenever an agent is
// made.
func TestFilesAreReadOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "any")
	c := fileConfig(t, "filed:name=a,file="+path, "filed:name=b,file="+path, "random")
	c.Pairs, c.Workers = 20, 1
	require.NoError(t, justRun(t, c))
	want := timeless(t, c.Out)
	c.Out, c.Workers = t.TempDir(), 3
	_, err := Run(t.Context(), c, fileRegistry(), func(g *record.Record) {
		write(t, path, "first")
	})
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	require.ErrorContains(t, justRun(t, c), "has changed since the run began")

	ctx, cancel := context.WithCancel(t.Context())
	c.Out = t.TempDir()
	c.Pairs = 200 // more than are ever under way, so that it doesn't end before
	write(t, path, "any")
	_, err = Run(ctx, c, fileRegistry(), func(*record.Record) {
		_ = os.Remove(path)
		cancel()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, justRun(t, c), path+": no such file or directory")
}

// Players whose files have one content stay the players that they were.
func TestPlayersWithOneContent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"f", "g", "h"} {
		write(t, filepath.Join(dir, name), "any")
	}
	c := fileConfig(t, "filed:file="+filepath.Join(dir, "f"), "filed:file="+filepath.Join(dir, "g"))
	require.NoError(t, justRun(t, c))
	c.Pairs, c.Extend = 5, true
	want := c.Players()
	require.NoError(t, c.Resume(fileRegistry()))
	require.Equal(t, want, c.Players())
	c.Agents = fileConfig(t, "filed:file="+filepath.Join(dir, "f"), "filed:file="+filepath.Join(dir, "h")).Agents
	require.NoError(t, c.Resume(fileRegistry()))
	require.Equal(t, want, c.Players())
	require.NoError(t, justRun(t, c))
}

// Files of players whose games are all played anew may be others.
func TestFilesOfPlayersThatPlayAnew(t *testing.T) {
	t.Parallel()
	was := []agents.File{{Name: "f", SHA256: "1", Players: []string{"a", "b"}}, {Name: "openings", SHA256: "2"}}
	now := []agents.File{{Name: "openings", SHA256: "2"}, {Name: "f", SHA256: "3", Players: []string{"c"}}}
	require.ErrorContains(t, CompareFiles(was, now), "f has changed since the run began: its SHA-256 was 1, now 3")
	require.ErrorContains(t, CompareFiles(was, now, "a"), "f has changed")
	require.NoError(t, CompareFiles(was, now, "b", "a"))
	require.NoError(t, CompareFiles(was, now[:1]))
	now[0].SHA256 = "4"
	require.ErrorContains(t, CompareFiles(was, now, "a", "b"), "openings has changed")
}

// A list of openings is a file of the run, identified by its positions.
func TestChangedOpeningsAreRefused(t *testing.T) {
	t.Parallel()
	const a, b = "213132/000000/000000/000000/000000/121323 s\n", "213132/000000/000000/000000/000000/123321 s\n"
	dir := t.TempDir()
	load := func(c *Config, name, text string) {
		write(t, filepath.Join(dir, name), text)
		var err error
		c.Openings, err = schedule.LoadOpenings(filepath.Join(dir, name))
		require.NoError(t, err)
	}
	c := fileConfig(t, "random", "like:agent=random")
	load(&c, "list", a)
	require.NoError(t, justRun(t, c))
	load(&c, "list", "# the same\n"+a)
	require.NoError(t, justRun(t, c))
	load(&c, "list", a+b)
	require.ErrorContains(t, justRun(t, c), "list has changed since the run began: its SHA-256 was ")
	load(&c, "moved", a)
	c.Pairs, c.Extend = 5, true
	require.NoError(t, c.Resume(fileRegistry()))
	require.NoError(t, justRun(t, c))
}

// Whatever lies at a path, a run ends with one line and leaves nothing, or its folder as it was.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge")
	write(t, huge, "")
	require.NoError(t, os.Truncate(huge, 1<<40))
	write(t, filepath.Join(dir, "f"), "any")
	require.NoError(t, os.Symlink("f", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "broken")))
	for path, want := range map[string]string{
		huge: "expected at most", dir: "is a directory", filepath.Join(dir, "broken"): "no such file", os.DevNull: "regular file",
	} {
		c := fileConfig(t, "filed:file="+path, "random")
		c.Out = filepath.Join(c.Out, "new")
		err := justRun(t, c)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
		require.NoDirExists(t, c.Out)
	}
	c := fileConfig(t, "filed:file="+filepath.Join(dir, "link"), "random")
	require.NoError(t, justRun(t, c))
	write(t, filepath.Join(dir, "f"), "first")
	require.ErrorContains(t, justRun(t, c), "link has changed")
}

// What is refused leaves the folder byte for byte as it was: also one that was killed, with a gap
// and a torn end.
func TestRefusedRunsLeaveTheirFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	write(t, file, "any")
	old := testConfig(t, "random", "scored", "random:id=1")
	old.Pairs = 4
	_, err := Run(t.Context(), old, testRegistry(nil), nil)
	require.NoError(t, err)
	games := strings.SplitAfter(tree(t, old.Out)[filepath.Join(old.Out, GamesFile)], "\n")
	gap := strings.Join(append(append([]string{}, games[:6]...), games[9:12]...), "")
	torn := gap + games[13][:len(games[13])/2]
	for _, c := range []struct {
		what, games, ahead, want string
		change                   func(*Config)
	}{
		{"an agent that can't be made", torn, "", "out of ideas", func(c *Config) { c.Extend, c.Agents = true, append(c.Agents, agents.Spec{Kind: "broken"}) }},
		{"an agent that doesn't start", torn, "", "engine ended", func(c *Config) {
			c.Extend = true
			c.Agents = append(c.Agents, fileConfig(t, "ugi:cmd=false").Agents...)
		}},
		{"another seed", torn, "", "seed was", func(c *Config) { c.Seed++ }},
		{"fewer pairs", torn, "", "pairs was", func(c *Config) { c.Pairs, c.Extend = 1, true }},
		{"more pairs", torn, "", "pairs was", func(c *Config) { c.Pairs = 9 }},
		{"a damaged game behind a gap", gap + "{}\n", "", "games.jsonl:10", func(c *Config) { c.Pairs, c.Extend = 9, true }},
		{"a damaged game that waits", torn, "{}\n", "ahead.jsonl:1", func(c *Config) { c.Pairs, c.Extend = 9, true }},
	} {
		now := old
		now.Out = t.TempDir()
		manifest := readManifest(t, old.Out)
		require.NoError(t, manifest.save(now.Out))
		write(t, filepath.Join(now.Out, GamesFile), c.games)
		write(t, filepath.Join(now.Out, PlayingFile), "{}")
		if c.ahead != "" {
			write(t, filepath.Join(now.Out, aheadFile), c.ahead)
		}
		c.change(&now)
		before := tree(t, now.Out)
		_, err := Run(t.Context(), now, testRegistry(nil), nil)
		require.ErrorContains(t, err, c.want, c.what)
		require.Equal(t, before, tree(t, now.Out), c.what)
	}
}

// An extension that would end before it plays a game is refused, so that the old command still goes
// on.
func TestExtensionsOfTooFewAreRefused(t *testing.T) {
	t.Parallel()
	c := testConfig(t, "random", "error")
	c.Pairs, c.Suspend, c.Workers = 9, 3, 1
	_, err := Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "too few agents are left")
	before, longer := tree(t, c.Out), c
	longer.Pairs, longer.Extend = 20, true
	s, err := Run(t.Context(), longer, testRegistry(nil), nil)
	require.ErrorContains(t, err, c.Out+": too few agents are left")
	require.Equal(t, Running, s.Status)
	require.Equal(t, before, tree(t, c.Out))
	s, err = Run(t.Context(), c, testRegistry(nil), nil)
	require.ErrorContains(t, err, "too few agents are left")
	require.Equal(t, Failed, s.Status)
}
