package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever stands in a file or a flag, a message quotes little of it.
func TestMessagesAreShort(t *testing.T) {
	const most, ofLibraries = 1000, 2100 // bytes of a line
	dir, n := t.TempDir(), 0
	file := func(ending, text string) string {
		n++
		path := filepath.Join(dir, strings.Repeat("f", n)+ending)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	long := strings.Repeat("x", 900_000)
	spec := strings.Repeat("x", 4000) // a longer one is refused for its length
	config := "name: a\nrules: [standard]\nagents: [random, greedy]\npairs: 1\n"
	with := func(key, value string) []string {
		return []string{"tournament", file(".yaml", config+key+": "+value+"\n"), "--out", filepath.Join(dir, "out")}
	}
	renamed := []string{"tournament", file(".yaml", strings.Replace(config, "name: a", "name: "+long, 1)), "--out",
		filepath.Join(dir, "out")}
	agent := func(text string) []string {
		return []string{"tournament", "--agent", text, "--agent", "random", "--out", filepath.Join(dir, "out")}
	}
	record := `{"game":0,"pair":0,"rules":"standard","opening":"o","policy":"","south":{"agent":"a","seed":"1"},"north":{"agent":"b","seed":"2"},"moves":[],` +
		`"result":"1-0","reason":"goal","plies":0,"timing":{"start":"2026-01-02T03:04:05Z","seconds":1}}` + "\n"
	rate := func(ending, text string) []string { return []string{"rate", "--strict", file(ending, text)} }
	pgn := func(old, changed string) []string {
		game := "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[GameId \"0\"]\n[Pair \"0\"]\n[Rules \"standard\"]\n" +
			"[Opening \"000000/000000/000000/321000/021321/033210 s\"]\n[PlyCount \"1\"]\n[Reason \"goal\"]\n\n1. a4-goal 1-0\n"
		require.Contains(t, game, old)
		return []string{"import", "--strict", file(".pgn", strings.Replace(game, old, changed, 1)), "--out",
			filepath.Join(dir, "import", strconv.Itoa(n))}
	}
	for name, args := range map[string][]string{
		"name":                      renamed,
		"key":                       with(long, "1"),
		"schedule":                  with("schedule", long),
		"sprt":                      with("sprt", long),
		"openings":                  with("openings", long),
		"adjudicate":                with("adjudicate", long),
		"on repetition":             with("on_repetition", long),
		"clock":                     with("clock", long),
		"seed":                      with("seed", long),
		"limits":                    with("limits", "{movetime: "+long+"}"),
		"anchor of YAML":            with("time_margin", "&"+long),
		"kind":                      agent(spec),
		"parameter":                 agent("random:" + spec + "=1"),
		"long parameter":            agent("random:x=1," + spec),
		"value":                     agent("alphabeta:depth=" + spec),
		"quote":                     agent("random:x=" + spec + "'"),
		"after quote":               agent("random:x=''" + spec),
		"spec":                      agent(long),
		"rules":                     {"moves", "--rules", long},
		"rule option":               {"moves", "--rules", "standard:" + long + "=1"},
		"rule value":                {"moves", "--rules", "standard:door_rule=" + long},
		"no rule value":             {"moves", "--rules", "standard:" + long},
		"position":                  {"moves", "--position", long},
		"library: format":           {"rate", "--format", long, "x"},
		"library: command":          {long},
		"library: flag":             {"rate", "--" + long},
		"anchor":                    {"rate", "--anchor", long, file(".pgn", "")},
		"anchor's Elo":              {"rate", "--anchor", "a=" + long, file(".pgn", "")},
		"columns":                   {"rate", "--columns", long, file(".pgn", "")},
		"advantage":                 {"rate", "--advantage", long, file(".pgn", "")},
		"prior":                     {"rate", "--prior", long, file(".pgn", "")},
		"compare":                   {"rate", "--compare", long, file(".csv", "a,b,1-0\n")},
		"result of a record":        rate(".jsonl", strings.Replace(record, "1-0", long, 1)),
		"library: key of a record":  rate(".jsonl", strings.Replace(record, "policy", long, 1)),
		"library: type in a record": rate(".jsonl", strings.Replace(record, `"plies":0`, `"plies":"`+long+`"`, 1)),
		"CSV header":                rate(".csv", long[:200_000]+"\n"),
		"CSV result":                rate(".csv", "a,b,1-0\na,b,"+long[:200_000]+"\n"),
		"PGN result":                pgn(`"1-0"`, `"`+long[:200_000]+`"`),
		"PGN tag":                   pgn("[White", long[:200_000]),
		"PGN rules":                 pgn(`"standard"`, `"`+long[:200_000]+`"`),
		"PGN opening":               pgn(`[Opening "`, `[Opening "`+long[:200_000]),
		"PGN move":                  pgn("a4-goal", long),
	} {
		most := most
		if strings.HasPrefix(name, "library: ") {
			most = ofLibraries
		}
		t.Run(name, func(t *testing.T) {
			var out, complaint bytes.Buffer
			require.Equal(t, exitUsage, run(t.Context(), args, strings.NewReader(""), &out, &complaint))
			require.NotEmpty(t, complaint.String())
			for line := range bytes.Lines(complaint.Bytes()) {
				require.LessOrEqual(t, len(line), most, "%.300s", line)
			}
			require.LessOrEqual(t, out.Len(), most)
		})
	}
}
