package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"gyges/agents"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/report"
)

// playing is what was read of a run's games under way.
type playing struct {
	stamp   string // size and time of the file
	written time.Time
	count   int            // of all games under way
	games   []*record.Game // verified: every move is legal
	replays []report.ViewerGame
	shown   []*record.Game // those of the page as it is
}

// gamePart begins the names of the parts with games under way.
const gamePart = "game "

// underWay is the part of a page that lists the games under way. Each has a part of its own, so that
// those that don't change aren't sent again: [gamePart] and its ID.
type underWay struct {
	Games []string `json:"games"` // IDs; those that are over but not recorded yet are the last ones
	Count int      `json:"count"` // of all games under way
}

// readPlaying reads the games under way, and reports whether those to be shown have changed.
func (r *run) readPlaying() bool {
	stamp := ""
	if info, err := r.folder.Stat(tournament.PlayingFile); err == nil {
		stamp = fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
	}
	p := &r.playing
	if stamp != p.stamp {
		*p = playing{stamp: stamp, shown: p.shown}
		if now, err := tournament.ReadPlaying(r.folder); err == nil {
			p.written, p.count = now.Time, now.Count
			p.verify(now.Games)
		}
	}
	was := p.shown
	p.shown = nil
	if age := time.Since(p.written); r.isRunning() && max(age, -age) <= tournament.PlayingFresh {
		recorded := func(g *record.Game) bool { return g.Game < r.collector.Games() }
		p.shown = slices.DeleteFunc(slices.Clone(p.games), recorded)
	}
	r.recent.watch(p.shown, r.collector.Games())
	return !slices.Equal(was, p.shown)
}

// watch notes games that are shown under way, of a run of which some are recorded.
func (l *recent) watch(games []*record.Game, recorded int64) {
	for _, g := range games {
		if !slices.Contains(l.watched, g.Game) {
			l.watched = append(l.watched, g.Game)
		}
	}
	l.watched = slices.DeleteFunc(l.watched, func(n int64) bool { return n < recorded })
	l.watched = l.watched[max(0, len(l.watched)-maxWatched):]
}

// verify keeps the games whose moves are legal.
func (p *playing) verify(list []*record.Game) {
	for _, g := range list {
		v := report.Replay(0, g)
		same := func(x report.ViewerGame) bool { return x.ID == v.ID }
		if record.VerifyPlaying(g) == nil && !slices.ContainsFunc(p.replays, same) {
			p.games, p.replays = append(p.games, g), append(p.replays, v)
		}
	}
}

// withPlaying adds the games under way to the page.
func (r *run) withPlaying(parts map[string]any) map[string]any {
	parts = maps.Clone(parts)
	list := underWay{[]string{}, max(r.playing.count, 0)}
	for i, g := range r.playing.games {
		if !slices.Contains(r.playing.shown, g) {
			continue
		}
		v := r.playing.replays[i]
		list.Games = append(list.Games, v.ID)
		parts[gamePart+v.ID] = latestGame{v, textfmt.Visible(g.Rules), r.player(g.South), r.player(g.North)}
	}
	parts["playing"] = list
	return parts
}

// player is the name of a player who may have no recorded game yet.
func (r *run) player(p record.Player) string {
	name := cmp.Or(r.labels[p.Agent], agents.LabelOf(p.Agent))
	return textfmt.Visible(shorten(name, 200))
}
