package review

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gyges/ratings/source"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// Selection chooses the games of files to review. If only one rule set passes the filter, it is that of PGN
// that names none.
type Selection struct {
	*record.Filter
	Game *int64 // the number of the only one, in PGN counted from 0 without those that have no result; nil: all
}

// NoneError says that a file has no game to review.
type NoneError struct{ error }

// Read returns the games of a file of records or PGN that are to be reviewed. The reader counts what is left out: lines
// that are no records, and games that [Check] refuses. runs has the number of records of the run begun last. The error
// is a NoneError if no game is left.
func (s Selection) Read(
	ctx context.Context, reader *standings.Reader, runs *standings.Standings, in io.Reader, name string,
) (list []*record.Record, err error) {
	format, in, err := standings.Sniff(in, name)
	if err != nil {
		return nil, err
	}
	skipped := &reader.Skipped
	take := func(line int, g *record.Record) error {
		switch {
		case s.Game != nil && g.Game != *s.Game:
			return nil
		case g.NotPlayed():
			skipped.NotPlayed++
			return nil
		case len(g.Moves) == 0:
			skipped.NoMoves++
			return nil
		}
		err := Check(g)
		if err == nil {
			list = append(list, g)
			return nil
		}
		if err = fmt.Errorf("%s:%d: %w", name, line, err); s.Game == nil {
			err = reader.Unreadable(err)
		}
		return err
	}
	switch format {
	case source.Records:
		err = reader.Whole(ctx, in, name, s.Filter, runs, take)
	case source.PGN:
		ruleSet := ""
		if len(s.RuleSets) == 1 {
			ruleSet = slices.Collect(maps.Keys(s.RuleSets))[0]
		}
		_, err = reader.Games(ctx, format, in, name, ruleSet, func(g *record.Record) error {
			if !s.Takes(g) || s.Done() {
				return nil
			}
			if len(g.Moves) > 0 {
				s.Count()
			}
			return take(0, g) // what PGN is read to can be replayed
		})
		skipped.NoMoves = max(0, skipped.NoMoves-skipped.WithoutMoves) // which have moves that can't be read
	default:
		err = fmt.Errorf("%s: expected records of games or PGN, found CSV, which has no moves", name)
	}
	if err == nil && len(list) == 0 {
		err = s.none(name, skipped)
	}
	return list, err
}

// none is the error of a file without a game to review.
func (s Selection) none(name string, skipped *standings.Skipped) error {
	notes := skipped.Notes()
	switch {
	case s.Game != nil && skipped.NoMoves > 0:
		return fmt.Errorf("%s: game %d: expected moves, found none", name, *s.Game)
	case len(notes) > 0 && strings.HasPrefix(notes[0], "left out: "):
		return NoneError{fmt.Errorf("%s: expected games to review, found none; left out %s", name,
			strings.TrimPrefix(notes[0], "left out: "))}
	case s.Game != nil:
		return NoneError{fmt.Errorf("%s: expected a record of game %d, found none", name, *s.Game)}
	}
	return NoneError{fmt.Errorf("expected games, found none in %s", name)}
}
