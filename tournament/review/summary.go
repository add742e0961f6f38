package review

import (
	"cmp"
	"slices"
)

// Summaries are those of several rule sets, in the order of their first games. The zero value is empty.
type Summaries []*Summary

// Add counts a game in the summary of its rule set; see [Summary.Add].
func (s *Summaries) Add(run int, g *Review) {
	i := slices.IndexFunc(*s, func(of *Summary) bool { return of.Rules == g.Rules })
	if i < 0 {
		i = len(*s)
		*s = append(*s, &Summary{Rules: g.Rules})
	}
	(*s)[i].Add(run, g)
}

// Games returns how many games were counted.
func (s Summaries) Games() int {
	n := 0
	for _, of := range s {
		n += of.Games
	}
	return n
}

// Summary counts by player, under one rule set, how well each plays and where it loses. The zero value is empty.
type Summary struct {
	Rules   string    `json:"rules"`
	Games   int       `json:"games"`
	Players []*Player `json:"players"` // in the order of their first games
}

// Player is what was counted of one player.
type Player struct {
	Agent string `json:"agent"` // its spec
	Games int    `json:"games"`
	Tally        // of all its moves
	Losses
}

// Losses are the games that a player lost by its moves, not by a fault, and their [Review.Decisive] moves.
type Losses struct {
	Lost      int          `json:"lost"`
	NoMistake int          `json:"no_mistake"` // games without a decisive move
	Thirds    [3]int       `json:"thirds"`     // decisive moves by the third of the game they were made in
	Heights   [4]int       `json:"heights"`    // by the height of the piece moved; 0: a pass
	Kinds     map[Kind]int `json:"kinds"`      // by what they did

	WorstGames []Loss `json:"-"` // the games with the largest losses of winning probability, at most [MaxWorst]
}

// Loss is a decisive move of a lost game.
type Loss struct {
	Run   int   // as it was given to [Summary.Add]
	Game  int64 // number of the record
	Index int   // of the move in the record, from 1
	Move  Move
}

// MaxWorst bounds [Losses.WorstGames].
const MaxWorst = 5

// Add counts a game of a run, which has a number if there are several.
func (s *Summary) Add(run int, g *Review) {
	s.Games++
	players := map[string]*Player{"south": s.player(g.South), "north": s.player(g.North)}
	for side, p := range players {
		p.Games++
		if side == g.Loser() {
			p.lose(run, g)
		}
	}
	for i := range g.Moves {
		if m := &g.Moves[i]; m.Judged() {
			players[m.Side].add(m)
		}
	}
}

func (s *Summary) player(agent string) *Player {
	i := slices.IndexFunc(s.Players, func(p *Player) bool { return p.Agent == agent })
	if i < 0 {
		i = len(s.Players)
		p := &Player{Agent: agent, Tally: Tally{Accuracy: 100}, Losses: Losses{Kinds: map[Kind]int{}}}
		s.Players = append(s.Players, p)
	}
	return s.Players[i]
}

func (l *Losses) lose(run int, g *Review) {
	l.Lost++
	i := g.DecisiveMove()
	if i < 0 {
		l.NoMistake++
		return
	}
	m := g.Moves[i]
	l.Thirds[min(3*(m.Ply-1)/max(g.Plies, 1), 2)]++
	l.Heights[m.Height]++
	l.Kinds[m.Kind]++
	l.WorstGames = append(l.WorstGames, Loss{run, g.Game, i + 1, m})
	slices.SortStableFunc(l.WorstGames, func(a, b Loss) int { return cmp.Compare(b.Move.Loss, a.Move.Loss) })
	l.WorstGames = l.WorstGames[:min(len(l.WorstGames), MaxWorst)]
}
