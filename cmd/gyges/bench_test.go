package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// slowClock is a clock that moves only when work is done.
type slowClock struct{ t time.Time }

func (c *slowClock) now() time.Time { return c.t }

func TestBenchKeepsTheBestRound(t *testing.T) {
	clock := &slowClock{time.Unix(0, 0)}
	b := &bench{time: 100 * time.Millisecond, now: clock.now}
	var passes []int
	got, err := b.best(t.Context(), func(n int) {
		passes = append(passes, n)
		took := time.Duration(n) * time.Millisecond
		if len(passes) != 7 { // all but one are disturbed
			took += time.Millisecond
		}
		clock.t = clock.t.Add(took)
	})
	require.NoError(t, err)
	// Warm-up: 2, 3 and 5 ms, the last long enough. Then 5 ms each until 100 ms are over, but once 4.
	require.Equal(t, []int{1, 2, 4}, passes[:3])
	for _, n := range passes[3:] {
		require.Equal(t, 4, n)
	}
	require.Equal(t, timing{passes: 4, time: 4 * time.Millisecond, rounds: 19}, got)
	require.Len(t, passes, 3+19)
}

func TestBenchTimesAFewRoundsAtLeast(t *testing.T) {
	clock := &slowClock{time.Unix(0, 0)}
	b := &bench{time: time.Millisecond, now: clock.now}
	got, err := b.best(t.Context(), func(int) { clock.t = clock.t.Add(time.Hour) })
	require.NoError(t, err)
	require.Equal(t, timing{passes: 1, time: time.Hour, rounds: fewRounds}, got)
}

