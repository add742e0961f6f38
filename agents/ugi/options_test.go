package ugi

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/ugi/ugitest"
	"gyges/rules"
	"gyges/rules/base/lists"
)

// announced are the options of engines for tests.
var announced = map[string]string{
	"bare": "",
	"typed": "option wReach type int default 3 min 0 max 10\noption scale type real default 0.5 min 0 max 2\n" +
		"option quiet type bool default false\noption book type text\n" +
		"option mode type choice default fast var fast var slow\noption clear type button\noption any\n",
	"uci": "option name Move Overhead type spin default 10 min 0 max 5000\noption name Ponder type check default false\n" +
		"option name Book File type string default <empty>\noption name Clear Hash type button\n" +
		"option name Style type combo default Solid var Solid var Very Wild\noption name maxPly type spin\n",
	"many": func() (lines string) {
		for i := range 200 {
			lines += fmt.Sprintf("option name Weight %d type spin default 100 min -500 max 500\n", i)
		}
		return lines
	}(),
	"standard": "option rules type choice default standard var standard var simplified\n",
}

// announcing returns the spec of an engine that announces options.
func announcing(t *testing.T, options, more string) string {
	t.Helper()
	text, ok := announced[options]
	require.True(t, ok)
	path := filepath.Join(t.TempDir(), options)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return ugitest.Spec(t, path, more)
}

func announcingHost(t *testing.T, options, more string) *host {
	t.Helper()
	h := newAgent(t, announcing(t, options, more)).(*host)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// What is announced is a parameter with type, range and default, in UGI's spelling and in UCI's.
func TestAnnouncedOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, name, kind, values, initial string }{
		{"Hash", "Hash", "text", "text", ""},
		{"Hash the size of the table", "Hash", "text", "text", ""},
		{"wReach type int default 3 min 0 max 10", "wReach", "int", "0 to 10", "3"},
		{"wReach max 10 min -3 default +3 type spin", "wReach", "int", "-3 to 10", "+3"},
		{"wReach type int min 5", "wReach", "int", "5 to ∞", ""},
		{"wReach type int max -5", "wReach", "int", "-∞ to -5", ""},
		{"seed type int default 0 min 0 max 18446744073709551615", "seed", "int", "0 to 18446744073709551615", "0"},
		{"scale type real default 0.5 min -1e3 max 1e3", "scale", "float", "-1e3 to 1e3", "0.5"},
		{"scale type float", "scale", "float", "", ""},
		{"quiet type bool default true", "quiet", "bool", "true, false", "true"},
		{"book type text default my own", "book", "text", "text", "my own"},
		{"mode type choice default fast var fast var slow and sure", "mode", "text", "fast, slow and sure", "fast"},
		{"mode type choice var a|b var c: d", "mode", "text", "a|b, c: d", ""},
		{"clear type button", "clear", "button", "", ""},
		{"name Move Overhead type spin default 10 min 0 max 5000", "Move Overhead", "int", "0 to 5000", "10"},
		{"name Time max type spin default 1 min 0 max 9", "Time max", "int", "0 to 9", "1"},
		{"name Ponder type check default false", "Ponder", "bool", "true, false", "false"},
		{"name Book File type string default <empty>", "Book File", "text", "text", ""},
		{"name Style type combo default Solid var Solid var Very Wild", "Style", "text", "Solid, Very Wild", "Solid"},
		{"name Clear Hash type button default", "Clear Hash", "button", "", ""},
		{"name Hash", "Hash", "text", "text", ""},
		{"name", "name", "text", "text", ""},

		// A default that isn't valid is none.
		{"x type int default 99 min 0 max 9", "x", "int", "0 to 9", ""},
		{"x type int default much", "x", "int", "", ""},
		{"x type bool default True", "x", "bool", "true, false", ""},
		{"x type choice default c var a var b", "x", "text", "a, b", ""},

		// What can't be understood has no type, so that any value is sent.
		{"x type seconds default 0 min 0 max 9", "x", "text", "text", ""},
		{"x type int min low max 9", "x", "text", "text", ""},
		{"x type int min 9 max 3", "x", "text", "text", ""},
		{"x type int min 0 max 99999999999999999999", "x", "text", "text", ""},
		{"x type int min -1 max 18446744073709551615", "x", "text", "text", ""},
		{"x type real min NaN max Inf", "x", "text", "text", ""},
		{"x type real max 1e999", "x", "text", "text", ""},
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
			line := c.optionCommand(o.name, strings.ReplaceAll(value, "\n", "")) // a spec has none
			require.Equal(t, len(line)-1, strings.IndexByte(line, '\n'))
		}
	})
}

