// Package rules is the game of Gygès (Claude Leroy, 1985): positions, legal
// moves, notation, rule options and perft. It is independent of agents and
// tournaments and uses the standard library only.
//
// The data flow is short. [Options] say which game is played; [New] resolves
// them once into a [Rules]. A [Position] is a comparable value of two machine
// words. [Rules.Moves] fills a [MoveSet], which keeps the legal moves factored
// as sources × landings × drop squares; [Rules.Apply] makes one of them. A
// [Game] adds what has stood before, which the repetition rule needs.
//
// Words used throughout: a leg is the run of exactly h steps that a height
// allows; a course is the whole sequence of legs of one turn; a piece that is
// landed on is bounced off or displaced; a displaced piece is dropped on an
// empty square; a door is the edge between two orthogonally adjacent squares.
package rules
