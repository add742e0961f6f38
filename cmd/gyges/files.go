package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"gyges/ratings/source"
	"gyges/rules/base/files"
	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
	"gyges/tournament"
	"gyges/tournament/runs"
)

// openInput opens a regular file that a user names; "-" is the standard input, and name is for
// messages. Reading fails as soon as ctx ends, as it does when the command has ended, also where
// the standard input would block. Text in UTF-16 is decoded, and what gzip has packed is unpacked.
func openInput(ctx context.Context, e *env, path string) (
	in io.ReadCloser, name string, err error,
) {
	var file io.ReadCloser
	if path == "-" {
		name = "standard input"
		file = interruptible(ctx, e.in)
	} else {
		name = path
		file, err = tournament.OpenGames(path)
		if err != nil {
			return nil, "", files.Plain(err)
		}
	}
	// What is in the file is told by its first bytes, not by its name.
	text, err := decoded(file, false)
	if err != nil {
		err = files.Plain(source.Named(name, err))
		return nil, "", errors.Join(err, file.Close())
	}
	return &input{ctx, text, file}, name, nil
}

// interruptible returns a reader of in that fails when ctx ends, even while in blocks.
func interruptible(ctx context.Context, in io.Reader) io.ReadCloser {
	out, to := io.Pipe()
	// Closing a pipe never fails.
	stop := context.AfterFunc(ctx, func() { _ = to.CloseWithError(ctx.Err()) })
	go func() {
		defer stop()
		_, err := io.Copy(to, in)
		_ = to.CloseWithError(err)
	}()
	return out
}

// input is a file that can't be read after ctx has ended.
type input struct {
	ctx context.Context
	io.Reader
	io.Closer
}

// Read implements [io.Reader].
func (f *input) Read(p []byte) (n int, err error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err = f.Reader.Read(p)
	return n, files.Plain(err)
}

// decoded returns a reader of the text in a file. unpacked says that the file came out of one that
// gzip had packed; what was packed twice is refused.
func decoded(file io.Reader, unpacked bool) (io.Reader, error) {
	// 64 bytes tell enough: a file of text has no byte 0 among them.
	b := bufio.NewReader(file)
	head, err := b.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	begins := func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) }
	const gzipped = "\x1f\x8b"
	if begins(gzipped) && !unpacked {
		content, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		return decoded(content, true)
	}
	// Other programs that pack files are known by the first bytes of what they write.
	others := []string{gzipped, "PK\x03\x04", "BZh", "\x28\xb5\x2f\xfd", "\xfd7zX", "7z\xbc\xaf"}
	if slices.ContainsFunc(others, begins) { // gzip twice, zip, bzip2, zstd, xz, 7z
		return nil, errors.New("expected text, which gzip may have packed, " +
			"found a file that another program has packed")
	}
	// Text in UTF-16 without a mark begins with a character of ASCII, one of whose bytes is 0.
	order, wide := unicode.BigEndian, begins("\xfe\xff") || begins("\x00")
	if begins("\xff\xfe") || len(head) > 1 && head[1] == 0 {
		order, wide = unicode.LittleEndian, true
	}
	if wide {
		return unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(b), nil
	}
	if slices.Contains(head, 0) {
		return nil, errors.New(
			"expected text, such as PGN, CSV or records of games, found a binary file")
	}
	return b, nil
}

// openGames opens a file of games of a run that has a manifest, or nil.
func openGames(
	ctx context.Context, e *env, path string, m *tournament.Manifest,
) (*runs.File, error) {
	file, name, err := openInput(ctx, e, path)
	return &runs.File{In: file, Name: name, Manifest: m}, err
}

// readInput returns what read makes of a file that a user names, see [openInput].
func readInput[T any](
	ctx context.Context, e *env, path string, read func(in io.Reader, name string) (T, error),
) (value T, err error) {
	in, name, err := openInput(ctx, e, path)
	if err != nil {
		return value, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	return read(in, name)
}

// gamesPath returns the file of records of a run's folder, or another file as it is; and what the
// system knows of that file.
func gamesPath(path string) (file string, info os.FileInfo, err error) {
	info, err = os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, tournament.GamesFile)
		info, err = os.Stat(path)
	}
	return path, info, err
}

// gameFiles finds the file of records of each run, and returns other files as they are. None may be
// given twice.
func gameFiles(runs []string) ([]string, error) {
	var list []string
	var infos []os.FileInfo
	var errs []error
	for _, run := range runs {
		if run == "-" {
			list = append(list, run)
			continue
		}
		path, info, err := gamesPath(run)
		// All that is wrong is reported, a line for each run.
		if path != run { // a folder
			err = folderError(run, err)
		}
		if err == nil {
			err = files.Regular(path)
		}
		isSame := func(other os.FileInfo) bool { return os.SameFile(other, info) }
		if err == nil && slices.ContainsFunc(infos, isSame) {
			err = fmt.Errorf("%s is given twice", path)
		}
		list = append(list, path)
		infos = append(infos, info)
		errs = append(errs, files.Plain(err))
	}
	return list, errors.Join(errs...)
}

