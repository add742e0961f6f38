package ugi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
)

// What is announced is a parameter with type, range and default, in UGI's spelling and in UCI's.
func TestAnnouncedOptions(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(" var x", maxVars+1)
	long := strings.Repeat("x", maxOptionText+1)
	for _, c := range []struct{ text, name, kind, values, initial string }{
		{"Hash", "Hash", "text", "text", ""},
		{"Hash the size of the table", "Hash", "text", "text", ""},
		{"wReach type int default 3 min 0 max 10", "wReach", "int", "0 to 10", "3"},
		{"wReach max 10 min -3 default +3 type spin", "wReach", "int", "-3 to 10", "+3"},
		{"wReach type int min 5", "wReach", "int", "5 or more", ""},
		{"wReach type int max -5", "wReach", "int", "-5 or less", ""},
		{"seed type int default 0 min 0 max 18446744073709551615", "seed", "int", "0 to 18446744073709551615", "0"},
		{"scale type real default 0.5 min -1e3 max 1e3", "scale", "float", "-1e3 to 1e3", "0.5"},
		{"scale type float", "scale", "float", "", ""},
		{"quiet type bool default true", "quiet", "bool", "true, false", "true"},
		{"book type text default my max book type", "book", "text", "text", "my max book type"},
		{"mode type choice default fast var fast var slow and sure", "mode", "text", "fast, slow and sure", "fast"},
		{"mode type choice var a|b var c: d", "mode", "text", "a|b, c: d", ""},
		{"clear type button", "clear", "button", "", ""},
		{"name Move Overhead type spin default 10 min 0 max 5000", "Move Overhead", "int", "0 to 5000", "10"},
		{"name Time max type spin default 1 min 0 max 9", "Time max", "int", "0 to 9", "1"},
		{"name Ponder type check default false", "Ponder", "bool", "true, false", "false"},
		{"name Book File type string default <empty>", "Book File", "text", "text", ""},
		{"name Style type combo default Solid var Solid var Very Wild", "Style", "text", "Solid, Very Wild", "Solid"},
		{"name Clear Hash type button default now", "Clear Hash", "button", "", ""},
		{"name Hash", "Hash", "text", "text", ""},
		{"name", "name", "text", "text", ""},

		// What can't be understood has no type, so that any value is sent.
		{"x type seconds default 0 min 0 max 9", "x", "text", "text", ""},
		{"x type int min low max 9", "x", "text", "text", ""},
		{"x type int min 9 max 3", "x", "text", "text", ""},
		{"x type int default 99 min 0 max 9", "x", "text", "text", ""},
		{"x type int default much", "x", "text", "text", ""},
		{"x type int min 0 max 99999999999999999999", "x", "text", "text", ""},
		{"x type int min -1 max 18446744073709551615", "x", "text", "text", ""},
		{"x type real min NaN max Inf", "x", "text", "text", ""},
		{"x type real max 1e999", "x", "text", "text", ""},
		{"x type bool default maybe", "x", "text", "text", ""},
		{"x type choice default c var a var b", "x", "text", "text", ""},
		{"x type choice" + many, "x", "text", "text", ""},
		{"x type choice var " + long, "x", "text", "text", ""},
		{"x\x1b[2J type int", `x\x1b[2J`, "int", "", ""},
	} {
		o := parseOption(c.text)
		require.Equal(t, c.name, o.name, c.text)
		d := o.param()
		require.Equal(t, "opt."+c.name, d.Key, c.text)
		require.Equal(t, agents.Type(c.kind), d.Type(), c.text)
		require.Equal(t, c.values, d.Range(), c.text)
		require.Equal(t, c.initial, d.Default(), c.text)
	}
	for _, text := range []string{"", " ", "name type spin", "name default"} {
		require.Empty(t, parseOption(text).name, text)
	}
}

// FuzzOption lets any text be an announcement: it gives a parameter that can be asked for all there is.
func FuzzOption(f *testing.F) {
	for _, seed := range []string{
		"wReach type int default 3 min 0 max 10", "name A b type combo var", "name \x00 type real min 1e308 max -1",
		"type type type default min max var", "x type spin min -9223372036854775809 max 18446744073709551616",
	} {
		f.Add(seed, "3")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		var c client
		c.addOption(text)
		for _, o := range c.offered {
			d := o.param()
			require.NotContains(t, d.Key+d.Range()+d.Default(), "\x1b")
			_ = d.Check(value)
			if initial := d.Default(); initial != "" {
				require.NoError(t, d.Check(initial))
			}
			if d.Type() == agents.Int || d.Type() == agents.Float {
				low, high := d.Bounds()
				require.LessOrEqual(t, low, high)
			}
			require.Equal(t, 1, strings.Count(c.optionCommand(o.name, value), "\n")-strings.Count(value, "\n"))
		}
	})
}
