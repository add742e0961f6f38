// Package tuning determines which parameters of an agent can be tuned. The methods
// are packages of their own: [gyges/agents/tuning/texel] fits weights to training
// positions, [gyges/agents/tuning/spsa] tunes parameters by matches, and
// [gyges/agents/tuning/tdleaf] learns weights from self-play. Games are played by
// functions that the caller provides.
package tuning
