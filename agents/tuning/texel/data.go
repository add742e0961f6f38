package texel

import (
	"context"
	"iter"
	"math"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
	"gyges/agents/tuning/dataset"
	"gyges/rules/base/lists"
)

const (
	blockRows    = 8192 // of a block at most: the unit of work of a core
	memoryBlocks = 128  // at most in memory; data that have more are in a file
)

// Data is a set of positions: four bytes for each feature, two for an input, and 24 for a position. More than a million
// are in a temporary file, until Close.
type Data struct {
	features  int // number of features
	blocks    []*block
	rows      int
	count     float64          // sum of the counts
	low, high float32          // the lowest result and the highest
	seen      [inputs.Num]bool // in some position, or in its mirror image
	file      *blockFile       // nil: all is in memory
}

// block is a part of the data, or what is known of it while it is in a file.
type block struct {
	number int
	rows   []row
	width  int       // number of features
	values []float32 // of these, row by row
	inputs []uint16  // of a network, row by row
	place  place
	unread bool // the inputs are in the file alone
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

// add adds a position with its features, which are finite, and the active inputs of a network to be fitted.
func (d *Data) add(r row, features []float64, on []uint16) {
	if d.rows == 0 {
		d.low, d.high = 1, 0
	}
	if d.rows%blockRows == 0 {
		d.blocks = append(d.blocks, &block{number: len(d.blocks), rows: make([]row, 0, blockRows), width: d.features})
	}
	b := d.blocks[len(d.blocks)-1]
	for _, x := range features {
		b.values = append(b.values, float32(x))
	}
	b.inputs = append(b.inputs, on...)
	for _, i := range on {
		d.seen[i], d.seen[inputs.Mirrored[i]] = true, true
	}
	r.inputs = uint32(len(b.inputs))
	b.rows = append(b.rows, r)
	if r.played() {
		d.low, d.high = min(d.low, r.result), max(d.high, r.result)
	}
	d.rows++
	d.count += float64(r.count)
}

func (b *block) features(i int) []float32 { return b.values[i*b.width:][:b.width] }

func (b *block) active(i int) []uint16 {
	b.readInputs()
	start := uint32(0)
	if i > 0 {
		start = b.rows[i-1].inputs
	}
	return b.inputs[start:b.rows[i].inputs]
}

func (b *block) dot(i int, v []float64) float64 {
	sum := 0.0
	for j, x := range b.features(i) {
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
	over := p.Scored && (p.Score >= agents.WinIn(1) || p.Score <= -agents.WinIn(2))
	return c.Quiet && !p.Quiet || c.Leaves && over
}

// Splits are the positions of a fit: weights are fitted to those for training, the iteration to stop at is chosen by
// those for validation, and the result is measured on the test positions, once; with none it is not.
type Splits [dataset.NumSplits]*Data

// Read returns the data of positions in their order, extracted on all cores. Data that don't stay in memory are in a
// file in folder, which is made if necessary, until they are closed, also after an error. That is one of the positions
// or of the file, or ctx's.
func Read(
	ctx context.Context, positions iter.Seq2[dataset.Position, error], e *eval.Evaluator, choice Choice, folder string,
) (*Data, error) {
	d := &Data{features: len(eval.Names())}
	batch := make([]dataset.Position, 0, blockRows)
	flush := func() error {
		d.extract(batch, e, choice.Inputs)
		batch = batch[:0]
		if err := ctx.Err(); err != nil || d.file == nil && len(d.blocks) <= memoryBlocks {
			return err
		}
		return d.store(folder)
	}
	for p, err := range positions {
		if err != nil {
			return d, err
		}
		if choice.Excludes(&p) {
			continue
		}
		if choice.Positions > 0 && d.rows+len(batch) == choice.Positions {
			break
		}
		if batch = append(batch, p); len(batch) == blockRows {
			if err := flush(); err != nil {
				return d, err
			}
		}
	}
	return d, flush()
}

// extract adds positions with the features, and optionally the inputs of a network, that e extracts.
func (d *Data) extract(batch []dataset.Position, e *eval.Evaluator, withInputs bool) {
	bases := make([]float64, len(batch))
	features := make([]eval.Vector, len(batch))
	active := make([]inputs.List, len(batch))
	lists.OnAllCores(len(batch), func(i int) { bases[i], _ = e.Extract(batch[i].Position, &features[i], &active[i]) })
	for i := range batch {
		p := &batch[i]
		r := row{
			base: float32(bases[i]), result: float32(p.Result()), score: float32(math.NaN()), count: float32(max(p.Count(), 1)),
			game: uint32(p.Game), // a collision of large numbers makes two games one cluster
		}
		if p.Scored {
			r.score = float32(p.Score)
		}
		var on []uint16
		if withInputs {
			on = active[i].Active()
		}
		d.add(r, features[i][:d.features], on)
	}
}
