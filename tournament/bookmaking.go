package tournament

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/tournament/record"
)

// BookMaking makes a book: openings from which the stronger of two agents wins both games of a pair. It plays rounds,
// each a match of a stronger against a weaker agent with one pair from each opening, and keeps those that the stronger
// one wins twice for the next round. Its result does not depend on the number of workers.
type BookMaking struct {
	Candidates Screening // the openings of the first round, and the rules
	Config     Config    // of the matches: agents, stronger and weaker of each round in turn; limits, seed, workers
	Out        string    // the folder, with each round's openings and games; a run that was stopped there goes on

	// OnRound is called before a round with its match, and returns what is called for each game.
	OnRound func(round int, match *Config) func(*record.Game)
}

// Run returns the openings that are left after the last round, in the order of the candidates. It checks all rounds
// before it plays the first.
func (b *BookMaking) Run(ctx context.Context, registry *agents.Registry) (left []string, err error) {
	if _, _, err = b.Candidates.Run(ctx, func(p rules.Position, _ float64) {
		left = append(left, b.Candidates.Rules.FormatPosition(p))
	}); err != nil {
		return nil, err
	}
	for round := 1; 2*round <= len(b.Config.Agents) && len(left) > 0; round++ {
		c := b.match(round, left[:1])
		err = errors.Join(err, c.Validate(registry))
	}
	if err == nil {
		err = os.MkdirAll(b.Out, 0o777)
	}
	for round := 1; 2*round <= len(b.Config.Agents) && len(left) > 0 && err == nil; round++ {
		left, err = b.play(ctx, registry, round, left)
	}
	return left, err
}

// match returns the match of a round, from 1.
func (b *BookMaking) match(round int, openings []string) Config {
	c := b.Config
	c.Name = fmt.Sprintf("round-%d", round)
	c.Out = filepath.Join(b.Out, c.Name)
	c.Rules, c.Agents, c.Pairs = []*rules.Rules{b.Candidates.Rules}, c.Agents[2*round-2:2*round], len(openings)
	c.Openings = Openings{Policy: FileOpenings, File: filepath.ToSlash(c.Out) + ".txt", Positions: openings}
	return c
}

// play returns those of a round's openings that the stronger agent wins with both sides.
func (b *BookMaking) play(
	ctx context.Context, registry *agents.Registry, round int, openings []string,
) (kept []string, err error) {
	c := b.match(round, openings)
	if err := files.Replace(c.Openings.File, []byte(strings.Join(openings, "\n")+"\n")); err != nil {
		return nil, err
	}
	wins, onGame := make([]int, len(openings)), b.OnRound(round, &c)
	_, err = Run(ctx, c, registry, func(g *record.Game) {
		onGame(g)
		if g.HalfPoints(c.Agents[0].String()) == 2 {
			wins[g.Pair]++
		}
	})
	for i, n := range wins {
		if n == 2 {
			kept = append(kept, openings[i])
		}
	}
	return kept, err
}
