// Package ratings turns game results into Elo ratings with intervals. It has names and results, and
// nothing of the game that was played. Below it, package source reads results from PGN and CSV, and
// package table prints ratings. The manual, README.md, has the model and its options.
//
// [Data] adds up results. [Fit] goes through four steps, each a function of what those before it
// returned:
//
//	step                 file            takes              returns
//	newProblem           problem.go      results, options   problem: groups, prior, advantage
//	likelihood.maximize  likelihood.go   problem            maximum: the parameters
//	likelihood.estimate  covariance.go   maximum            estimate: also their covariance
//	newReport            report.go       problem, estimate  Ratings: players, reasons, notes
//
// groups.go finds who can be rated together, zero.go says what the zero of a group is, draws.go has
// the loss of results and the share of draws. quadratic.go has second derivatives as a matrix,
// iteration.go and elimination.go as sums too large for one. A prior whose width isn't known goes
// through the first three steps with several widths (prior.go). What is asked of [Ratings]
// afterwards, such as [Ratings.Difference], is computed from the estimate (comparisons.go).
//
// Ratings and South's first-move advantage are the joint maximum of the likelihood of Bradley and
// Terry (1952), with an order effect as in Davidson and Beaver (1977); a draw counts as half a win
// and half a loss. Every interval is 1.96 standard errors either way, from the
// covariance of all that was fitted, H⁻¹ S H⁻¹, with H the second derivatives of the likelihood
// and S the covariance of its gradient (Huber 1967; White 1982), taken game pair by game pair
// from how results scatter about what the fit expects (Liang and Zeger 1986). Coverage:
// results/reference/ratings.md.
//
// Say that a player scored against another if it won or drew. Finite ratings exist exactly among
// players who can reach each other both ways along such steps (Ford 1957; Hunter 2004). Without a
// prior, [Fit] splits the players into the largest such groups and rates each within itself: that
// is the limit of the maximum likelihood as the distance to the others, whose results against it
// all went one way, grows without bound.
package ratings
