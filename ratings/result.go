package ratings

import "cmp"

// Result is a game's outcome for South: any positive value is a win and any negative one a loss.
type Result int8

// The three outcomes, as seen by South.
const (
	Loss Result = -1
	Draw Result = 0
	Win  Result = 1
)

// outcomes is how many outcomes a game has. As an index, 0 is South's loss, 1 a draw and 2 South's
// win.
const outcomes = 3

func (r Result) index() int { return 1 + cmp.Compare(r, 0) }

// Count holds how many games ended how, as seen by one player.
type Count struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Games is the number of games counted.
func (c Count) Games() int { return c.Wins + c.Draws + c.Losses }

// Points is a point for each win and half a point for each draw.
func (c Count) Points() float64 { return float64(c.Wins) + float64(c.Draws)/2 }

// Score is the points per game, 0 to 1, and 0 without games.
func (c Count) Score() float64 { return c.perGame(c.Points()) }

// DrawShare is the share of the games that were drawn, 0 to 1, and 0 without games.
func (c Count) DrawShare() float64 { return c.perGame(float64(c.Draws)) }

func (c Count) perGame(x float64) float64 { return x / float64(max(1, c.Games())) }

// flip is the same games as the opponent saw them.
func (c Count) flip() Count { return Count{c.Losses, c.Draws, c.Wins} }

// Plus adds up games of the same player.
func (c Count) Plus(o Count) Count {
	return Count{c.Wins + o.Wins, c.Draws + o.Draws, c.Losses + o.Losses}
}
