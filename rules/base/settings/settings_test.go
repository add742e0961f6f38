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
	Other  limits   `yaml:"other" name:"-" keys:"depth"`
	Extra  *limits  `yaml:"extra" name:"-"`
	Seed   uint64   `json:"seed,string"`
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
	require.Equal(t, []string{"name", "agents", "how", "limits", "limits.depth", "limits.time", "other", "other.depth",
		"extra", "seed"}, keys(&c))
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

func TestArgumentsAndCopy(t *testing.T) {
	c := config{Agents: []string{"a", "b"}, How: "one", Limits: limits{3, time.Minute}, Seed: 7}
	require.Equal(t, []string{"--agent", "a", "--agent", "b", "--how", "one", "--depth", "3"},
		Arguments(&c, &config{Limits: limits{Time: time.Minute}}))
	var texts struct {
		How    string `json:"how"`
		Limits struct {
			Depth int    `json:"depth"`
			Time  string `json:"time"`
		} `json:"limits"`
		Seed uint64 `json:"seed,string"`
	}
	require.NoError(t, Copy(&texts, &c))
	require.Equal(t, "1m0s", texts.Limits.Time)
	var back config
	require.NoError(t, Copy(&back, &texts))
	require.Equal(t, config{How: "one", Limits: limits{3, time.Minute}, Seed: 7}, back)
	texts.Limits.Time = "soon"
	require.EqualError(t, Copy(&back, &texts),
		`limits.time: expected a time with its unit, like 100ms or 1.5s, found "soon"`)
}
