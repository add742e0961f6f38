package runs

import (
	"cmp"
	"slices"
	"strings"

	"gyges/rules/base/textfmt"
)

const (
	maxErrors = 5    // unreadable games whose errors are kept
	maxError  = 2000 // bytes of each
)

// Kind is a reason for which games are left out, or read in part.
type Kind int

// The kinds, in the order of their sentences.
const (
	Unreadable   Kind = iota
	Duplicate         // a copy, also in its id, of another game
	ResultOnly        // of the record only the result can be read
	Unfinished        // it has no result yet
	NotPlayed         // a player was suspended
	NoMoves           // it has no moves, of which there is nothing to review
	WithoutMoves      // it was kept without its moves
	WithoutDate       // it was kept without its date, or without the time on it
	IDLimit           // there were too many ids to find all duplicates
	NoSum             // a record without a checksum
	numKinds
)

// sentences have {games} for the number of games, and {first} for what was noted with the first of
// them.
var sentences = [numKinds]string{
	Unreadable: "left out: {games} that can't be read; the first is {first}",
	Duplicate: "left out: {games} whose id had come before; copies are counted once; " +
		"the first is game {first}",
	ResultOnly:   "left out: all but the results of {games}; the first: {first}",
	Unfinished:   "left out: {games} without a result yet",
	NotPlayed:    "left out: {games} not played, since a player was suspended",
	NoMoves:      "left out: {games} without moves",
	WithoutMoves: "left out: the moves of {games}; the first: {first}",
	WithoutDate:  "left out: the dates or times of {games}; the first: {first}",
	IDLimit:      "too many ids of games to find all duplicates",
	NoSum:        "without checksums: {games}; not every change in them is noticed",
}

// Notes count the games that were left out, or read in part.
type Notes struct {
	Errors []string // of the first unreadable games

	counts    [numKinds]int
	first     [numKinds]string
	manifests []string // on those that can't be read
}

// Add counts a game; text is what the sentence on it has of the first one. Of duplicates it is
// their id, of which the smallest is kept, whatever their order.
func (n *Notes) Add(k Kind, text string) {
	text = textfmt.Cut(text, maxError)
	n.counts[k]++
	isFirst := n.counts[k] == 1
	byLength := cmp.Compare(len(text), len(n.first[k])) // of ids that are numbers
	isSmaller := cmp.Or(byLength, cmp.Compare(text, n.first[k])) < 0
	if isFirst || k == Duplicate && isSmaller {
		n.first[k] = text
	}
	if k == Unreadable && len(n.Errors) < maxErrors {
		n.Errors = append(n.Errors, text)
	}
}

// Count returns the number of games of a kind.
func (n *Notes) Count(k Kind) int { return n.counts[k] }

// Sentences returns one for each kind but for some, and those on manifests.
func (n *Notes) Sentences(except ...Kind) (list []string) {
	for k, count := range n.counts {
		if count > 0 && !slices.Contains(except, Kind(k)) {
			games := textfmt.Plural(count, "game")
			values := strings.NewReplacer("{games}", games, "{first}", n.first[k])
			list = append(list, values.Replace(sentences[k]))
		}
	}
	return append(list, n.manifests...)
}
