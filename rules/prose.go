package rules

import (
	"strings"
	"text/template"
)

// Section is a part of a rule set in prose.
type Section struct {
	Heading    string   `json:"heading"`
	Paragraphs []string `json:"paragraphs"`
}

// Prose returns the rules of the game under these options in English, complete
// enough to play by.
func (o Options) Prose() []Section {
	var text strings.Builder
	if err := prose.Execute(&text, o); err != nil {
		panic(err) // the template is wrong
	}
	var sections []Section
	for _, part := range strings.Split(text.String(), "\n# ")[1:] {
		paragraphs := strings.Split(part, "\n- ")
		for i, p := range paragraphs {
			paragraphs[i] = strings.Join(strings.Fields(p), " ")
		}
		sections = append(sections, Section{paragraphs[0], paragraphs[1:]})
	}
	return sections
}

// prose is executed with Options. Headings begin with #, paragraphs with -.
var prose = template.Must(template.New("rules").Parse(`
# The game
- Two players, South and North, play on a board of 6 by 6 squares: files a to f from South's left, rows 1 to 6 from
South's side. There are twelve pieces, four each of height 1, 2 and 3. Nobody owns them.
{{if .Kang}}
- South takes pieces off the board beyond row 6, North beyond row 1. Each piece taken out is a goal;
{{if eq .KangGoals 1}}the first goal wins.{{else}}the first player with {{.KangGoals}} goals wins.{{end}}
{{else}}
- South wins by bringing a piece beyond row 6, North by bringing one beyond row 1.
{{end}}

# Before play
- {{if .Kang}}
The board is empty. Each player holds two pieces of each height.
{{else}}
Each player takes two pieces of each height.
{{if eq .SetupOrder "alternate"}}They place them in turn, one piece at a time, South first,
{{else}}South places all of his, then North,{{end}} on
{{if eq .SetupZone "two_rows"}}any empty squares of the player's first two rows.
{{else}}empty squares of the player's first row.{{end}}
The two sides need not mirror each other.
{{end}}
South moves first.

# Which piece moves
- A player's active row is the occupied row nearest to him. On his turn he moves one piece of it,
whoever moved that piece before. If no piece of that row has a legal move
{{- if eq .BlockedRow "next_row"}}, the next occupied row is his active row, and so on.
A player passes only if he has no legal move.
{{else}}{{if and .Kang (eq .KangEntry "optional")}} and no piece can enter{{end}}, he passes.{{end}}
{{if .Kang}}
- {{if eq .KangEntry "optional"}}
A player who holds pieces may bring one in instead of moving one on the board.
That a piece can enter does not change which row is active.
{{else}}
While a player holds pieces he brings one in instead of moving one on the board. If none can enter,
{{if eq .BlockedRow "next_row"}}he moves on the board.{{else}}he passes.{{end}}
{{end}}
A piece enters by a step onto any square of his own first row.
That is step 1 of its first leg; from there it moves like any other piece.
{{end}}

# How it moves
- A piece of height h makes a leg of exactly h steps, each to the next square along a row or a file. It may turn
at every step. Every square of the leg but the last must be empty; the square on which the piece began
its turn counts as empty.
- A door is the edge between two squares.
{{if eq .DoorRule "directed"}}
No door is used twice in the same direction in one turn. A square may be crossed again if it is
entered or left in another direction.
{{else if eq .DoorRule "per_leg"}}
No door is used twice in one leg, in either direction. All doors are open again for the next leg.
{{else}}
No door is used twice in one turn, in either direction. A square may be crossed again by other doors.
{{end}}
- A leg that ends on an empty square ends the turn.

# Landing on a piece
- A piece that ends a leg on another one {{if .Relocation}}either bounces off it or displaces it.
- Bounce: {{else}}bounces off it: {{end -}}
the moving piece makes another leg, of as many steps as the height of the piece that it landed on,
which stays where it is. Any number of bounces may follow one another,
{{if .RevisitPiece}}several off one piece too if the doors allow it.{{else}}but no two off one piece.{{end}}
{{if .Relocation}}
- Displacement: the moving piece takes the square, and the player puts the piece that stood there on any empty
square that is not behind
{{if eq .DropZone "playable_row"}}
the row that the opponent can play: his first occupied row, or the next one if no piece of the first
could move, and so on; his first occupied row if none could. That is judged once the moving piece has
arrived, with the displaced piece off the board.
{{else}}
the opponent's first occupied row. That is judged once the moving piece has arrived.
{{end}}
The square that the moving piece left may be used. The turn is over.
{{else}}
- The turn is legal only if its last leg ends on an empty square or beyond the far row: no piece is displaced.
{{end}}

# The far side
{{if .Kang}}
- A piece leaves the board by one step beyond any square of the far row. That step must be the last one of a leg.
The piece goes to the opponent's hand. Nobody takes a piece out over his own side.
{{if gt .KangCooldown 0}}
- A player who took a piece out on his previous turn may not take one out on this turn. A pass counts as a turn.
{{end}}
{{else}}
- The goal lies one step beyond any square of the far row. It is reached by the last step of a leg only,
and never crossed. Nobody enters his own goal. A player who reaches the goal has won.
{{end}}

# What a turn may not do
{{if eq .NullMove "forbid"}}
- A turn may not leave the board as it was: the piece may not end on its own square
{{- if .Relocation}}, nor a displaced piece of the same height be put there{{end}}.
{{else}}
- A turn may leave the board as it was.
{{end}}
{{if eq .Repetition "none"}}
- Positions may come back.
{{else}}
- A move may not bring back
{{if eq .Repetition "previous"}}the position that stood before the opponent's last turn.
{{else}}a position that has stood before in the game.{{end}}
The position is the pieces on the board,
{{if .Kang}}the hands, the goals and who took a piece out on his previous turn,{{end}} whoever is to move.
{{end}}
- No turn is given up while there is a legal move.

# A draw
- Two passes in a row end the game as a draw.
- So does turn {{.MaxPlies}}, both players' turns counted. No rulebook says so; it ends games that would go on.
`))
