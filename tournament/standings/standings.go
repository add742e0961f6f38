// Package standings adds up the games of runs: results and pairs by rule set, what is counted of
// each player, the rounds of Swiss tournaments and knock-outs, and the pairs of a sequential test.
package standings

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/ratings/table"
	"gyges/rules/base/lists"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/runs"
	"gyges/tournament/schedule"
)

// Standings are the games of some runs, added up, with players by their specs. Goroutines need a
// lock to share it.
type Standings struct {
	Only     map[string]bool // rule sets to count; nil: all
	Runs     []*Run          // in the order in which they were begun
	RuleSets []*RuleSet      // in the order of the runs' configs, then of their names
	Others   []string        // the first rule sets of games that are not counted

	pairs   source.Matcher
	repeats source.Repeats      // by the number of the run, from 1
	sets    map[string]*RuleSet // RuleSets by name
	order   []string            // the players' specs, in the order of their first games
	players map[string]*player  // by spec
	places  map[string]int      // of the rule sets in the runs' configs, below 0; others have 0
	last    *RuleSet            // of the last game
}

const maxOthers = 1000

// Run is what was counted of one run.
type Run struct {
	Games int64 // played

	tournament.MatchPairs // of a run of two agents, in the order in which the pairs were read

	manifest tournament.Manifest // zero if it has none
	names    []string            // of its players, in records
	schedule *schedule.Schedule  // nil: the manifest has none that this program knows
	unknown  error               // why it has none
	adaptive bool                // the pairings follow from results
	players  map[string]int      // specs by their places in the manifest
	misfit   bool                // a record contradicts the manifest
}

// New returns standings without games.
func New() *Standings {
	return &Standings{
		sets: map[string]*RuleSet{}, players: map[string]*player{}, places: map[string]int{},
	}
}

// Begin begins a run: the games that follow belong to it. m is the run's manifest; nil if there is
// none.
func (s *Standings) Begin(m *tournament.Manifest) *Run {
	s.pairs.Settle()
	s.pairs = source.Matcher{
		Single: s.addSingle, Pair: s.addPair, Once: m != nil, Lost: s.pairs.Lost,
	}
	r := new(Run)
	r.SetManifest(m)
	c := &r.manifest.Config
	r.schedule, r.unknown = c.Recorded()
	r.adaptive = c.Schedule.Format().About().Adaptive
	r.players = map[string]int{}
	for _, name := range c.RuleSets() {
		if s.places[name] == 0 {
			s.places[name] = len(s.places) - math.MaxInt32
		}
	}
	for i, name := range r.names {
		r.players[name] = i
	}
	s.Runs = append(s.Runs, r)
	return r
}

// addScheduled adds a game to the run's schedule, also one that wasn't played: the pairings count
// it too.
func (r *Run) addScheduled(pair int64, south, north string, result ratings.Result) {
	if r.schedule == nil {
		return
	}
	a, okA := r.players[south]
	b, okB := r.players[north]
	if !okA || !okB || r.schedule.Add(pair, a, b, int(1+result)) != nil {
		r.misfit = true
	}
}

// SetManifest replaces the manifest, which is nil if there is none. The schedule remains that of
// the one before.
func (r *Run) SetManifest(m *tournament.Manifest) {
	r.manifest = *cmp.Or(m, new(tournament.Manifest))
	r.names = lists.Map(r.manifest.Config.Players(), source.Name)
}

func (s *Standings) run() *Run {
	if len(s.Runs) == 0 {
		s.Begin(nil)
	}
	return s.Runs[len(s.Runs)-1]
}

func (s *Standings) ruleSet(name string) *RuleSet {
	if s.last != nil && s.last.Name == name { // without a map access for each game
		return s.last
	}
	if s.sets[name] == nil {
		s.sets[name] = newRuleSet(name)
		s.RuleSets = append(s.RuleSets, s.sets[name])
		slices.SortFunc(s.RuleSets, s.compareSets)
	}
	s.last = s.sets[name]
	return s.last
}

// compareSets is the order of rule sets, which doesn't depend on the order of games.
func (s *Standings) compareSets(a, b *RuleSet) int {
	byPlace := cmp.Compare(s.places[a.Name], s.places[b.Name])
	return cmp.Or(byPlace, cmp.Compare(a.Name, b.Name))
}

// Games returns the number of games.
func (s *Standings) Games() (n int64) {
	for _, r := range s.Runs {
		n += r.Games
	}
	return n
}

