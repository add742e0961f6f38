package training

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/tuning/dataset"
	"gyges/ratings/source"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/problems"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

// How training positions are made of the records of a run.

// PositionsDir is the folder of the training positions in that of a run.
const PositionsDir = "positions"

// Extraction has the counts of an extraction.
type Extraction struct {
	Games       int64                    // in the records
	Faults      int64                    // of them, omitted because a fault decided them
	Plies       int64                    // positions in the rest
	RandomMoves int64                    // of them, omitted as a random move was played
	Searched    int64                    // of them, searched anew
	Unplayed    int64                    // written without a result, most from search trees
	Repeated    int64                    // merged with an earlier occurrence of the position
	Duplicates  int64                    // omitted, as an earlier split has the position
	Written     [dataset.NumSplits]int64 // training positions of each split
	Notes       []string                 // on records missing, left out or without a checksum
}

// Total is the number of training positions.
func (e *Extraction) Total() (total int64) {
	for _, n := range e.Written {
		total += n
	}
	return total
}

// Extract converts the records in a run's folder, each of which it verifies, to training positions
// in its folder [PositionsDir], or as text in a file beside it, which is replaced. about is added
// to the metadata of the files. While it works no other process can do the same or play there: the
// error is [files.ErrInUse]. It needs some 400 bytes of memory a training position.
func (c *Positions) Extract(
	ctx context.Context, env Env, dir string, about map[string]string,
) (Extraction, error) {
	e := &extractor{Positions: c, env: &env}
	err := e.extract(ctx, dir, about)
	return e.counts, err
}

// extract converts games in batches: each is searched on all cores, then merged in
// the games' order.
func (e *extractor) extract(ctx context.Context, dir string, about map[string]string) error {
	e.rules = map[string]*rules.Rules{}
	e.agents = map[string]struct{}{}
	for i := range e.splits {
		e.splits[i].known = map[key]*dataset.Position{}
	}
	// All games are searched by an agent of the same files.
	e.registry = e.env.Registry.Reading([]agents.Spec{e.Search.Agent}, nil)
	var p problems.List
	e.check(&p, "", e.registry)
	if len(p) > 0 {
		return p.Err()
	}

	// The records are locked, so that nobody plays there or converts them, too.
	path := filepath.Join(dir, tournament.GamesFile)
	f, err := files.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := files.Lock(f); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}

	in := &runs.Stream{Strict: true}
	file := &runs.File{In: f, Name: path, Format: source.Records, Manifest: in.Manifest(path)}
	if file.Manifest != nil {
		e.all = file.Manifest.Games.Played
	}
	for g, err := range in.Records(ctx, file) {
		if err != nil {
			return err
		}
		if err := e.add(ctx, g.Record); err != nil {
			return fmt.Errorf("%s:%d: %w", path, g.Line, err)
		}
	}
	if err := e.convert(ctx); err != nil {
		return err
	}
	e.counts.Notes = in.Notes()
	metadata := e.metadata()
	maps.Copy(metadata, about)
	path = filepath.Join(dir, PositionsDir)
	if e.Text != "" {
		return dataset.WriteText(path+"."+e.Text, e.Text, e.distinct())
	}
	return dataset.Write(ctx, path, e.distinct(), metadata)
}

// metadata returns what the files of training positions say of their games.
func (e *extractor) metadata() map[string]string {
	names := slices.Sorted(maps.Keys(e.agents))
	if len(names) > maxAgents {
		names[maxAgents] = "…"
	}
	metadata := map[string]string{
		"agents": strings.Join(names, " "),
		"games":  strconv.FormatInt(e.counts.Games-e.counts.Faults, 10),
		"split":  fmt.Sprintf("validation=%d,test=%d", e.Split.Validation, e.Split.Test),
	}
	if s := e.Search; s.Agent.Kind != "" {
		metadata["search"] = fmt.Sprintf("%v, share=%v, tree=%d", s.Agent, s.Share, s.Tree)
	}
	return metadata
}

const (
	maxAgents = 100 // that the metadata names
	batch     = 256 // games that are converted at a time
)

// extractor makes training positions of the games of a run.
type extractor struct {
	*Positions
	env        *Env
	registry   *agents.Registry
	provenOnly bool        // omit scores that prove no result
	games      []*searched // that are to be converted
	converted  int64
	all        int64 // games in the records; 0: unknown

	rules  map[string]*rules.Rules // by name
	agents map[string]struct{}     // the first few
	splits [dataset.NumSplits]merged
	counts Extraction
}

// merged has the positions of a split in the order of their first occurrences.
type merged struct {
	list  []*dataset.Position
	known map[key]*dataset.Position
}

type key struct {
	rules    *rules.Rules
	position rules.Position
}

// add adds a position and reports whether it is new. One of a game replaces one of a search tree.
func (m *merged) add(p *dataset.Position) bool {
	k := key{p.Rules, p.Position}
	known := m.known[k]
	if known == nil {
		p.Quiet = dataset.Quiet(p.Rules, p.Position)
		m.list = append(m.list, p)
		m.known[k] = p
		return true
	}
	if known.Count() == 0 && p.Count() > 0 {
		p.Quiet = known.Quiet
		*known = *p
		return false
	}
	known.Wins += p.Wins
	known.Draws += p.Draws
	known.Losses += p.Losses
	return false
}

// add adds a game, to be converted in a batch.
func (e *extractor) add(ctx context.Context, game *record.Record) error {
	e.counts.Games++
	if game.Fault != nil {
		e.counts.Faults++
		return nil
	}
	replayed, err := record.Replay(game)
	if err != nil {
		return err
	}
	r, ok := e.rules[game.Rules]
	if !ok {
		r = replayed.Rules()
		e.rules[game.Rules] = r
	}
	for _, agent := range []string{game.South.Agent, game.North.Agent} {
		if len(e.agents) <= maxAgents { // one more shows that there are more
			e.agents[agent] = struct{}{}
		}
	}
	e.counts.Plies += int64(game.Plies)
	e.games = append(e.games, &searched{record: game, rules: r, game: replayed})
	if len(e.games) < batch {
		return nil
	}
	return e.convert(ctx)
}

// convert searches the positions of the games that are left, if they are to be, and adds them in
// the games' order, so that the outcome doesn't depend on the number of cores.
func (e *extractor) convert(ctx context.Context) error {
	games := e.games
	e.games = nil
	return e.Search.positions(ctx, e.registry, games, func(game *searched) error {
		e.converted++
		e.env.Progress(e.converted, e.all, "games converted")
		part := &e.splits[e.Split.part(game.record.Pair)]
		e.counts.Searched += int64(game.searched)
		e.counts.RandomMoves += int64(game.random)
		for _, p := range game.positions {
			if _, proven := p.Score.Proven(); e.provenOnly && !proven {
				p.Score = 0
				p.Scored = false
			}
			useful := p.Scored || p.Count() > 0
			if useful && !part.add(&p) {
				e.counts.Repeated++
			}
		}
		return nil
	})
}

// distinct returns the positions of each split, but for those that an earlier split has.
func (e *extractor) distinct() (splits [dataset.NumSplits][]*dataset.Position) {
	for split := range e.splits {
		for _, p := range e.splits[split].list {
			k := key{p.Rules, p.Position}
			inSplit := func(m merged) bool { return m.known[k] != nil }
			if slices.ContainsFunc(e.splits[:split], inSplit) {
				e.counts.Duplicates++
				continue
			}
			splits[split] = append(splits[split], p)
			if p.Count() == 0 {
				e.counts.Unplayed++
			}
		}
		e.counts.Written[split] = int64(len(splits[split]))
	}
	return splits
}
