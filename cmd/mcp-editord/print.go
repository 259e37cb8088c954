package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/mcp-editord/mcp-editord/internal/calldoc"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// maxCell is how many characters a cell of a table shows.
const maxCell = 100

// printRaw writes a result for programs as a line, byte for byte.
func (a *app) printRaw(raw json.RawMessage) error {
	_, err := fmt.Fprintf(a.stdout, "%s\n", raw)
	return err
}

// printJSON writes value for programs as one line of JSON. The & in addresses stays as it is.
func (a *app) printJSON(value any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("writing the result as JSON: %w", err)
	}
	return nil
}

// table prints rows for people, in aligned columns. Cells come from servers and files; row and note
// make them safe.
type table struct {
	rows []tableRow
}

type tableRow struct {
	cells []string
	notes []string // whole lines below the row
}

// row adds a row. It never cuts the last cell.
func (t *table) row(cells ...string) {
	for i, cell := range cells {
		most := maxCell
		if i == len(cells)-1 {
			most = math.MaxInt
		}
		cells[i] = safetext.Line(cell, most)
	}
	t.rows = append(t.rows, tableRow{cells: cells})
}

// note adds lines below the last row, if there is one.
func (t *table) note(text string) {
	if len(t.rows) == 0 {
		t.rows = []tableRow{{}}
	}
	last := &t.rows[len(t.rows)-1]
	for line := range strings.Lines(text) {
		last.notes = append(last.notes, safetext.Line(strings.TrimRight(line, "\r\n"), math.MaxInt))
	}
}

// write writes the table, with indent before each line. In a terminal it cuts rows at its edge.
func (t *table) write(w io.Writer, indent string) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row.cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	most := math.MaxInt
	if f, ok := ofTerminal(w); ok {
		most = cmp.Or(terminalWidth(int(f.Fd())), most)
	}
	var b strings.Builder
	for _, row := range t.rows {
		line := indent
		for i, cell := range row.cells {
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		if line = strings.TrimRight(line, " "); len(line) > most && safetext.Columns(line) > most {
			line = safetext.CutColumns(line, most-1) + "…"
		}
		if row.cells != nil {
			b.WriteString(line + "\n")
		}
		for _, note := range row.notes {
			b.WriteString(indent + "  " + note + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String returns the table as it is without a terminal.
func (t *table) String() string {
	var b strings.Builder
	_ = t.write(&b, "") // a Builder takes everything
	return b.String()
}

// places is [fileuri.Shown] for several URIs.
func places(uris []string) string {
	shown := make([]string, len(uris))
	for i, uri := range uris {
		shown[i] = fileuri.Shown(uri)
	}
	return strings.Join(shown, ", ")
}

// firstLine returns the first line of text that is not blank.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// printResult prints the result of a call: as it is for programs, else as text. Where a tool says that it failed, its text
// goes to standard error, and the error is [errToolFailed]. The paths of files that are saved come after the text, for
// programs on standard error.
func (s *session) printResult(k calldoc.Kind, result json.RawMessage) error {
	failed := s.printContent(k, result)
	if s.saveDir == "" {
		return failed
	}
	paths, err := save(s.saveDir, k, result)
	failed = cmp.Or(failed, err)
	out := io.Writer(s.stdout)
	if s.json {
		out = s.stderr
	}
	for _, path := range paths {
		failed = cmp.Or(failed, write(out, "saved "+safetext.Line(path, math.MaxInt)+"\n"))
	}
	return failed
}

func (s *session) printContent(k calldoc.Kind, result json.RawMessage) error {
	if s.json {
		return cmp.Or(s.printRaw(result), failure(result))
	}
	r := calldoc.Render(k.Method(), result, nil)
	if !r.Failed {
		return write(s.stdout, r.Text)
	}
	return cmp.Or(write(s.stderr, r.Text), errToolFailed)
}

// failure returns [errToolFailed] for a result in which a tool says that it failed.
func failure(result json.RawMessage) error {
	if string(rawjson.Get(result, "isError")) == "true" {
		return errToolFailed
	}
	return nil
}

// write writes text to w.
func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}
