//go:build !unix

package play

import "time"

func processTime() time.Duration { return 0 }