// Read counts the games of a file as those of the run begun last. whole, if it is not nil, is
// called with the record of each that is counted, unless only its result can be read.
func (s *Standings) Read(
	ctx context.Context, in *runs.Stream, file *runs.File, whole func(*record.Record),
) error {
	for g, err := range in.Games(ctx, file) {
		if err != nil {
			return err
		}
		if g.NotPlayed {
			in.Skipped.Add(runs.NotPlayed, "")
		} else if whole != nil && s.includes(g.Rules) {
			if err := g.Load(); err != nil {
				in.Skipped.Add(runs.ResultOnly, err.Error())
			}
		}
		if s.count(&g.Result, g.Record) && whole != nil && g.Record != nil {
			whole(g.Record)
		}
	}
	return nil
}

// Add counts a recorded game of the run begun last, if it was played.
func (s *Standings) Add(g *record.Record) {
	short := g.Short()
	s.count(&short, g)
}

func (s *Standings) includes(rules string) bool { return s.Only == nil || s.Only[rules] }

// count counts a game of which whole is the record, or nil, and reports whether it was one to
// count.
func (s *Standings) count(g *source.Result, whole *record.Record) bool {
	run := s.run()
	scheduled := run.manifest.Config.Schedule != ""
	if scheduled && s.Only == nil { // otherwise games are missing
		pair, _ := strconv.ParseInt(string(g.Pair), 10, 64) // in records it is a number
		run.addScheduled(pair, g.South, g.North, g.Result)
	}
	if g.NotPlayed {
		return false
	}
	if !s.includes(g.Rules) {
		if len(s.Others) < maxOthers && !slices.Contains(s.Others, g.Rules) {
			s.Others = append(s.Others, g.Rules)
		}
		return false
	}
	run.Games++
	set := s.ruleSet(g.Rules)
	if whole != nil {
		players := [2]string{g.South, g.North}
		set.add(whole, players)
		s.addPlayers(whole, players)
	}
	if !set.known {
		set.noteSides(g.Sides)
	}
	set.Results[1-g.Result]++
	if run.adaptive {
		set.data.Adaptive = true
	}
	if !scheduled {
		set.data.Unscheduled = true
	}
	if g.Fault {
		set.data.AddFault(g.South, g.North, g.Result)
	}
	s.pairs.Add(g)
	return true
}

// addSingle counts n games that belong to no pair, -1 to take one back, unless they repeat another
// one.
func (s *Standings) addSingle(g source.Outcome, n int) {
	data := s.ruleSet(g.Rules).data
	if repeated, _ := s.repeats.Game(len(s.Runs), &g, n); repeated {
		data.Identical.Games += n
		return
	}
	data.AddGames(g.South, g.North, g.Result, n)
}

// addPair counts the two games of n pairs, -1 to take one back, unless they repeat another one. In
// a run of two agents, which numbers its pairs, none is taken back.
func (s *Standings) addPair(first, second source.Outcome, n int) {
	run := s.run()
	set := s.ruleSet(first.Rules)
	repeated, inRun := s.repeats.Pair(len(s.Runs), &first, &second, n)
	if inRun {
		run.Identical.Pairs += n
	} else if len(run.names) == 2 && first.South != first.North {
		run.AddPair(run.names[0], &first, &second)
	}
	if repeated {
		set.data.Identical.Pairs += n
		return
	}
	oneGame := source.OneGame(&first, &second)
	set.Pairs.add(first.Result, second.Result, oneGame, int64(n))
	set.data.AddPairs(first.South, first.North, first.Result, second.Result, n)
	if oneGame {
		set.data.Identical.OneGame += n
	}
}

// Data returns the results under all rule sets together, players by their names.
func (s *Standings) Data() *ratings.Data {
	d, names := new(ratings.Data), s.Names()
	for _, set := range s.RuleSets {
		d.Merge(set.data.Renamed(names))
	}
	return d
}

// Names returns what the players are called, also players of runs that have no games.
func (s *Standings) Names() agents.Names {
	s.pairs.Settle()
	var specs []string
	for _, r := range s.Runs {
		specs = append(specs, r.names...)
	}
	for _, set := range s.RuleSets {
		specs = append(specs, set.data.Players()...)
	}
	return agents.NamesOf(specs)
}

