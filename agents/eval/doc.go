// Package eval is the static evaluation: a linear function of named features plus
// the output of a small network.
//
// A score is the sum of weight × feature from the side to move ([Evaluator.Extract])
// and of the output of the [Network], whose inputs are the content and control of
// each square. Both are data: a versioned JSON file with the family of rules it is
// for and its provenance ([Read]). One for each family is embedded ([Default]).
//
// The network has one hidden layer over binary inputs, as in the efficiently
// updatable networks of Y. Nasu (2018), but is small enough to be computed anew for
// every position.
package eval
