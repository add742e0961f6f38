// Command arrowcheck reads shards of training positions with Apache Arrow's Parquet reader,
// which shares no code with the one that wrote them, and prints them as CSV.
// It is a module of its own so that Arrow is no dependency of the program.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/csv"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := print(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func print(path string) error {
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		return err
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: 1024}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	t, err := r.ReadTable(context.Background())
	if err != nil {
		return err
	}
	batches := array.NewTableReader(t, 1024)
	w := csv.NewWriter(os.Stdout, t.Schema(), csv.WithHeader(true), csv.WithNullWriter("null"))
	for batches.Next() {
		if err := w.Write(batches.RecordBatch()); err != nil {
			return err
		}
	}
	return w.Flush()
}
