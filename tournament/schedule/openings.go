package schedule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
)

// Policy says where openings come from.
type Policy string

// The policies.
const (
	// RandomOpenings draws a random set-up and plays random plies from it. An opening is used only
	// if the side to move can't take a piece over the far side at once, has a move, and has a move
	// after which the opponent can't either; under Kang, nobody may have scored. That rules out
	// wins on the first two plies, not those that take longer. When all openings with that many
	// plies have been played, those of one more follow.
	RandomOpenings Policy = "random"

	// AgentOpenings lets the agents place their pieces; under Kang, which has no set-up, games
	// begin on the empty board.
	AgentOpenings Policy = "agents"

	// SetupOpenings takes all distinct set-ups in order, those that mirror each other once, round
	// by round, and begins again where they end. Nothing is screened. Kang has no set-ups.
	SetupOpenings Policy = "setups"

	// FileOpenings takes the positions of a list in order, round by round, and begins again at its
	// end; none is screened.
	FileOpenings Policy = "file"
)

// Choices lists the policies.
func (Policy) Choices() []settings.Choice {
	return []settings.Choice{{Name: string(RandomOpenings)}, {Name: string(AgentOpenings)},
		{Name: string(SetupOpenings)}, {Name: string(FileOpenings)}}
}

// Openings says how games begin.
type Openings struct {
	Policy Policy `yaml:"policy" help:"Where openings come from, as in --openings."`
	Plies  int    `yaml:"plies" check:"0..40" help:"Random plies after the set-up; 0: none, but 4 under Kang, or 2 in matches."`

	// File is where the list of FileOpenings comes from, and Positions the list, as [ReadOpenings]
	// reads it, of which manifests have the Hash alone.
	File      string   `yaml:"file" form:"a file of positions" help:"File of the policy file: a position a line."`
	Positions []string `yaml:"-" json:"-"`
	Lines     []int    `yaml:"-" json:"-"` // of the file, on which they stand; workers elsewhere have none
	Hash      uint64   `yaml:"-" json:"hash"`
}

