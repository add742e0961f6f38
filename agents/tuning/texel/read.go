package texel

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"sync"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning/sample"
)

// Choice selects samples.
type Choice struct {
	Quiet     bool // only those in which neither side could win the game at once
	Leaves    bool // only those that a search evaluates: not those whose score says that the side to move wins at once, or loses to any answer
	Inputs    bool // with the inputs of a network, to fit one
	Positions int  // at most so many, the first ones; 0: all
}

// Splits are the positions of a fit.
type Splits struct {
	Train      *Data // weights are fitted to these
	Validation *Data // the iteration to stop at is chosen by these
	Test       *Data // the result is measured on these, once; nil or empty: it is not
}

// ReadSplits returns the data of each split's samples, as [ReadData] does.
func ReadSplits(
	ctx context.Context, read func(sample.Split) iter.Seq2[sample.Sample, error], e *eval.Evaluator, choice Choice,
) (d Splits, err error) {
	for split, data := range [sample.NumSplits]**Data{&d.Train, &d.Validation, &d.Test} {
		if *data, err = ReadData(ctx, read(sample.Split(split)), e, choice); err != nil {
			return d, err
		}
	}
	return d, nil
}

// ReadData returns the data of samples with the features that e extracts, in their
// order, computed on all cores. The first error of the samples is returned, or
// ctx's.
func ReadData(ctx context.Context, samples iter.Seq2[sample.Sample, error], e *eval.Evaluator, choice Choice) (*Data, error) {
	d := NewData(eval.NumFeatures)
	batches := newBatches(e, choice.Inputs)
	for s, err := range samples {
		if err != nil {
			return nil, err
		}
		if choice.Quiet && !s.Quiet || choice.Leaves && isOver(&s) {
			continue
		}
		if choice.Positions > 0 && d.Len()+len(batches.rows) == choice.Positions {
			break
		}
		if batches.add(s) {
			if err := errors.Join(ctx.Err(), batches.flush(d)); err != nil {
				return nil, err
			}
		}
	}
	return d, batches.flush(d)
}

// isOver reports whether by the score of a sample the side to move wins with its next
// move, or loses to the opponent's next move.
func isOver(s *sample.Sample) bool {
	return s.Scored && (s.Score >= agents.WinIn(1) || s.Score <= -agents.WinIn(2))
}

// batches collects samples to extract their features on all cores at once.
type batches struct {
	eval     *eval.Evaluator
	inputs   bool
	samples  []sample.Sample
	rows     []Row
	features [][eval.NumFeatures]float64
	on       []eval.Inputs
}

func newBatches(e *eval.Evaluator, inputs bool) *batches {
	return &batches{eval: e, inputs: inputs, features: make([][eval.NumFeatures]float64, blockRows), on: make([]eval.Inputs, blockRows)}
}

// add adds a sample and reports whether the batch is full.
func (b *batches) add(s sample.Sample) bool {
	r := Row{Result: s.Result(), Score: math.NaN(), Count: float64(s.Count()), Game: gameNumber(s.Game)}
	if s.Scored {
		r.Score = float64(s.Score)
	}
	b.samples, b.rows = append(b.samples, s), append(b.rows, r)
	return len(b.rows) == len(b.features)
}

// gameNumber returns a number above 0 for a game.
func gameNumber(game int64) uint32 { return uint32(uint64(game)%math.MaxUint32) + 1 }

// flush extracts the features of the batch and adds it to d.
func (b *batches) flush(d *Data) error {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(b.rows); i += workers {
				b.rows[i].Base = b.eval.Extract(b.samples[i].Position, &b.features[i], &b.on[i])
			}
		})
	}
	wg.Wait()
	for i := range b.rows {
		b.rows[i].Features = b.features[i][:]
		if b.inputs {
			b.rows[i].Inputs = b.on[i].Active()
		}
		if err := d.Add(b.rows[i]); err != nil {
			return fmt.Errorf("position %d: %w", d.Len()+1, err)
		}
	}
	b.samples, b.rows = b.samples[:0], b.rows[:0]
	return nil
}
