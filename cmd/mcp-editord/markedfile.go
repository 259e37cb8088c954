package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
	"github.com/mcp-editord/mcp-editord/internal/atomicfile"
)

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
	file, err := m.read()
	if err != nil {
		return result, err
	}
	before := string(file.Content)
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
		if err := os.MkdirAll(filepath.Dir(file.Target), 0o755); err != nil {
			return result, fmt.Errorf("making the folder of the configuration: %w", err)
		}
	} else if result.Backup, err = backups.Keep(editor, m.path, []byte(before)); err != nil {
		return result, err
	}
	if err := atomicfile.WriteMode(file.Target, []byte(after), file.Mode); err != nil {
		return result, fmt.Errorf("writing the configuration: %w", err)
	}
	return result, nil
}

// read returns the file, whose permissions are those of a text that anybody may read where there is none.
func (m markedFile) read() (agentconfig.File, error) {
	file, err := agentconfig.ReadFile(m.path)
	switch {
	case err != nil:
		return file, err
	case !file.There:
		file.Mode = 0o644
	case !utf8.Valid(file.Content) || bytes.IndexByte(file.Content, 0) >= 0:
		return file, fmt.Errorf("%s is not a text in UTF-8", m.path)
	case file.Mode&0o200 == 0:
		return file, fmt.Errorf("%s is read-only", m.path)
	}
	return file, nil
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
