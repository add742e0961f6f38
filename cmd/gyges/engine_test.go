package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Engines in other languages, where those are present: they pass the check, play without a fault, and what their
// options are set to changes their choice.
func TestExampleEngines(t *testing.T) {
	t.Parallel()
	python := func(t *testing.T) string {
		program, err := exec.LookPath("python3")
		if err != nil {
			t.Skip("no python3")
		}
		return program
	}
	for _, test := range []struct {
		file    string
		command func(t *testing.T) string // that stands in front of the file, or that the file is made
		points  int
		rules   string
		options []string // each changes the choice in the usual set-up
		refused string
	}{
		{"engine.py", python, 13, "italian:null_move=allow", nil, ""},
		{"extended.py", python, 17, "standard,simplified,italian-simplified", []string{"opt.wReach=-100"}, "opt.wReach=101"},
		{"engine.c", compiledC, 13, "italian", []string{"opt.wReach=-100"}, "opt.wReach=-101"},
	} {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			words := []string{test.command(t)}
			if !strings.HasSuffix(test.file, ".c") {
				words = append(words, filepath.Join("testdata", test.file))
			}
			code, out, errText := gyges(t.Context(), "", append([]string{"engine", "check"}, words...)...)
			require.Zero(t, code, "%s%s", out, errText)
			points := strconv.Itoa(test.points)
			require.Contains(t, out, "result "+points+" of "+points+" points without failure")

			spec := `ugi:cmd="` + strings.Join(words, `" "`) + `"`
			code, out, errText = gyges(t.Context(), "", "match", "greedy", spec+",name=mine",
				"--rules", test.rules, "--pairs", "3", "--workers", "2", "--out", t.TempDir())
			require.Zero(t, code, "%s%s", out, errText)

			first := choice(t, spec)
			for _, option := range test.options {
				require.NotEqual(t, first, choice(t, spec+","+option), option)
			}
			if test.refused == "" {
				return
			}
			code, out, errText = gyges(t.Context(), "", "match", "greedy", spec+","+test.refused, "--out", t.TempDir())
			require.Equal(t, exitUsage, code)
			require.Empty(t, out)
			require.Regexp(t, clearLine, errText)
			require.Contains(t, errText, "option wReach: expected a whole number from -100 to 100, found")
		})
	}
}

// compiledC returns the engine in C, compiled without a warning.
func compiledC(t *testing.T) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	engine := filepath.Join(t.TempDir(), "engine")
	text, err := exec.CommandContext(t.Context(), compiler, "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror",
		"-o", engine, filepath.Join("testdata", "engine.c")).CombinedOutput()
	require.NoError(t, err, "%s", text)
	return engine
}

// choice returns the move of an agent in the usual set-up.
func choice(t *testing.T, spec string) string {
	t.Helper()
	code, out, errText := gyges(t.Context(), "", "analyse", "--agent", spec, "--rules", "italian", "--format", "json",
		"321123/000000/000000/000000/000000/321123 s")
	require.Zero(t, code, errText)
	var line struct{ Line []string }
	require.NoError(t, json.Unmarshal([]byte(out), &line))
	require.NotEmpty(t, line.Line)
	return line.Line[0]
}
