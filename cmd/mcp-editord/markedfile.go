package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/agentconfig"
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
	file, err := agentconfig.ReadFile(m.path)
	if err != nil {
		return result, err
	}
	if !utf8.Valid(file.Content) || bytes.IndexByte(file.Content, 0) >= 0 {
		return result, fmt.Errorf("%s is not a text in UTF-8", m.path)
	}
	before := string(file.Content)
	after, action, err := m.splice(before, lines)
	result.Action = action
	if err == nil && after != before {
		if m.check != nil {
			err = m.check([]byte(after))
		}
	}
	if err != nil {
		return result, fmt.Errorf("%s %w", m.path, err)
	}
	if after != before {
		result.Backup, err = file.Replace(backups, editor, []byte(after))
	}
	return result, err
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
