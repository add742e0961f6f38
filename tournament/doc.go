// Package tournament plays agents against each other and records the games.
//
// The data flow is one line: a [Config] gives a schedule of game pairs (one
// opening, played twice with sides swapped; see package schedule); workers play them; one collector
// appends the records to games.jsonl in schedule order. Ratings and reports
// read the records only.
//
//	Config → schedule.Schedule → Job → game.Game → record.Record → Result → games.jsonl
//
// A Config holds [game.Settings], which say how games are played, and marshals itself: files, flags, the manifest,
// workers on other machines and the printed command have its settings by the same names (see package settings).
//
// A pair is identified by its index alone: opening and seeds come from the run's
// seed, the rule set, the two agents and the round by a fixed mix, never from a
// worker or a clock. So agents that are limited by depth, nodes or iterations
// give the same records however many workers there are.
//
// In formats whose pairings depend on results, a stage's pairings are made
// when all games of the stage before have been written. The SPRT, too, reads
// games in schedule order only. So neither depends on the workers.
//
// An agent's fault loses the current game, and the run goes on.
// An agent that doesn't answer within [Config].StallTimeout loses, too; if it doesn't
// return when its context is cancelled either, its goroutine is left behind and
// the worker makes another agent.
package tournament
