package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/tournament"
	"gyges/tournament/record"
)

// playedGame is a game in some file: of a round-robin in which a round is played from one opening.
type playedGame struct {
	id, round             int
	white, black, opening string
	result, rules         string
}

var resultTexts = []string{"1-0", "0-1", "1/2-1/2"}

// roundRobin returns rounds of a round-robin, each game pair from the round's opening.
func roundRobin(rng *rand.Rand, players []string, rounds int) (list []playedGame) {
	add := func(round int, white, black string) {
		list = append(list, playedGame{
			id: len(list), round: round, white: white, black: black, opening: fmt.Sprint("o", round),
			result: resultTexts[rng.IntN(3)], rules: "standard",
		})
	}
	for round := range rounds {
		for i, a := range players {
			for _, b := range players[:i] {
				add(round, a, b)
				add(round, b, a)
			}
		}
	}
	return list
}

// gameFormats write games as a file of a format, without its header.
var gameFormats = map[string]struct {
	header string
	write  func(g playedGame) string
}{
	"round.pgn": {"", func(g playedGame) string {
		return g.pgn(fmt.Sprintf("[Round \"%d\"]\n[FEN \"%s\"]\n[GameId \"%d\"]\n", g.round, g.opening, g.id))
	}},
	"fen.pgn":  {"", func(g playedGame) string { return g.pgn(fmt.Sprintf("[FEN \"%s\"]\n", g.opening)) }},
	"pair.pgn": {"", func(g playedGame) string { return g.pgn(fmt.Sprintf("[Pair \"%d\"]\n", g.round)) }},
	"none.pgn": {"", func(g playedGame) string { return g.pgn("") }},
	"pair.csv": {"id,white,black,result,pair,rules\n", func(g playedGame) string {
		return fmt.Sprintf("%d,%s,%s,%s,%d,%s\n", g.id, g.white, g.black, g.result, g.round, g.rules)
	}},
	"opening.csv": {"south,north,result,pair,opening\n", func(g playedGame) string {
		return fmt.Sprintf("%s,%s,%s,%d,%s\n", g.white, g.black, g.result, g.round%3, g.opening)
	}},
	"games.jsonl": {"", func(g playedGame) string {
		r := &record.Record{
			Game: int64(g.id), Pair: int64(g.round), Rules: g.rules, Opening: g.opening, Result: g.result, Reason: "goal",
			South: record.Player{Agent: g.white}, North: record.Player{Agent: g.black},
			Moves: []string{strconv.Itoa(g.id % 7)}, Plies: 1,
		}
		return recordsText([]*record.Record{r})
	}},
}

func (g playedGame) pgn(tags string) string {
	return fmt.Sprintf("[White \"%s\"]\n[Black \"%s\"]\n[Result \"%s\"]\n[Rules \"%s\"]\n%s\n%s\n\n", g.white, g.black, g.result,
		g.rules, tags, g.result)
}

// rateOutputs returns what gyges rate prints of some arguments, in all formats.
func rateOutputs(t require.TestingT, args ...string) (all []string) {
	for _, flags := range [][]string{
		{"--format", "text"}, {"--format", "csv"}, {"--format", "json"}, // which has all tables
	} {
		code, out, errText := gyges(context.Background(), "", slices.Concat([]string{"rate"}, args, flags)...)
		require.Zero(t, code, errText)
		all = append(all, out, errText)
	}
	return all
}

// gamesAndPairs are the figures of the table over all rules.
func gamesAndPairs(t require.TestingT, output string) (games, pairs int) {
	var o struct {
		Games int `json:"games"`
		Pairs int `json:"pairs"`
	}
	require.NoError(t, json.Unmarshal([]byte(output), &o))
	return o.Games, o.Pairs
}

// What is printed doesn't depend on the order in which games stand in a file, whatever says which of them are pairs.
func TestOrderOfGames(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	rounds := roundRobin(rng, []string{"A", "B", "C", "D", "E"}, 30)
	var oneOpening []playedGame
	for i := range 101 {
		players := []string{"A", "B"}
		oneOpening = append(oneOpening, playedGame{white: players[i%2], black: players[1-i%2], opening: "o",
			result: resultTexts[rng.IntN(3)], id: i, rules: "standard"})
	}
	several := slices.Clone(rounds[:200])
	for i := range several {
		several[i].rules = []string{"kang", "standard", "simplified"}[several[i].round%3]
		several[i].round %= 4 // so that a key has several pairs
		several[i].opening = fmt.Sprint("o", several[i].round)
	}
	copies := append(slices.Clone(rounds[:40]), rounds[:10]...)
	for _, set := range []struct {
		name  string
		games []playedGame
	}{{"rounds", rounds}, {"one opening", oneOpening}, {"several", several}, {"copies", copies}} {
		for name, format := range gameFormats {
			t.Run(set.name+" "+name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), name)
				games := slices.Clone(set.games)
				print := func() []string {
					text := format.header
					for _, g := range games {
						text += format.write(g)
					}
					require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
					return rateOutputs(t, file)
				}
				want := print()
				n, pairs := gamesAndPairs(t, want[4])
				if set.name == "rounds" {
					require.Equal(t, len(games), n+repeatedIn(want[4]))
					if name != "none.pgn" && name != "games.jsonl" {
						require.Equal(t, len(games)/2, pairs)
					}
				}
				if set.name == "one opening" && name != "none.pgn" && name != "games.jsonl" {
					require.Equal(t, [2]int{101, 50}, [2]int{n, pairs})
				}
				for range 2 {
					rng.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
					require.Equal(t, want, print())
				}
			})
		}
	}
}

