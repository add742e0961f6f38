// Package agents says what a player is: the [Agent] interface, the [Spec] text
// that names one with its parameters, and the [Registry] of the kinds that can
// be made. The players themselves live in the packages below it, one each; the
// list of those that ship is in agents/builtin.
package agents
