// Package progress counts what happens in a run while it is played: who leads, how a test stands,
// how many games are still to come, and which games were lost by faults. It prints nothing: the
// command does.
//
//	observer := progress.New(&config, progress.Rated)
//	summary, err := tournament.Run(ctx, config, registry, func(g *record.Record) {
//		observer.Add(g)
//		notice := observer.Faults.Add(g)
//	})
//
// Begin with [Observer], which passes each game on to package standings, where the results are
// added up. [Faults] counts the games that were lost by faults. From both come the texts for
// people: [Observer.State] while the run goes on, [Observer.Precision] and [Fault.Text] at its end.
package progress

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/runs"
	"gyges/tournament/standings"
)

// Kind is a kind of run, by what is reported of it while it goes on.
type Kind int

// The kinds.
const (
	Rated    Kind = iota // who leads
	Match                // the score of the first of two players
	SelfPlay             // nothing
)

// Observer counts the games of a run as they are recorded, those of an earlier run in the folder
// included.
type Observer struct {
	Kind      Kind
	Config    *tournament.Config
	Standings *standings.Standings
	Run       *standings.Run // the only one in Standings
	Recorded  int64          // games, in schedule order
	Faults    Faults

	precision  ratings.Precision // of a run that ends at an error,
	measuredAt int64             // when it had that many games
}

// New returns an observer of a run that has no games yet.
func New(config *tournament.Config, kind Kind) *Observer {
	o := &Observer{Kind: kind, Config: config}
	o.clear()
	return o
}

// clear begins to count from nothing.
func (o *Observer) clear() {
	o.Standings = standings.New()
	o.Run = o.Standings.Begin(o.manifest(""))
	o.Recorded = 0
	o.Faults = Faults{}
}

func (o *Observer) manifest(status tournament.Status) *tournament.Manifest {
	inputs := tournament.Inputs{Config: o.Config.Completed()}
	return &tournament.Manifest{Status: status, Inputs: inputs}
}

// Add counts the result of a game and, where move times are bounded, the times of its moves.
func (o *Observer) Add(g *record.Record) {
	o.Standings.Add(g)
	o.Recorded++
	o.addOverruns(g)
}

// addOverruns counts the moves that took more than their player's move time, within the margin: no
// game is lost by them.
func (o *Observer) addOverruns(g *record.Record) {
	for side := range rules.Side(2) {
		player := playerOf(g, side)
		use := game.UseOfTime(g, side, player)
		for _, took := range use.Overruns {
			what := fmt.Sprintf("game %d: %.0fms for %v",
				g.Game, 1000*took.Seconds(), use.MoveTime)
			o.Faults.count(player, overran, what)
		}
	}
}

// End takes how the run ended, or stands. If not all games could be recorded, or none was seen by
// the observer, everything is counted from the records.
func (o *Observer) End(ctx context.Context, s tournament.Summary) error {
	if s.Status != tournament.Failed && o.Recorded > 0 {
		o.Run.SetManifest(o.manifest(s.Status))
		return nil
	}
	o.clear()
	path := filepath.Join(s.Out, tournament.GamesFile)
	in, err := tournament.OpenGames(path)
	if err != nil {
		return err
	}
	file := &runs.File{In: in, Name: path, Format: source.Records}
	stream := runs.Stream{Strict: true, Torn: true}
	for g, err := range stream.Records(ctx, file) {
		if err != nil {
			return err
		}
		o.Add(g.Record)
		o.Faults.Add(g.Record)
	}
	return nil
}

// State says how the run stands, and how many games it will have in all: as many as its test, or
// the error at which it ends, is expected to take; 0 if that isn't known. done is how many have
// been played.
func (o *Observer) State(done int64) (line string, all int64) {
	switch o.Kind {
	case Rated:
		line = o.leader()
	case Match:
		line = o.match()
	}
	counted, goal := done, o.Config.UntilError
	if goal > 0 {
		// The intervals are measured again when the games have grown by a twentieth.
		if o.Recorded > o.measuredAt+o.measuredAt/20 {
			o.precision = o.Standings.Precision(context.Background())
			o.measuredAt = o.Recorded
		}
		line += "; " + o.precision.Text(goal, false)
		counted = o.measuredAt
	}
	left := GamesLeft(o.Config, o.Run.Pairs, o.precision, counted)
	if math.IsNaN(left) {
		return line, 0
	}
	if goal == 0 { // a test looks at whole pairs
		left = 2 * math.Ceil(left/2)
	}
	expected := max(float64(counted)+left, float64(done))
	return line, int64(min(expected, float64(o.Config.Games())))
}

