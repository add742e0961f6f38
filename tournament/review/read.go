package review

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gyges/ratings/source"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

// NoneError says that a file has no game to review.
type NoneError struct{ error }

// Select returns the games of a file of records or PGN that are to be reviewed: those that pass the reader's filter, or
// the only one with a number, in PGN counted from 0 without those that have no result. If only one rule set passes, it
// is that of PGN that names none. The reader notes what is left out: lines that are no records, and games that [Check]
// refuses. The error is a NoneError if no game is left.
func Select(ctx context.Context, in *runs.Reader, file *runs.File, game *int64) (list []*record.Record, err error) {
	format, err := file.Sniff()
	if err != nil {
		return nil, err
	}
	if format == source.CSV {
		return nil, fmt.Errorf("%s: expected records of games or PGN, found CSV, which has no moves", file.Name)
	}
	if len(in.Filter.RuleSets) == 1 {
		in.Rules = slices.Collect(maps.Keys(in.Filter.RuleSets))[0]
	}
	for g, err := range in.Records(ctx, file) {
		switch {
		case err != nil:
			return nil, err
		case game != nil && g.Record.Game != *game:
			continue
		case g.NotPlayed:
			in.Skipped.Add(runs.NotPlayed, "")
			continue
		case len(g.Record.Moves) == 0:
			if g.Moves == nil {
				in.Skipped.Add(runs.NoMoves, "")
			}
			continue
		}
		err := Check(g.Record)
		if err == nil {
			list = append(list, g.Record)
			continue
		}
		if err = fmt.Errorf("%s:%d: %w", file.Name, g.Line, err); game == nil {
			err = in.Unreadable(err)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		err = none(file.Name, in, game)
	}
	return list, err
}

// none is the error of a file without a game to review.
func none(name string, in *runs.Reader, game *int64) error {
	notes := in.Skipped.Sentences()
	switch {
	case game != nil && in.Skipped.Count(runs.NoMoves) > 0:
		return fmt.Errorf("%s: game %d: expected moves, found none", name, *game)
	case len(notes) > 0 && strings.HasPrefix(notes[0], "left out: "):
		return NoneError{fmt.Errorf("%s: expected games to review, found none; left out %s", name,
			strings.TrimPrefix(notes[0], "left out: "))}
	case game != nil:
		return NoneError{fmt.Errorf("%s: expected a record of game %d, found none", name, *game)}
	}
	return NoneError{fmt.Errorf("expected games, found none in %s", name)}
}
