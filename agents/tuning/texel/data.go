package texel

import (
	"fmt"
	"math"
	"slices"

	"gyges/agents/eval"
)

// maxFeatures bounds the features: by the type of a column's index, and since the
// Hessian holds the square of their number.
const maxFeatures = math.MaxUint8

// blockRows is how many positions a block holds: the unit of work of a core.
const blockRows = 8192

// Row is a position.
type Row struct {
	Features []float64 // from the side to move; finite
	Inputs   []uint16  // of a network, that are on; none if no network is fitted
	Base     float64   // the rest of the evaluation, in hundredths of a point
	Result   float64   // of the game for the side to move: 0, ½, 1, or a mean of some
	Score    float64   // search score for the side to move, in hundredths of a point; NaN: none
	Count    float64   // how often it occurred; above 0
	Game     uint32    // positions of one game, whose results are correlated, share a number; 0: not known
}

// Data is a sample of positions. Only features that are not zero are stored: five
// bytes for each, two for an input, and 24 for a position.
type Data struct {
	features int
	blocks   []*block
	rows     int
	count    float64 // sum of the counts

	hasGames bool // the game of some row is known
}

// block is some positions, its features row by row.
type block struct {
	ends    []uint32 // where each row's features end
	columns []uint8
	values  []float32
	inputs  []uint16 // row by row
	inEnds  []uint32 // where each row's inputs end
	base    []float32
	result  []float32
	score   []float32
	count   []float32
	game    []uint32
}

// NewData returns an empty sample of positions with so many features, at most 255.
func NewData(features int) *Data { return &Data{features: min(features, maxFeatures)} }

// Len returns the number of positions.
func (d *Data) Len() int { return d.rows }

// Count returns how many positions there are, each as often as it occurred.
func (d *Data) Count() float64 { return d.count }

// Add adds a position. The error says what is wrong with it.
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
	b.ends = append(b.ends, uint32(len(b.columns)))
	b.inputs = append(b.inputs, r.Inputs...)
	b.inEnds = append(b.inEnds, uint32(len(b.inputs)))
	b.base = append(b.base, float32(r.Base))
	b.result = append(b.result, float32(r.Result))
	b.score = append(b.score, float32(r.Score))
	b.count = append(b.count, float32(r.Count))
	b.game = append(b.game, r.Game)
	d.hasGames = d.hasGames || r.Game != 0
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
		ends:    make([]uint32, 0, blockRows),
		columns: make([]uint8, 0, entries+entries/32),
		values:  make([]float32, 0, entries+entries/32),
		inEnds:  make([]uint32, 0, blockRows),
		base:    make([]float32, 0, blockRows),
		result:  make([]float32, 0, blockRows),
		score:   make([]float32, 0, blockRows),
		count:   make([]float32, 0, blockRows),
		game:    make([]uint32, 0, blockRows),
	})
}

// rows returns how many positions the block holds.
func (b *block) rows() int { return len(b.ends) }

// row returns the features of a position that are not zero.
func (b *block) row(i int) ([]uint8, []float32) {
	start := uint32(0)
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.columns[start:b.ends[i]], b.values[start:b.ends[i]]
}

// on returns the inputs of a position that are on.
func (b *block) on(i int) []uint16 {
	start := uint32(0)
	if i > 0 {
		start = b.inEnds[i-1]
	}
	return b.inputs[start:b.inEnds[i]]
}

// dot returns the sum of v × feature of a position.
func (b *block) dot(i int, v []float64) float64 {
	columns, values := b.row(i)
	sum := 0.0
	for k, j := range columns {
		sum += v[j] * float64(values[k])
	}
	return sum
}
