package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

// faults counts the games that players lost outside the rules of the game.
type faults map[fault]*faultGames

type fault struct{ agent, kind string }

// faultGames are the games that a player lost by one kind of fault.
type faultGames struct {
	n     int
	first string // what happened in the first one
}

// add counts a game, if it was lost by a fault.
func (f faults) add(g *record.Game) {
	if g.Fault == nil {
		return
	}
	players := [2]string{g.South.Agent, g.North.Agent}
	k := fault{players[g.Fault.Loser()], string(g.Fault.Kind)}
	if f[k] == nil {
		f[k] = &faultGames{first: fmt.Sprintf("game %d: %s", g.Game, g.Fault.Detail)}
	}
	f[k].n++
}

// write prints a line for each player and kind of fault.
func (f faults) write(w *output) {
	keys := slices.SortedFunc(maps.Keys(f), func(a, b fault) int {
		return cmp.Or(f[b].n-f[a].n, strings.Compare(a.agent, b.agent), strings.Compare(a.kind, b.kind))
	})
	for _, k := range keys {
		if k.kind == string(record.FaultSuspended) {
			w.printf("%s was suspended and did not play %s, first %s\n", textfmt.Escape(agents.LabelOf(k.agent)),
				textfmt.Plural(f[k].n, "game"), textfmt.Escape(f[k].first))
			continue
		}
		lost := fmt.Sprintf("lost %s by a fault", textfmt.Plural(f[k].n, "game"))
		w.printf("%s %s (%s), first in %s\n", textfmt.Escape(agents.LabelOf(k.agent)), styled(w, yellow, lost), k.kind,
			textfmt.Escape(f[k].first))
	}
}
