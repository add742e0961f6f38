package ugi

import (
	"math"
	"strconv"
	"strings"

	"gyges/agents"
)

// finding is what an engine says of a search, by info lines and bestmove.
type finding struct {
	move   string
	depth  int
	score  float64
	scored bool
	nodes  int64
}

// readFinding takes what is known from the words that follow info or bestmove
// M. Words that are not known, and numbers that aren't any, are passed over: what
// an engine says besides its move is its own affair.
func (f *finding) read(words []string) {
	for i := 0; i+1 < len(words); i++ {
		value := words[i+1]
		switch words[i] {
		case "pv", "string": // what follows is no pair
			return
		case "ply", "depth":
			if n, err := strconv.Atoi(value); err == nil && 0 <= n && n <= maxPly {
				f.depth = n
			}
		case "bestmove":
			f.move = value
		case "score":
			x, err := strconv.ParseFloat(value, 64)
			if err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
				f.score, f.scored = x, true
			}
		case "nodes":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
				f.nodes = n
			}
		default:
			continue
		}
		i++
	}
}

// scoreOf returns a score as agents give it. One in an unknown unit is taken for
// hundredths of a point and never for a proof.
func (f *finding) scoreOf(ours bool) agents.Score {
	top := float64(agents.MaxEval)
	if ours {
		top = float64(agents.WinTop)
	}
	return agents.Score(math.Round(min(max(f.score, -top), top)))
}

// optionName returns the name of an option line, whose first word is taken off:
// "maxPly", "maxPly default 3", "name maxPly type spin".
func optionName(rest string) string {
	words := strings.Fields(rest)
	if len(words) > 1 && words[0] == "name" {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// splitCommand splits a command into words at blanks; double quotes hold a
// word with blanks together. There is no shell.
func splitCommand(text string) []string {
	var words []string
	var b strings.Builder
	quoted, any := false, false
	for _, r := range text {
		switch {
		case r == '"':
			quoted, any = !quoted, true
		case !quoted && (r == ' ' || r == '\t'):
			if any {
				words = append(words, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteRune(r)
			any = true
		}
	}
	if any {
		words = append(words, b.String())
	}
	return words
}
