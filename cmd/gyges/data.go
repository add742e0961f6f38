package main

import (
	"context"

	"gyges/agents/tuning/dataset"
	"gyges/rules/base/files"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament/training"
)

type dataMakeCmd struct {
	Dir string `arg:"" what:"a run" placeholder:"DIR" help:"Folder of a run."`
	settingsFlags
}

// Run extracts the training positions and prints how many there are.
func (c *dataMakeCmd) Run(ctx context.Context, e *env) error {
	config := training.DefaultSelfPlay()
	if err := c.apply(&config.Positions); err != nil {
		return err
	}
	v := &learningView{e: e}
	made, err := config.Extract(ctx, v.env(), c.Dir, map[string]string{"program": version()})
	v.end()
	if err != nil {
		return files.Plain(settings.FlagErrors(&config, err))
	}
	summarizeExtraction(e, made)
	return nil
}

// summarizeExtraction prints how many positions were written and omitted.
func summarizeExtraction(e *env, made training.Extraction) {
	for _, note := range made.Notes {
		e.err.warn("%s", textfmt.Escape(note))
	}
	n, w := made.Written, e.out
	w.printf("%d training positions (%d train, %d validation, %d test) of %d positions in games: %d repeated",
		made.Total(), n[dataset.Train], n[dataset.Validation], n[dataset.Test], made.Plies, made.Repeated)
	if made.Searched > 0 {
		w.printf(", %d searched, %d without a result", made.Searched, made.Unplayed)
	}
	if made.RandomMoves > 0 {
		w.printf(", %d before a random move", made.RandomMoves)
	}
	w.printf(", %d in another split\n", made.Duplicates)
}
