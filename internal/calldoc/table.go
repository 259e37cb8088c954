package calldoc

import (
	"encoding/json"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// The bounds of tables. What is wider is easier to read one below the other.
const (
	maxColumns = 12
	maxCell    = 60 // characters
	maxRow     = 160
)

// tableOf returns a list of flat objects as aligned columns below their names; ok is false for any other value. Cells
// are safe: nothing in them moves another one.
func tableOf(value json.RawMessage) (text string, ok bool) {
	var rows []map[string]string
	var columns []string
	wide := map[string]int{}
	for element := range rawjson.Elements(value) {
		if !rawjson.IsObject(element) {
			return "", false
		}
		row := map[string]string{}
		for name, member := range rawjson.Members(element) {
			cell, ok := cellOf(member)
			if !ok {
				return "", false
			}
			if _, known := wide[name]; !known {
				if len(columns) == maxColumns {
					return "", false
				}
				columns = append(columns, name)
				wide[name] = safetext.Columns(safetext.Line(name, maxCell))
			}
			row[name] = cell
			wide[name] = max(wide[name], safetext.Columns(cell))
		}
		rows = append(rows, row)
	}
	total := 0
	for _, w := range wide {
		total += w + 2
	}
	if len(columns) == 0 || total > maxRow {
		return "", false
	}
	var b strings.Builder
	write := func(cell func(name string) string) {
		line := ""
		for _, name := range columns {
			text := cell(name)
			line += text + strings.Repeat(" ", wide[name]-safetext.Columns(text)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	write(func(name string) string { return safetext.Line(name, maxCell) })
	for _, row := range rows {
		write(func(name string) string { return row[name] })
	}
	return b.String(), true
}

// cellOf returns a scalar as a cell; ok is false when it would not be whole in one.
func cellOf(value json.RawMessage) (cell string, ok bool) {
	switch {
	case len(value) == 0 || value[0] == '{' || value[0] == '[':
		return "", false
	case value[0] == '"':
		text, _ := rawjson.Text(value)
		cell = safetext.Line(text, maxCell+1)
		return cell, !strings.ContainsAny(text, "\r\n") && safetext.Columns(cell) <= maxCell
	case string(value) == "null":
		return "", true
	}
	return string(value), len(value) <= maxCell
}
