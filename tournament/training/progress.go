package training

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// ProgressFile holds what a training does at the moment, a [Progress]. It is no
// part of the results.
const ProgressFile = "progress.json"

// Progress is how far a stage of a training has come.
type Progress struct {
	Time        time.Time `json:"time"`        // when it was written
	Generation  int       `json:"generation"`  // 0: the rating of those adopted
	Generations int       `json:"generations"` // at most
	Stage       string    `json:"stage"`       // as [Observer].Stage names it
	Done        int64     `json:"done"`
	All         int64     `json:"all"`       // 0: unknown
	Unit        string    `json:"unit"`      // of Done and All, and what else is known
	Positions   int64     `json:"positions"` // in the games of the stage
	Seconds     float64   `json:"seconds"`   // that the generations took until then
	Budget      float64   `json:"budget"`    // for them, in seconds; 0: no bound
}

const (
	progressInterval = time.Second // between writes
	maxProgress      = 64 << 10    // bytes
)

// ReadProgress reads the [ProgressFile] in the folder of a training.
func ReadProgress(dir fs.FS) (*Progress, error) {
	text, err := files.ReadFS(dir, ProgressFile, maxProgress)
	p := new(Progress)
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ProgressFile, err)
	}
	return p, nil
}

// String returns the progress in a line, for people.
func (p *Progress) String() string {
	at := fmt.Sprintf("Generation %d of at most %d, %s", p.Generation, p.Generations, p.Stage)
	if p.Generation == 0 {
		at = "Rating of the generations adopted"
	}
	done := textfmt.Thousands(p.Done)
	if p.All > 0 {
		done += " of " + textfmt.Thousands(p.All)
	}
	done += " " + p.Unit
	if p.Positions > 0 {
		done += ", " + textfmt.Thousands(p.Positions) + " positions"
	}
	took := fmt.Sprintf("%.1f minutes", p.Seconds/60)
	if p.Budget > 0 {
		took = fmt.Sprintf("%.1f of %.1f minutes", p.Seconds/60, p.Budget/60)
	}
	return at + ": " + done + " · " + took
}

// observed returns an observer that writes the [ProgressFile], and passes on what it receives.
func (t *trainer) observed(to Observer) Observer {
	from := to
	to.Stage = func(generation int, stage string, count int64) {
		t.now = Progress{
			Generation: generation, Generations: t.Count, Stage: stage, All: count, Unit: "games",
		}
		t.showProgress()
		from.Stage(generation, stage, count)
	}
	to.Game = func(g *record.Record) {
		t.now.Done++
		t.now.Positions += int64(g.Plies)
		t.showProgress()
		from.Game(g)
	}
	to.Progress = func(done, all int64, text string) {
		t.now.Done = done
		t.now.All = all
		t.now.Unit = text
		t.showProgress()
		from.Progress(done, all, text)
	}
	return to
}

// showProgress writes the [ProgressFile] if it is due. What can't be written is not shown, and the
// training goes on.
func (t *trainer) showProgress() {
	if time.Since(t.now.Time).Abs() < progressInterval {
		return
	}
	t.now.Time = time.Now().Round(0).UTC()
	t.now.Budget = t.Time.Seconds()
	t.now.Seconds = t.seconds()
	_ = files.ReplaceUnsynced(t.folder.file(ProgressFile), &t.now)
}
