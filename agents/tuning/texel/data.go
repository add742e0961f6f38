package texel

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/dataset"
)

// maxFeatures bounds the features: by the type of a column's index, and since the
// Hessian holds the square of their number.
const maxFeatures = math.MaxUint8

// blockRows is how many positions a block holds: the unit of work of a core.
const blockRows = 8192

// Row is a position.
type Row struct {
	Features []float64 // from the side to move; finite
	Inputs   []uint16  // active inputs of a network; none if no network is fitted
	Base     float64   // the rest of the evaluation, in hundredths of a point
	Result   float64   // of the game for the side to move: 0, ½, 1, or a mean of some
	Score    float64   // search score for the side to move, in hundredths of a point; NaN: none
	Count    float64   // how often it occurred; above 0
	Game     uint32    // positions of one game, whose results are correlated, share a number
}

// Data is a set of positions. Only features that are not zero are stored: five
// bytes for each, two for an input, and 28 for a position.
type Data struct {
	features int
	blocks   []*block
	rows     int
	count    float64 // sum of the counts
}

// block holds up to blockRows positions.
type block struct {
	rows    []row
	columns []uint8 // of the features, row by row
	values  []float32
	inputs  []uint16 // row by row
}

// row is a position in a block.
type row struct {
	features, inputs           uint32 // ends in the block's columns and inputs
	base, result, score, count float32
	game                       uint32
}

// NewData returns an empty set of positions with the given number of features, at most 255.
func NewData(features int) *Data { return &Data{features: min(features, maxFeatures)} }

// Len returns the number of positions; 0 for nil.
func (d *Data) Len() int {
	if d == nil {
		return 0
	}
	return d.rows
}

// Add adds a position. It returns an error if a number is out of range.
func (d *Data) Add(r Row) error {
	if err := d.check(r); err != nil {
		return err
	}
	if d.rows%blockRows == 0 {
		d.newBlock()
	}
	b := d.blocks[len(d.blocks)-1]
	for j, x := range r.Features {
		if x != 0 {
			b.columns = append(b.columns, uint8(j))
			b.values = append(b.values, float32(x))
		}
	}
	b.inputs = append(b.inputs, r.Inputs...)
	b.rows = append(b.rows, row{
		features: uint32(len(b.columns)), inputs: uint32(len(b.inputs)), game: r.Game,
		base: float32(r.Base), result: float32(r.Result), score: float32(r.Score), count: float32(r.Count),
	})
	d.rows++
	d.count += float64(float32(r.Count))
	return nil
}

func (d *Data) check(r Row) error {
	if len(r.Features) != d.features {
		return fmt.Errorf("expected %d features, found %d", d.features, len(r.Features))
	}
	for j, x := range r.Features {
		if math.IsNaN(x) || math.Abs(x) > math.MaxFloat32 {
			return fmt.Errorf("feature %d: expected a finite number, found %v", j, x)
		}
	}
	for _, i := range r.Inputs {
		if int(i) >= eval.NumInputs {
			return fmt.Errorf("expected inputs below %d, found %d", eval.NumInputs, i)
		}
	}
	switch {
	case math.IsNaN(r.Base) || math.Abs(r.Base) > math.MaxFloat32:
		return fmt.Errorf("expected a finite base, found %v", r.Base)
	case !(0 <= r.Result && r.Result <= 1): // true for NaN too
		return fmt.Errorf("expected a result from 0 to 1, found %v", r.Result)
	case math.IsInf(r.Score, 0):
		return fmt.Errorf("expected a finite score, found %v", r.Score)
	case !(0 < r.Count && r.Count <= math.MaxFloat32):
		return fmt.Errorf("expected a count above 0, found %v", r.Count)
	}
	return nil
}

// newBlock begins a block with a capacity estimated from the block before, whose
// spare capacity is released.
func (d *Data) newBlock() {
	entries := 0
	if n := len(d.blocks); n > 0 {
		last := d.blocks[n-1]
		entries = len(last.values)
		last.columns, last.values = slices.Clip(last.columns), slices.Clip(last.values)
	}
	d.blocks = append(d.blocks, &block{
		rows:    make([]row, 0, blockRows),
		columns: make([]uint8, 0, entries+entries/32),
		values:  make([]float32, 0, entries+entries/32),
	})
}

