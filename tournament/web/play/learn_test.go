package play

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/solver"
	"gyges/agents/tactics"
	"gyges/rules"
	"gyges/tournament/review"
	"gyges/tournament/web/internal/browsertest"
)

// The exercises are proven: exactly the moves listed solve them. Their moves show what they are to teach.
func TestExercisesAreTrue(t *testing.T) {
	t.Parallel()
	list := exercises()
	require.Len(t, list, 20)
	s, grade := solver.New(1), 1
	seen, themes := map[string]bool{}, map[string]int{}
	for i, x := range list {
		require.GreaterOrEqual(t, x.Grade, grade, "the easiest first")
		grade = x.Grade
		r := rules.MustParse(x.Rules)
		p, err := r.ParsePosition(x.Position)
		require.NoError(t, err)
		require.False(t, seen[x.Position], i)
		seen[x.Position] = true
		class, g := x.Class, rules.NewGame(r, p)
		plies := map[tactics.Class]int{tactics.WinIn1: 1, tactics.WinIn3: 3}[class]
		found, err := s.Solve(t.Context(), g, 3)
		require.NoError(t, err)
		require.Equal(t, plies, found.Plies, i)
		var moves []rules.Move
		for m := range rules.NewGame(r, p).Legal().All() {
			g.PlayLegal(m)
			o, _ := g.Outcome()
			after, err := s.Solve(t.Context(), g, 3)
			require.NoError(t, err)
			if o == rules.WinFor(p.Side()) || -plies < after.Plies && after.Plies < 0 ||
				class == tactics.OnlyMove && after.Plies <= 0 { // it doesn't lose within 4 plies
				moves = append(moves, m)
			}
			g.Undo()
		}
		require.Len(t, moves, 1, i)
		require.Equal(t, x.Moves, []string{moves[0].String()}, i)
		require.True(t, strings.HasSuffix(x.Task, ".") && strings.HasPrefix(x.Task, map[tactics.Class]string{
			tactics.WinIn1: "South to move: reach", tactics.WinIn3: "South to move: win in 3",
			tactics.OnlyMove: "North threatens",
		}[class]), x.Task)
		themes[x.Theme]++
		switch x.Theme {
		case "goal in one":
			require.Equal(t, tactics.WinIn1, class, i)
		case "bounces":
			require.Positive(t, bounces(r, p, moves[0]), i)
		case "displacement":
			require.NotEqual(t, rules.NoSquare, moves[0].Drop(), i)
		case "defence":
			require.Equal(t, tactics.OnlyMove, class, i)
		default:
			require.Fail(t, x.Theme)
		}
	}
	require.Equal(t, 3, grade)
	require.Len(t, themes, 4)
	for theme, n := range themes {
		require.GreaterOrEqual(t, n, 3, theme)
	}
}

// A move is judged with the reason, and the answer told.
func TestExerciseVerdicts(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	list := exercises()
	try := func(i int, move string) (v verdict) {
		t.Helper()
		w := s.post("/api/exercise", fmt.Sprintf(`{"exercise":%d,"move":%q}`, i, move))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
		return v
	}
	for _, i := range []int{0, 6, 10} { // of each class
		x := list[i]
		for _, move := range []string{x.Moves[0], ""} {
			v := try(i, move)
			require.True(t, v.Right)
			word := map[bool]string{true: "The answer: ", false: "Right: "}[move == ""]
			require.True(t, strings.HasPrefix(v.Text, word), v.Text)
			r := rules.MustParse(x.Rules)
			p, err := r.ParsePosition(x.Position)
			require.NoError(t, err)
			m, err := r.ParseMove(p, v.Line[0])
			require.NoError(t, err)
			require.Equal(t, x.Moves[0], m.String())
		}
	}
	require.Equal(t, "Right: it reaches the goal.", try(0, "c4-goal").Text)
	v := try(0, "c4-d4")
	require.False(t, v.Right)
	require.Equal(t, "Not this one: there is a proven win in 1.", v.Text)
	v = try(6, "e1-f3")
	require.Regexp(t, `^Not this one: North then wins in [13], with \S+\.$`, v.Text)
	require.Len(t, v.Line, 2)

	for body, want := range map[string]string{
		`{"exercise":-1}`:               "exercise: expected 0 to 19, found -1",
		`{"exercise":20}`:               "exercise: expected 0 to 19, found 20",
		`{"exercise":0,"move":"z"}`:     "move: ",
		`{"exercise":0,"move":"c4-c5"}`: "move: c4-c5 is not legal",
	} {
		w := s.post("/api/exercise", body)
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, body)
		require.Contains(t, w.Body.String(), want, body)
	}
}

