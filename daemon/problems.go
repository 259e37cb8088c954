package daemon

import (
	"fmt"
	"slices"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// showProblems publishes the problems in the configuration as diagnostics of its files, and shows
// one line for each file with an error, unless the user was told of it. It does not repeat what the editor was told already. Only
// reconcile calls it.
func (e *editor) showProblems(problems []config.Problem) {
	byFile := map[string][]config.Problem{}
	for _, p := range problems {
		byFile[p.URI] = append(byFile[p.URI], p)
	}
	for file := range e.faults {
		if byFile[file] == nil {
			e.publish(file, nil) // the file is fixed: clear its diagnostics
		}
	}
	for file, list := range byFile {
		if !slices.Equal(e.faults[file], list) {
			e.publish(file, list)
		}
	}
	e.faults = byFile
}

func (e *editor) publish(file string, problems []config.Problem) {
	diagnostics := []editorapi.Diagnostic{}
	var worst *config.Problem
	errs := 0
	for _, p := range problems {
		severity := editorapi.SeverityWarning
		if p.Severity == "error" {
			severity = editorapi.SeverityError
			if errs++; worst == nil {
				worst = &p
			}
		}
		diagnostics = append(diagnostics, editorapi.Diagnostic{Line: p.Line, Column: p.Column, Severity: severity, Message: p.Message})
	}
	if file != config.SourceEditor && file != config.SourceBuiltin {
		e.api.Diagnostics(file, diagnostics)
	}
	if worst == nil {
		return
	}
	text := worst.Place() + ": " + worst.Message
	if errs > 1 {
		text += fmt.Sprintf(" (and %d more)", errs-1)
	}
	e.d.mu.Lock()
	told := e.autoStart && e.isTold(e.faultsOf(file), text)
	if e.autoStart { // a command of the terminal says it each time
		e.d.tells(e.faultsOf(file), text)
	}
	e.d.mu.Unlock()
	if !told {
		e.api.ShowMessage(editorapi.SeverityError, text)
	}
}

// faultsOf returns what the problems of a file are known by, see told.go. Settings are those of one program.
func (e *editor) faultsOf(file string) string {
	if file == config.SourceEditor {
		return file + " of " + e.name
	}
	return file
}
