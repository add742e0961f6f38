package pgn

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gyges/rules"
	"gyges/tournament/record"
)

// foreign completes the record of a game of another program by its rules and, if
// they can be played, its moves. line is where the game begins.
func (in *reader) foreign(r *record.Game, line int) {
	if r.Rules == "" {
		r.Rules = in.rules
	}
	words, err := in.words()
	if len(words) == 0 && err == nil {
		return
	}
	if err == nil {
		err = in.play(r, words)
	}
	if err == nil {
		return
	}
	if in.tally.Dropped == 0 {
		in.tally.DroppedAt, in.tally.DroppedErr = line, err
	}
	in.tally.Dropped++
}

// words returns the moves as they stand in the file, without numbers, comments,
// variations, annotations and the result.
func (in *reader) words() ([]string, error) {
	if in.tooLong {
		return nil, fmt.Errorf("expected moves of at most %d bytes, found more", maxMoves)
	}
	var words []string
	for text, depth := in.moves, 0; ; {
		word, comment, rest, err := nextWord(text)
		if err == nil && len(word) == 0 && !comment && depth > 0 {
			err = errors.New("expected ) at the end of a variation, found the end of the game")
		}
		if err != nil || len(word) == 0 && !comment {
			return words, err
		}
		switch {
		case comment:
		case word[0] == ';':
			_, rest, _ = bytes.Cut(text[bytes.IndexByte(text, ';'):], []byte{'\n'})
		case depth > 0 || word[0] == '(': // long notation has parentheses, too, but none in front
			depth += bytes.Count(word, []byte{'('}) - bytes.Count(word, []byte{')'})
		default:
			if move := bare(string(word)); move != "" {
				words = append(words, move)
			}
		}
		text = rest
	}
}

// bare takes the number of the turn and an annotation off a move. It returns "" for
// a word that is no move.
func bare(word string) string {
	if number := strings.TrimLeft(word, "0123456789"); strings.HasPrefix(number, ".") {
		word = strings.TrimLeft(number, ".")
	}
	if strings.HasPrefix(word, "$") || slices.Contains([]string{"1-0", "0-1", "1/2-1/2", "*"}, word) {
		return ""
	}
	return strings.TrimRight(word, "!?")
}

// play plays the moves of a game and adds them to its record, which stays as it is
// after an error.
func (in *reader) play(r *record.Game, words []string) error {
	if r.Rules == "" {
		return errors.New("expected a tag Rules or --rules, found neither")
	}
	set, err := rules.Parse(r.Rules)
	if err != nil {
		return err
	}
	start, err := in.opening(set)
	if err != nil {
		return err
	}
	game := rules.NewGame(set, start)
	moves := make([]string, len(words))
	for i, word := range words {
		m, err := set.ParseMove(game.Position(), word)
		if err == nil {
			err = game.Play(m)
		}
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		moves[i] = m.String()
	}
	outcome, reason := game.Outcome()
	if outcome != rules.Undecided {
		if outcome.String() != r.Result {
			return fmt.Errorf("the moves lead to %v by %s, the result is %s", outcome, reason, r.Result)
		}
		r.Reason = string(reason)
	}
	r.Opening, r.Moves, r.Plies = set.FormatPosition(start), moves, game.Ply()
	return nil
}

// opening returns the position that a game began in: that of the tag FEN, or of
// Opening if that is a position and no name, or else the empty board.
func (in *reader) opening(set *rules.Rules) (rules.Position, error) {
	if text, ok := in.tags[tagFEN]; ok {
		p, err := set.ParsePosition(text)
		if err != nil {
			err = fmt.Errorf("%s: %w", tagFEN, err)
		}
		return p, err
	}
	if p, err := set.ParsePosition(in.tags[tagOpening]); err == nil {
		return p, nil
	}
	return set.Start(), nil
}