// UnmarshalText reads what [Openings.String] prints, and the file that it names.
func (o *Openings) UnmarshalText(text []byte) (err error) {
	name, rest, more := strings.Cut(string(text), ":")
	*o = Openings{Policy: Policy(name)}
	switch o.Policy {
	case FileOpenings:
		if rest != "" {
			*o, err = LoadOpenings(rest)
			return err
		}
	case AgentOpenings, SetupOpenings:
		if !more {
			return nil
		}
	case RandomOpenings:
		if !more {
			return nil
		}
		if number, ok := strings.CutPrefix(rest, "plies="); ok {
			o.Plies, err = settings.Parse[int](number)
			if err == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("expected random, random:plies=N, setups, agents or file:PATH%s, found %.60q",
		settings.ZeroHint(rest), text)
}

// MarshalText implements [encoding.TextMarshaler] by [Openings.String].
func (o Openings) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Choices lists the forms that [Openings.UnmarshalText] reads.
func (Openings) Choices() []settings.Choice {
	return []settings.Choice{
		{Name: "random", Doc: "set-ups; under Kang 4 random plies, or 2 in matches"},
		{Name: "random:plies=N", Doc: "and N random plies"},
		{Name: "setups", Doc: "all distinct ones in order"},
		{Name: "agents", Doc: "the players place their pieces"},
		{Name: "file:PATH", Doc: "the positions of a list, in order; see gyges openings"},
	}
}

// LoadOpenings reads a list of openings from a regular file: a run that resumes reads it again.
func LoadOpenings(path string) (Openings, error) { return files.Load(path, ReadOpenings) }

// Bounds of a list from outside: of the positions, and in bytes of one and of its line with a
// comment.
const (
	maxOpenings    = 1_000_000
	maxOpening     = 200
	maxOpeningLine = 4096
)

// ReadOpenings reads a list of openings: a position a line, but for empty lines and what follows a
// '#'. Whether the positions fit a rule set is for [Openings.CheckUnder] to say.
func ReadOpenings(r io.Reader, name string) (Openings, error) {
	o := Openings{Policy: FileOpenings, File: name}
	err := files.Lines(r, name, maxOpeningLine, maxOpenings, func(n int, line string) error {
		position, _, _ := strings.Cut(line, "#")
		position = strings.TrimSpace(position)
		if len(position) > maxOpening {
			return fmt.Errorf("expected a position, found %.60q", position)
		}
		o.Positions = append(o.Positions, strings.Clone(position)) // without the comment
		o.Lines = append(o.Lines, n)
		return nil
	})
	if err == nil && len(o.Positions) == 0 {
		err = fmt.Errorf("%s: expected positions, found none", name)
	}
	return o, err
}

// Files returns the list as a file, with the sum of its positions without comments; none without a
// list.
func (o Openings) Files() []agents.File {
	if o.Policy != FileOpenings {
		return nil
	}
	text := strings.Join(o.Positions, "\n")
	return []agents.File{{Name: o.File, SHA256: agents.Sum([]byte(text))}}
}

// Sum identifies the list.
func (o Openings) Sum() uint64 { return hashText(strings.Join(o.Positions, "\n")) }

// Parse reads position i of the list, from 0, under a rule set.
func (o Openings) Parse(r *rules.Rules, i int) (rules.Position, error) {
	p, err := r.ParsePosition(o.Positions[i])
	switch {
	case err != nil:
	case r.Outcome(p) == rules.Undecided:
		return p, nil
	default:
		err = fmt.Errorf("%q: the game is over there", o.Positions[i])
	}
	place := o.File
	if i < len(o.Lines) {
		place += fmt.Sprint(":", o.Lines[i])
	}
	return p, fmt.Errorf("%s: position under %v: %w", place, r, err)
}

const (
	kangOpeningPlies = 4
	kangMatchPlies   = 2 // a pair from them tells 1.2 times as much about two agents

	// openingTries bounds the search for an opening that passes the screen.
	openingTries = 10_000
)

// String returns the policy as records name it: "random", "random:plies=4", "agents", "setups",
// "file:PATH".
func (o Openings) String() string {
	if o.Policy == FileOpenings {
		return string(o.Policy) + ":" + o.File
	}
	if o.Plies == 0 {
		return string(o.Policy)
	}
	return string(o.Policy) + ":plies=" + strconv.Itoa(o.Plies)
}

// ForMatch sets the openings of a match where none are given: random set-ups, or if all are of Kang
// two random plies.
func (o *Openings) ForMatch(list ...*rules.Rules) {
	if o.Policy != "" {
		return
	}
	o.Policy = RandomOpenings
	isOther := func(r *rules.Rules) bool { return !r.Options().Kang }
	allKang := len(list) > 0 && !slices.ContainsFunc(list, isOther)
	if o.Plies == 0 && allKang {
		o.Plies = kangMatchPlies
	}
}

// Check adds what is wrong with the openings, whose key is field, but for the bounds in their tags.
func (o Openings) Check(errs *problems.List, field string) {
	isFile := o.Policy == FileOpenings
	errs.Expect(isFile == (len(o.Positions) > 0), field+".file",
		"expected a list of positions exactly with policy %s", FileOpenings)
	fixed := isFile || o.Policy == AgentOpenings || o.Policy == SetupOpenings
	errs.Expect(!fixed || o.Plies == 0, field+".plies",
		"expected none with policy %s, found %d", o.Policy, o.Plies)
}

// CheckUnder adds rule sets under which a position of a list doesn't fit, or a run with the seed
// has no opening.
func (o Openings) CheckUnder(errs *problems.List, field string, list []*rules.Rules, seed uint64) {
	for _, r := range list {
		for k := range o.Positions {
			if _, err := o.Parse(r, k); err != nil {
				errs.Add(field+".file", err)
				break // one of each rule set says enough
			}
		}
		if o.Policy == FileOpenings {
			continue
		}
		if _, _, err := NewOpener(o, seed).Opening(r, 0); err != nil {
			errs.Add(field, err)
		}
	}
}

// Opener finds the openings of a run, and keeps them so that none comes twice while others are
// left, in one goroutine.
type Opener struct {
	openings Openings
	seed     uint64
	lists    map[*rules.Rules]*openingList
	moves    rules.MoveSet
}

// openingList holds the openings of a rule set in the order in which they are played, as far as
// they have been found.
type openingList struct {
	setups    func() *rules.Setups // of the rules
	positions []rules.Position
	seen      map[rules.Position]bool
	read      int64 // candidates that were looked at, where they have an order
	whole     bool  // there are no others
	longer    int   // plies by which random openings are longer, as shorter ones have run out
}

// NewOpener returns an opener of a run with the given seed.
func NewOpener(o Openings, seed uint64) *Opener {
	return &Opener{openings: o, seed: seed, lists: map[*rules.Rules]*openingList{}}
}

// Opening returns opening k, from 0, of a rule set, and how many there are if they have all come
// before and begin again; otherwise 0. The first k+1 are found one after the other, at some
// microseconds each. The error says that the rules or the plies leave no opening that passes the
// screen.
func (o *Opener) Opening(r *rules.Rules, k int64) (p rules.Position, again int64, err error) {
	if o.openings.Policy == AgentOpenings {
		return r.Start(), 0, nil
	}
	list := o.lists[r]
	if list == nil {
		list = &openingList{setups: sync.OnceValue(r.Setups), seen: map[rules.Position]bool{}}
		o.lists[r] = list
	}
	for !list.whole && int64(len(list.positions)) <= k {
		if err := o.extend(r, list); err != nil {
			return p, 0, err
		}
	}
	n := int64(len(list.positions))
	if n == 0 {
		return p, 0, fmt.Errorf("rules %v: there are no set-ups; expected other openings", r)
	}
	if k >= n {
		again = n
	}
	return list.positions[k%n], again, nil
}

// add adds an opening, and reports whether it is a new one.
func (l *openingList) add(p rules.Position) bool {
	key := p.Canonical()
	if l.seen[key] {
		return false
	}
	l.seen[key] = true
	l.positions = append(l.positions, p)
	return true
}

// extend finds the next opening, or that there are no others.
func (o *Opener) extend(r *rules.Rules, list *openingList) error {
	switch o.openings.Policy {
	case FileOpenings:
		return list.next(int64(len(o.openings.Positions)),
			func(i int64) (rules.Position, bool, error) {
				p, err := o.openings.Parse(r, int(i))
				return p, true, err
			})
	case SetupOpenings:
		return list.next(list.setups().Len(), func(i int64) (rules.Position, bool, error) {
			return list.setups().At(i), true, nil
		})
	}

	plies := o.openings.Plies
	if plies == 0 && r.Options().Kang {
		plies = kangOpeningPlies
	}
	plies += list.longer
	seed := agents.MixSeed(o.seed, forOpening, hashText(r.String()), uint64(len(list.positions)))
	rng := rand.New(rand.NewPCG(seed, 0))
	found := false
	for range openingTries {
		p, ok := draw(r, rng, plies)
		if !ok || !o.passes(r, p) {
			continue
		}
		if list.add(p) {
			return nil
		}
		found = true
	}
	if !found {
		return fmt.Errorf("rules %v: none of %d random openings of %d plies passed the screen; "+
			"expected fewer plies", r, openingTries, plies)
	}
	if plies > 0 {
		list.longer++
		return nil
	}
	// Random draws may have missed a few of the set-ups.
	all := list.setups().Len()
	if all > maxOpenings {
		all = 0
	}
	return list.next(all, func(i int64) (rules.Position, bool, error) {
		p := list.setups().At(i)
		return p, o.passes(r, p), nil
	})
}

// next adds the next of a number of candidates that passes and is new, or finds that there is none.
func (l *openingList) next(
	all int64, candidate func(i int64) (p rules.Position, passes bool, err error),
) error {
	for ; l.read < all; l.read++ {
		p, passes, err := candidate(l.read)
		if err != nil {
			return err
		}
		if passes && l.add(p) {
			return nil
		}
	}
	l.whole = true
	return nil
}

// draw plays random plies from a random set-up, and reports whether the game went on for so long.
func draw(r *rules.Rules, rng *rand.Rand, plies int) (p rules.Position, ok bool) {
	g := rules.NewGame(r, r.RandomSetup(rng))
	for range plies {
		moves := g.Legal()
		if moves.Len() == 0 {
			return p, false
		}
		g.PlayLegal(moves.At(rng.IntN(moves.Len())))
	}
	return g.Position(), true
}

// passes reports whether a game may begin in p, see [RandomOpenings].
func (o *Opener) passes(r *rules.Rules, p rules.Position) bool {
	scored := p.Goals(rules.South)+p.Goals(rules.North) > 0
	switch {
	case r.Outcome(p) != rules.Undecided, scored, r.CanReachGoal(p, p.Side()):
		return false
	case p.Passes() > 0: // a pass just before is no part of a position's text
		return false
	}
	r.Moves(p, &o.moves)
	for m := range o.moves.All() {
		if m != rules.Pass && !r.CanReachGoal(r.Apply(p, m), p.Side().Other()) {
			return true
		}
	}
	return false
}

// Screening looks for openings in which no side can force a win within two plies, see
// [RandomOpenings].
type Screening struct {
	Rules    *rules.Rules
	Openings Openings // those that are screened
	Seed     uint64   // of random openings
	Count    int      // how many are wanted; 0: all of a list

	// Agent, if not nil, scores them within Limits; those beyond ±MaxScore, in points, are left
	// out.
	Agent    agents.Agent
	Limits   agents.Limits
	MaxScore float64
}

// ErrNoScore is returned for an agent without an evaluation.
var ErrNoScore = errors.New("expected an agent that gives scores, like alphabeta:depth=2")

// Run calls keep for each opening that passes, with the agent's score; it returns how many passed,
// and were screened.
func (s *Screening) Run(
	ctx context.Context, keep func(p rules.Position, score float64),
) (kept, seen int, err error) {
	const tries = 100 // for each random opening
	from := NewOpener(s.Openings, s.Seed)
	for ; s.Count == 0 || kept < s.Count; seen++ {
		if s.Openings.Policy == RandomOpenings && seen >= tries*s.Count {
			break
		}
		if err := ctx.Err(); err != nil {
			return kept, seen, err
		}
		p, again, err := from.Opening(s.Rules, int64(seen))
		if err != nil || again > 0 {
			return kept, seen, err
		}
		if !from.passes(s.Rules, p) {
			continue
		}
		score := 0.0
		if s.Agent != nil {
			score, err = s.score(ctx, p)
			if err != nil {
				return kept, seen, err
			}
			if math.Abs(score) > s.MaxScore {
				continue
			}
		}
		keep(p, score)
		kept++
	}
	return kept, seen, nil
}

// score returns what the agent scores a position, in points for the side to move.
func (s *Screening) score(ctx context.Context, p rules.Position) (float64, error) {
	setup := agents.Setup{Rules: s.Rules, Side: p.Side(), Seed: s.Seed}
	if err := s.Agent.NewGame(ctx, setup); err != nil {
		return 0, err
	}
	game := rules.NewGame(s.Rules, p)
	d, err := s.Agent.Choose(ctx, game, agents.Request{Limits: s.Limits})
	if err != nil {
		return 0, err
	}
	if !d.Scored {
		return 0, ErrNoScore
	}
	return float64(d.Score) / 100, nil
}

// DrawSetup returns the set-up drawn at random with which a run of the seed begins, or the empty
// board of Kang.
func DrawSetup(r *rules.Rules, seed uint64) (rules.Position, error) {
	if r.Options().Kang {
		return r.Start(), nil
	}
	random := Openings{Policy: RandomOpenings}
	p, _, err := NewOpener(random, seed).Opening(r, 0)
	return p, err
}
