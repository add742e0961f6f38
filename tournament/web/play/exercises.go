package play

import (
	"cmp"
	_ "embed"
	"fmt"
	"net/http"
	"sync"

	"gyges/agents/tactics"
	"gyges/rules"
	"gyges/rules/base/strictjson"
	"gyges/tournament/review"
	"gyges/tournament/web"
)

// exercise is a position with one move to be found.
type exercise struct {
	Grade int    `json:"grade"` // 1 to 3
	Theme string `json:"theme"` // what it teaches
	Task  string `json:"task"`  // a sentence
	Hint  string `json:"hint"`  // a sentence
	tactics.Puzzle
}

//go:embed assets/exercises.json
var exercisesText []byte

// exercises returns the exercises that ship, the easiest first.
var exercises = sync.OnceValue(func() (list []exercise) {
	if err := strictjson.Unmarshal(exercisesText, len(exercisesText), &list); err != nil {
		panic(err) // they are embedded
	}
	return list
})

// attempt is the body of a request to judge a move in an exercise, or for the answer.
type attempt struct {
	Exercise int    `json:"exercise"` // its index
	Move     string `json:"move"`     // "": the answer is asked for
}

// verdict is the answer to an attempt.
type verdict struct {
	Right bool     `json:"right"`
	Text  string   `json:"text"` // why, in sentences
	Line  []string `json:"line"` // the move, or the answer, and what is expected then, in long notation
}

// judge says whether a move solves an exercise, or what does.
func (p *Pages) judge(r *http.Request, q attempt) (any, error) {
	list := exercises()
	if err := inRange("exercise", q.Exercise, len(list)-1); err != nil {
		return nil, err
	}
	x := list[q.Exercise]
	position := positionRequest{Rules: x.Rules, Position: x.Position}
	g, err := position.game()
	if err != nil {
		return nil, err
	}
	// The person's move, or the answer where that is asked for.
	answer := x.Moves[0]
	text := cmp.Or(q.Move, answer)
	m, err := g.Rules().ParseMove(g.Position(), text)
	if err == nil {
		err = g.Check(m)
	}
	if err != nil {
		return nil, web.Unprocessable("move: %v", err)
	}
	// The searches of a judgement are among the light ones.
	end, err := p.light.Turn(r.Context(), r.RemoteAddr)
	if err != nil {
		return nil, err
	}
	defer end()
	judged, reply, err := review.New(reviewNodes).Judge(r.Context(), g, m)
	if err != nil {
		return nil, err
	}
	v := verdict{Right: m.String() == answer, Line: append([]string{judged.Move}, reply...)}
	switch {
	case q.Move == "":
		v.Text = "The answer: "
	case v.Right:
		v.Text = "Right: "
	default:
		v.Text = "Not this one: "
	}
	v.Text += v.reason(g.Position().Side().Other(), x.Class, judged)
	// The whole line is shown of a proven win alone, otherwise the move and the reply.
	plies, isProven := judged.Score.Proven()
	isWin := isProven && plies >= 0
	if !v.Right || !isWin {
		v.Line = v.Line[:min(len(v.Line), 2)]
	}
	return v, nil
}

// reason says why a move solves an exercise of a class, or doesn't.
func (v *verdict) reason(opponent rules.Side, class tactics.Class, m review.Move) string {
	plies, proven := m.Score.Proven()
	switch {
	case v.Right && class == tactics.OnlyMove:
		return fmt.Sprintf("after any other move %v can win within 4 plies. "+
			"This is proven.", opponent)
	case v.Right && class == tactics.WinIn1:
		return "it reaches the goal."
	case v.Right:
		return fmt.Sprintf("it is a %s, whatever %v answers. This is proven.", class, opponent)
	case proven && plies < 0 && len(v.Line) > 1:
		return fmt.Sprintf("%v then wins in %d, with %s.", opponent, -plies-1, v.Line[1])
	case proven && plies > 0:
		return fmt.Sprintf("it wins, but in %d plies, and there is a %s.", plies, class)
	}
	return fmt.Sprintf("there is a proven %s.", class)
}
