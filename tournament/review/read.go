package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gyges/ratings/source"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

// NoneError says that a file has no game to review.
type NoneError struct{ error }

// Select returns the games of a file of records or PGN that are to be reviewed: those that pass the
// reader's filter, or the only one with a number, in PGN counted from 0 without those that have no
// result. If only one rule set passes, it is that of PGN that names none. The reader notes what is
// left out: lines that are no records, and games that [Check] refuses. The error is a NoneError if
// no game is left.
func Select(
	ctx context.Context, in *runs.Stream, file *runs.File, game *int64,
) (list []*record.Record, err error) {
	format, err := file.Sniff()
	if err != nil {
		return nil, err
	}
	if format == source.CSV {
		return nil, fmt.Errorf(
			"%s: expected records of games or PGN, found CSV, which has no moves", file.Name)
	}
	if len(in.Filter.RuleSets) == 1 {
		for name := range in.Filter.RuleSets {
			in.Rules = name
		}
	}
	for g, err := range in.Records(ctx, file) {
		if err != nil {
			return nil, err
		}
		if game != nil && g.Record.Game != *game {
			continue
		}
		if g.NotPlayed {
			in.Skipped.Add(runs.NotPlayed, "")
			continue
		}
		if len(g.Record.Moves) == 0 {
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
		err = fmt.Errorf("%s:%d: %w", file.Name, g.Line, err)
		if game == nil {
			err = in.Unreadable(err)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	found := fmt.Sprintf("%s: expected games to review, found none", file.Name)
	if game != nil {
		found = fmt.Sprintf("%s: expected a record of game %d with moves, found none", file.Name,
			*game)
	}
	reasons := append([]string{found}, in.Skipped.Sentences()...)
	return nil, NoneError{errors.New(strings.Join(reasons, "; "))}
}
