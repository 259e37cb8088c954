package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// maxMarkedFile is how large a configuration may be, in bytes.
const maxMarkedFile = 16 << 20

// markedFile is a file of somebody else's that has lines of ours between two marks. Nothing else in it
// ever changes.
type markedFile struct {
	path    string
	comment string                     // begins a comment
	check   func(content []byte) error // says what is wrong with a content; nil: nothing can be said
}

func (m markedFile) begin() string { return m.comment + " >>> mcp-editord" }
func (m markedFile) end() string   { return m.comment + " <<< mcp-editord" }

// set puts lines between the marks, "" to remove both, and keeps a copy of the old file. It follows
// symbolic links.
func (m markedFile) set(lines string, backups agentconfig.Backups, editor string) (linedResult, error) {
	result := linedResult{Path: m.path}
	target, before, mode, err := m.read()
	if err != nil {
		return result, err
	}
	after, action, err := m.splice(before, lines)
	if err != nil {
		return result, fmt.Errorf("%s %w", m.path, err)
	}
	result.Action = action
	if action == "unchanged" || action == "absent" {
		return result, nil
	}
	if m.check != nil {
		if err := m.check([]byte(after)); err != nil {
			return result, fmt.Errorf("%s %w", m.path, err)
		}
	}
	if before == "" {
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return result, fmt.Errorf("making the folder of the configuration: %w", err)
		}
	} else if result.Backup, err = backups.Keep(editor, m.path, []byte(before)); err != nil {
		return result, err
	}
	if err := atomicfile.WriteMode(target, []byte(after), mode); err != nil {
		return result, fmt.Errorf("writing the configuration: %w", err)
	}
	return result, nil
}

// read returns the file itself, its content and its permissions. One that is not there is empty.
func (m markedFile) read() (target, content string, mode fs.FileMode, err error) {
	target, err = filepath.EvalSymlinks(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(m.path); err == nil {
			return "", "", 0, fmt.Errorf("%s is a symbolic link that leads nowhere", m.path)
		}
		return m.path, "", 0o644, nil
	}
	if err != nil {
		return "", "", 0, fmt.Errorf("finding the configuration: %w", err)
	}
	f, err := safeopen.File(target)
	if err != nil {
		return "", "", 0, fmt.Errorf("reading the configuration: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", "", 0, fmt.Errorf("reading the configuration: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxMarkedFile+1))
	switch {
	case err != nil:
		return "", "", 0, fmt.Errorf("reading the configuration: %w", err)
	case len(text) > maxMarkedFile:
		return "", "", 0, fmt.Errorf("%s is larger than %d MiB", m.path, maxMarkedFile>>20)
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return "", "", 0, fmt.Errorf("%s is not a text in UTF-8", m.path)
	case info.Mode().Perm()&0o200 == 0:
		return "", "", 0, fmt.Errorf("%s is read-only", m.path)
	}
	return target, string(text), info.Mode().Perm(), nil
}

// splice puts lines between the marks of a text, at its end when it has none, and says what that is.
func (m markedFile) splice(text, lines string) (after, action string, err error) {
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	var block string
	if lines != "" {
		block = strings.ReplaceAll(m.begin()+"\n"+lines+m.end()+"\n", "\n", eol)
	}
	from, to, err := m.marks(text)
	switch {
	case err != nil:
		return "", "", err
	case from < 0 && lines == "":
		return text, "absent", nil
	case from < 0 && strings.Contains(text, programName):
		return "", "", errors.New("mentions mcp-editord already")
	case from < 0:
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += eol
		}
		if text != "" {
			block = eol + block
		}
		return text + block, "added", nil
	case text[from:to] == block:
		return text, "unchanged", nil
	case lines == "":
		head := text[:from]
		return strings.TrimSuffix(head, eol) + text[to:], "removed", nil
	}
	return text[:from] + block + text[to:], "replaced", nil
}

// marks returns where the marked lines are in a text, with the marks; −1 when there are none.
func (m markedFile) marks(text string) (from, to int, err error) {
	from, to = -1, -1
	at := 0
	for line := range strings.Lines(text) {
		switch strings.TrimRight(line, "\r\n") {
		case m.begin():
			if from >= 0 {
				return 0, 0, fmt.Errorf("has the line %q twice", m.begin())
			}
			from = at
		case m.end():
			if from < 0 || to >= 0 {
				return 0, 0, fmt.Errorf("has a line %q without its beginning", m.end())
			}
			to = at + len(line)
		}
		at += len(line)
	}
	if from >= 0 && to < 0 {
		return 0, 0, fmt.Errorf("has the line %q without its end", m.begin())
	}
	return from, to, nil
}