// repeatedIn returns how many games were left out as they repeat others.
func repeatedIn(output string) (n int) {
	for line := range strings.Lines(output) {
		if !strings.Contains(line, "had played before, move for move") {
			continue
		}
		words := strings.Fields(line[strings.Index(line, "left out: "):])
		count, _ := strconv.Atoi(words[2])
		if strings.HasPrefix(words[3], "pair") {
			count *= 2
		}
		n += count
	}
	return n
}

// Games that are drawn by lot give the same bytes in any order, in any parts of several files, and with the files in any
// order; each is counted once, and pairs as often as an independent count says.
func TestOrderOfAnyGames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		names := slices.Sorted(slices.Values([]string{"round.pgn", "fen.pgn", "pair.pgn", "pair.csv", "opening.csv", "games.jsonl"}))
		draw := func(most int, of string) int { return rapid.IntRange(0, most).Draw(t, of) }
		seed := rapid.Uint64().Draw(t, "order")
		rng := rand.New(rand.NewPCG(seed, 1))
		files := map[string][]playedGame{}
		for _, name := range names[:1+draw(2, "files")] {
			list := make([]playedGame, 1+draw(30, "games"))
			for i := range list {
				a := draw(3, "white")
				list[i] = playedGame{
					id: draw(40, "id"), round: draw(2, "round"), white: string("ABCD"[a]), black: string("ABCD"[(a+1+draw(2, "black"))%4]),
					result: resultTexts[draw(2, "result")], rules: []string{"standard", "kang"}[draw(1, "rules")],
				}
				list[i].opening = fmt.Sprint("o", draw(1, "opening"))
			}
			files[name] = list
		}
		write := func() (args []string) {
			for name, list := range files {
				text := gameFormats[name].header
				for _, g := range list {
					text += gameFormats[name].write(g)
				}
				file := filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
				args = append(args, file)
			}
			return args
		}
		want := rateOutputs(t, write()...)
		games, _ := gamesAndPairs(t, want[4])
		total := 0
		for _, list := range files {
			total += len(list)
		}
		require.LessOrEqual(t, games, total)
		for _, list := range files {
			rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		require.Equal(t, want, rateOutputs(t, write()...))
	})
}

// A game that stands twice in a folder, by one number and by another one, is counted once there, and with a run whose
// pair it is of; the order of records and arguments changes nothing.
func TestOrderOfArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	for out, seed := range map[string]string{"R": "1", "S": "2"} {
		code, _, errText := gyges(t.Context(), "", "tournament", "--agent", "random:name=a", "--agent", "greedy:name=b",
			"--agent", "random:name=c", "--schedule", "swiss", "--rules", "simplified", "--pairs", "2", "--seed", seed, "--out", out)
		require.Zero(t, code, errText)
	}
	text, err := os.ReadFile(filepath.Join("R", tournament.GamesFile))
	require.NoError(t, err)
	lines := slices.Collect(strings.Lines(string(text)))
	alone := rateOutputs(t, "R")
	slices.Reverse(lines)
	require.NoError(t, os.WriteFile(filepath.Join("R", tournament.GamesFile), []byte(strings.Join(lines, "")), 0o600))
	require.Equal(t, alone, rateOutputs(t, "R"), "the order of records")

	first := lines[0]
	moved := strings.Replace(first, `{"game":`, `{"game":9`, 1) // the same game by another number, without its checksum
	moved = moved[:strings.Index(moved, `,"crc32c"`)] + "}}\n"
	moved = strings.Replace(moved, `"pair":`, `"pair":9`, 1)
	require.NoError(t, os.MkdirAll("d", 0o700))
	require.NoError(t, os.WriteFile(filepath.Join("d", tournament.GamesFile), []byte(moved+first+first), 0o600))
	for _, c := range []struct {
		args  []string
		games int
	}{
		{[]string{"d"}, 1}, {[]string{"R", "d"}, len(lines) + 1}, {[]string{"S", "d", "R"}, 2*len(lines) + 1},
	} {
		out := rateOutputs(t, c.args...)
		games, _ := gamesAndPairs(t, out[4])
		require.Equal(t, c.games, games, c.args)
		slices.Reverse(c.args)
		require.Equal(t, out, rateOutputs(t, c.args...), c.args)
	}
}