// A game has a page of its own, turned to the person who played it.
func TestGamePage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	g := shortGame()
	g.North.Agent = "human:name='Zoë, helped'"
	g.South.Agent = "greedy:name='" + strings.ReplaceAll(hostile, "'", "''") + "'"
	dir := filepath.Join(s.results, "deep", "one")
	writeRun(t, dir, "finished", lines(g))
	w := s.get("/game/deep/one/0")
	require.Equal(t, http.StatusOK, w.Code)
	page := w.Body.String()
	require.Contains(t, page, `data-run="deep/one" data-turned>`)
	require.Contains(t, page, "Zoë, helped")
	require.NotContains(t, page, "<script>alert")
	require.NotContains(t, page, `"review":`)

	made, err := review.New(300).Game(t.Context(), g, nil)
	require.NoError(t, err)
	text, err := json.Marshal(made)
	require.NoError(t, err)
	file := fmt.Sprintf("{\"reviews\":1,\"nodes\":300,\"program\":\"x\"}\n%s\n", text)
	require.NoError(t, os.WriteFile(filepath.Join(dir, review.FileName), []byte(file), 0o600))
	require.Contains(t, s.get("/game/deep/one/0").Body.String(), `"review":`)
	for _, path := range []string{"/game/deep/one/1", "/game/deep/one/x", "/game/none/0", "/game/", "/game/0",
		"/game/deep/one/-1", "/game/deep%2F..%2F..%2Fetc/0"} {
		require.Equal(t, http.StatusNotFound, s.get(path).Code, path)
	}
}

// The name of a person is in the record, bounded, and a rematch has the other side.
func TestNamesAndRematch(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	begin := func(name string) string {
		return fmt.Sprintf(`{"agent":"greedy","rules":"simplified","side":"north","setup":"random","name":%q}`, name)
	}
	p := s.replica(s.state(s.post("/api/games", begin("  Zoë O'Neil-2 ")), http.StatusCreated))
	p.play()
	again := s.state(s.post("/api/games", fmt.Sprintf(`{"rematch":%q}`, p.now.ID)), http.StatusCreated)
	require.Equal(t, []string{"south", "simplified", "greedy"}, []string{again.You, again.Rules, again.Agent})
	require.False(t, again.Placing)
	q := s.replica(again)
	q.play()
	games := s.kept()
	require.Equal(t, "human:name='Zoë O''Neil-2'", games[0].North.Agent)
	require.Equal(t, "human:name='Zoë O''Neil-2'", games[1].South.Agent)
	for _, name := range []string{"a, helped", strings.Repeat("x", 31), "<b>", "a\nb", "-a", "\u202ea"} {
		w := s.post("/api/games", begin(name))
		require.Equal(t, http.StatusUnprocessableEntity, w.Code, name)
		require.Contains(t, w.Body.String(), "name: expected at most 30 letters")
	}
	require.Equal(t, http.StatusNotFound, s.post("/api/games", `{"rematch":"NONE"}`).Code)
	w := s.post("/api/games", fmt.Sprintf(`{"rematch":%q,"side":"north"}`, p.now.ID))
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
}

