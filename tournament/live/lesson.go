package live

import (
	"fmt"
	"strings"
	"text/template"

	"gyges/rules"
)

// step is one of the steps that explain a rule set on a board.
type step struct {
	Title    string `json:"title"`
	Text     string `json:"text"`
	Position string `json:"position"`
	Move     string `json:"move"` // legal in the position, in long notation
}

// lesson explains the rules in four steps, each with a move.
func lesson(r *rules.Rules) ([]step, error) {
	var text strings.Builder
	if err := lessonText.Execute(&text, r.Options()); err != nil {
		return nil, err
	}
	var list []step
	for _, part := range strings.Split(text.String(), "\n# ")[1:] {
		lines := strings.SplitN(part, "\n", 4)
		s := step{Title: lines[0], Position: lines[1], Text: strings.Join(strings.Fields(lines[3]), " ")}
		p, err := r.ParsePosition(s.Position)
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", s.Title, err)
		}
		m, err := r.ParseMove(p, lines[2])
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", s.Title, err)
		}
		s.Move = r.LongText(p, m)
		list = append(list, s)
	}
	return list, nil
}

// lessonText is executed with [rules.Options]. The lines below a heading are the
// position, the move and the text.
var lessonText = template.Must(template.New("lesson").Parse(`
{{define "row"}}You move a piece of the occupied row nearest to you, whoever moved it before.
{{- if eq .BlockedRow "next_row"}} If none of that row can move, the next row is played.
{{- else}} If none of that row can move, you pass.{{end}}{{end}}

{{define "move"}}A piece of height 3 makes exactly three steps, one of height 2 two, one of height 1 one, along rows and
files. It may turn at each step. The squares on the way must be empty, and no door, the edge between two squares, is
used twice {{if eq .DoorRule "directed"}}in the same direction in a turn
{{- else if eq .DoorRule "per_leg"}}before the piece lands{{else}}in a turn{{end}}.{{end}}

{{define "bounce"}}A piece whose last step ends on another one {{if .Relocation}}may bounce{{else}}bounces{{end}} off
it: it makes as many further steps as that piece is high, which stays where it is. Any number of bounces may follow one
another.{{end}}

{{if .Kang}}
# The goal
000000/000000/000000/003310/210203/130212 s 000/000 0-0 -
c4-(c5-c6)-goal
South takes pieces out beyond row 6, North beyond row 1.
{{if eq .KangGoals 1}}The first one wins.{{else}}The first to take out {{.KangGoals}} wins.{{end}}
The pieces belong to nobody; one that is taken out goes to the opponent's hand.
{{- if gt .KangCooldown 0}} No player takes one out on two turns in a row.{{end}}

# Bringing in
000000/000000/000000/000000/000000/000000 s 222/222 0-0 -
+3-(c1-c2)-d2
Each player begins with six pieces in hand.
{{if eq .KangEntry "optional"}}On your turn you may bring one in{{else}}While you hold any, you bring one in{{end}}:
its first step is onto your own first row, and from there it moves on. {{template "move" .}}

# Moving and bouncing
321123/000000/000000/000000/000000/321123 s 000/000 0-0 -
c1-d1-e1-(e2)-e3
{{if eq .KangEntry "optional"}}Or you{{else}}With an empty hand you{{end}} move on the board:
a piece of the occupied row nearest to you, whoever moved it before. {{template "bounce" .}}
{{else}}
# The goal, and which piece moves
000000/000000/000000/003310/210203/130212 s
c4-(c5-c6)-goal
Before play each player places six pieces, two of each height, on
{{if eq .SetupZone "two_rows"}}the two rows{{else}}the row{{end}} nearest to the player
{{- if eq .SetupOrder "alternate"}}, one at a time in turn{{end}}. From then on they belong to nobody.
South wins by bringing one beyond row 6, North by bringing one beyond row 1.
{{template "row" .}} Here South's is row 4.

# Moving
321123/000000/000000/000000/000000/321123 s
f1-(f2-e2)-e3
{{template "move" .}}

# Bounces
321123/000000/000000/000000/000000/321123 s
c1-d1-e1-(e2)-e3
{{template "bounce" .}} Here a piece of height 1 lands on another one, goes one step on to a piece of height 2, and
two steps from there.
{{end}}

{{if .Relocation}}
# Displacement
321123/000000/000000/000000/000000/321123 s{{if .Kang}} 000/000 0-0 -{{end}}
f1-(f2-e2)xe1@d4
Instead of bouncing, the piece may take the place of the one it landed on. You put that one on any empty square
that is not behind {{if eq .DropZone "playable_row"}}the row that your opponent can play
{{- else}}your opponent's first occupied row{{end}}, and the turn is over.
{{else}}
# Where a turn ends
000000/000000/000000/003310/210203/130212 s{{if .Kang}} 000/000 0-0 -{{end}}
e4-d4-(d3-c3)-c4-(c5-c6)-goal
No piece is displaced: the last step of a turn must end on an empty square, or beyond the far row as here after
two bounces.
{{end}}
`))
