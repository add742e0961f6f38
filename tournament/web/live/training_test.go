package live

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/files"
	"gyges/tournament/training"
)

// The page of a training says how it stands and what its matches decided. It has no
// viewer, and names no command that would refuse the folder.
func TestTrainingPage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	writeTraining(t, filepath.Join(s.results, "training"))
	require.Regexp(t, `(?s)/run/training">.*badge interrupted">interrupted<.*>training<.*>standard<.*>alphabeta<`,
		s.get("/").Body.String())
	page := s.get("/run/training").Body.String()
	for _, want := range []string{
		"interrupted; the same command with --out resumes it", "generation 1: rejected", "<td>1234</td>",
		"Log-likelihood ratio of each generation", "gyges report " + filepath.ToSlash(s.results) + "/training",
	} {
		require.Contains(t, page, want)
	}
	for _, not := range []string{"gyges rate", "gyges match", `id="viewer"`, "There are none yet"} {
		require.NotContains(t, page, not)
	}
}

// The page of a training in progress follows its stage, with the games or the losses of that and the time used.
func TestTrainingStage(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	dir := filepath.Join(s.results, "training")
	writeTraining(t, dir)
	manifest := filepath.Join(dir, training.ManifestFile)
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, bytes.Replace(text, []byte("interrupted"), []byte("running"), 1), 0o644))
	history, err := os.OpenFile(filepath.Join(dir, training.HistoryFile), os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, history.Close()) }()
	require.NoError(t, files.Lock(history))
	state := func(p training.Progress) string {
		progress, err := json.Marshal(p)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, training.ProgressFile), progress, 0o644))
		return string(s.run("training").feed.now(0).page.State)
	}
	selfPlay := training.Progress{
		Generation: 2, Generations: 5, Stage: "selfplay", Done: 340, All: 2000, Unit: "games", Positions: 7311, Seconds: 90,
		Budget: 3600,
	}
	shown := state(selfPlay)
	require.Contains(t, shown, "Generation 2 of at most 5, selfplay: 340 of 2,000 games, 7,311 positions · 1.5 of 60.0 minutes")
	require.Contains(t, shown, `<progress max="2000" value="340"`)
	require.NotContains(t, shown, "The games of this stage")
	match := training.Progress{Generation: 1, Stage: "match", Unit: "games"}
	require.Contains(t, state(match), `<a href="/run/training/gen-001/match">The games of this stage</a>`)
	tune := training.Progress{Generation: 2, Stage: "tune", Unit: "iterations, training loss 0.61<b>", Done: 7}
	require.Contains(t, state(tune), "tune: 7 iterations, training loss 0.61&lt;b&gt;")
	require.Contains(t, state(training.Progress{Unit: "games"}), "Rating of the generations adopted: 0 games")
}
