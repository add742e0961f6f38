package standings

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/ratings/table"
	"gyges/ratings/textfmt"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// schedule is what a run's manifest says on who meets whom and, of a Swiss tournament or
// a knock-out, the matches counted from the records. It goes through JSON.
type schedule struct {
	Name   string
	Format tournament.Format
	Agents []string // specs; of a knock-out the highest seed first
	Worth  int64    // games of a match
	Rounds []round
	Misfit bool // a record contradicts the manifest

	index map[string]int // in Agents
}

// round is a stage of the schedule.
type round struct {
	First   int64 // index of its first pair
	Matches []match
}

// match is all games of two agents in a round.
type match struct {
	Agents [2]int
	Halves [2]int64 // half points of each
	Games  int64    // played so far
}

// newSchedule returns the schedule of a run of which no game is counted.
func newSchedule(m *tournament.ManifestConfig) *schedule {
	s := &schedule{Name: m.Name, Format: m.Format, Agents: m.Agents}
	const most = 1_000_000 // agents by rounds; the manifest may come from anywhere
	n := int64(len(m.Agents))
	rounds := max(int64(m.Rounds), 1)
	switch {
	case m.Format != tournament.Swiss && m.Format != tournament.Knockout:
		return s
	case n < 2 || rounds >= max(n, 2) || n*rounds > most || m.Pairs < 1 || m.Pairs > most || len(m.Rules) == 0:
		return s
	}
	pairs, first := int64(m.Pairs)*int64(len(m.Rules)), int64(0)
	s.Worth = 2 * pairs
	for _, size := range m.StageSizes() {
		s.Rounds = append(s.Rounds, round{First: first, Matches: make([]match, size)})
		first += pairs * int64(size)
	}
	return s
}

// add counts a game, also one that was not played since a player was suspended: the
// pairing counts it too.
func (s *schedule) add(pair int64, south, north, result string) {
	k := len(s.Rounds) - 1
	for k >= 0 && s.Rounds[k].First > pair {
		k--
	}
	if k < 0 {
		return
	}
	if s.index == nil {
		s.index = map[string]int{}
		for i, spec := range s.Agents {
			s.index[spec] = i
		}
	}
	a, okA := s.index[south]
	b, okB := s.index[north]
	r := &s.Rounds[k]
	m := &r.Matches[(pair-r.First)%int64(len(r.Matches))]
	if m.Games == 0 {
		m.Agents = [2]int{a, b}
	}
	side := 0 // of South in the match
	if m.Agents[0] != a {
		side = 1
	}
	if !okA || !okB || a == b || pair < 0 || m.Agents[side] != a || m.Agents[1-side] != b || m.Games == s.Worth {
		s.Misfit = true
		return
	}
	m.Games++
	m.Halves[side] += int64(record.HalfPoints(result, rules.South))
	m.Halves[1-side] += int64(record.HalfPoints(result, rules.North))
}

// played returns the games of a round, and how many it has in all.
func (s *schedule) played(k int) (games, all int64) {
	for _, m := range s.Rounds[k].Matches {
		games += m.Games
	}
	return games, s.Worth * int64(len(s.Rounds[k].Matches))
}

// begun returns the number of rounds of which a game was played.
func (s *schedule) begun() int {
	n := 0
	for k := range s.Rounds {
		if games, _ := s.played(k); games > 0 {
			n = k + 1
		}
	}
	return n
}

// name returns how tables call an agent.
func (s *schedule) name(labels map[string]string, agent int) string {
	return cmp.Or(labels[s.Agents[agent]], s.Agents[agent])
}

// sheets returns the tables of the schedule; none without games or if they don't fit.
func (s *schedule) sheets(labels map[string]string) []table.Sheet {
	switch {
	case s.begun() == 0 || s.Misfit:
		return nil
	case s.Format == tournament.Swiss:
		return s.swiss(labels)
	}
	return []table.Sheet{s.knockout(labels)}
}

