package report

import (
	"gyges/ratings/textfmt"
	"math"
	"strconv"
)

// optional is a visible text that may be empty.
func optional(text string) string {
	if text == "" {
		return ""
	}
	return textfmt.Visible(text)
}

// games counts games in words.
func games(n int64) string {
	if n == 1 {
		return "1 game"
	}
	return textfmt.Thousands(n) + " games"
}

// percent prints a share in percent without the sign.
func percent(share float64) string { return textfmt.Decimal(100 * share) }

// figure prints a number with three digits, large ones in full.
func figure(x float64) string {
	switch {
	case x == 0:
		return "0"
	case math.Abs(x) >= 100:
		return textfmt.Thousands(int64(math.Round(x)))
	default:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
}

// milliseconds prints a time.
func milliseconds(ms float64) string {
	switch {
	case ms == 0:
		return "0 ms"
	case ms >= 1000:
		return figure(ms/1000) + " s"
	case ms < 0.001:
		return "<1 µs"
	case ms < 1:
		return figure(ms*1000) + " µs"
	}
	return figure(ms) + " ms"
}
