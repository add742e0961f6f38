//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// damagedRun is a Swiss tournament whose folder is damaged in a way.
type damagedRun struct {
	name string
	// damage changes the lines of the records, or files of the folder.
	damage func(t *testing.T, dir string, lines [][]byte) [][]byte
	note   string // that readers of the whole run print, or the error with which they end; an expression
	resume string // what a resumed run says; "": nothing, and it has all games in the end
}

// at changes the line with that index.
func at(i int, change func(line []byte) []byte) func(*testing.T, string, [][]byte) [][]byte {
	return func(_ *testing.T, _ string, lines [][]byte) [][]byte {
		lines[i] = change(lines[i])
		return lines
	}
}

// manifest changes the manifest of a run.
func manifest(change func(path string) error) func(*testing.T, string, [][]byte) [][]byte {
	return func(t *testing.T, dir string, lines [][]byte) [][]byte {
		require.NoError(t, change(filepath.Join(dir, "manifest.json")))
		return lines
	}
}

var plies = regexp.MustCompile(`"plies":\d+`)

var damagedRuns = []damagedRun{
	{"whole", at(0, slices.Clip), "", ""},
	{"lost line end", at(4, func(line []byte) []byte { return bytes.TrimSuffix(line, []byte{'\n'}) }),
		`games\.jsonl:5: expected a game record: another one begins in byte \d+: the line end between them is lost`,
		`:5: .*; without this line its games are played again`},
	{"zeros", func(_ *testing.T, _ string, lines [][]byte) [][]byte {
		text := bytes.Join(lines, nil)
		start := len(bytes.Join(lines[:5], nil)) - 200
		clear(text[start : start+400])
		return [][]byte{text}
	}, `games\.jsonl:5: expected a game record: .* invalid character '\\x00'`, `:5: .* without this line`},
	{"control byte", at(4, func(line []byte) []byte {
		return bytes.Replace(line, []byte(`"moves":["`), []byte("\"moves\":[\"\a"), 1)
	}),
		`games\.jsonl:5: .* invalid character '\\a'`, `:5: .* without this line`},
	{"rest", at(4, func(line []byte) []byte { return slices.Concat(line[:len(line)-1], []byte("}\n")) }),
		`games\.jsonl:5: .* invalid character '}' after top-level value`, `:5: .* without this line`},
	{"digit", at(4, func(line []byte) []byte { return plies.ReplaceAll(line, []byte(`"plies":31`)) }),
		`games\.jsonl:5: game 4: the record was changed after it was written: its CRC-32C is `, `:5: .* without this line`},
	{"another result", at(4, func(line []byte) []byte {
		return regexp.MustCompile(`"result":"(1-0|0-1)"`).ReplaceAll(line, []byte(`"result":"1/2-1/2"`))
	}), `games\.jsonl:5: game 4: the record was changed`, `:5: .* without this line`},
	{"cut end", at(15, func(line []byte) []byte { return line[:50] }),
		`games\.jsonl:16: expected a game record: the line is cut short`, ""},
	{"lost line", func(_ *testing.T, _ string, lines [][]byte) [][]byte { return slices.Delete(lines, 4, 5) },
		`games\.jsonl has 15 of the 16 games that were played by its manifest\.json`, ""},
	{"line twice", func(_ *testing.T, _ string, lines [][]byte) [][]byte { return slices.Insert(lines, 4, lines[3]) },
		`1 game whose id had come before; copies are counted once; the first is game 3`,
		`games\.jsonl:5: expected game 4, found game 3 again`},
	{"no checksums", func(_ *testing.T, _ string, lines [][]byte) [][]byte {
		return [][]byte{regexp.MustCompile(`,"crc32c":"[0-9a-f]{8}"`).ReplaceAll(bytes.Join(lines, nil), nil)}
	}, `without checksums: 16 games; not every change in them is noticed`, ""},
	{"no manifest", manifest(os.Remove),
		`manifest\.json of run: there is none; so it isn't known whether games are missing, and there`,
		`holds records \(games\.jsonl\) but no manifest\.json`},
	{"cut manifest", manifest(func(path string) error { return os.Truncate(path, 200) }),
		`manifest\.json of run: expected a manifest: unexpected end of JSON input; so it isn't known whether`,
		`manifest\.json can't be read`},
	{"huge manifest", manifest(func(path string) error { return os.Truncate(path, 8<<30) }),
		`manifest\.json of run: .*expected at most 16777216 bytes, found more; so it isn't known whether`,
		`manifest\.json: expected at most 16777216 bytes`},
}