// folderError returns why there are no games in a folder whose file of records was looked for.
func folderError(dir string, err error) error {
	if tournament.IsCutImport(dir) {
		return fmt.Errorf("%s holds an import that was not finished; import the file again", dir)
	}
	if errors.Is(err, os.ErrNotExist) {
		// The folder may hold runs, such as the stages of a match; the first five are named.
		hint := ""
		pattern := filepath.Join(dir, "*", tournament.GamesFile)
		runs, _ := filepath.Glob(pattern) // none if dir has a pattern's letters
		if len(runs) > 0 {
			first := runs[:min(len(runs), 5)]
			hint = "; there are runs in it: " + strings.Join(lists.Map(first, filepath.Dir), " ")
		}
		return fmt.Errorf("%s: expected the folder of a run, found none with %s%s",
			dir, tournament.GamesFile, hint)
	}
	return err
}

// longestCopiesFirst puts the longest of the copies of a run before its shorter ones, which then
// add no game. As games are only ever appended, a shorter copy is the beginning of the longer one:
// were it read first, pairs would be parted, and tables of the run's format made of some of its
// games.
func longestCopiesFirst(runs []string) {
	heads := make([]string, len(runs)) // the first records; "" for files of no records
	sizes := make([]int64, len(runs))
	for i, run := range runs {
		path, info, err := gamesPath(run)
		if err == nil && info.Mode().IsRegular() {
			heads[i], sizes[i] = firstRecord(path), info.Size()
		}
	}
	// Each place of a run gets the longest of its copies that has none yet.
	for i := range runs {
		longest := i
		for k := i + 1; k < len(runs); k++ {
			if heads[k] == heads[i] && sizes[k] > sizes[longest] {
				longest = k
			}
		}
		if heads[i] != "" {
			runs[i], runs[longest] = runs[longest], runs[i]
			sizes[i], sizes[longest] = sizes[longest], sizes[i]
		}
	}
}

// firstRecord returns the beginning of the first line of a file of records; "" of any other file.
func firstRecord(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // it was only read
	// Copies of a run begin with the same record. Other runs differ in it, by its times at least.
	head := make([]byte, 4096)
	n, _ := io.ReadFull(file, head) // a shorter file has less
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	if !strings.HasPrefix(line, "{") {
		return ""
	}
	return line
}

// runName is the name of a run's folder, which may be given by its records, or of another file.
func runName(path string) string {
	if dir, ok := tournament.RunFolder(path); ok {
		path = dir
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}

// named puts a name, such as that of a flag, before each error that is joined in one; nil stays
// nil.
func named(name string, err error) error { return problems.Prefix(name, err) }

// fileError returns an error of the system in the words of [files.Plain], after the name of a flag.
func fileError(flag string, err error) error { return named(flag, files.Plain(err)) }

// writeFile writes the file that a flag names, in one go: see [files.Create]. An error of write is
// returned as it is; the system's errors are no mistake of the user's, but for those of opening.
// Without a path nothing is written.
func writeFile(flag, path string, write func(io.Writer) error) error {
	if path == "" {
		return write(io.Discard)
	}
	f, err := files.Create(path)
	if err != nil {
		return fileError(flag, err)
	}
	// The file gets its name when all is written, so an error leaves an earlier one as it was.
	err = buffered(f, write)
	if err != nil {
		return errors.Join(err, asFailure(f.Discard()))
	}
	return asFailure(f.Commit())
}

// writeOut writes what --out asks for: a file, or without one the standard output, and reports
// whether it is a file.
func writeOut(e *env, path string, write func(io.Writer) error) (toFile bool, err error) {
	if path == "" || path == "-" {
		return false, buffered(e.out, write)
	}
	return true, writeFile("--out", path, write)
}

// otherEndings are endings of file names that have another format's name than the format.
var otherEndings = map[string]string{"txt": "text", "htm": "html"}

// formatOf returns the format of the file that a flag names: that of --format, or else the one that
// its name ends in; the first one for a name without an ending and for the standard output. Any
// other name is refused.
func formatOf(format, flag, path string, formats ...string) (string, error) {
	// An ending that no format has is most likely a mistake, so it is refused.
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	ending = cmp.Or(otherEndings[ending], ending)
	known := slices.Contains(formats, ending)
	if known && format != "" && format != ending {
		return "", fmt.Errorf("%s: %s has the ending of another format than --format %s",
			flag, path, format)
	}
	if known || format != "" {
		return cmp.Or(format, ending), nil
	}
	if ending == "" {
		return formats[0], nil
	}
	endings := strings.ReplaceAll(strings.Join(formats, ", ."), "text", "txt")
	if len(formats) > 1 {
		endings += ", or --format"
	}
	return "", fmt.Errorf("%s: expected a name that ends in .%s; found %s", flag, endings, path)
}

// buffered writes in large pieces. What write returns is the user's mistake unless the writer has
// failed.
func buffered(to io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(to, 256<<10)
	err := write(b)
	if failed := b.Flush(); failed != nil { // also where write got that error
		return asFailure(failed)
	}
	return err
}
