package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gyges/ratings/source"
	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

type importCmd struct {
	File   string `arg:"" name:"file" what:"a file of PGN or CSV" help:"PGN or CSV; - is the standard input."`
	Out    string `required:"" placeholder:"DIR" help:"Folder to make for the records."`
	Rules  string `placeholder:"RULES" help:"The rules of games whose tags name none."`
	Strict bool   `help:"Refuse a file with anything in it that can't be read, instead of leaving that out."`
}

func (c *importCmd) Run(ctx context.Context, e *env) error {
	r, err := flagRules(c.Rules)
	if err != nil {
		return err
	}
	if r != nil {
		c.Rules = r.String()
	}
	file, name, err := openInput(ctx, e, c.File)
	if err != nil {
		return err
	}
	content, count := sha256.New(), 0
	in, games := &runs.Reader{Strict: c.Strict, Rules: c.Rules}, &runs.File{In: io.TeeReader(file, content), Name: name}
	if format, err := games.Sniff(); err != nil {
		return err
	} else if format == source.Records {
		return fmt.Errorf("%s: expected PGN or CSV, found records, which need no import", name)
	}
	err = tournament.Import(c.Out, filepath.Base(name), func(w *record.Writer, m *tournament.Manifest) error {
		players := map[string]bool{}
		for g, err := range in.Records(ctx, games) {
			if err != nil {
				return err
			}
			count++
			players[g.Record.South.Agent], players[g.Record.North.Agent] = true, true
			if err := w.Write(g.Record); err != nil {
				return failure{err}
			}
		}
		if count == 0 {
			return noGames([]string{name}, in)
		}
		event := games.Event()
		if event == "" || event == "?" {
			event = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		}
		m.Config.Name, m.ID, m.Players = event, hex.EncodeToString(content.Sum(nil)[:16]), len(players)
		return nil
	})
	if err != nil {
		return files.Plain(err)
	}
	warnSkipped(e, in)
	e.out.printf("%s imported; the records are in %s\n", textfmt.Plural(count, "game"), c.Out)
	return nil
}
