package record

import (
	"fmt"
	"math"
	"strconv"
)

// Score is an agents.Score in a record, null in JSON where the mover gave none:
// hundredths of a point of the evaluation for the side that moved. Proven
// results lie beyond ±29,000: 30,000-n is a win in n plies, n-30,000 a loss.
type Score int32

// NoScore stands where the mover gave no score.
const NoScore Score = math.MinInt32

// MarshalJSON writes a number or null.
func (s Score) MarshalJSON() ([]byte, error) { return s.append(nil), nil }

func (s Score) append(b []byte) []byte {
	if s == NoScore {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(s), 10)
}

// UnmarshalJSON reads a whole number of 32 bits or null.
func (s *Score) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*s = NoScore
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || Score(n) == NoScore {
		return fmt.Errorf("expected a score, a whole number or null, found %.40q", text)
	}
	*s = Score(n)
	return nil
}
