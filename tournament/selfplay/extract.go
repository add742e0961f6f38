package selfplay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/files"
	"gyges/agents/problems"
	"gyges/agents/tuning/sample"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

// SamplesDir is the folder of the samples in that of a run.
const SamplesDir = "samples"

// Summary says what the records of a run gave.
type Summary struct {
	Games       int64 // in the records
	Faults      int64 // of them, left out because a fault decided them
	Plies       int64 // positions in the rest
	RandomMoves int64 // of them, left out because a random move was played: the result follows from it, not from the position
	Repeats     int64 // left out because the position was met before, and counts there
	HeldBack    int64 // validation and test positions left out because they are in a split before theirs
	Samples     int64 // written
}

// Extract makes the samples of the records in a run's folder anew, in its folder
// [SamplesDir]. It replays and verifies every game. about is what the files are
// to say of where the samples come from, beside the agents, the number of games
// and the split. While it works no other process can do the same, nor play on in
// that folder: the error is [files.ErrInUse]. Memory grows with the samples, by
// some 400 bytes each.
func Extract(ctx context.Context, dir string, split Split, about map[string]string) (Summary, error) {
	var p problems.List
	if split.check(&p); len(p) > 0 {
		return Summary{}, p.Err()
	}
	path := filepath.Join(dir, tournament.GamesFile)
	f, err := files.Open(path)
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := files.Lock(f); err != nil {
		return Summary{}, fmt.Errorf("%s: %w", dir, err)
	}
	g := newGatherer(split)
	for r := record.NewReader(f, path); ; {
		game, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			if err = g.add(game); err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
		}
		if err != nil {
			return g.summary, err
		}
	}
	err = g.replace(ctx, filepath.Join(dir, SamplesDir), g.about(about))
	return g.summary, err
}

// about adds what the records say.
func (g *gatherer) about(more map[string]string) map[string]string {
	all := map[string]string{
		"agents": strings.Join(slices.Sorted(maps.Keys(g.agents)), " "),
		"games":  strconv.FormatInt(g.summary.Games-g.summary.Faults, 10),
		"split":  fmt.Sprintf("validation=%d,test=%d", g.split.Validation, g.split.Test),
	}
	maps.Copy(all, more)
	return all
}

// replace writes the samples beside their place and moves them there. What an
// extraction that was cut off has left is removed.
func (g *gatherer) replace(ctx context.Context, out string, about map[string]string) error {
	next := out + ".new"
	entries, err := os.ReadDir(filepath.Dir(out))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(next)) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(filepath.Dir(out), e.Name())))
		}
	}
	if err != nil {
		return err
	}
	if err := g.write(ctx, next, about); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Rename(next, out)
}

// maxNamed bounds how many agents the files name.
const maxNamed = 100

// gatherer merges the positions of games.
type gatherer struct {
	split   Split
	rules   map[string]*rules.Rules // by name
	agents  map[string]struct{}     // the first few of those that played
	splits  [sample.NumSplits]merged
	summary Summary
}

// merged is the samples of a split, by first meeting.
type merged struct {
	chunks [][]sample.Sample // all but the last one full, so that growing copies nothing
	index  map[key]int32     // as at counts
}

const chunkSize = 4096

// at returns the i-th sample.
func (m *merged) at(i int) *sample.Sample { return &m.chunks[i/chunkSize][i%chunkSize] }

func (m *merged) add(k key, s *sample.Sample) {
	n := len(m.index)
	if n%chunkSize == 0 {
		m.chunks = append(m.chunks, make([]sample.Sample, 0, chunkSize))
	}
	last := &m.chunks[n/chunkSize]
	*last = append(*last, *s)
	m.index[k] = int32(n)
}

type key struct {
	rules    *rules.Rules
	position rules.Position
}

