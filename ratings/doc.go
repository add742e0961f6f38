// Package ratings turns game results into Elo ratings with intervals.
// It has names and results, and nothing of the game that was played. Below it,
// package source reads results from PGN and CSV, and package table prints ratings.
//
// # Model
//
// A game is played by South, who moves first, and North. South's expected
// score is
//
//	E = 1 / (1 + 10^(-(Rs + A - Rn)/400))
//
// with Rs and Rn the ratings and A South's first-move advantage, all in Elo.
// The ratings and A are the joint maximum of the likelihood in which a draw
// counts as half a win and half a loss (Bradley and Terry 1952, with an order
// effect as in Davidson and Beaver 1977). On request draws are an outcome with a
// parameter of their own: [Davidson].
//
// Beside the games there may be knowledge: given ratings ([Anchor]), given
// differences ([Offset]), and a prior of virtual draws against an imaginary opponent,
// or a normal one whose width is estimated (Options.Prior, Options.FitPrior).
//
// # Intervals
//
// Every interval is 1.96 standard errors either way, from the covariance of all
// that was fitted, the advantage and the draw parameter included, under the
// condition that sets the scale (mean zero or anchors). The covariance is
//
//	H⁻¹ S H⁻¹
//
// with H the second derivatives of the likelihood and S the covariance of its
// gradient (Huber 1967; White 1982). S is taken from how results scatter about
// what the fit expects, game pair by game pair (Liang and Zeger 1986): the two
// games of one opening depend on each other, and a half-point likelihood
// ignores that drawn games scatter less. As one pairing may have few games, its
// scatter counts together with what all pairings have in common: how often games
// are drawn at an expected score, and how the games of a pair depend on each
// other. The share of each observation that the fit has taken up is given back.
//
// Where the likelihood is right and nothing is drawn or paired, S is H and the
// covariance the usual one. Coverage was measured by simulation, see
// results/reference/ratings.md. Where who meets whom depends on the results so far
// (Swiss pairings by standings, knock-out) and games are few, maximum likelihood
// spreads the ratings too far, and no interval around them sees it; the default has
// the normal prior there (Data.Adaptive).
//
// # Who can be rated
//
// Say that a player scored against another if it won or drew. Finite ratings
// exist exactly among players who can reach each other both ways along such
// steps (Ford 1957; Hunter 2004). Where not everybody can, each player has two
// virtual draws by default, so that all are rated. Without a prior, Fit splits the
// players into the largest such groups; what ties ratings beforehand counts as a step both
// ways, and players whose rating is given belong together. A group of two or more is rated within
// itself, from the games inside it; that is the limit of the maximum likelihood
// as the distance to the others, whose results against it all went one way,
// grows without bound. Whoever is left alone (won or lost every point, or won
// them all against some and lost them all against the rest) is listed with the
// reason. Ratings of different groups can't be compared.
//
// The advantage has a condition of its own: it has a finite estimate exactly if
// the games inside the groups speak against moving it up without bound and also
// against moving it down, whatever the ratings do in return. If South won every
// game, say, it has none, nor with two players of whom the same one was always
// South. Then it is taken to be zero and a note says so. The draw parameter has
// none if no game, or every game, was drawn, and in a few rarer cases; then draws
// count as half points, with a note.
package ratings
