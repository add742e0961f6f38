// Package eval says how good a position is: a linear evaluation over named
// features, shared by every agent that looks at positions.
//
// [Evaluator.Features] measures a position from the side to move; a score is
// the sum of weight × feature. The weights are data: a versioned JSON file that
// says which family of rules they are for and where they come from ([Read]). One
// set for each family is embedded ([Default]).
package eval
