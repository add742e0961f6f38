package tournament

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gyges/rules/base/files"
	"gyges/rules/base/strictjson"
	"gyges/tournament/record"
)

// PlayingFile holds the games that a run plays at the moment, for those who watch. It is
// there while games that last are played, and no part of the results.
const PlayingFile = "playing.json"

// Playing is the content of [PlayingFile].
type Playing struct {
	Time time.Time `json:"time"` // when it was written

	// Games are those under way, the first ones of them, and after them those that are over but
	// not recorded yet, since the other game of their pair isn't. The former have no result.
	Games []*record.Game `json:"games"`
	Count int            `json:"count"` // of all games under way
}

// Times of [PlayingFile].
const (
	playingInterval = time.Second     // between looks at the games
	playingAge      = time.Second     // of a game before it is shown: shorter ones are over when they are seen
	playingBeat     = 5 * time.Second // after which the file is written even if nothing has changed

	// PlayingFresh is the age at which the file is left over from a run that was killed.
	PlayingFresh = 15 * time.Second
)

// Bounds of [PlayingFile].
const (
	maxPlaying      = 8    // games under way, and as many that are over
	maxPlayingMoves = 1000 // of a game
	maxPlayingSize  = 1 << 20
)

// ReadPlaying reads the [PlayingFile] in a run's folder, as [ParsePlaying] does.
func ReadPlaying(dir fs.FS) (*Playing, error) {
	text, err := files.ReadFS(dir, PlayingFile, maxPlayingSize)
	if err != nil {
		return nil, err
	}
	return ParsePlaying(text)
}

// ParsePlaying reads the content of a [PlayingFile]. The number of games and of their moves is
// bounded; what else it holds of them isn't checked, see [record.VerifyPlaying].
func ParsePlaying(text []byte) (*Playing, error) {
	p := new(Playing)
	if err := strictjson.Unmarshal(text, maxPlayingSize, p); err != nil {
		return nil, fmt.Errorf("%s: %w", PlayingFile, err)
	}
	tooLong := func(g *record.Game) bool { return g == nil || len(g.Moves) > maxPlayingMoves }
	if len(p.Games) > 2*maxPlaying || slices.ContainsFunc(p.Games, tooLong) {
		return nil, fmt.Errorf("%s: expected at most %d games of %d moves", PlayingFile, 2*maxPlaying, maxPlayingMoves)
	}
	return p, nil
}

// display is what others may see of the pair that a [Runner] plays. It may be used concurrently.
type display struct {
	mu    sync.Mutex
	over  []*record.Game // games of the pair that have ended
	setup *Game          // of the game under way; nil: none
	notes *notes         // of that game
	start time.Time      // of that game
}

// clear removes the last pair.
func (d *display) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = nil
}

// begin shows a game whose notes are empty.
func (d *display) begin(setup *Game, n *notes, start time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.setup, d.notes, d.start = setup, n, start
}

// end removes the game under way, and shows its record, if there is one.
func (d *display) end(g *record.Game) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g != nil && time.Since(d.start) >= playingAge {
		d.over = append(d.over, g)
	}
	d.setup, d.notes = nil, nil
}

// games returns the games of the pair that are over, and the one under way, if it began long
// enough before now; otherwise nil.
func (d *display) games(now time.Time) (over []*record.Game, underWay *record.Game) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.setup == nil || now.Sub(d.start) < playingAge {
		return slices.Clone(d.over), nil
	}
	return slices.Clone(d.over), d.notes.played(d.setup, d.start)
}

// playingWriter writes a run's [PlayingFile].
type playingWriter struct {
	config  *Config
	source  func(now time.Time) *Playing
	written []byte    // the games in the file as JSON; nil: there is no file
	at      time.Time // when it was written
	failed  bool      // a warning has been logged
}

// ShowPlaying keeps a run's [PlayingFile] up to date with the games that source returns until ctx
// ends; then it removes the file. What can't be written is not shown, and the run goes on.
func ShowPlaying(ctx context.Context, config *Config, source func(now time.Time) *Playing) {
	w := playingWriter{config: config, source: source}
	tick := time.NewTicker(playingInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			w.note(w.remove())
			return
		case now := <-tick.C:
			w.note(w.update(now))
		}
	}
}

func (w *playingWriter) note(err error) {
	if err != nil && !w.failed {
		w.failed = true
		w.config.warn("the games under way can't be shown to others", "error", err)
	}
}

func (w *playingWriter) remove() error {
	if w.written == nil {
		return nil
	}
	w.written = nil
	if err := os.Remove(w.path()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (w *playingWriter) path() string { return filepath.Join(w.config.Out, PlayingFile) }

// update writes the file if the games have changed since it was written, or that was long ago.
func (w *playingWriter) update(now time.Time) error {
	p := w.source(now)
	p.bound()
	if len(p.Games) == 0 {
		return w.remove()
	}
	games, err := json.Marshal(p)
	if err != nil || bytes.Equal(games, w.written) && now.Sub(w.at) < playingBeat {
		return err
	}
	p.Time = now.Round(0).UTC()
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	w.written, w.at = games, now
	return files.ReplaceUnsynced(w.path(), append(text, '\n'))
}

// PlayingOf returns the games that runners play at a time, those of them that are shown.
func PlayingOf(runners []*Runner, now time.Time) *Playing {
	p := new(Playing)
	for _, r := range runners {
		over, g := r.display.games(now)
		p.Games = append(p.Games, over...)
		if g != nil {
			p.Games = append(p.Games, g)
			p.Count++
		}
	}
	p.bound()
	return p
}

// bound leaves the games that are shown, in order.
func (p *Playing) bound() {
	isLong := func(g *record.Game) bool { return len(g.Moves) > maxPlayingMoves }
	games := slices.DeleteFunc(p.Games, isLong)
	slices.SortFunc(games, func(a, b *record.Game) int { return cmp.Compare(a.Game, b.Game) })
	var shown [2][]*record.Game // under way, and over
	for _, g := range games {
		list := &shown[min(len(g.Result), 1)]
		if len(*list) < maxPlaying {
			*list = append(*list, g)
		}
	}
	p.Games = slices.Concat(shown[:]...)
}
