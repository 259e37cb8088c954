package syntax

import (
	"strings"
)

// blockScalar reads a text that begins with | or >; its lines are indented more than the column parent.
func (r *yamlReader) blockScalar(parent int) *Node {
	n := r.node(String)
	folded := r.text[r.at] == '>'
	indent, chomp := -1, byte(0) // the indentation is not known yet
	for r.at++; !r.done() && !white(r.text[r.at]); r.at++ {
		switch c := r.text[r.at]; {
		case c >= '1' && c <= '9' && indent < 0:
			indent = max(parent, 0) + int(c-'0')
		case (c == '-' || c == '+') && chomp == 0:
			chomp = c
		default:
			r.fail(n.Start, r.lineEnd(), `nothing but "-", "+" or a digit may follow "%c" here; begin the text on the next line, or put it in quotes`, r.text[n.Start])
			return n
		}
	}
	n.End = r.at
	if r.rest(); r.failed != nil {
		return n
	}
	if r.at < r.lineEnd() { // a comment
		r.at = r.lineEnd()
	}
	r.at = nextLine(r.text, r.at)
	r.line = r.at
	lines := r.blockLines(parent, indent)
	last := len(lines) // behind the last that is not empty
	for last > 0 && lines[last-1].text == "" {
		last--
	}
	if last > 0 {
		n.End = lines[last-1].end
	}
	ends := len(lines) // how many of them have a line end
	if ends > 0 && lines[ends-1].end == len(r.text) {
		ends--
	}
	n.Text = joined(lines[:last], folded)
	switch {
	case chomp == '+' && len(lines) > 0:
		n.End = lines[len(lines)-1].end
		n.Text += strings.Repeat("\n", ends-max(last-1, 0))
	case chomp == 0 && last > 0 && last <= ends:
		n.Text += "\n"
	}
	return n
}

// A blockLine is a line of a block: its text without indentation, and where it ends.
type blockLine struct {
	text string
	end  int
}

// blockLines reads lines up to the first that is indented less than indent; −1 means that the first line with a text says how
// much that is. The reader is then at the beginning of that line.
func (r *yamlReader) blockLines(parent, indent int) (lines []blockLine) {
	blanks := 0 // at most, of the empty lines before the first one with a text
	for ; !r.done(); r.at = nextLine(r.text, r.at) {
		r.line = r.at
		end := r.lineEnd()
		line := r.text[r.at:end]
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case indent >= 0:
		case spaces == len(line):
			blanks = max(blanks, spaces)
		case spaces > parent:
			if indent = spaces; blanks > spaces {
				r.fail(r.at, r.at+spaces, "an empty line above begins with more blanks than this one; remove them, or write a digit behind the | or > for how far the text is indented")
				return nil
			}
		}
		switch {
		case indent >= 0 && spaces >= indent:
			line = line[indent:]
		case strings.Trim(line, " \t") != "":
			return lines
		case spaces < len(line):
			r.failTab(r.at+spaces, end)
			return nil
		default:
			line = ""
		}
		lines = append(lines, blockLine{line, end})
	}
	r.line = r.at
	return lines
}

// joined returns the text of lines, without a line end behind the last one.
func joined(lines []blockLine, folded bool) string {
	var text strings.Builder
	if !folded {
		for i, l := range lines {
			if i > 0 {
				text.WriteByte('\n')
			}
			text.WriteString(l.text)
		}
		return text.String()
	}
	// Lines that begin at the indentation become one; the others keep the line ends around them.
	empty, before := 0, ""
	for i, l := range lines {
		if l.text == "" {
			empty++
			continue
		}
		switch deep := white(l.text[0]) || before != "" && white(before[0]); {
		case before == "":
			text.WriteString(strings.Repeat("\n", empty))
		case deep:
			text.WriteString(strings.Repeat("\n", empty+1))
		case i > 0:
			text.WriteString(fold(empty + 1))
		}
		text.WriteString(l.text)
		empty, before = 0, l.text
	}
	return text.String()
}