// features returns the features of a position that are not zero.
func (b *block) features(i int) ([]uint8, []float32) {
	start := uint32(0)
	if i > 0 {
		start = b.rows[i-1].features
	}
	return b.columns[start:b.rows[i].features], b.values[start:b.rows[i].features]
}

// active returns the active inputs of a position.
func (b *block) active(i int) []uint16 {
	start := uint32(0)
	if i > 0 {
		start = b.rows[i-1].inputs
	}
	return b.inputs[start:b.rows[i].inputs]
}

// dot returns the sum of v × feature of a position.
func (b *block) dot(i int, v []float64) float64 {
	columns, values := b.features(i)
	sum := 0.0
	for k, j := range columns {
		sum += v[j] * float64(values[k])
	}
	return sum
}

// Choice selects training positions.
type Choice struct {
	// Quiet selects only positions in which neither side could win the game at once.
	Quiet bool `yaml:"quiet"`
	// Leaves selects only positions that a search evaluates: not those whose score is a
	// win with the next move, or a loss to the opponent's next move.
	Leaves    bool `yaml:"leaves"`
	Inputs    bool // read the inputs of a network, to fit one
	Positions int  `yaml:"positions"` // maximum number, the first ones in order; 0: all
}

// excludes reports whether a position is not selected.
func (c Choice) excludes(p *dataset.Position) bool {
	over := p.Scored && (p.Score >= agents.WinIn(1) || p.Score <= -agents.WinIn(2))
	return c.Quiet && !p.Quiet || c.Leaves && over
}

// Splits are the positions of a fit.
type Splits struct {
	Train      *Data // weights are fitted to these
	Validation *Data // the iteration to stop at is chosen by these
	Test       *Data // the result is measured on these, once; nil or empty: it is not
}

// ReadSplits returns the data of each split's positions, as [ReadData] does.
func ReadSplits(
	ctx context.Context, read func(dataset.Split) iter.Seq2[dataset.Position, error], e *eval.Evaluator, choice Choice,
) (d Splits, err error) {
	for split, data := range [dataset.NumSplits]**Data{&d.Train, &d.Validation, &d.Test} {
		if *data, err = ReadData(ctx, read(dataset.Split(split)), e, choice); err != nil {
			return d, err
		}
	}
	return d, nil
}

// ReadData returns the data of training positions in their order, with the features that
// e extracts, computed on all cores. It returns the first error of the positions, or
// ctx's.
func ReadData(
	ctx context.Context, positions iter.Seq2[dataset.Position, error], e *eval.Evaluator, choice Choice,
) (*Data, error) {
	d := NewData(eval.NumFeatures)
	batch := make([]dataset.Position, 0, blockRows)
	for p, err := range positions {
		if err != nil {
			return nil, err
		}
		if choice.excludes(&p) {
			continue
		}
		if choice.Positions > 0 && d.rows+len(batch) == choice.Positions {
			break
		}
		if batch = append(batch, p); len(batch) == blockRows {
			if err := errors.Join(ctx.Err(), d.extract(batch, e, choice.Inputs)); err != nil {
				return nil, err
			}
			batch = batch[:0]
		}
	}
	return d, d.extract(batch, e, choice.Inputs)
}

// extract adds positions with the features, and optionally the inputs, that e extracts.
func (d *Data) extract(batch []dataset.Position, e *eval.Evaluator, inputs bool) error {
	rows := make([]Row, len(batch))
	features := make([][eval.NumFeatures]float64, len(batch))
	parallel(len(batch), func(i int) {
		p := &batch[i]
		var on eval.Inputs
		r := Row{Features: features[i][:], Result: p.Result(), Score: math.NaN(), Count: float64(p.Count())}
		r.Base = e.Extract(p.Position, &features[i], &on)
		r.Game = uint32(p.Game) // a collision of large numbers makes two games one cluster
		if p.Scored {
			r.Score = float64(p.Score)
		}
		if inputs {
			r.Inputs = slices.Clone(on.Active())
		}
		rows[i] = r
	})
	for _, r := range rows {
		if err := d.Add(r); err != nil {
			return fmt.Errorf("position %d: %w", d.rows+1, err)
		}
	}
	return nil
}