// Options of a spec are checked when the engine starts, before any is sent.
func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ options, more, want string }{
		{"typed", ",opt.wReach=10,opt.scale=0.25,opt.quiet=true,opt.book=,opt.mode=slow,opt.clear=,opt.any=a b", ""},
		{"typed", ",opt.WREACH=+4,opt.Book=any text", ""},
		{"typed", ",opt.wReahc=1", `unknown option "wReahc", did you mean "wReach"?`},
		{"typed", ",opt.x=1", `unknown option "x"; expected one of: wReach, scale, quiet, book, mode, clear, any`},
		{"typed", ",opt.wReach=11", `option wReach: expected a whole number from 0 to 10, found "11"`},
		{"typed", ",opt.wReach=2.5", `option wReach: expected a whole number from 0 to 10, found "2.5"`},
		{"typed", ",opt.wReach=", `option wReach: expected a whole number from 0 to 10, found ""`},
		{"typed", ",opt.scale=2.01", `option scale: expected a number from 0 to 2, found "2.01"`},
		{"typed", ",opt.quiet=1", `option quiet: expected true, false, found "1"`},
		{"typed", ",opt.mode=Fast", `option mode: expected fast, slow, found "Fast"`},
		{"typed", ",opt.clear=now", `option clear: expected no value, for a button, found "now"`},
		{"typed", ",opt.a=1,opt.quiet=2,opt.zz=3", "unknown option \"a\", did you mean \"any\"?\n" +
			"option quiet: expected true, false, found \"2\"\n" +
			`unknown option "zz"; expected one of: wReach, scale, quiet, book, mode, clear, any`},
		{"uci", ",opt.move overhead=5000,opt.Style=Very Wild,opt.Clear Hash=,opt.Book File=,opt.Ponder=false", ""},
		{"uci", ",opt.moveoverhead=5", ""},
		{"uci", ",opt.MoveOverheat=5", `unknown option "MoveOverheat", did you mean "Move Overhead"?`},
		{"uci", ",opt.Style=wild", `option Style: expected Solid, Very Wild, found "wild"`},
		{"many", ",opt.Weight 0=-500,opt.Weight 199=500", ""},
		{"many", ",opt.Weight 200=1", `unknown option "Weight 200", did you mean one of "Weight 20", "Weight 100", ` +
			`"Weight 0", "Weight 2", "Weight 10", "Weight 21"?`},
		{"bare", ",opt.anything at all=goes", ""},
	} {
		h := announcingHost(t, c.options, c.more)
		err := h.Start(t.Context())
		if c.want == "" {
			require.NoError(t, err, c.more)
			continue
		}
		require.EqualError(t, err, c.want)
		require.NotContains(t, strings.Join(h.Trace(), "\n"), "setoption")
		require.Nil(t, h.proc, "an engine that is refused is ended")
	}
}

// An option is set once, however it is spelled.
func TestOptionGivenTwice(t *testing.T) {
	spec, err := agents.ParseSpec(ugitest.Spec(t, "good", ",opt.Move Overhead=1,opt.moveOverhead=2"))
	require.NoError(t, err)
	_, err = agents.NewRegistry(Kind(nil)).New(spec)
	require.ErrorContains(t, err, "option moveOverhead is given twice, as Move Overhead, too")
}

