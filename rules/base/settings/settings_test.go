package settings

import (
	"errors"
	"fmt"
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
	for _, c := range []struct{ bounds, zero, want string }{
		{"0..10", "", ""},
		{"3..", "", ""},
		{"..3", "", ""},
		{"4..10", "", "expected a number from 4 to 10, found 3"},
		{"4..", "", "expected a number from 4, found 3"},
		{"0..2", "none", "expected a number from 0 (none) to 2, found 3"},
	} {
		err := InBounds(reflect.ValueOf(3), c.bounds, c.zero)
		if c.want == "" {
			require.NoError(t, err, c.bounds)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

// A flag that is given sets its setting, and its help has the default.
func TestFlags(t *testing.T) {
	c := config{How: "two", Limits: limits{Time: time.Hour}}
	flags := Flags(&c, "limits.depth")
	v := reflect.ValueOf(flags).Elem()
	require.Equal(t, 3, v.NumField(), "agent, how and time")
	require.Equal(t, "Time. Default: 1h.", v.Type().Field(2).Tag.Get("help"))
	require.Equal(t, ",one,two", v.Type().Field(1).Tag.Get("enum"))
	v.Field(0).Set(reflect.ValueOf([]string{"a", "b"}))
	require.NoError(t, Apply(&c, flags))
	require.Equal(t, config{Agents: []string{"a", "b"}, How: "two", Limits: limits{Time: time.Hour}}, c)
}

func TestTable(t *testing.T) {
	table := Table(&config{Limits: limits{Depth: 3}}, "")
	require.Contains(t, table, "| `limits.depth`, `--depth` | `0` to `10`, 0: no limit | `3` | Plies. |\n")
	require.NotContains(t, table, "| `limits` |")
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

// One rule says which numbers there are, and which of them a type takes.
func TestNumbers(t *testing.T) {
	const none = "no number"
	for text, want := range map[string]struct{ whole, natural, fraction string }{
		"7": {"7", "7", "7"}, "0": {"0", "0", "0"}, "+5": {"5", "5", "5"}, "-5": {"-5", none, "-5"}, "-0": {"0", none, "-0"},
		"0.5": {none, none, "0.5"}, ".5": {none, none, "0.5"}, "5.": {none, none, "5"}, "1.05": {none, none, "1.05"},
		"1e3": {none, none, "1000"}, "1e-05": {none, none, "1e-05"}, "1E05": {none, none, "100000"},
		"07": {none, none, none}, "010": {none, none, none}, "08": {none, none, none}, "00": {none, none, none},
		"00.5": {none, none, none}, "-01": {none, none, none}, "+01": {none, none, none}, "1_000": {none, none, none},
		"0x10": {none, none, none}, "0x1p4": {none, none, none}, "0o7": {none, none, none}, "0b1": {none, none, none},
		"\u0663": {none, none, none}, "Inf": {none, none, none}, "NaN": {none, none, none}, "": {none, none, none},
		" 7": {none, none, none}, "++5": {none, none, none}, "1e999": {none, none, none},
	} {
		read := func(x any, err error) string {
			if err != nil {
				return none
			}
			return fmt.Sprint(x)
		}
		whole, err := Parse[int](text)
		require.Equal(t, want.whole, read(whole, err), "%q as a whole number", text)
		natural, err := Parse[uint64](text)
		require.Equal(t, want.natural, read(natural, err), "%q as a natural number", text)
		fraction, err := Parse[float64](text)
		require.Equal(t, want.fraction, read(fraction, err), "%q as a fraction", text)
	}
	for text, want := range map[string]string{
		"07":                   `expected a whole number, without leading zeros, found "07"`,
		"0x07":                 `expected a whole number, found "0x07"`,
		"99999999999999999999": `expected a whole number, found "99999999999999999999", which is too large`,
	} {
		_, err := Parse[int64](text)
		require.EqualError(t, err, want)
	}
	for text, ok := range map[string]bool{"10ms": true, "1h0m5s": true, "1.05s": true, "0": true, "0s": true, "010ms": false,
		"1m05s": false, "-01s": false, "10": false} {
		_, err := Parse[time.Duration](text)
		require.Equal(t, ok, err == nil, text)
	}
}