// Exercises are tried on the board, told right or wrong, and those solved are known at the next visit.
func TestBrowserExercises(t *testing.T) {
	b := browsertest.Open(t)
	address := listen(t, newTestServer(t)) + "/exercises"
	console := b.Visit(address)
	b.Wait(`document.querySelectorAll("#grades button").length === 20 && document.querySelector(".cell.source")`)
	verdict := func(text string) {
		b.Wait(fmt.Sprintf(`document.getElementById("verdict").textContent.startsWith(%q)`, text))
	}
	b.Click(`[data-at="c4"]`)
	b.Click(`[data-at="d4"]`)
	verdict("Not this one: there is a proven win in 1.")
	b.Click("#again")
	verdict("")
	b.Wait(`document.querySelector(".cell.source")`)
	b.Click(`[data-at="c4"]`)
	b.Click(`[data-at="goal-s"]`)
	verdict("Right: it reaches the goal.")
	b.Click("#next")
	b.Wait(`document.getElementById("headline").textContent.startsWith("2. ") && location.hash === "#n=2"`)
	b.Click("#answer")
	verdict("The answer: ")
	require.Empty(t, console())
	b.VisitAnew(address)
	b.Wait(`document.getElementById("headline").textContent.startsWith("2. ")`)
	require.Equal(t, "1", b.Text(`[...document.querySelectorAll("#grades .solved")].map((e) => e.textContent).join()`))
}

// step is a step of a lesson.
type step struct{ title, text, position, move string }

var stepHTML = regexp.MustCompile(`(?s)<div\s+data-position="([^"]*)"\s+data-move="([^"]*)"\s*>\s*<h3>(.*?)</h3>\s*<p>(.*?)</p></div>`)

// lesson returns the steps that the server has for a rule set.
func (s *testServer) lesson(set string) (list []step) {
	s.t.Helper()
	w := s.get("/api/rules?rules=" + url.QueryEscape(set))
	require.Equal(s.t, http.StatusOK, w.Code)
	var answer struct {
		Lesson string `json:"lesson"`
	}
	require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &answer))
	for _, m := range stepHTML.FindAllStringSubmatch(answer.Lesson, -1) {
		text := func(i int) string { return strings.Join(strings.Fields(html.UnescapeString(m[i])), " ") }
		list = append(list, step{text(3), text(4), text(1), text(2)})
	}
	return list
}

// Every rule set has four steps, whose moves are legal and show what their titles say; whatever option is changed.
func TestLesson(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	for _, preset := range rules.Presets() {
		sets := []string{preset.Name}
		for _, o := range preset.Options.List() {
			for _, value := range append(o.Enum(), o.Text()) {
				sets = append(sets, preset.Name+":"+o.Key+"="+value)
			}
		}
		for _, set := range sets {
			checkLesson(t, rules.MustParse(set), s.lesson(set))
		}
	}
}

func checkLesson(t *testing.T, r *rules.Rules, steps []step) {
	t.Helper()
	require.Len(t, steps, 4, r)
	entered := false
	for _, s := range steps {
		p, err := r.ParsePosition(s.position)
		require.NoError(t, err, r)
		m, err := r.ParseMove(p, s.move)
		require.NoError(t, err, r)
		require.NoError(t, rules.NewGame(r, p).Play(m), "%v: %s", r, s.title)
		require.NotEmpty(t, s.text)
		entered = entered || m.FromHand() > 0
		switch {
		case strings.HasPrefix(s.title, "The goal"), s.title == "Where a turn ends":
			require.True(t, m.IsGoal())
		case strings.Contains(strings.ToLower(s.title), "bounc"):
			require.Equal(t, 2, bounces(r, p, m))
		}
		require.Equal(t, s.title == "Displacement", m.Drop() != rules.NoSquare, "%v: %s", r, s.title)
	}
	require.Equal(t, r.Options().Kang, entered, r)
	require.Equal(t, r.Options().Relocation, steps[3].title == "Displacement", r)
}