// Options are sent as they were announced: by their names, and in the engine's spelling.
func TestOptionsAreSent(t *testing.T) {
	t.Parallel()
	for options, c := range map[string]struct {
		more string
		want []string
	}{
		"typed": {",opt.WREACH=4,opt.book=,opt.clear=,opt.mode=slow",
			[]string{"> setoption wReach 4", "> setoption book", "> setoption clear", "> setoption mode slow"}},
		"uci": {",opt.move overhead=5,opt.book file=,opt.clear hash=,opt.style=Very Wild,opt.ponder=true",
			[]string{"> setoption name Book File", "> setoption name Clear Hash",
				"> setoption name Move Overhead value 5", "> setoption name Ponder value true",
				"> setoption name Style value Very Wild"}},
		"bare": {",opt.a b=4,opt.C=", []string{"> setoption C", "> setoption a b 4"}},
	} {
		h := announcingHost(t, options, c.more)
		require.NoError(t, h.Start(t.Context()))
		var sent []string
		for _, line := range h.Trace() {
			if strings.Contains(line, "setoption") {
				sent = append(sent, line)
			}
		}
		require.Equal(t, c.want, sent, options)
	}

	// Limits and the extensions, too.
	h := announcingHost(t, "uci", "")
	require.NoError(t, h.Start(t.Context()))
	commands, err := h.limitCommands(t.Context(), agents.Limits{Depth: 3, Nodes: 5})
	require.NoError(t, err)
	require.Equal(t, "setoption name maxPly value 3\n", commands)
	require.Equal(t, "setoption name seed value 3\n", h.optionCommand("seed", "3"))
}

// What can't be checked is noted once, however many processes the engine has.
func TestNoteOfOptions(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	registry := agents.NewRegistry(Kind(&Log{Notes: slog.New(slog.NewTextHandler(&log, options))}))
	bare, typed := announcing(t, "bare", ""), announcing(t, "typed", "")
	for _, text := range []string{bare, bare + ",opt.x=1", bare + ",opt.x=2,name=mine", typed + ",opt.wReach=1"} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		agent, err := registry.Start(t.Context(), spec)
		require.NoError(t, err)
		require.NoError(t, agent.Close())
	}
	spec, err := agents.ParseSpec(bare)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("level=WARN msg=%q engine=%q\n",
		"the engine announces no options: those given are sent unchecked", spec.Get("cmd")), log.String())
}

// An engine that says which rule sets it plays is refused others when it starts.
func TestKnownRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"standard":                  "",
		"simplified":                "",
		"standard:null_move=forbid": "",
		"kang":                      "the engine can't play kang: it plays standard, simplified",
		"standard:null_move=allow":  "the engine can't play standard:null_move=allow: it plays standard, simplified",
	} {
		h := announcingHost(t, "standard", "")
		h.rules = []*rules.Rules{rules.MustParse("standard"), rules.MustParse(text)}
		err := h.Start(t.Context())
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.EqualError(t, err, want)
	}

	kang := rules.MustParse("kang")
	for text, want := range map[string]string{
		"rules type text default standard":                      "",
		"rules type choice var chess var":                       "",
		"rules type choice default kang var kang":               "",
		"rules var kang:null_move=allow":                        "the engine can't play kang: it plays kang:null_move=allow",
		"rules" + strings.Repeat(" var x", 30) + " var leather": "the engine can't play kang: it plays leather",
	} {
		h := host{client: new(client)}
		h.addOption(text)
		require.True(t, h.extended)
		err := h.checkRules(kang)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.EqualError(t, err, want)
	}
}

// An agent that was started returns what its program announces, and nothing if it is none.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		announcing(t, "typed", ",opt.wReach=1"): {"opt.wReach", "opt.scale", "opt.quiet", "opt.book", "opt.mode",
			"opt.clear", "opt.any"},
		announcing(t, "bare", ""): {},
		"random":                  {},
	} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		agent, err := testRegistry().Start(t.Context(), spec)
		require.NoError(t, err)
		found := agent.Announced()
		require.NoError(t, agent.Close())
		require.Equal(t, want, lists.Map(found, func(d agents.ParamDef) string { return d.Key }), text)
	}
	spec, err := agents.ParseSpec(announcing(t, "typed", ",opt.wReahc=1"))
	require.NoError(t, err)
	_, err = testRegistry().Start(t.Context(), spec)
	require.ErrorContains(t, err, `unknown option "wReahc", did you mean "wReach"?`)
}
