package texel

import (
	"context"
	"iter"
	"math"
	"runtime/debug"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
	"gyges/agents/tuning/dataset"
	"gyges/rules/base/lists"
)

const (
	blockRows    = 8192 // of a block at most: the unit of work of a core
	memoryBlocks = 384  // at most that stay in memory

	// collectAt is the percentage of garbage at which it is collected: positions are large and have
	// no pointers, so that costs next to nothing.
	collectAt = 25
)

// Data is a set of positions: four bytes for each feature, two for an input, and 24 for a position.
// Of more than three million every second block stays in memory, every fourth of more than six
// million, and so on. A network is fitted to all, which are read anew for each epoch.
type Data struct {
	features  int // number of features
	blocks    []*block
	every     int              // one of so many blocks is in memory
	rows      int              // positions read
	count     float64          // sum of the counts of those in memory
	low, high float32          // the lowest result and the highest
	seen      [inputs.Num]bool // in some position, or in its mirror image
	// again reads all positions anew, in their order and in parts of so many blocks.
	again func(ctx context.Context, blocks int) iter.Seq2[*Data, error]
}

// block is a part of the positions.
type block struct {
	number int
	rows   []row
	width  int       // number of features
	values []float32 // of these, row by row
	inputs []uint16  // of a network, row by row
}

// row is a position in a block, seen from the side to move.
type row struct {
	inputs uint32  // their end in the block's
	base   float32 // the rest of the evaluation, in hundredths of a point
	result float32 // of the game: 0, ½, 1, or a mean of several; NaN: none
	score  float32 // of a search, in hundredths of a point; NaN: none
	count  float32 // how often it occurred, or 1 if it was only searched
	game   uint32  // positions of one game, whose results are correlated, share a number
}

// played reports whether the position occurred in games, and has a result.
func (r *row) played() bool { return !math.IsNaN(float64(r.result)) }

// Len returns the number of positions; 0 for nil.
func (d *Data) Len() int {
	if d == nil {
		return 0
	}
	return d.rows
}

func newData(features int) *Data { return &Data{features: features, every: 1, low: 1} }

// add adds a position with its features, which are finite, and the active inputs of a network to be
// fitted.
func (d *Data) add(r row, features []float64, on []uint16) {
	if d.rows%blockRows == 0 {
		next := &block{number: len(d.blocks), rows: make([]row, 0, blockRows), width: d.features}
		d.blocks = append(d.blocks, next)
	}
	b := d.blocks[len(d.blocks)-1]
	for _, x := range features {
		b.values = append(b.values, float32(x))
	}
	b.inputs = append(b.inputs, on...)
	for _, i := range on {
		d.seen[i] = true
		d.seen[inputs.Mirrored[i]] = true
	}
	r.inputs = uint32(len(b.inputs))
	b.rows = append(b.rows, r)
	if r.played() {
		d.low = min(d.low, r.result)
		d.high = max(d.high, r.result)
	}
	d.rows++
	d.count += float64(r.count)
}

// example is a position of a block.
type example struct {
	block *block
	i     int
}

// at returns a position by its number.
func (d *Data) at(number uint32) example {
	return example{d.blocks[number/blockRows], int(number % blockRows)}
}

// inMemory reports whether all positions are in memory.
func (d *Data) inMemory() bool { return d.every == 1 }

func (e example) row() *row { return &e.block.rows[e.i] }

// count returns how often the position occurred.
func (e example) count() float64 { return float64(e.row().count) }

// features returns the features of the position.
func (e example) features() []float32 {
	width := e.block.width
	return e.block.values[e.i*width:][:width]
}

// active returns the active inputs of the position.
func (e example) active() []uint16 {
	start := uint32(0)
	if e.i > 0 {
		start = e.block.rows[e.i-1].inputs
	}
	return e.block.inputs[start:e.row().inputs]
}

// dot returns the sum of the features of the position, each times a number.
func (e example) dot(v []float64) float64 {
	sum := 0.0
	for j, x := range e.features() {
		sum += v[j] * float64(x)
	}
	return sum
}

// Choice selects training positions.
type Choice struct {
	Quiet     bool `yaml:"quiet" help:"Only positions in which neither side could win at once."`
	Leaves    bool `yaml:"leaves" help:"Only positions that a search evaluates: not those whose score is a win with the next move, or a loss to any answer."`
	Inputs    bool // read the inputs of a network, to fit one
	Positions int  `yaml:"positions" check:"0..1000000000" zero:"all" help:"Positions of each split at most, the first ones."`
}

