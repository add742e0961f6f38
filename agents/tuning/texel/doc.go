// Package texel fits the weights of a linear evaluation to results of games, as
// first done for the chess program Texel by P. Österlund (2014): by logistic
// regression.
//
// A position with the features f is expected to be won with the probability
//
//	p = 1 / (1 + exp(-K · Σ weight × feature))
//
// for the side to move. The scale K is fitted to the parent weights first and then
// fixed, so that a point has the same size in the tuned evaluation. The weights
// minimise
//
//	mean of -t·ln p - (1-t)·ln(1-p)  +  L2/2 · Σ (K · rms · (weight - parent))²
//
// where the target t is the result, or a mix of it with the search score, and
// rms is the root of the mean square of the weight's feature: so the penalty
// does not depend on the units of the features. It is minimised by L-BFGS
// with the analytic gradient.
//
// With [Settings.Network] a network is fitted first, to the same targets and
// together with the weights, by Adam; then the weights alone, on top of the quantised
// network, so that their standard errors are as above.
//
// All sums are made block by block in a fixed order, so that the outcome is the
// same whatever the number of cores.
package texel
