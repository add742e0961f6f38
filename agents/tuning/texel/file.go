package texel

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"gyges/rules/base/files"
	"gyges/rules/base/lists"
)

// blockFile is a temporary file of blocks, for this process alone: their numbers as they are in memory.
type blockFile struct {
	file   *os.File
	size   int64
	remove func() error
	err    atomic.Pointer[error] // the first of reading; nil: none
}

// place says where a block is in a file: its rows, values and inputs, one after another.
type place struct {
	file         *blockFile // nil: it is in memory
	at           int64
	rows, inputs int // how many
}

// store moves the blocks in memory to a file, which is made in folder if there is none.
func (d *Data) store(folder string) (err error) {
	if d.file == nil {
		if d.file, err = newBlockFile(folder); err != nil {
			return err
		}
	}
	for _, b := range d.blocks {
		if b.place.file == nil && err == nil {
			err = d.file.add(b)
		}
	}
	return err
}

func newBlockFile(folder string) (f *blockFile, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	path, remove, err := files.TempDir(folder, "positions")
	if err != nil {
		return nil, err
	}
	f = &blockFile{remove: remove}
	if f.file, err = os.Create(filepath.Join(path, "blocks")); err != nil {
		return nil, cmp.Or(err, remove())
	}
	return f, nil
}

func (f *blockFile) add(b *block) error {
	p := place{f, f.size, len(b.rows), len(b.inputs)}
	for _, numbers := range [][]byte{raw(b.rows), raw(b.values), raw(b.inputs)} {
		n, err := f.file.Write(numbers)
		if f.size += int64(n); err != nil {
			return err
		}
	}
	*b = block{number: b.number, width: b.width, place: p}
	return nil
}

// raw returns the memory of numbers.
func raw[T row | float32 | uint16](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}

// Close removes the file of the positions; d may be nil.
func (d *Data) Close() error {
	if d == nil || d.file == nil {
		return nil
	}
	return cmp.Or(d.file.file.Close(), d.file.remove())
}

func (d *Data) readError() error {
	if d == nil || d.file == nil {
		return nil
	}
	return *cmp.Or(d.file.err.Load(), new(error))
}

// read fills numbers with those at a place in the file. After an error, see [Data.readError], they are 0.
func (f *blockFile) read(numbers []byte, at int64) (end int64) {
	if _, err := f.file.ReadAt(numbers, at); err != nil {
		clear(numbers)
		f.err.CompareAndSwap(nil, &err)
	}
	return at + int64(len(numbers))
}

// open returns a block with its contents: b itself or, if it is in a file, buffer, whose inputs are read when they are
// asked for.
func (b *block) open(buffer *block) *block {
	p := b.place
	if p.file == nil {
		return b
	}
	buffer.number, buffer.width, buffer.place, buffer.unread = b.number, b.width, p, true
	buffer.rows = resized(buffer.rows, p.rows)
	buffer.values = resized(buffer.values, p.rows*b.width)
	buffer.place.at = p.file.read(raw(buffer.values), p.file.read(raw(buffer.rows), p.at))
	return buffer
}

// readInputs reads the inputs of an opened block.
func (b *block) readInputs() {
	if b.unread {
		b.unread, b.inputs = false, resized(b.inputs, b.place.inputs)
		b.place.file.read(raw(b.inputs), b.place.at)
	}
}

func resized[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

// each calls do for each block, on all cores. The block is valid until do returns.
func (d *Data) each(do func(b *block)) {
	buffers := sync.Pool{New: func() any { return new(block) }}
	lists.OnAllCores(len(d.blocks), func(k int) {
		buffer := buffers.Get().(*block)
		do(d.blocks[k].open(buffer))
		buffers.Put(buffer)
	})
}

// windows returns the numbers of blocks in each part of the data that is in memory at a time while a network is fitted:
// one part if they are all in memory, else parts of least blocks, or some more.
func (d *Data) windows(least int) []int {
	n := len(d.blocks)
	parts := 1
	if d.file != nil {
		parts = max(1, n/least)
	}
	sizes := make([]int, parts)
	for i := range sizes {
		sizes[i] = (i+1)*n/parts - i*n/parts
	}
	return sizes
}

// eachWindow calls do with the blocks of each window, which rng draws, while those of the next are read. All but the
// last block of a window are full.
func (d *Data) eachWindow(sizes []int, rng *rand.Rand, do func(window []*block) error) error {
	order := slices.Clone(d.blocks)
	if full := order[:len(order)-1]; len(sizes) > 1 {
		rng.Shuffle(len(full), func(i, j int) { full[i], full[j] = full[j], full[i] })
	}
	buffers := [2][]block{make([]block, slices.Max(sizes)), make([]block, slices.Max(sizes))}
	next := make(chan []*block, 1)
	read := func(i int) {
		window := slices.Clone(order[:sizes[i]])
		order = order[sizes[i]:]
		go func() {
			for k, b := range window {
				window[k] = b.open(&buffers[i%2][k])
				window[k].readInputs()
			}
			next <- window
		}()
	}
	read(0)
	for i := range sizes {
		window, more := <-next, i+1 < len(sizes)
		if more {
			read(i + 1)
		}
		if err := do(window); err != nil {
			if more {
				<-next
			}
			return err
		}
	}
	return nil
}