// place is a row of the standings of a Swiss tournament.
type place struct {
	agent    int
	rank     int  // those who are equal in all have the same
	opponent int  // in the last round; -1: none
	result   pair // of the match against it, or of the bye
	halves   int64
	buchholz int64   // in half points
	sberger  float64 // in half points
}

// pair is half points for and against.
type pair [2]int64

func (p pair) String() string { return points(p[0]) + "-" + points(p[1]) }

// points formats half points.
func points(halves int64) string { return textfmt.Decimal(float64(halves) / 2) }

// meeting is the match of an agent in a round, from its view. Without an opponent it is
// a bye, once the round is over.
type meeting struct {
	opponent int // -1: none
	result   pair
	games    int64
}

// meetings returns the matches of all agents in round k.
func (s *schedule) meetings(k int) []meeting {
	list := make([]meeting, len(s.Agents))
	for i := range list {
		list[i].opponent = -1
	}
	for _, m := range s.Rounds[k].Matches {
		if m.Games > 0 {
			a, b := m.Agents[0], m.Agents[1]
			list[a] = meeting{b, m.Halves, m.Games}
			list[b] = meeting{a, pair{m.Halves[1], m.Halves[0]}, m.Games}
		}
	}
	if games, all := s.played(k); games == all {
		for i := range list {
			if list[i].opponent < 0 {
				list[i].result, list[i].games = pair{2 * s.Worth, 0}, s.Worth
			}
		}
	}
	return list
}

// standings returns the table after round k of a Swiss tournament, or while it goes on.
func (s *schedule) standings(k int) []place {
	rounds := make([][]meeting, k+1)
	places := make([]place, len(s.Agents))
	for r := range rounds {
		rounds[r] = s.meetings(r)
		for i, m := range rounds[r] {
			places[i].agent, places[i].opponent, places[i].result = i, m.opponent, m.result
			places[i].halves += m.result[0]
		}
	}
	halves := make([]int64, len(places))
	for i := range places {
		halves[i] = places[i].halves
	}
	for _, round := range rounds {
		for i, m := range round {
			of := m.opponent
			if of < 0 {
				of = i // a bye is a match against an opponent with as many points as one's own
			}
			if m.games > 0 {
				places[i].buchholz += halves[of]
				places[i].sberger += float64(halves[of]) * float64(m.result[0]) / float64(2*m.games)
			}
		}
	}
	order := func(a, b place) int {
		return cmp.Or(cmp.Compare(b.halves, a.halves), cmp.Compare(b.buchholz, a.buchholz),
			cmp.Compare(b.sberger, a.sberger))
	}
	slices.SortStableFunc(places, order)
	for i := range places {
		places[i].rank = i + 1
		if i > 0 && order(places[i-1], places[i]) == 0 {
			places[i].rank = places[i-1].rank
		}
	}
	return places
}

// swiss returns the standings after each round that has begun.
func (s *schedule) swiss(labels map[string]string) []table.Sheet {
	var list []table.Sheet
	n := s.begun()
	for k := range n {
		t := table.Sheet{
			Kind: string(s.Format), Title: s.roundTitle(k),
			Columns: []table.SheetColumn{
				{Key: "round"}, {Key: "rank", Header: "#"}, {Key: "player", Header: "Player", Words: true},
				{Key: "points", Header: "Points"}, {Key: "buchholz", Header: "Buchholz"},
				{Key: "sonneborn_berger", Header: "S-B"}, {Key: "result", Header: "Result"},
				{Key: "opponent", Header: "Against", Words: true},
			},
		}
		for _, p := range s.standings(k) {
			var against, result any
			switch {
			case p.opponent >= 0:
				against, result = s.name(labels, p.opponent), p.result.String()
			case p.result[0] > 0:
				result = "bye, " + points(p.result[0])
			}
			t.Rows = append(t.Rows, []any{
				k + 1, p.rank, s.name(labels, p.agent), float64(p.halves) / 2, float64(p.buchholz) / 2,
				table.Hundredths(p.sberger / 2), result, against,
			})
		}
		if k == n-1 {
			t.Notes = s.swissNotes(labels)
			t.Result = t.Notes[0]
		}
		list = append(list, t)
	}
	return list
}

