package live

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// Every rule set has four steps, whose moves are legal and show what their titles say;
// whatever option is changed.
func TestLesson(t *testing.T) {
	t.Parallel()
	for _, preset := range rules.Presets() {
		sets := []string{preset.Name}
		for _, o := range rules.OptionList() {
			choices := o.Choices
			if choices == nil {
				choices = []string{"1"}
			}
			for _, value := range choices {
				sets = append(sets, preset.Name+":"+o.Name+"="+value)
			}
		}
		for _, set := range sets {
			checkLesson(t, rules.MustParse(set))
		}
	}
}

func checkLesson(t *testing.T, r *rules.Rules) {
	t.Helper()
	steps, err := lesson(r)
	require.NoError(t, err, r)
	require.Len(t, steps, 4, r)
	entered := false
	for _, s := range steps {
		p, err := r.ParsePosition(s.Position)
		require.NoError(t, err, r)
		m, err := r.ParseMove(p, s.Move)
		require.NoError(t, err, r)
		require.NoError(t, rules.NewGame(r, p).Play(m), "%v: %s", r, s.Title)
		require.NotEmpty(t, s.Text)
		require.NotContains(t, s.Text, "  ")
		require.NotContains(t, s.Text, " .")
		require.Less(t, len(s.Text), 560, "short: %v, %s", r, s.Title)
		entered = entered || m.FromHand() > 0
		switch {
		case strings.HasPrefix(s.Title, "The goal"), s.Title == "Where a turn ends":
			require.True(t, m.IsGoal())
		case strings.Contains(strings.ToLower(s.Title), "bounc"):
			require.Equal(t, 2, bounces(r, p, m))
		}
		require.Equal(t, s.Title == "Displacement", m.Drop() != rules.NoSquare, "%v: %s", r, s.Title)
	}
	require.Equal(t, r.Options().Kang, entered, r)
	require.Equal(t, r.Options().Relocation, steps[3].Title == "Displacement", r)
}

// The steps are part of the answer on rules.
func TestLessonIsServed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	w := s.get("/api/rules?rules=" + url.QueryEscape("simplified"))
	require.Equal(t, http.StatusOK, w.Code)
	var answer struct {
		Steps []step `json:"steps"`
	}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
	want, err := lesson(rules.MustParse("simplified"))
	require.NoError(t, err)
	require.Equal(t, want, answer.Steps)
}
