// Package tournament plays agents against each other and records the games.
//
// The data flow is one line: a [Config] gives a schedule of game pairs (one opening, played twice
// with sides swapped; see package schedule); workers play them; one collector appends the records
// to games.jsonl in schedule order. Ratings and reports read the records only.
//
//	Config → schedule.Schedule → Job → game.Task → record.Record → games.jsonl
//
// A pair is identified by its index alone: opening and seeds come from the run's seed, the rule
// set, the two agents and the round by a fixed mix, never from a worker or a clock. Later pairings
// and sequential tests read games in schedule order. So agents that are limited by depth, nodes or
// iterations give the same records however many workers there are.
//
// An agent's fault, or no answer within [Config].StallTimeout, loses the current game, and the run
// goes on. Of an agent that doesn't return when its context is cancelled either, the goroutine is
// left behind and the worker makes another.
package tournament

import "embed"

// Manuals has the manuals of this package and those below it, by their paths from here.
//
//go:embed *.md */README.md web/*/README.md
var Manuals embed.FS