// roundTitle is the title of the standings after a round of a Swiss tournament.
func (s *schedule) roundTitle(k int) string {
	games, all := s.played(k)
	switch {
	case games < all:
		return fmt.Sprintf("Swiss, round %d of %d, %d of %d games played", k+1, len(s.Rounds), games, all)
	case k == len(s.Rounds)-1:
		return fmt.Sprintf("Swiss, final table after %s", textfmt.Plural(k+1, "round"))
	}
	return fmt.Sprintf("Swiss, standings after round %d of %d", k+1, len(s.Rounds))
}

// swissNotes say who leads or has won, and what the columns mean.
func (s *schedule) swissNotes(labels map[string]string) []string {
	n := s.begun()
	places := s.standings(n - 1)
	var first []string
	for _, p := range places {
		if p.rank == 1 {
			first = append(first, s.name(labels, p.agent))
		}
	}
	verb, last := "leads", n-1
	if games, all := s.played(last); games == all && n == len(s.Rounds) {
		verb = "has won"
	}
	line := fmt.Sprintf("%s %s the Swiss tournament", first[0], verb)
	if len(first) > 1 {
		line = fmt.Sprintf("%s share the first place of the Swiss tournament", textfmt.List(first, 8))
	}
	line += fmt.Sprintf(" with %s points", points(places[0].halves))
	if len(first) == 1 && len(places) > 1 && places[1].halves == places[0].halves {
		line += ", by " + tieBreak(places[0], places[1])
	}
	return []string{line + ".", "Order: points; Buchholz, the sum of the opponents' points; " +
		"S-B (Sonneborn-Berger), the sum of each opponent's points times the share of the points won against it."}
}

// tieBreak names what puts a place above another one with as many points.
func tieBreak(first, second place) string {
	if first.buchholz != second.buchholz {
		return fmt.Sprintf("Buchholz (%s to %s)", points(first.buchholz), points(second.buchholz))
	}
	return fmt.Sprintf("Sonneborn-Berger (%.2f to %.2f)", first.sberger/2, second.sberger/2)
}

// decided is a match of a knock-out with the agent that goes on first.
type decided struct {
	match
	over bool
	tie  bool
}

// decide returns a match of a knock-out with the winner first: the agent with more
// points, or after a tie the better seed. One that is not over has the leader first.
func (s *schedule) decide(m match) decided {
	d := decided{m, m.Games == s.Worth, m.Halves[0] == m.Halves[1]}
	if m.Halves[0] < m.Halves[1] || d.tie && m.Agents[0] > m.Agents[1] {
		d.Agents = [2]int{m.Agents[1], m.Agents[0]}
		d.Halves = pair{m.Halves[1], m.Halves[0]}
	}
	return d
}

// roundName is what round k of a knock-out is called: by the number of players in it, or
// by its own number if some of those have byes.
func (s *schedule) roundName(k int) string {
	switch n := len(s.Rounds[k].Matches); {
	case k == len(s.Rounds)-1:
		return "Final"
	case k == 0 && 2*n != len(s.Agents):
		return "First round"
	case n == 2:
		return "Semi-final"
	case n == 4:
		return "Quarter-final"
	default:
		return fmt.Sprintf("Round of %d", 2*n)
	}
}

