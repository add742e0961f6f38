package main

import (
	"errors"
	"fmt"
	"strings"

	"gyges/rules"
)

// splitRules splits a list of rule sets at the commas between them. Rule sets
// have commas of their own, between options: a piece like "repetition=none"
// belongs to the rule set before it.
func splitRules(text string) []string {
	var list []string
	for _, piece := range strings.Split(text, ",") {
		name, _, option := strings.Cut(piece, "=")
		if n := len(list); n > 0 && option && !strings.Contains(name, ":") {
			list[n-1] += "," + piece
			continue
		}
		list = append(list, piece)
	}
	return list
}

// loadRulesList resolves the rule sets of a list, each with the same changes.
func loadRulesList(text string, changes []string) ([]*rules.Rules, error) {
	var list []*rules.Rules
	var errs []error
	for _, one := range splitRules(text) {
		base, err := loadRules(one)
		if err != nil {
			errs = append(errs, fmt.Errorf("--rules: %w", err))
			continue
		}
		list = append(list, base)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return changeAll(list, changes)
}

// changeAll changes options of every rule set of a list.
func changeAll(list []*rules.Rules, changes []string) ([]*rules.Rules, error) {
	changed := make([]*rules.Rules, len(list))
	for i, r := range list {
		var err error
		if changed[i], err = change(r, changes); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
