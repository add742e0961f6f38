package main

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shellCommand is one command of a shell's line.
type shellCommand struct {
	words   []string
	comment string // behind it
	alone   bool   // without other commands, pipes or redirections on the line
}

// splitShell splits a line as a shell does. It supports quotes, comments, pipes, redirections
// and lists of commands. A variable counts as 1.
func splitShell(line string) ([]shellCommand, error) {
	var list []shellCommand
	var words []string
	var word strings.Builder
	var inWord, toFile, operators bool
	comment := ""
	endWord := func() {
		if inWord && !toFile {
			words = append(words, word.String())
		}
		toFile = toFile && !inWord
		word.Reset()
		inWord = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			list = append(list, shellCommand{words: words})
		}
		words, toFile = nil, false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\'':
			n := strings.IndexByte(line[i+1:], '\'')
			if n < 0 {
				return nil, errors.New("a quotation mark ' without its end")
			}
			word.WriteString(line[i+1 : i+1+n])
			inWord = true
			i += n + 1
		case c == '"':
			inWord = true
			for i++; ; i++ {
				if i == len(line) {
					return nil, errors.New("a quotation mark \" without its end")
				}
				if line[i] == '"' {
					break
				}
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`", line[i+1]) >= 0 {
					i++
				}
				word.WriteByte(line[i])
			}
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			inWord = true
		case c == '#' && !inWord:
			comment = strings.TrimSpace(line[i+1:])
			i = len(line)
		case c == '$' && variable.MatchString(line[i:]):
			i += len(variable.FindString(line[i:])) - 1
			word.WriteByte('1')
			inWord = true
		case c == '<' || c == '>':
			if strings.Trim(word.String(), "0123456789") == "" {
				word.Reset()
				inWord = false
			}
			endWord()
			operators, toFile = true, true
			if i+1 < len(line) && (line[i+1] == '>' || line[i+1] == '&') {
				i++
			}
		case strings.IndexByte("|&;()", c) >= 0:
			endCommand()
			operators = true
		case c == ' ' || c == '\t' || c == '\n':
			endWord()
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endCommand()
	for i := range list {
		list[i].comment, list[i].alone = comment, len(list) == 1 && !operators
	}
	return list, nil
}

var variable = regexp.MustCompile(`^\$(\w+|\{\w+\})`)

// beforeCommand are the words that may stand before a command, besides assignments.
var beforeCommand = []string{"do", "then", "else", "time", "nohup", "sudo", "exec", "if", "while", "!"}

var assignment = regexp.MustCompile(`^\w+=`)

// gygesArgs returns the arguments of a command, if it is this program.
func gygesArgs(words []string) ([]string, bool) {
	for len(words) > 0 && (slices.Contains(beforeCommand, words[0]) || assignment.MatchString(words[0])) {
		words = words[1:]
	}
	switch {
	case len(words) > 0 && path.Base(words[0]) == "gyges":
		return words[1:], true
	case len(words) > 2 && slices.Equal(words[:3], []string{"go", "run", "./cmd/gyges"}):
		return words[3:], true
	default:
		return nil, false
	}
}

// logicalLines calls f for each line of a text, lines that end in a backslash joined with
// the next one, with the index of its first line and the number of lines.
func logicalLines(lines []string, f func(text string, first, n int)) {
	for i := 0; i < len(lines); {
		n, joined := 1, lines[i]
		for strings.HasSuffix(joined, `\`) && i+n < len(lines) {
			joined = strings.TrimSuffix(joined, `\`) + lines[i+n]
			n++
		}
		f(joined, i, n)
		i += n
	}
}

func TestSplitShell(t *testing.T) {
	for line, want := range map[string][]shellCommand{
		"":           nil,
		"# only":     nil,
		"gyges rate": {{words: []string{"gyges", "rate"}, alone: true}},
		`gyges 'a b'"c \"d"  e\ f '' g#h # example`: {
			{words: []string{"gyges", `a bc "d`, "e f", "", "g#h"}, comment: "example", alone: true}},
		"gyges rate x --format json | jq -r '.a | .b' > out.txt": {
			{words: []string{"gyges", "rate", "x", "--format", "json"}}, {words: []string{"jq", "-r", ".a | .b"}}},
		"gyges rate x 2>&1 >> out --top 3": {{words: []string{"gyges", "rate", "x", "--top", "3"}}},
		"A=1 gyges rate $x ${y}z && gyges rules; echo $(gyges version)": {
			{words: []string{"A=1", "gyges", "rate", "1", "1z"}}, {words: []string{"gyges", "rules"}},
			{words: []string{"echo", "$"}}, {words: []string{"gyges", "version"}}},
	} {
		got, err := splitShell(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
	for _, line := range []string{"gyges 'a", `gyges "a`} {
		_, err := splitShell(line)
		require.ErrorContains(t, err, "without its end", line)
	}
	for line, want := range map[string]bool{"gyges rules": true, "./gyges rules": true, "go run ./cmd/gyges rules": true,
		"A=1 time gyges rules": true, "do gyges rules": true, "cd gyges": false, "go test ./...": false, "": false} {
		args, ok := gygesArgs(strings.Fields(line))
		require.Equal(t, want, ok, line)
		if ok {
			require.Equal(t, []string{"rules"}, args, line)
		}
	}
}
