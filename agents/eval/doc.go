// Package eval says how good a position is, for every agent that looks at
// positions: a linear evaluation over named features, and a small network that
// adds to it.
//
// [Evaluator.Features] measures a position from the side to move; a score is
// the sum of weight × feature, and of what the [Network] makes of the squares: of
// what stands on each, and who could land there. Both are data: a versioned JSON
// file that says which family of rules it is for and where it comes from
// ([Read]). One for each family is embedded ([Default]).
//
// The network is one hidden layer over inputs that are on or off, as in the
// efficiently updatable networks of Y. Nasu (2018), but small enough to be summed
// up anew for every position.
package eval
