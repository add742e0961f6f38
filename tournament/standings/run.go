package standings

import (
	"context"
	"io"

	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/ratings/table"
	"gyges/tournament"
	"gyges/tournament/record"
)

// Run reads the records of one run as they are appended, and rates the players. It
// must not be shared by goroutines without a lock.
type Run struct {
	reader    Reader
	seen      source.Seen
	standings *Standings
	lines     int // read so far
}

// NewRun returns a run of which nothing is read, with the manifest in its folder; nil:
// none.
func NewRun(m *tournament.Manifest) *Run {
	r := &Run{standings: New()}
	if m != nil {
		r.standings.SetSchedule(&m.Config)
	}
	return r
}

// Read reads the next lines of the records. each is called for each game that counts:
// with the whole game, or with nil if only its result can be read.
func (r *Run) Read(ctx context.Context, lines io.Reader, each func(*record.GameResult, *record.Game)) error {
	r.reader.Record = each
	n, err := r.reader.records(ctx, lines, tournament.GamesFile, r.lines, &r.seen, r.standings)
	r.lines += n
	return err
}

// Fit returns the ratings after all games read so far, and the players' labels by
// their specs.
func (r *Run) Fit(ctx context.Context) (table.Tables, map[string]string, error) {
	t, err := r.standings.Fit(ctx, ratings.Options{}, false)
	t.Notes = append(t.Notes, r.reader.Skipped.Notes()...)
	return t, r.standings.Labels(), err
}