// GamesLeft returns how many more games a run's test, or the error at which it ends, is expected to
// take: NaN if that isn't known, infinitely many if it has neither. pairs and precision are those
// of its games so far.
func GamesLeft(
	c *tournament.Config, pairs sprt.Pairs, precision ratings.Precision, games int64,
) float64 {
	if c.SPRT != (sprt.Test{}) {
		left, known := c.SPRT.PairsLeft(pairs)
		if !known {
			return math.NaN()
		}
		return 2 * left
	}
	if c.UntilError <= 0 {
		return math.Inf(1)
	}
	growth := precision.Growth(c.UntilError)
	if math.IsInf(growth, 1) {
		return math.NaN()
	}
	return (growth - 1) * float64(games)
}

// leader says who has the highest share of the points so far, or what the challenger of a gauntlet
// has.
func (o *Observer) leader() string {
	players, verb := o.Config.Agents, "leads with"
	if o.Config.Schedule.Format().About().Challenger {
		players, verb = players[:1], "has"
	}
	var first agents.Spec
	var most ratings.Count
	for _, player := range players {
		count := o.Standings.Count(player.String())
		if count.Games() == 0 {
			continue
		}
		if most.Games() == 0 || count.Score() > most.Score() {
			first, most = player, count
		}
	}
	if most.Games() == 0 {
		return ""
	}
	name := textfmt.Visible(first.Label())
	all := textfmt.Plural(most.Games(), "point")
	return fmt.Sprintf("%s %s %v of %s", name, verb, most.Points(), all)
}

// match says what is known of a match so far: Elo and pairs, and of a test its log-likelihood ratio
// with its bounds.
func (o *Observer) match() string {
	test, pairs := o.Config.SPRT, o.Run.Pairs
	line := fmt.Sprintf("Elo %s, pairs %v", test.Estimate(pairs).EloText(), pairs)
	if test == (sprt.Test{}) {
		return line
	}
	lower, upper := test.Bounds()
	llr := test.LLR(pairs)
	llr = math.Round(100*llr)/100 + 0 // no -0
	return fmt.Sprintf("LLR %.2f (%.2f to %.2f), %s", llr, lower, upper, line)
}

// Object returns how a match stands, for programs: the README.md of package sprt has its keys.
func (o *Observer) Object(s tournament.Summary) grid.Object {
	stopped := s.Status == tournament.Interrupted || s.Status == tournament.Failed
	names := o.Standings.Names()
	faults := []Fault{} // never null
	for _, fault := range o.Faults.Sorted() {
		if fault.Kind != overran { // which loses no game
			fault.Player = names.Of(fault.Player)
			faults = append(faults, fault)
		}
	}
	players := o.Config.Players()
	return append(o.Config.SPRT.Object(o.Run.Pairs, stopped), grid.Object{
		{"games", s.Played},
		{"results", o.Standings.Count(players[0])},
		{"faults", faults},
		{"moves", o.Standings.PlayerTable()},
		{"players", players},
		{"rules", o.Config.RuleSets()},
		{"status", s.Status},
		{"seconds", s.End.Sub(s.Start).Seconds()},
		{"folder", s.Out},
	}...)
}

// Precision returns a sentence on the error at which a run was to end: whether it did. It is "" for
// other runs.
func (o *Observer) Precision(s tournament.Summary) string {
	goal := o.Config.UntilError
	if goal == 0 {
		return ""
	}
	p := o.Standings.Precision(context.Background())
	ended := s.Decided && !s.Exhausted
	if s.Status == tournament.Finished && p.Error <= goal {
		ended = true
	}
	text := p.Text(goal, ended)
	return strings.ToUpper(text[:1]) + text[1:]
}
