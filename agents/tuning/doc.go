// Package tuning finds better numbers for agents. The methods are in rooms of
// their own: [gyges/agents/tuning/texel] fits weights to samples,
// [gyges/agents/tuning/spsa] climbs by matches, [gyges/agents/tuning/tdleaf]
// learns from the games it plays. Whatever plays is injected. Here is what they
// share: which numbers of an agent can be tuned at all.
package tuning
