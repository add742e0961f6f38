package settings

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/problems"
)

type limits struct {
	Depth int           `yaml:"depth" check:"0..10" zero:"no limit" name:"depth" help:"Plies."`
	Time  time.Duration `yaml:"time" name:"time" help:"Time."`
}

type how string

func (how) Choices() []Choice { return []Choice{{"one", "once"}, {"two", "twice"}} }

type config struct {
	Name   string   `yaml:"name"`
	Agents []string `yaml:"agents" name:"agent" help:"Players."`
	How    how      `yaml:"how" zero:"one" name:"how" help:"How:"`
	Limits limits   `yaml:"limits"`
	Other  limits   `yaml:"other" name:"-"`
	Extra  *limits  `yaml:"extra" name:"-"`
	Seed   uint64   `yaml:"seed" json:"number"`
	File   string   `yaml:"file" json:"-"`
	Margin *int     `yaml:"margin" check:"0..9"`
	hidden int
}

func keys(c *config) (list []string) {
	for _, f := range Fields(c, "") {
		list = append(list, f.Key)
	}
	return list
}

func TestFields(t *testing.T) {
	c := config{hidden: 1}
	require.Equal(t, []string{"name", "agents", "how", "limits", "limits.depth", "limits.time", "other", "other.depth", "other.time",
		"extra", "seed", "file", "margin"}, keys(&c))
	require.Equal(t, "How: one (once) or two (twice).", Fields(&c, "")[2].Help())
	c.Extra = &limits{Depth: 12}
	c.How, c.Limits.Depth, c.Other.Depth = "three", 11, -1
	var errs problems.List
	Check(&errs, &c, "")
	require.EqualError(t, FlagErrors(&c, errs.Err()), "--how: expected one or two, found \"three\"\n"+
		"--depth: expected a number from 0 (no limit) to 10, found 11\n"+
		"other.depth: expected a number from 0 (no limit) to 10, found -1\n"+
		"extra.depth: expected a number from 0 (no limit) to 10, found 12")
	require.EqualError(t, FlagErrors(&c, &problems.FieldError{Field: "limits", Err: errors.New("none")}), "--depth: none")
}

func TestInBounds(t *testing.T) {
	for bounds, want := range map[string]string{
		"0..10": "", "3..": "", "..3": "", "4..10": "expected a number from 4 to 10, found 3",
		"4..": "expected a number from 4, found 3", "0..2": "expected a number from 0 (none) to 2, found 3",
	} {
		zero := map[bool]string{true: "none"}[bounds == "0..2"]
		err := InBounds(reflect.ValueOf(3), bounds, zero)
		require.Equal(t, want == "", err == nil, bounds)
		require.True(t, err == nil || err.Error() == want, "%s: %v", bounds, err)
	}
}

func TestArguments(t *testing.T) {
	c := config{Agents: []string{"a", "b"}, How: "one", Limits: limits{3, time.Minute}, Seed: 7}
	require.Equal(t, []string{"--agent", "a", "--agent", "b", "--how", "one", "--depth", "3"},
		Arguments(&c, &config{Limits: limits{Time: time.Minute}}))
}

func TestJSON(t *testing.T) {
	c := config{Agents: []string{"a", "b"}, How: "one", Limits: limits{3, time.Minute}, Seed: 1 << 63, File: "x",
		Extra: &limits{Depth: 1}, Margin: new(int)}
	text, err := Marshal(&c)
	require.NoError(t, err)
	require.JSONEq(t, `{"agents": ["a", "b"], "how": "one", "limits": {"depth": 3, "time": "1m0s"}, "margin": 0,
		"number": "9223372036854775808", "extra": {"depth": 1}}`, string(text))
	back := config{Extra: new(limits)}
	require.NoError(t, Unmarshal(text, &back))
	c.File = ""
	require.Equal(t, c, back)
	require.EqualError(t, Unmarshal([]byte(`{"limits": {"time": "soon", "depth": 7}, "agents": "a", "other": 1, "x": 0}`),
		&back), "agents: expected a list, found \"a\"\n"+
		"limits.time: expected a time with its unit, like 100ms or 1.5s, found \"soon\"\n"+
		"other: expected keys and values, found \"1\"")
	require.Equal(t, limits{7, time.Minute}, back.Limits)
	require.Equal(t, c.Agents, back.Agents)
}
