// Package sprt tests by game pairs which of two players is the stronger one, and stops as soon as
// the answer is sure enough. The manual is README.md.
//
// The unit is a game pair: one opening, played twice with sides swapped. It gives 0, ½, 1, 1½
// or 2 points, so a match is five counts. Pairs are independent of each other where the two
// games of one aren't.
//
// The test is the sequential probability ratio test (Wald 1945) generalised to a distribution
// that isn't known: LLR is the logarithm of how much likelier the counts are under the likeliest
// distribution in which the strength is elo1 than under the likeliest in which it is elo0 (Michel
// Van den Bergh, A Practical Introduction to the GSPRT; Comments on Normalized Elo). Both
// distributions come from the counts by empirical likelihood (Owen 1988), see [Test.LLR]. A count
// of zero is taken as a thousandth of a pair, so the LLR is defined from the first pair on and
// for whatever result.
//
// Strength is the elo of the expected score 1/(1+10^(-elo/400)) in the logistic model; in the
// normalized one 800/ln 10 times (score − ½)/σ, with σ the standard deviation of a game, that
// of a pair's mean times √2. Equal bounds then need equally many games whatever the share of
// draws and the openings are.
package sprt