// Excludes reports whether a position is not selected.
func (c Choice) Excludes(p *dataset.Position) bool {
	if c.Quiet && !p.Quiet {
		return true
	}
	if !c.Leaves || !p.Scored {
		return false
	}
	return p.Score >= agents.WinIn(1) || p.Score <= -agents.WinIn(2)
}

// Splits are the positions of a fit: weights are fitted to those for training, the iteration to
// stop at is chosen by those for validation, and the result is measured on the test positions,
// once; with none it is not.
type Splits [dataset.NumSplits]*Data

// Read returns the data of positions in their order, extracted on all cores. Data that don't all
// stay in memory are read again by [Fit]. The error comes from the positions, or is ctx's.
func Read(
	ctx context.Context, positions iter.Seq2[dataset.Position, error], e *eval.Evaluator,
	choice Choice,
) (*Data, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	s := source{positions, e, choice}
	d := newData(len(eval.Names()))
	d.again = s.parts
	for part, err := range s.parts(ctx, 1) {
		if err != nil {
			return nil, err
		}
		d.keep(part)
		if len(d.blocks) > memoryBlocks {
			d.thin()
		}
	}
	return d, nil
}

// keep adds a part of one block, which stays in memory if it is the next of every so many.
func (d *Data) keep(part *Data) {
	if d.rows/blockRows%d.every == 0 {
		b := part.blocks[0]
		b.number = len(d.blocks)
		d.blocks = append(d.blocks, b)
		d.count += part.count
	}
	d.rows += part.rows
	d.low = min(d.low, part.low)
	d.high = max(d.high, part.high)
	for i, seen := range part.seen {
		if seen {
			d.seen[i] = true
		}
	}
}

// thin drops every second block.
func (d *Data) thin() {
	d.every *= 2
	d.count = 0
	var kept []*block
	for i := 0; i < len(d.blocks); i += 2 {
		b := d.blocks[i]
		b.number = len(kept)
		kept = append(kept, b)
		for _, r := range b.rows {
			d.count += float64(r.count)
		}
	}
	d.blocks = kept
}

// source is where positions are read, the same each time.
type source struct {
	positions iter.Seq2[dataset.Position, error]
	evaluator *eval.Evaluator // extracts the features and the inputs
	choice    Choice
}

// parts returns the positions chosen, in parts of so many blocks; the last part may be smaller. An
// error comes last.
func (s *source) parts(ctx context.Context, blocks int) iter.Seq2[*Data, error] {
	return func(yield func(*Data, error) bool) {
		part := newData(len(eval.Names()))
		batch := make([]dataset.Position, 0, blockRows)
		chosen := 0
		for p, err := range s.positions {
			if err != nil {
				yield(nil, err)
				return
			}
			if s.choice.Excludes(&p) {
				continue
			}
			if s.choice.Positions > 0 && chosen == s.choice.Positions {
				break
			}
			chosen++
			batch = append(batch, p)
			if len(batch) < blockRows {
				continue
			}
			s.extract(batch, part)
			batch = batch[:0]
			if len(part.blocks) < blocks {
				continue
			}
			if !yield(part, ctx.Err()) {
				return
			}
			part = newData(len(eval.Names()))
		}
		s.extract(batch, part)
		if part.rows > 0 {
			yield(part, ctx.Err())
		}
	}
}

// extract adds positions with the features, and optionally the inputs of a network, that the
// evaluator extracts.
func (s *source) extract(batch []dataset.Position, d *Data) {
	bases := make([]float64, len(batch))
	features := make([]eval.Vector, len(batch))
	active := make([]inputs.List, len(batch))
	lists.OnAllCores(len(batch), func(i int) {
		bases[i], _ = s.evaluator.Extract(batch[i].Position, &features[i], &active[i])
	})
	for i := range batch {
		p := &batch[i]
		r := row{
			base:   float32(bases[i]),
			result: float32(p.Result()),
			score:  float32(math.NaN()),
			count:  float32(max(p.Count(), 1)),
			game:   uint32(p.Game), // a collision of large numbers makes two games one cluster
		}
		if p.Scored {
			r.score = float32(p.Score)
		}
		var on []uint16
		if s.choice.Inputs {
			on = active[i].Active()
		}
		d.add(r, features[i][:d.features], on)
	}
}