func newGatherer(split Split) *gatherer {
	g := &gatherer{split: split, rules: map[string]*rules.Rules{}, agents: map[string]struct{}{}}
	for i := range g.splits {
		g.splits[i].index = map[key]int32{}
	}
	return g
}

// of returns the split of a pair. Its number is mixed as in SplitMix64, so that
// openings from a list, which come round again, don't all go the same way.
func (s Split) of(pair int64) sample.Split {
	switch n := int(agents.MixSeed(0, uint64(pair)) % 100); {
	case n < s.Test:
		return sample.Test
	case n < s.Test+s.Validation:
		return sample.Validation
	default:
		return sample.Train
	}
}

// add adds the positions of a game.
func (g *gatherer) add(game *record.Game) error {
	g.summary.Games++
	if game.Fault != nil {
		g.summary.Faults++
		return nil
	}
	replayed, err := record.Replay(game)
	if err != nil {
		return err
	}
	r, ok := g.rules[game.Rules]
	if !ok {
		r = replayed.Rules()
		g.rules[game.Rules] = r
	}
	for _, agent := range []string{game.South.Agent, game.North.Agent} {
		if len(g.agents) < maxNamed {
			g.agents[agent] = struct{}{}
		}
	}
	p, ply := replayed.Start(), 0
	for i, m := range replayed.Moves() {
		if !r.SettingUp(p) {
			g.summary.Plies++
			s := sample.Sample{Rules: r, Position: withoutPasses(r, p), Game: game.Game, Ply: int32(ply), ToEnd: int32(game.Plies - ply)}
			g.score(&s, game, i)
			ply++
		}
		p = r.Apply(p, m)
	}
	return nil
}

// withoutPasses returns p as its text has it: without the number of passes before.
func withoutPasses(r *rules.Rules, p rules.Position) rules.Position {
	if p.Passes() == 0 {
		return p
	}
	q, err := r.ParsePosition(r.FormatPosition(p))
	if err != nil {
		panic(err) // it has been played to
	}
	return q
}

// score gives a sample the score of the game's i-th move and the game's result,
// and keeps it.
func (g *gatherer) score(s *sample.Sample, game *record.Game, i int) {
	if len(game.Scores) > 0 {
		if game.Scores[i] == record.NoScore {
			g.summary.RandomMoves++
			return
		}
		s.Score, s.Scored = agents.Score(game.Scores[i]), true
	}
	south := s.Position.Side() == rules.South
	switch {
	case game.Result == rules.Draw.String():
		s.Draws = 1
	case (game.Result == rules.SouthWins.String()) == south:
		s.Wins = 1
	default:
		s.Losses = 1
	}
	in := &g.splits[g.split.of(game.Pair)]
	k := key{s.Rules, s.Position}
	if j, ok := in.index[k]; ok {
		g.summary.Repeats++
		known := in.at(int(j))
		known.Wins += s.Wins
		known.Draws += s.Draws
		known.Losses += s.Losses
		return
	}
	s.Quiet = sample.Quiet(s.Rules, s.Position)
	in.add(k, s)
}

// write writes the samples, but for those that are in a split before theirs.
func (g *gatherer) write(ctx context.Context, out string, about map[string]string) error {
	w, err := sample.Create(out, about)
	if err != nil {
		return err
	}
	for split := range g.splits {
		for i := range len(g.splits[split].index) {
			s := g.splits[split].at(i)
			if g.before(split, key{s.Rules, s.Position}) {
				g.summary.HeldBack++
				continue
			}
			if err = w.Write(sample.Split(split), s); err == nil && i%4096 == 0 {
				err = ctx.Err()
			}
			if err != nil {
				return errors.Join(err, w.Discard())
			}
			g.summary.Samples++
		}
	}
	return w.Close()
}

// before reports whether a position is in a split before this one.
func (g *gatherer) before(split int, k key) bool {
	for i := range split {
		if _, ok := g.splits[i].index[k]; ok {
			return true
		}
	}
	return false
}
