package manage

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/configs"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
	"gyges/tournament"
	"gyges/tournament/web"
)

// keys are those of the settings that the form has, in its order.
const keys = "name agents rules schedule rounds pairs sprt until_error openings seed " +
	"limits.depth limits.nodes limits.movetime clock adjudication"

// fields are the settings that the form has.
func fields(c *tournament.Config) (list []settings.Field) {
	all := settings.Fields(c, "")
	for _, key := range strings.Fields(keys) {
		list = append(list, all[slices.IndexFunc(all, func(f settings.Field) bool { return f.Key == key })])
	}
	return list
}

// config reads the texts of the form, by the keys of the settings. The error, a [web.Error], has a line for each
// mistake.
func (p *pages) config(texts map[string]string) (tournament.Config, error) {
	c := tournament.DefaultConfig()
	c.Pairs = tournament.UnsetPairs
	var errs problems.List
	for _, f := range fields(&c) {
		text := strings.TrimSpace(texts[f.Key])
		if delete(texts, f.Key); text == "" {
			continue
		}
		for _, err := range problems.Split(p.set(&c, f, text)) {
			errs.Add(f.Key, err)
		}
	}
	for key := range texts {
		errs.Require(false, "%s", suggest.Unknown("setting", key, strings.Fields(keys)))
	}
	c.SetPairs()
	err := errs.Err()
	if err == nil {
		err = c.Validate(p.Registry)
	}
	if err != nil {
		return c, web.Unprocessable("%v", err)
	}
	return c, nil
}

// lineBreaks match what is between two lines.
var lineBreaks = regexp.MustCompile(`\s*\n\s*`)

// set sets a setting of a config, a list from a line for each element.
func (p *pages) set(c *tournament.Config, f settings.Field, text string) error {
	lines := lineBreaks.Split(text, -1)
	switch {
	case f.Key == "agents":
		var errs []error
		for _, line := range lines {
			spec, err := p.spec(line)
			c.Agents, errs = append(c.Agents, spec), append(errs, err)
		}
		return errors.Join(errs...)
	case f.Key == "openings" && strings.HasPrefix(text, string(tournament.FileOpenings)):
		return errors.New("expected random, random:plies=N, book, setups or agents; a file needs the command line")
	}
	return f.SetTexts(lines...)
}

// spec returns the agent of a line: one of the players, or one that runs no program and reads no file.
func (p *pages) spec(line string) (agents.Spec, error) {
	for _, a := range p.Players {
		if a.Name == line {
			return a.Spec, nil
		}
	}
	s, err := agents.ParseSpec(line)
	if err == nil {
		err = p.allow(s)
	}
	return s, err
}

// allow returns an error for an agent that is of none of the kinds allowed, names a file, or has such an agent in it.
func (p *pages) allow(s agents.Spec) error {
	return p.Kinds.Each([]agents.Spec{s}, func(s agents.Spec, kind agents.Kind, _ agents.Values) error {
		for _, param := range s.Params {
			if d, _ := kind.Param(param.Name); d.IsFile(param.Value) {
				return fmt.Errorf("agent %.60q: parameter %s: expected %s; an agent with a file needs gyges serve --agent",
					s, d.Name, suggest.OneOf(d.Words))
			}
		}
		return nil
	})
}

// check returns the YAML of the form's tournament, and the number of its games.
func (p *pages) check(_ *http.Request, texts map[string]string) (any, error) {
	c, err := p.config(texts)
	if err != nil {
		return nil, err
	}
	text, err := configs.TournamentText(c)
	return map[string]any{"yaml": text, "games": c.Games()}, err
}
