package tournament

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gyges/rules/base/files"
	"gyges/rules/base/strictjson"
	"gyges/tournament/record"
)

// PlayingFile holds the games that a run plays at the moment, for spectators. It is no part of the
// results.
const PlayingFile = "playing.json"

// Playing is the content of [PlayingFile].
type Playing struct {
	Time  time.Time        `json:"time"`  // when it was written
	Games []*record.Record `json:"games"` // the first ones of those under way; they have no result
	Count int              `json:"count"` // of all games under way
}

const (
	playingInterval = time.Second // between writes; also the age of a game before it is shown

	// PlayingFresh is the age at which the file is left over from a run that was killed.
	PlayingFresh = 15 * playingInterval

	maxPlaying      = 8    // games in the file
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
	if len(p.Games) > maxPlaying || slices.ContainsFunc(p.Games, tooLong) {
		return nil, fmt.Errorf("%s: expected at most %d games of %d moves",
			PlayingFile, maxPlaying, maxPlayingMoves)
	}
	return p, nil
}

func tooLong(g *record.Record) bool { return g == nil || len(g.Moves) > maxPlayingMoves }

// PlayingOf returns the games that runners play at a time, but for those that began just before,
// also while they play.
func PlayingOf(runners []*Runner, now time.Time) *Playing {
	p := new(Playing)
	for _, r := range runners {
		g := r.referee.Playing()
		if g != nil && now.Sub(g.Timing.Start) >= playingInterval {
			p.Games = append(p.Games, g)
		}
	}
	p.Count = len(p.Games)
	p.bound()
	return p
}

// bound leaves the games that the file has room for, in order.
func (p *Playing) bound() {
	p.Games = slices.DeleteFunc(p.Games, tooLong)
	slices.SortFunc(p.Games, byNumber)
	shown := min(len(p.Games), maxPlaying)
	p.Games = p.Games[:shown]
}

func byNumber(a, b *record.Record) int { return cmp.Compare(a.Game, b.Game) }

// Shown is the [PlayingFile] of a run. What can't be written is not shown, and the run goes on.
type Shown struct {
	*Config
	warned bool
}

// Show replaces the file, or removes it if there are no games.
func (s *Shown) Show(p *Playing, now time.Time) {
	p.Time = now.Round(0).UTC()
	p.bound()
	path := filepath.Join(s.Out, PlayingFile)
	var err error
	if len(p.Games) > 0 {
		err = files.ReplaceUnsynced(path, p)
	} else {
		err = os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	if err != nil && !s.warned {
		s.warned = true
		s.warn("the games under way can't be shown to others", "error", err)
	}
}
