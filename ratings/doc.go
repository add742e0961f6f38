// Package ratings turns game results into Elo ratings with intervals, and
// into the tables that print them. It knows names and results, nothing of the
// game that was played.
//
// # Model
//
// A game is played by South, who moves first, and North. South's expected
// score is
//
//	E = 1 / (1 + 10^(-(Rs + A - Rn)/400))
//
// with Rs and Rn the ratings and A South's first-move advantage, all in Elo.
// The ratings and A are the joint maximum of the likelihood in which a draw
// counts as half a win and half a loss (Bradley and Terry 1952, with an order
// effect as in Davidson and Beaver 1977).
//
// # Figures
//
//   - Elo: the rating. Only differences have a meaning, so either the mean over
//     the players of a group is zero, or an anchored player has a given value.
//   - Error, printed as ±: half the width of the 95 % interval of that figure,
//     1.959964 standard errors. The standard error comes from the inverse of
//     the whole information matrix, advantage included, under the same
//     condition (mean zero or anchor); an anchored player's error is zero.
//     The information is that of the half-point model, E(1-E) per game. It
//     takes a drawn game to be as uncertain as a decided one, so the more games
//     are drawn, the wider than needed the interval is (it covers more than
//     95 %); without draws it is the Fisher information.
//   - Games, wins, draws, losses: all games of the player but those against
//     itself, also those that cannot enter the fit.
//   - Points: wins + draws/2. Score: points/games. Draws: draws/games.
//   - Difference: one rating minus another of the same group, with its own
//     interval from the covariance (ratings are correlated, so it isn't the sum
//     of two intervals). LOS, likelihood of superiority: the probability that
//     the difference is positive, by the normal approximation.
//   - Advantage: A, fitted or fixed. It is one figure for all groups.
//
// # Who can be rated
//
// Say that a player scored against another if it won or drew. Finite ratings
// exist exactly among players who can reach each other both ways along such
// steps (Ford 1957; Hunter 2004). Fit splits the players into the largest such
// groups. A group of two or more is rated within itself, from the games inside
// it; that is the limit of the maximum likelihood as the distance to the
// others, whose results against it all went one way, grows without bound.
// Whoever is left alone (won or lost every point, or won them all against
// some and lost them all against the rest) is listed with the reason. Ratings
// of different groups can't be compared.
//
// The advantage has a condition of its own: it has a finite estimate exactly if
// the games inside the groups speak against moving it up without bound and also
// against moving it down, whatever the ratings do in return. If South won every
// game, say, it has none, nor with two players of whom the same one was always
// South. Then it is taken to be zero and a note says so.
package ratings
