package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/configs"
	"gyges/rules/base/files"
	"gyges/tournament"
)

// served starts gyges serve and returns its address. stop ends it and returns the exit code.
func served(t *testing.T, args ...string) (base string, stop func() (code int, stderr string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	from, to := io.Pipe()
	var errText strings.Builder
	done := make(chan int)
	go func() {
		code := run(ctx, append([]string{"serve"}, args...), strings.NewReader(""), to, &errText)
		_ = to.Close()
		done <- code
	}()
	line, err := bufio.NewReader(from).ReadString('\n')
	require.NoError(t, err)
	address := regexp.MustCompile(`^(http://[^ ]+)/ until Ctrl-C\n$`).FindStringSubmatch(line)
	require.NotNil(t, address, line)
	return address[1], func() (int, string) {
		cancel()
		return <-done, errText.String()
	}
}

func fetch(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	w, err := client.Do(r)
	require.NoError(t, err)
	defer func() { _ = w.Body.Close() }()
	text, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return w.StatusCode, string(text)
}

// The page of a run has the figures of gyges rate; every agent on the page to play
// can be played against; what ends the server is no failure.
func TestServe(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	code, _, errText := gyges(t.Context(), "", "tournament", "--agent", "random", "--agent", "greedy", "--agent",
		"alphabeta:depth=1,name=first",
		"--rules", "simplified", "--pairs", "6", "--seed", "1", "--out", filepath.Join(results, "run"))
	require.Zero(t, code, errText)
	base, stop := served(t, "--addr", "127.0.0.1:0", "--results", results, "--agent", "random:name=mine", "--games", "40")

	status, page := fetch(t, http.MethodGet, base+"/run/run", "")
	require.Equal(t, http.StatusOK, status)
	code, table, errText := gyges(t.Context(), "", "rate", filepath.Join(results, "run"), "--format", "csv")
	require.Zero(t, code, errText)
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	require.NoError(t, err)
	code, text, _ := gyges(t.Context(), "", "rate", filepath.Join(results, "run"), "--format", "markdown") // every column
	require.Zero(t, code)
	for _, row := range rows[1:] {
		name := row[slices.Index(rows[0], "name")]
		line := regexp.MustCompile(`(?m)^\| \d+ \| ` + regexp.QuoteMeta(name) + ` .*$`).FindString(text)
		require.NotEmpty(t, line, name)
		cells := regexp.MustCompile(`<tr><td>\d+</td><th\s+scope="row">` + regexp.QuoteMeta(name) +
			`</th>(.*?)</tr>`).FindStringSubmatch(page)
		require.NotNil(t, cells, name)
		plain := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(cells[1], " ")), " ")
		require.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(line, "|", "")), " "), plain)
	}
	require.Contains(t, page, "gyges rate "+filepath.Join(results, "run"))

	_, page = fetch(t, http.MethodGet, base+"/play", "")
	names := regexp.MustCompile(`<option\s+value="([^"]+)"\s+data-doc="[^"]*"(?:\s+data-[a-z]+="[^"]*")*>`).FindAllStringSubmatch(page, -1)
	require.Contains(t, page, `data-elo="kang:0 simplified:0 standard:0 "`, "the weakest level")
	levels := configs.ListLevels()
	require.Equal(t, len(levels), strings.Count(page, `data-elo="kang:`))
	_, first := fetch(t, http.MethodGet, base+"/", "")
	require.Contains(t, first, "against <b>"+levels[0].Name+"</b>", "the weakest level")
	agents := 0
	for _, m := range names {
		status, answer := fetch(t, http.MethodPost, base+"/api/games",
			fmt.Sprintf(`{"agent":%q,"time":0,"rules":"standard","side":"south","setup":"random"}`, m[1]))
		if status == http.StatusCreated {
			agents++
		} else {
			require.Contains(t, answer, "agent: expected one of", "of the rule sets")
		}
	}
	require.Greater(t, agents, len(levels)+1, "levels, kinds, and the operator's")
	for _, agent := range []string{"ugi", "ugi:cmd=sh", "alphabeta:depth=40"} {
		status, _ := fetch(t, http.MethodPost, base+"/api/games",
			fmt.Sprintf(`{"agent":%q,"time":0,"rules":"standard","side":"south","setup":"random"}`, agent))
		require.Equal(t, http.StatusUnprocessableEntity, status, agent)
	}
	code, errText = stop()
	require.Zero(t, code)
	require.Empty(t, errText)
}

// --open prints a warning.
func TestServeOpen(t *testing.T) {
	base, stop := served(t, "--addr", "0.0.0.0:0", "--open", "--results", t.TempDir())
	_, port, _ := strings.Cut(strings.TrimPrefix(base, "http://"), "]:")
	if port == "" {
		_, port, _ = strings.Cut(strings.TrimPrefix(base, "http://"), ":")
	}
	status, _ := fetch(t, http.MethodGet, "http://127.0.0.1:"+port+"/", "")
	require.Equal(t, http.StatusOK, status)
	code, errText := stop()
	require.Zero(t, code)
	require.Regexp(t,
		`^gyges: warning: \S+ can be reached from other machines; their users can see these runs and play: there is no authentication\n$`, errText)
}

