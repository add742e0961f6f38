package dataset

import (
	"bytes"
	"fmt"

	"gyges/rules/base/files"
)

// The lines of [WriteText]. The texts in them have no double quotes.
const (
	csvHead = "rules,position,score,result,game,ply,split\n"
	csvLine = `"%v","%s",%v,%v,%d,%d,%v` + "\n"

	jsonLine = `{"rules":"%v","position":"%s","score":%v,"result":%v,` +
		`"game":%d,"ply":%d,"split":"%v"}` + "\n"
)

// WriteText writes training positions to a file for other programs, as "csv" or as "jsonl", JSON
// lines. It replaces an earlier file at once.
func WriteText(path, format string, splits [NumSplits][]*Position) error {
	var text bytes.Buffer
	line := jsonLine
	none := "null"
	if format == "csv" {
		text.WriteString(csvHead)
		line = csvLine
		none = ""
	}
	for split, list := range splits {
		for _, p := range list {
			var score any = none
			var result any = none
			if p.Scored {
				score = p.Score
			}
			if p.Count() > 0 {
				result = p.Result()
			}
			fmt.Fprintf(&text, line, p.Rules, p.Rules.FormatPosition(p.Position), score, result,
				p.Game, p.Ply, Split(split))
		}
	}
	return files.Replace(path, text.Bytes())
}
