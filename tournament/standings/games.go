package standings

import (
	"context"
	"fmt"
	"io"

	"gyges/ratings/source"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/record/pgn"
)

// Games calls take with the games of a file of PGN or CSV as records, counts what is left out, and returns
// the event of the first. ruleSet is that of games that name none. The error of take is returned as it is, others
// with the file's name.
func (r *Reader) Games(
	ctx context.Context, f source.Format, in io.Reader, name, ruleSet string, take func(*record.Game) error,
) (event string, err error) {
	var final error // of take, or of a game that can't be read; it needs no name
	found, err := pgn.Read(ctx, f, in, ruleSet, pgn.Handler{
		Game: func(g *record.Game) error {
			final = take(g)
			return final
		},
		Bad: func(line int, err error) error {
			final = r.Unreadable(fmt.Errorf("%s:%d: %w", name, line, err))
			return final
		},
	})
	s := &r.Skipped
	if s.WithoutMoves = found.WithoutMoves; s.WithoutMoves > 0 {
		s.MovesError = textfmt.Cut(fmt.Sprintf("%s:%d: %v", name, found.MovesLine, found.MovesErr), maxError)
	}
	s.Duplicate, s.Unfinished, s.IDLimit = found.Duplicate, found.Unfinished, found.IDLimit
	if err != nil && final == nil && ctx.Err() == nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return found.Event, err
}
