package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/editfile"
)

// set puts lines between two marks in the file at a path, "" to remove both, and keeps a copy of the old file. Nothing
// else in it ever changes. It follows symbolic links.
func (f linedFile) set(path, lines string, backups editfile.Backups, editor string) (linedResult, error) {
	result := linedResult{Path: path}
	file, err := editfile.ReadFile(path)
	if err != nil {
		return result, err
	}
	if !utf8.Valid(file.Content) || bytes.IndexByte(file.Content, 0) >= 0 {
		return result, fmt.Errorf("%s is not a text in UTF-8", path)
	}
	before := string(file.Content)
	after, action, err := f.splice(before, lines)
	result.Action = action
	if err == nil && f.check != nil && after != before {
		err = f.check([]byte(after))
	}
	if err != nil {
		return result, fmt.Errorf("%s %w", path, err)
	}
	if after != before {
		result.Backup, err = file.Replace(backups, editor, []byte(after))
	}
	return result, err
}

// splice puts lines between the marks of a text, at its end when it has none, and says what that is.
func (f linedFile) splice(text, lines string) (after, action string, err error) {
	eol := editfile.Newline([]byte(text))
	begin, end := f.comment+" >>> mcp-editord", f.comment+" <<< mcp-editord"
	var block string
	if lines != "" {
		block = strings.ReplaceAll(begin+"\n"+lines+end+"\n", "\n", eol)
	}
	marked := regexp.MustCompile(`(?ms)^` + regexp.QuoteMeta(begin) + `\r?$.*?^` + regexp.QuoteMeta(end) + `\r?(\n|\z)`)
	at := marked.FindStringIndex(text)
	switch {
	case at == nil && lines == "":
		return text, "absent", nil
	case at == nil && strings.Contains(text, programName):
		return "", "", errors.New("mentions mcp-editord already")
	case at == nil:
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += eol
		}
		if text != "" {
			block = eol + block
		}
		return text + block, "added", nil
	case text[at[0]:at[1]] == block:
		return text, "unchanged", nil
	case lines == "":
		return strings.TrimSuffix(text[:at[0]], eol) + text[at[1]:], "removed", nil
	}
	return text[:at[0]] + block + text[at[1]:], "replaced", nil
}
