package ugi

// What is kept of an engine, so that another one is noticed.

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
)

const (
	maxAnnounced = 250     // lines of options that are kept
	maxKept      = 200     // bytes of each, and of a name
	maxSummed    = 1 << 30 // bytes of a file that its sum is of: about a second
)

// kept returns what is kept of a text of an engine.
func kept(text string) string { return textfmt.Escape(textfmt.Cut(text, maxKept)) }

// Program returns what the program said of itself, with the sums of its files as they are now: the
// program, and files that words of its command name.
func (h *host) Program() *agents.Program {
	if h.proc == nil {
		return nil
	}
	p := &agents.Program{Name: kept(h.name), Files: map[string]string{}, Options: h.announced}
	for i, word := range h.command {
		path := word[strings.LastIndexByte(word, '=')+1:] // as in --net=FILE
		if i == 0 {
			path = h.proc.cmd.Path // where it was found
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(h.dir, path)
		}
		if sum, err := files.Load(path, sumOf); err == nil {
			p.Files[filepath.Base(path)] = sum // machines have folders of their own
		}
	}
	return p
}

// sumOf returns the SHA-256 of a file, of its first maxSummed bytes if it has more.
func sumOf(in io.Reader, _ string) (string, error) {
	hash := sha256.New()
	_, err := io.Copy(hash, io.LimitReader(in, maxSummed))
	return fmt.Sprintf("%x", hash.Sum(nil)), err
}
