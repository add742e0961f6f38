package dataset

import (
	"bufio"
	"fmt"

	"gyges/rules/base/files"
)

// The lines of [WriteText]. Their texts have no double quotes.
const (
	csvHead = "rules,position,score,result,game,ply,split\n"
	csvLine = `"%v","%s",%v,%v,%d,%d,%v` + "\n"

	jsonLine = `{"rules":"%v","position":"%s","score":%v,"result":%v,` +
		`"game":%d,"ply":%d,"split":"%v"}` + "\n"
)

// WriteText writes training positions to a file for other programs, as "csv" or as "jsonl", JSON
// lines. An earlier file is replaced when the new one is complete.
func WriteText(path, format string, splits [NumSplits][]*Position) error {
	f, err := files.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard() //nolint:errcheck // the error before says more
	out := bufio.NewWriter(f)
	line := jsonLine
	none := "null"
	if format == "csv" {
		line = csvLine
		none = ""
		fmt.Fprint(out, csvHead) // Flush returns the errors
	}
	for split, list := range splits {
		for _, p := range list {
			var score, result any = none, none
			if p.Scored {
				score = p.Score
			}
			if p.Count() > 0 {
				result = p.Result()
			}
			position := p.Rules.FormatPosition(p.Position)
			fmt.Fprintf(out, line, p.Rules, position, score, result, p.Game, p.Ply, Split(split))
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Commit()
}
