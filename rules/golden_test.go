package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// published is testdata/published.json: positions and games printed elsewhere,
// in this project's notation, each with its source.
type published struct {
	Positions []struct {
		ID, Source, Rules, Position string
		Count                       *int     // legal moves
		Legal, Illegal              []string // either notation
		Wins                        *bool    // can the side to move reach the goal?
		Then                        string   // position after the first legal move
	}
	Games []struct {
		ID, Source, Rules, Position string
		Moves                       []string
		Illegal                     []string // after the last move
		Final, Result               string
	}
}

func loadPublished(t *testing.T) published {
	data, err := os.ReadFile("testdata/published.json")
	require.NoError(t, err)
	var all published
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&all))
	require.NotEmpty(t, all.Positions)
	require.NotEmpty(t, all.Games)
	return all
}

// requireIllegal checks that no text is that of a legal move.
func requireIllegal(t *testing.T, g *Game, moves []string) {
	for _, text := range moves {
		m, err := g.rules.ParseMove(g.Position(), text)
		if err == nil {
			err = g.Check(m)
		}
		require.Error(t, err, text)
	}
}

func TestPublishedPositions(t *testing.T) {
	t.Parallel()
	for _, c := range loadPublished(t).Positions {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			r := MustParse(c.Rules)
			p := parse(t, r, c.Position)
			if c.Count != nil {
				require.Equal(t, *c.Count, r.Count(p))
			}
			if c.Wins != nil {
				require.Equal(t, *c.Wins, r.CanReachGoal(p, p.Side()))
			}
			g := NewGame(r, p)
			for _, text := range c.Legal {
				require.NoError(t, checkText(t, g, text), text)
			}
			requireIllegal(t, g, c.Illegal)
			if c.Then != "" {
				play(t, g, c.Legal[0])
				require.Equal(t, c.Then, r.FormatPosition(g.Position()))
			}
		})
	}
}

func TestPublishedGames(t *testing.T) {
	t.Parallel()
	for _, c := range loadPublished(t).Games {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			r := MustParse(c.Rules)
			g := NewGame(r, parse(t, r, c.Position))
			play(t, g, c.Moves...)
			requireIllegal(t, g, c.Illegal)
			outcome, _ := g.Outcome()
			require.Equal(t, c.Result, outcome.String())
			if c.Final != "" {
				require.Equal(t, c.Final, r.FormatPosition(g.Position()))
			}
		})
	}
}

// TestFirstLegs is the Italian rulebook's list of the ways of a 3 on d1.
func TestFirstLegs(t *testing.T) {
	t.Parallel()
	r := MustParse("standard")
	p := parse(t, r, "112312/000000/000000/000000/000000/233123 s")
	var found []string
	for end := range legsTo[3][3] {
		for run := legsTo[3][3][end]; run.more(); run = run.next() {
			if crossed := run.leg().crossed; crossed&p.Occupied() == 0 {
				found = append(found, fmt.Sprintf("%v %v", Square(end), slices.Collect(crossed.All())))
			}
		}
	}
	require.ElementsMatch(t, []string{ // by end and squares crossed
		"d4 [d2 d3]", "c3 [d2 d3]", "e3 [d2 d3]", "c3 [c2 d2]", "e3 [d2 e2]",
		"b2 [c2 d2]", "f2 [d2 e2]", "c1 [c2 d2]", "e1 [d2 e2]",
	}, found)
}

func TestDoorsAreDifferent(t *testing.T) {
	t.Parallel()
	var all doorSet
	n := 0
	for s := range Square(NumSquares) {
		for _, to := range adjacency[s] {
			if to.OnBoard() && to > s {
				all |= doorBetween(s, to)
				n++
			}
		}
	}
	require.Equal(t, 60, n)
	require.Equal(t, n, SquareSet(all).Count())
}