func TestBenchStopsBetweenRounds(t *testing.T) {
	for _, last := range []int{1, 2, 5} { // in the warm-up, and after it
		ctx, cancel := context.WithCancel(t.Context())
		clock := &slowClock{time.Unix(0, 0)}
		b := &bench{time: time.Second, now: clock.now}
		rounds := 0
		_, err := b.best(ctx, func(n int) {
			clock.t = clock.t.Add(time.Duration(n) * 5 * time.Millisecond)
			if rounds++; rounds == last {
				cancel()
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, last, rounds)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, out, errText := gyges(ctx, "", "bench", "movegen")
	require.Equal(t, exitInterrupted, code)
	require.Empty(t, out)
	require.Empty(t, errText)
}

// TestBenchCountsBoardsAndMoves checks the sums against lists of moves.
func TestBenchCountsBoardsAndMoves(t *testing.T) {
	sets, err := benchBoardSets()
	require.NoError(t, err)
	modes := generationModes()
	b := &bench{time: time.Millisecond, workers: 3, now: time.Now}
	for _, s := range sets {
		var moves, goals, both uint64
		for _, p := range s.boards {
			mine, goal := countListed(s.rules, p)
			theirs, _ := countListed(s.rules, otherToMove(t, s.rules, p))
			moves += mine
			both += theirs + mine
			goals += goal
		}
		var ms rules.MoveSet
		for i, want := range []uint64{moves, moves, goals, both} {
			require.Equal(t, want, modes[i].pass(s.rules, s.boards, &ms), "%s %s", s.name, modes[i].name)
			line, err := b.measureGeneration(t.Context(), s, modes[i])
			require.NoError(t, err)
			passes := line.Boards / uint64(len(s.boards))
			require.Zero(t, passes%3)
			if modes[i].name == "goal" {
				want = 0
			}
			require.Equal(t, passes*want, line.Moves)
			require.InEpsilon(t, float64(line.Boards)/line.Seconds, line.BoardsS, 1e-12)
		}
	}
}

// otherToMove gives the turn to the other side.
func otherToMove(t *testing.T, r *rules.Rules, p rules.Position) rules.Position {
	fields := strings.Fields(r.FormatPosition(p))
	fields[1] = map[string]string{"s": "n", "n": "s"}[fields[1]]
	p, err := r.ParsePosition(strings.Join(fields, " "))
	require.NoError(t, err)
	return p
}

// countListed counts moves one by one, and says (1 or 0) whether one reaches
// the goal.
func countListed(r *rules.Rules, p rules.Position) (moves, goal uint64) {
	var ms rules.MoveSet
	r.Moves(p, &ms)
	for m := range ms.All() {
		moves++
		if m.IsGoal() {
			goal = 1
		}
	}
	return moves, goal
}

func TestBenchFindsWrongSums(t *testing.T) {
	sets, err := benchBoardSets()
	require.NoError(t, err)
	b := &bench{time: time.Millisecond, workers: 1, now: time.Now}
	calls := uint64(0)
	_, err = b.measureGeneration(t.Context(), sets[0], generationMode{
		name: "odd", pass: func(*rules.Rules, []rules.Position, *rules.MoveSet) uint64 { calls++; return calls },
	})
	require.ErrorContains(t, err, "boards start, mode odd: expected to find ")
	require.Equal(t, exitNo, exitCode(t.Context(), err))
}

func TestBenchPerft(t *testing.T) {
	counts := []perftCount{perftCounts()[0], {startBoard, 1, 224}, {crowdedBoard, 1, 1}} // the last is wrong
	clock := &slowClock{time.Unix(0, 0)}
	b := &bench{time: 20 * time.Microsecond, workers: 2, now: func() time.Time {
		clock.t = clock.t.Add(time.Microsecond)
		return clock.t
	}}
	report := newBenchReport(b)
	for _, c := range counts {
		line, err := b.measurePerft(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, 7, line.Rounds) // the clock is read three times a round
		require.InDelta(t, 1e-6, line.Seconds, 1e-12)
		require.InEpsilon(t, float64(line.Nodes)*1e6, line.NodesS, 1e-9)
		report.Perft = append(report.Perft, line)
	}
	err := report.mismatches(counts)
	require.ErrorContains(t, err, "perft 1 of "+crowdedBoard+": expected 1, counted ")
	require.NotContains(t, err.Error(), startBoard)
	require.Equal(t, exitNo, exitCode(t.Context(), err))
	require.NoError(t, report.mismatches(counts[:2]))
}

// TestBenchFormats prints one report in every format.
func TestBenchFormats(t *testing.T) {
	r := &benchReport{
		Version: "gyges v1", Arch: "amd64", CPUs: 2, Workers: 1, Time: 0.5,
		Generation: []generationLine{
			{"start", yardstickRules, "moves", 40, 3000, 666000, 0.001, 3e6, 6.66e8},
			{"start", yardstickRules, "goal", 41, 1000, 0, 0.0003, 1000 / 0.0003, 0},
		},
		Perft: []perftLine{{startBoard, yardstickRules, 3, 2, 16825500, 0.25, 67302000}},
	}
	printed := func(format string) string {
		var out bytes.Buffer
		require.NoError(t, r.write(&output{w: &out}, format))
		return out.String()
	}
	require.Equal(t, ` Boards  Mode   Boards/s  Moves/s
----------------------------------
 start   moves  3 M       666 M
 start   goal   3.33 M    -

 Position                                     Perft  Nodes     Seconds  Nodes/s
--------------------------------------------------------------------------------
 321123/000000/000000/000000/000000/321123 s  3      16825500  0.250    67.3 M

1 worker, best round within 500ms for each line. Boards simplified and kang go by the rules of that name, the others by
standard:null_move=allow,repetition=none,blocked_row=pass.
`, printed("text"))
	require.Contains(t, printed("markdown"), "| start  | moves | 3 M      | 666 M   |\n")

	rows, err := csv.NewReader(strings.NewReader(printed("csv"))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 4)
	require.Equal(t, []string{"generation", "start", yardstickRules, "goal", "1", "41", "1000", "", "", "0.0003", allDigits(1000 / 0.0003), "", ""}, rows[2])
	require.Equal(t, []string{"perft", startBoard, yardstickRules, "perft 3", "1", "2", "", "", "16825500", "0.25", "", "", "6.7302e+07"}, rows[3])

	var back benchReport
	require.NoError(t, json.Unmarshal([]byte(printed("json")), &back))
	require.Equal(t, *r, back)
	require.NotContains(t, printed("json"), `"moves": 0`)

	for _, format := range []string{"text", "markdown", "csv", "json"} {
		var w output
		w.w = fullDisk{}
		require.True(t, r.write(&w, format) != nil || w.err != nil, format)
	}
}

func TestBenchProgressIsSilentElsewhere(t *testing.T) {
	var out bytes.Buffer
	bar := benchProgress(&output{w: &out}, 2)
	require.NoError(t, errors.Join(bar.Add(1), bar.Add(1), bar.Finish()))
	require.Empty(t, out.String())
}