// Fit rates the players under each rule set and, if all is set, under all. Anchors apply where they
// have played.
func (s *Standings) Fit(ctx context.Context, o ratings.Options, all bool) (table.Tables, error) {
	s.pairs.Settle()
	names := s.Names()
	challenger := s.challenger(names)
	t := table.Tables{Standings: s.tables(names), Notes: s.Notes()}
	var sides ratings.Sides // in all games
	for i, set := range s.RuleSets {
		if i == 0 {
			sides = set.sides
		} else if sides != set.sides {
			sides = ratings.Sides{}
		}
		set.data.Compact()
		part := table.Table{Rules: set.Name, Challenger: challenger, Sides: set.sides}
		isPart := set.Name != "" || len(s.RuleSets) > 1
		if isPart {
			part.Title = "Rules " + cmp.Or(set.Name, "not named")
		}
		if err := fit(ctx, &part, set.data.Renamed(names), o); err != nil {
			return t, err
		}
		t.All = part
		if isPart {
			t.Parts = append(t.Parts, part)
		}
	}
	if len(s.RuleSets) == 1 || !all {
		return t, nil
	}
	t.All = table.Table{Title: "All rules together", Challenger: challenger, Sides: sides}
	return t, fit(ctx, &t.All, s.Data(), o)
}

// fit rates the players of a table by their results.
func fit(ctx context.Context, t *table.Table, d *ratings.Data, o ratings.Options) (err error) {
	own := o
	players := d.Players()
	own.Anchors = slices.DeleteFunc(slices.Clone(o.Anchors), func(a ratings.Anchor) bool {
		if a.Rules != "" && a.Rules != t.Rules {
			return true
		}
		return !slices.Contains(players, a.Name)
	})
	t.Ratings, err = ratings.Fit(ctx, d, own)
	if err == nil && t.Challenger != "" {
		t.Field, err = againstField(ctx, d, t.Challenger, o)
	}
	return err
}

// againstField returns how much stronger a player is than all others taken for one; nil if that
// isn't known.
func againstField(
	ctx context.Context, d *ratings.Data, player string, o ratings.Options,
) (*ratings.Difference, error) {
	names := map[string]string{}
	for _, name := range d.Players() {
		names[name] = "field"
	}
	names[player] = "player"
	o.Anchors = nil
	r, err := ratings.Fit(ctx, d.Renamed(names), o)
	if err != nil {
		return nil, err
	}
	if diff, known := r.Difference("player", "field"); known { // otherwise one has no rating
		return &diff, nil
	}
	return nil, nil
}

// Precision returns how well the players of the run begun last are rated under the rules under
// which it is worst.
func (s *Standings) Precision(ctx context.Context) ratings.Precision {
	c := &s.run().manifest.Config
	p := ratings.Precision{Pairs: math.MaxInt}
	for _, r := range c.Rules {
		results := new(ratings.Data)
		if set := s.sets[r.String()]; set != nil {
			results = set.data
		}
		p = p.Worse(ratings.MeasurePrecision(ctx, results, s.run().names))
	}
	return p
}

// challenger returns the name of the player that meets each other one in all games, by their
// formats; "" for none.
func (s *Standings) challenger(players agents.Names) string {
	name := ""
	for i, r := range s.played() {
		own := ""
		if r.manifest.Config.Schedule.Format().About().Challenger && len(r.names) > 0 {
			own = players.Of(r.names[0])
		}
		if i > 0 && own != name {
			return ""
		}
		name = own
	}
	return name
}

// played returns the runs that have games: a copy of one that was read before has none.
func (s *Standings) played() []*Run {
	return slices.DeleteFunc(slices.Clone(s.Runs), func(r *Run) bool { return r.Games == 0 })
}

// tables returns the tables of the runs by their formats; none of runs whose records don't fit.
func (s *Standings) tables(players agents.Names) (list []table.Standings) {
	runs := s.played()
	for _, r := range runs {
		if r.misfit || r.schedule == nil {
			continue
		}
		names := lists.Map(r.names, players.Of)
		ended := r.manifest.Config.UntilError > 0 && r.manifest.Status == tournament.Finished
		for _, t := range r.schedule.Format.Tables(r.schedule, names, ended) {
			if len(runs) > 1 {
				t.Title = r.manifest.Config.Name + ": " + t.Title
			}
			list = append(list, t)
		}
	}
	return list
}

// Notes returns notes on the runs whose schedule isn't known or doesn't fit the records, and one if
// not all repeats were found.
func (s *Standings) Notes() (notes []string) {
	if s.pairs.Lost {
		notes = append(notes, "too many games to find the other one of each pair")
	}
	if s.repeats.Full() {
		notes = append(notes, "too many pairs to find all that repeat an earlier one")
	}
	for _, r := range s.played() {
		c := &r.manifest.Config
		switch {
		case r.misfit:
			notes = append(notes, fmt.Sprintf(
				"the records of %s don't fit its manifest: no %s table", c.Name, c.Schedule))
		case r.unknown != nil && len(c.Agents) > 0: // games from elsewhere have no agents
			notes = append(notes, fmt.Sprintf(
				"the manifest of %s has another schedule than this program's, "+
					"so that its standings are left out: %v", c.Name, r.unknown))
		}
	}
	return notes
}
