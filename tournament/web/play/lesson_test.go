package play

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

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
