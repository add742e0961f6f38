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
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/standings"
)

// importCmd makes a run of games from elsewhere.
type importCmd struct {
	File   string `arg:"" name:"file" help:"PGN or CSV; - is the standard input."`
	Out    string `required:"" placeholder:"DIR" help:"Folder to make for the records."`
	Rules  string `placeholder:"RULES" complete:"rules" help:"The rules of games whose tags name none."`
	Strict bool   `help:"Refuse a file with anything in it that can't be read, instead of leaving that out."`
}

func (importCmd) Help() string {
	return "Makes a run's folder of a file of games of any program, for gyges games, rate and the rest. It keeps the " +
		"tags White (South), Black, Result, Rules or Variant, and the start; two games that share Round and FEN, or a tag " +
		"Pair, are a pair. Moves are kept, too, in short or long notation, if they can be played: by the rules of the tag " +
		"or of --rules, from the position of a tag FEN or else the empty board. A message says how many games lost their " +
		"moves, and why. A game that is not over by the rules has the reason 'imported'. Of CSV no moves are read. The " +
		"run's id in manifest.json comes from the content of the file: two files are two runs, rated together with all " +
		"their games, but a file imported twice is the same run, whose games count once, where Ordo and BayesElo would " +
		"count them twice. An import that is stopped halfway leaves no run: the next one into the folder starts anew."
}

// Run imports the file.
func (c *importCmd) Run(ctx context.Context, e *env) error {
	if c.Rules != "" {
		set, err := loadRules(c.Rules)
		if err != nil {
			return fmt.Errorf("--rules: %w", err)
		}
		c.Rules = set.String()
	}
	file, name, err := openInput(ctx, e, c.File)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	content := sha256.New()
	format, r, err := standings.Sniff(io.TeeReader(file, content), name)
	if err != nil {
		return plainFileError(err)
	}
	if format == source.Records {
		return fmt.Errorf("%s: expected PGN or CSV, found records, which need no import", name)
	}
	in := &standings.Reader{Strict: c.Strict}
	count := 0
	err = tournament.Import(c.Out, filepath.Base(name), func(w *record.Writer, m *tournament.Manifest) error {
		players := map[string]bool{}
		event, err := in.Games(ctx, format, r, name, c.Rules, func(g *record.Game) error {
			count++
			players[g.South.Agent], players[g.North.Agent] = true, true
			return asFailure(w.Write(g))
		})
		if err == nil && count == 0 {
			err = noGames(name, &in.Skipped)
		}
		if event == "" || event == "?" {
			event = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		}
		m.Config.Name, m.ID, m.Players = event, hex.EncodeToString(content.Sum(nil)[:16]), len(players)
		return err
	})
	if err != nil {
		return plainFileError(err)
	}
	warnSkipped(e, &in.Skipped, nil)
	e.out.printf("%s imported; the records are in %s\n", textfmt.Plural(count, "game"), c.Out)
	return nil
}