// A server whose games could not be recorded fails at its end and names them.
func TestServeLosesGames(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	base, stop := served(t, "--addr", "127.0.0.1:0", "--results", results)
	require.NoError(t, os.WriteFile(results, nil, 0o644)) // so no folder can be made, as on a full disk
	status, answer := fetch(t, http.MethodPost, base+"/api/games",
		`{"agent":"random","time":0,"rules":"standard","side":"south","setup":"random"}`)
	require.Equal(t, http.StatusCreated, status, answer)
	game := regexp.MustCompile(`"id":"(\w+)"`).FindStringSubmatch(answer)
	require.NotNil(t, game, answer)
	status, answer = fetch(t, http.MethodPost, base+"/api/games/"+game[1]+"/resign", "{}")
	for version := 1; status == http.StatusOK && !strings.Contains(answer, "not recorded"); version++ {
		status, answer = fetch(t, http.MethodGet, fmt.Sprintf("%s/api/games/%s?after=%d", base, game[1], version), "")
	}
	code, errText := stop()
	require.Equal(t, exitNo, code, errText)
	require.Contains(t, errText, "\ngyges: games lost, as they could not be recorded: 1: ")
	require.Regexp(t, `\ngyges: lost: human \(South\) against random \(North\), standard, 0-1 by resignation in \d+ plies`, errText)
}

// An occupied address is said at once, with what to do, and no folder is made.
func TestOccupiedAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	addr, out := l.Addr().String(), filepath.Join(t.TempDir(), "run")
	for flag, args := range map[string][]string{
		"--addr":   {"serve", "--results="},
		"--listen": {"match", "random", "greedy", "--nats", "embedded", "--out", out},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append(args, flag, addr), nil, &stdout, &stderr)
		require.Equal(t, exitUsage, code, args)
		require.Empty(t, stdout.String())
		require.Equal(t, "gyges: "+flag+": another program listens on "+addr+"; stop it, or use a free port: "+flag+
			" 127.0.0.1:0\n", stderr.String())
	}
	require.NoDirExists(t, out)
}

// The command that the page of a killed run has goes on with that run.
func TestServeStoppedRun(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	base, stop := served(t, "--addr", "127.0.0.1:0", "--results", results)
	for id, args := range map[string]string{
		"swiss": "tournament --agent random --agent greedy --agent random:name=r --schedule swiss --rounds 2 --pairs 2",
		"cup":   "tournament --agent random --agent greedy --schedule knockout --rules simplified,kang --pairs 2 --nodes 50",
		"test":  "match random greedy --sprt elo0=0,elo1=100 --pairs 4 --rules simplified:max_plies=40 --seed 7",
	} {
		out := filepath.Join(results, id)
		code, _, errText := gyges(t.Context(), "", append(strings.Fields(args), "--out", out)...)
		require.Zero(t, code, errText)
		games, err := os.ReadFile(filepath.Join(out, tournament.GamesFile))
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(out, tournament.ManifestFile))
		require.NoError(t, err)
		first, _, _ := bytes.Cut(games, []byte("\n"))
		require.NoError(t, os.WriteFile(filepath.Join(out, tournament.GamesFile), append(first, '\n'), 0o644))
		killed := bytes.Replace(text, []byte(`"finished"`), []byte(`"running"`), 1)
		require.NoError(t, os.WriteFile(filepath.Join(out, tournament.ManifestFile), killed, 0o644))

		_, page := fetch(t, http.MethodGet, base+"/run/"+id, "")
		command := regexp.MustCompile("stopped without an end; `gyges ([^`]+)` goes on").FindStringSubmatch(html.UnescapeString(page))
		require.NotNil(t, command, page)
		code, _, errText = gyges(t.Context(), "", strings.Fields(command[1])...)
		require.Zero(t, code, errText)
		again, err := os.ReadFile(filepath.Join(out, tournament.GamesFile))
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(again, first), id)
		require.Equal(t, bytes.Count(games, []byte("\n")), bytes.Count(again, []byte("\n")), id)
	}
	stop()
}

// A second coordinator leaves the embedded server's store of the one that is at work in the folder.
func TestSecondCoordinator(t *testing.T) {
	out := t.TempDir()
	store := filepath.Join(out, "queue", "jetstream")
	require.NoError(t, os.MkdirAll(store, 0o755))
	f, err := os.Create(filepath.Join(out, tournament.GamesFile))
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, files.Lock(f))
	code, _, errText := gyges(t.Context(), "", "match", "random", "greedy", "--nats", "embedded", "--listen", "127.0.0.1:0",
		"--out", out)
	require.Equal(t, exitUsage, code)
	require.Equal(t, "gyges: --out: "+out+": another process is at work here\n", errText)
	require.DirExists(t, store)
}
