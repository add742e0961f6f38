package gamestats

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
)

// randomGame plays random moves, mostly to the goal where one leads there.
func randomGame(t *testing.T, r *rules.Rules, pair int64, rng *rand.Rand) *record.Record {
	start := r.Start()
	game := rules.NewGame(r, start)
	var moves []string
	for o, _ := game.Outcome(); o == rules.Undecided; o, _ = game.Outcome() {
		m := game.Legal().At(rng.IntN(game.Legal().Len()))
		for goal := range game.Legal().Goals() {
			if rng.IntN(4) > 0 {
				m = goal
			}
		}
		require.NoError(t, game.Play(m))
		moves = append(moves, m.String())
	}
	o, reason := game.Outcome()
	g := played(pair, r.String(), r.FormatPosition(start), o.String(), string(reason), moves...)
	g.Plies = game.Ply()
	return g
}

// slow counts figures by the texts of moves and lists of all moves.
type slow struct {
	sum, cases map[string]float64
}

func (s *slow) add(key string, value float64) {
	s.sum[key] += value
	s.cases[key]++
}

func (s *slow) addIf(key string, holds bool) {
	value := 0.0
	if holds {
		value = 1
	}
	s.add(key, value)
}

// legal lists the legal moves after some moves of a game.
func legal(r *rules.Rules, start rules.Position, moves []rules.Move) map[string]bool {
	game := rules.NewGame(r, start)
	for _, m := range moves {
		game.PlayLegal(m)
	}
	list := map[string]bool{}
	for m := range game.Legal().All() {
		list[m.String()] = true
	}
	return list
}

// reaches reports whether the side to move can reach the goal at once, whatever was played before.
func reaches(r *rules.Rules, p rules.Position) bool {
	var ms rules.MoveSet
	r.Moves(p, &ms)
	for m := range ms.All() {
		if strings.HasSuffix(m.String(), "-goal") {
			return true
		}
	}
	return false
}

func (s *slow) game(t *testing.T, g *record.Record) {
	game, err := record.Replay(g)
	require.NoError(t, err)
	r := game.Rules()
	var play rules.Position // the first position after the set-up
	turns := g.Turns(game)
	for i, turn := range turns {
		if turn.Ply == 0 {
			continue
		}
		if turn.Ply == 1 {
			play = turn.Before
		}
		before := game.Moves()[i+1-turn.Ply : i]
		moves, text, long := legal(r, play, before), turn.Move.String(), r.LongText(turn.Before, turn.Move)
		goal := strings.HasSuffix(text, "-goal")
		reach := false
		for m := range moves {
			reach = reach || strings.HasSuffix(m, "-goal")
		}
		s.add("turn_legal_moves_mean", float64(len(moves)))
		s.addIf("turn_pass", text == "pass")
		s.addIf("goal_in_reach", reach)
		if reach {
			s.addIf("goal_missed", !goal)
		}
		last := i == len(turns)-1 && g.Reason == "goal"
		if i == len(turns)-2 && g.Reason == "goal" {
			stops := false
			for m := range moves {
				parsed, err := r.ParseMove(turn.Before, m)
				require.NoError(t, err)
				stops = stops || parsed.IsGoal() || !reaches(r, r.Apply(turn.Before, parsed))
			}
			s.addIf("missed_defence", stops)
		}
		if text != "pass" {
			s.move(turn.Before, long, last)
		}
	}
}

// move counts a move by its long text.
func (s *slow) move(p rules.Position, long string, wins bool) {
	height, row := int(long[1]-'0'), "hand"
	if long[0] != '+' {
		file, rank := int(long[0]-'a'), int(long[1]-'1')
		height = int(p.At(rules.SquareAt(file, rank)))
		if row = fmt.Sprint(rank + 1); p.Side() == rules.North {
			row = fmt.Sprint(6 - rank)
		}
	}
	body, _, displaces := strings.Cut(long, "@")
	inside, squares := false, 0
	for part := range strings.FieldsFuncSeq(body, func(c rune) bool { return c == '-' || c == 'x' }) {
		inside = inside || strings.Contains(part, "(")
		if !inside {
			squares++
		}
		inside = inside && !strings.Contains(part, ")")
	}
	bounces := squares - 2
	for h := 1; h <= 3; h++ {
		s.addIf(fmt.Sprintf("move_height_%d", h), h == height)
	}
	s.addIf("move_bounce", bounces > 0)
	s.add("move_bounces_mean", float64(bounces))
	s.addIf("move_displacement", displaces)
	if !wins {
		return
	}
	s.addIf("win_bounce", bounces > 0)
	s.addIf("win_height_3", height == 3)
	s.addIf("win_bounces_1", bounces == 1)
	s.addIf("win_bounces_5+", bounces >= 5)
	s.addIf("win_row_2", row == "2")
	s.addIf("win_row_hand", row == "hand")
}

// The figures of random games are those of a slow count.
func TestSlowCount(t *testing.T) {
	for _, name := range []string{"standard", "simplified", "cosmoludo", "russian", "italian-kang"} {
		t.Run(name, func(t *testing.T) {
			r := rules.MustParse(name + ":max_plies=60")
			rng := rand.New(rand.NewPCG(1, 2))
			s := slow{map[string]float64{}, map[string]float64{}}
			var games []*record.Record
			for i := range int64(20) {
				g := randomGame(t, r, i/2, rng)
				s.game(t, g)
				games = append(games, g)
			}
			list := countAll(t, games...)
			for key, n := range s.cases {
				f := figure(t, list, key)
				require.EqualValues(t, n, f.N, key)
				require.InDelta(t, s.sum[key]/n, f.Value, 1e-12, key)
			}
		})
	}
}