// Whatever happened to a run's folder, each reader says so, with the line if it is one, or ends with an error that
// does. A run that is resumed refuses the damage, or has all its games in the end.
//
// GYGES_LONG_TESTS=1 go test -run TestDamagedRuns -v ./cmd/gyges
func TestDamagedRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	const args = "tournament --agent random:name=A --agent random:name=B --agent random:name=C --agent random:name=D " +
		"--rules simplified --schedule swiss --rounds 2 --pairs 2 --seed 5 --out run"
	run := func(args string) (code int, text string) {
		code, out, errText := gyges(t.Context(), "", strings.Fields(args)...)
		return code, strings.NewReplacer("&#39;", "'", "\n", " ", "&#34;", `"`).Replace(regexp.MustCompile(`\s+`).ReplaceAllString(out+errText, " "))
	}
	code, text := run(args)
	require.Zero(t, code, text)
	code, text = run("review run --nodes 100")
	require.Zero(t, code, text)
	whole := t.TempDir()
	require.NoError(t, os.CopyFS(whole, os.DirFS("run")))
	records, err := os.ReadFile("run/games.jsonl")
	require.NoError(t, err)
	withoutTiming := func(text []byte) string { return regexp.MustCompile(`,"timing".*`).ReplaceAllString(string(text), "") }
	readers := []string{
		"rate run", "rate run --format csv", "report run -o -", "games run", "games stats run", "export run",
		"review run --nodes 100", "data make run",
	}
	for i, d := range damagedRuns {
		if i%4 > 0 && os.Getenv(longTests) == "" {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			damage := func() {
				require.NoError(t, os.RemoveAll("run"))
				require.NoError(t, os.CopyFS("run", os.DirFS(whole)))
				lines := d.damage(t, "run", bytes.SplitAfter(bytes.Clone(records), []byte{'\n'}))
				require.NoError(t, os.WriteFile("run/games.jsonl", bytes.Join(lines, nil), 0o600))
			}
			for _, reader := range readers {
				damage()
				code, text := run(reader)
				require.Contains(t, []int{exitOK, exitUsage}, code, "%s\n%s", reader, text)
				if d.note == "" {
					require.Zero(t, code, text)
					if reader != "report run -o -" { // whose scripts have such words
						require.NotRegexp(t, `left out|checksum|known whether`, text, reader)
					}
					continue
				}
				require.Regexp(t, d.note, text, reader)
				require.NotContains(t, text, "the others have no moves", reader)
			}
			damage()
			_, text := run("rate run")
			code, strict := run("rate run --strict")
			require.Equal(t, strings.Contains(text, "left out"), code == exitUsage, strict)
			_, text = run("explore run")
			require.Regexp(t, strings.NewReplacer(`run/games\.jsonl`, "run", `games\.jsonl`, "run").Replace(d.note), text)
			damage()
			if code, text = run(args); d.resume != "" {
				require.Equal(t, exitUsage, code, text)
				require.Regexp(t, d.resume, text)
				return
			}
			require.Zero(t, code, text)
			now, err := os.ReadFile("run/games.jsonl")
			require.NoError(t, err)
			require.Equal(t, withoutTiming(records), withoutTiming(now))
		})
	}
	code, text = run("games show run 4")
	require.Zero(t, code, text)
}

// The tables of a run on a full disk are those of the games that it could record.
func TestTablesOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	const args = "tournament --agent random:name=A --agent random:name=B --rules simplified --pairs 200 --out run"
	p := startCommand(t, dir, exec.Command("sh", "-c", "ulimit -f 100 && exec gyges "+args))
	require.Equal(t, exitNo, p.exitCode(t), p.text.String())
	games := regexp.MustCompile(`the (\d+) games in run/games.jsonl(?: and ahead.jsonl)? are safe`).FindStringSubmatch(p.text.String())
	require.Len(t, games, 2, p.text.String())
	code, rated, errText := gyges(t.Context(), "", "rate", filepath.Join(dir, "run"))
	require.Zero(t, code, errText)
	require.Contains(t, p.text.String(), rated)
	require.Contains(t, rated, fmt.Sprintf("  %s  ", games[1]))
}
