package table

import (
	"fmt"
	"io"
	"strings"

	"gyges/rules/base/textfmt"
)

// definition is that of a figure.
type definition struct{ name, doc string }

// beside are the figures of JSON, and of the lines below the tables, that
// aren't columns of the rating table.
var beside = []definition{
	{"players", "the players with a rating, by group and then from the strongest down"},
	{"advantage_fitted", "whether the advantage was estimated from the games, and not given or unknown"},
	{"draw_parameter",
		"null if draws count as half points; otherwise an object: model (davidson), parameter (draws over the geometric " +
			"mean of wins and losses), rate (the probability of a draw between equals without an advantage) and error " +
			"(half its 95 % interval)"},
	{"prior",
		"null without a prior; otherwise an object: cause (given: by --prior; separated: the results alone give not every " +
			"player a finite rating; adaptive: pairings followed the standings), draws (virtual draws of each player) or sd " +
			"(the estimated standard deviation, in Elo, of the normal distribution that the ratings are taken from)"},
	{"unrated",
		"the players without a rating, from the highest score down, with reason and cause: won-all, lost-all, " +
			"one-sided (won all games against some, lost all against the rest) or no-games"},
	{"groups",
		"the sets of players that can be compared, one unless --prior is 0: each reaches each other along steps from a " +
			"player to one it took points off. name: the strongest of them; players and games: how many; anchors: who was " +
			"given a rating; apart: why they aren't comparable with the first group"},
	{"used_games", "the games that entered the fit; the others were all won by one side of two groups or players"},
	{"pairs",
		"game pairs among the games: one opening, played twice with sides swapped. The intervals take a pair for one " +
			"observation"},
	{"self_games", "games with one name on both sides; they are left out of all else"},
	{"crosstable", "who scored what, by South and North, from South's view"},
	{"head_to_head",
		"the pairings that entered the fit, those that fit worst first: points of a against b, those expected by the " +
			"ratings, and z: their difference over the standard deviation that chance gives it"},
	{"chi_square",
		"the sum over all pairings of the squared difference between points and expectation, over the variance that " +
			"chance gives it. If the model is right it is about degrees_of_freedom. 0 if pairings have fewer than 8 games " +
			"on average"},
	{"degrees_of_freedom", "the pairings less the ratings fitted to them"},
	{"p", "the probability of a chi_square this large or larger if the model is right"},
	{"intransitivity",
		"how far the results contradict one number for each player (Jiang et al. 2011); null unless 3 to 50 players are " +
			"rated, every two met, and pairings have 8 games on average. Each pairing alone gives a difference of its two " +
			"players; these are split, weighted by their precision, into differences of one number for each player and a " +
			"cyclic part. cyclic_share: the cyclic part's share of the variance of the differences, what chance gives " +
			"subtracted from both; p: the probability of a cyclic part as large or larger in a tournament of the same " +
			"games if the ratings are right, from 200 simulated ones; cycle: the three players who beat one another in " +
			"turn with the largest sum of differences over its standard deviation, empty if there are none; cycle_elo: " +
			"that sum; cycle_p: the probability, likewise, that any three players have as strong a cycle or a stronger one"},
	{"notes", "sentences on what was left out or could not be had"},
	{"schedules",
		"the standings after each round of a Swiss tournament, the bracket of a knock-out, or for each table the results " +
			"around the first player of a gauntlet: schedule (swiss, knockout or gauntlet), title, result (who has won or " +
			"leads, in a sentence) and rows. A place that is shared has one rank; buchholz is the sum of the opponents' " +
			"points, sonneborn_berger the sum of each opponent's points times the share of the points won against it"},
	{"parts", "the same object for each rule set; the top of the object is all games together"},
}

// about is what must be known to read any of them.
const about = "" +
	"A game's expected score for South is 1 / (1 + 10^(-(South - North + advantage)/400)), with the ratings of " +
	"South and North. Ratings and advantage are the joint maximum of the likelihood. A draw is half a win and half " +
	"a loss, or with --draws davidson an outcome of its own with one parameter more; then 400 points " +
	"are odds of ten to one of winning against losing, so that differences come out larger than with half points. " +
	"With a prior of N draws " +
	"each player has N drawn games besides against an imaginary opponent whose rating is fitted too; so each has two " +
	"where the results alone give not every player a finite rating. Where pairings followed the standings (Swiss, " +
	"knock-out), and with --prior fit, the ratings are taken from a normal distribution about that opponent's, whose " +
	"standard deviation is estimated from the results." + "\n\n" +
	"Intervals come from the whole covariance, all parameters included. By default (--intervals pairs) it is taken " +
	"from how results scatter about what the fit expects, game pair by game pair; each pairing's scatter counts " +
	"against that of all together as its number of pairs against 30. --intervals games takes single games for " +
	"independent; --intervals model takes the likelihood's second derivatives alone, which with draws as half " +
	"points are too wide." + "\n"

// Explain writes what every figure means.
func Explain(w io.Writer) error {
	var b strings.Builder
	b.WriteString(strings.Join(textfmt.Wrap(about, usualWidth), "\n"))
	b.WriteString("\nColumns of the rating table, and keys of CSV and JSON:\n\n")
	for _, c := range columns {
		entry(&b, c.Key, c.Doc)
	}
	b.WriteString("\nOther keys of JSON:\n\n")
	for _, d := range beside {
		entry(&b, d.name, d.doc)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// entry writes a name, and its definition in lines beside it.
func entry(b *strings.Builder, name, doc string) {
	const indent = 22
	for i, line := range textfmt.Wrap(doc, usualWidth-indent) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-*s%s\n", indent-2, name, line)
	}
}