// knockout returns the bracket.
func (s *schedule) knockout(labels map[string]string) table.Sheet {
	t := table.Sheet{
		Kind: string(s.Format), Title: "Knock-out",
		Columns: []table.SheetColumn{
			{Key: "round", Header: "Round", Words: true}, {Key: "winner", Header: "Winner", Words: true},
			{Key: "winner_seed", Header: "Seed"}, {Key: "result", Header: "Result"},
			{Key: "loser", Header: "Loser", Words: true}, {Key: "loser_seed", Header: "Seed"},
			{Key: "decided_by", Header: "Decided by", Words: true},
		},
		Lines: s.bracket(labels),
	}
	for k := range s.begun() {
		for _, m := range s.Rounds[k].Matches {
			if m.Games == 0 {
				continue
			}
			d := s.decide(m)
			by := "points"
			switch {
			case !d.over:
				by = fmt.Sprintf("not decided: %d of %d games", m.Games, s.Worth)
			case d.tie:
				by = "better seed, after a tie"
			}
			t.Rows = append(t.Rows, []any{
				s.roundName(k), s.name(labels, d.Agents[0]), d.Agents[0] + 1, pair(d.Halves).String(),
				s.name(labels, d.Agents[1]), d.Agents[1] + 1, by,
			})
		}
	}
	last := s.decide(s.Rounds[len(s.Rounds)-1].Matches[0])
	if t.Result = "The knock-out is not decided yet."; last.over {
		t.Result = fmt.Sprintf("%s has won the knock-out, %s against %s in the final",
			s.name(labels, last.Agents[0]), pair(last.Halves), s.name(labels, last.Agents[1]))
		if last.tie {
			t.Result += ": a tie, which the better seed wins"
		}
		t.Result += "."
	}
	t.Notes = []string{t.Result,
		"Seeds are the order of the players in the run; after a tie the better seed goes on."}
	return t
}

// bracket draws the matches as a tree, the last one at its root. Each match stands above
// those that its players have won before.
func (s *schedule) bracket(labels map[string]string) []string {
	var lines []string
	seeded := func(agent int) string { return fmt.Sprintf("%s (%d)", s.name(labels, agent), agent+1) }
	drawn := make([][]bool, len(s.Rounds))
	for k := range s.Rounds {
		drawn[k] = make([]bool, len(s.Rounds[k].Matches))
	}
	var draw func(k, i int, head, below string)
	draw = func(k, i int, head, below string) {
		d := s.decide(s.Rounds[k].Matches[i])
		drawn[k][i] = true
		line := fmt.Sprintf("%s: %s %s %s", s.roundName(k), seeded(d.Agents[0]), pair(d.Halves), seeded(d.Agents[1]))
		switch {
		case !d.over:
			line += fmt.Sprintf(", %d of %d games", d.Games, s.Worth)
		case d.tie:
			line += ", tie: better seed"
		}
		lines = append(lines, head+line)
		var before [][2]int
		for _, agent := range d.Agents {
			if r, m := s.lastWon(k, agent); m >= 0 {
				before = append(before, [2]int{r, m})
			}
		}
		for n, b := range before {
			if n == len(before)-1 {
				draw(b[0], b[1], below+"└─ ", below+"   ")
			} else {
				draw(b[0], b[1], below+"├─ ", below+"│  ")
			}
		}
	}
	for k := len(s.Rounds) - 1; k >= 0; k-- { // the final, or in an unfinished run whatever came last
		for i, m := range s.Rounds[k].Matches {
			if m.Games > 0 && !drawn[k][i] {
				draw(k, i, "", "")
			}
		}
	}
	return lines
}

// lastWon returns the last match before round k in which an agent played; -1 if there is
// none.
func (s *schedule) lastWon(k, agent int) (round, number int) {
	for r := k - 1; r >= 0; r-- {
		for i, m := range s.Rounds[r].Matches {
			if m.Games > 0 && (m.Agents[0] == agent || m.Agents[1] == agent) {
				return r, i
			}
		}
	}
	return -1, -1
}

// challenger returns the label of the first player of a gauntlet; "" in other formats.
func (s *schedule) challenger() string {
	if s.Format != tournament.Gauntlet || len(s.Agents) == 0 {
		return ""
	}
	return agents.LabelOf(s.Agents[0])
}
