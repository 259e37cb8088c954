package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// Agents cut instructions: Claude Code at 2,048 characters. JavaScript counts a character beyond U+FFFF
// twice, and so do we: then no other way to count finds more.
const (
	maxInstructions = 2048
	maxNames        = 200 // of names in one line
	maxShownName    = 60  // of one name
	minSection      = 80  // of a server's instructions that are cut: less says nothing
)

// instructions returns MCP's instructions for the agent: what this is, what a person has to do, and
// what each server says, in at most 2,048 characters. With one server, they are its own, as they are;
// when it cannot be used, a line before them says why.
func (c *catalog) instructions() string {
	if c.naming.single != "" {
		return c.singleInstructions()
	}
	about := "These are the MCP servers of the user's workspace, through mcp-editord. Names of tools and prompts begin with that of their server.\n"
	if c.naming.lazy {
		about += "Find tools with find_tools, see their arguments with describe_tools, and call them with the tool that find_tools names.\n"
	}
	about += c.unusable()
	return strings.TrimSuffix(about+sections(c.servers, maxInstructions-width(about)), "\n")
}

func (c *catalog) singleInstructions() string {
	s := c.one()
	if s == nil {
		return fmt.Sprintf("No server of this workspace is named %s; \"mcp-editord servers\" lists them.", shownName(c.naming.single))
	}
	line := c.unusable()
	if s.Server.State == editorapi.ServerDisabled {
		line = shownName(s.Server.Name) + " is disabled in the configuration.\n"
	} else if denied(&s.Server) {
		line = shownName(s.Server.Name) + " may not run: a person denied it, or does not trust its folder.\n"
	}
	if line == "" || s.Server.Instructions == "" {
		return strings.TrimSuffix(line, "\n") + s.Server.Instructions
	}
	return line + "\n" + s.Server.Instructions
}

// unusable returns a line for each reason why servers cannot be used, if a person can do something
// about it. The person who denied a server has done so.
func (c *catalog) unusable() string {
	var approval, signIn, failed []string
	for i := range c.servers {
		switch s := &c.servers[i].Server; {
		case denied(s):
		case s.State == editorapi.ServerNeedsApproval:
			approval = append(approval, s.Name)
		case s.State == editorapi.ServerNeedsSignIn:
			signIn = append(signIn, s.Name)
		case s.State == editorapi.ServerFailed:
			failed = append(failed, s.Name)
		}
	}
	return line("Not approved yet: %s. A person approves a server in the editor, or with \"mcp-editord approvals allow NAME\".\n", approval) +
		line("Not signed in: %s. A person signs in from the editor, or with \"mcp-editord signin NAME\".\n", signIn) +
		line("Failed: %s. A person sees why in the editor, or with \"mcp-editord servers\".\n", failed)
}

func denied(s *editorapi.Server) bool {
	return s.State == editorapi.ServerNeedsApproval && s.Error != nil && s.Error.Kind == editorapi.ServerDenied
}

// line returns a line about these servers, "" for none.
func line(format string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = shownName(name)
	}
	list, left := joined(shown, maxNames)
	if left > 0 {
		list += fmt.Sprintf(" and %d more", left)
	}
	return fmt.Sprintf(format, list)
}

// joined returns a list of so many characters at most, but for its first item, and how many items are left.
func joined(items []string, room int) (list string, left int) {
	list = items[0]
	for i, item := range items[1:] {
		if item = ", " + item; width(list)+width(item) > room {
			return list, len(items) - 1 - i
		}
		list += item
	}
	return list, 0
}

// shownName quotes the name of a server for a reader.
func shownName(name string) string { return `"` + safetext.Line(name, maxShownName) + `"` }

// A section is the instructions of a server under their heading.
type section struct {
	heading, text string
	width         int // of both
}

// sections returns the instructions of the servers, each under its heading, in at most room
// characters. When not all have room, short ones stay whole, and the long ones share what they leave.
func sections(servers []editorapi.CatalogServer, room int) string {
	var all []section
	for i := range servers {
		s := &servers[i].Server
		if text := harmless(s.Instructions); text != "" && usable(s.State) {
			heading := "\n# " + safetext.Line(s.Name, maxShownName) + "\n"
			all = append(all, section{heading, text, width(heading) + width(text) + 1})
		}
	}
	// The last ones go when a fair share says nothing.
	for n := len(all); n > 0; n-- {
		note := ""
		if n < len(all) {
			note = fmt.Sprintf("\n(There was no room for the instructions of %d more servers.)\n", len(all)-n)
		}
		share := fairShare(all[:n], room-width(note))
		if !fits(all[:n], share) {
			continue
		}
		var b strings.Builder
		for _, s := range all[:n] {
			b.WriteString(s.heading + cut(s.text, share-width(s.heading)-1) + "\n")
		}
		return b.String() + note
	}
	return ""
}

// fairShare returns the width up to which every section may go so that all fit into room.
func fairShare(all []section, room int) int {
	widths := make([]int, len(all))
	for i, s := range all {
		widths[i] = s.width
	}
	slices.Sort(widths)
	for i, w := range widths {
		if share := room / (len(widths) - i); w > share {
			return share
		}
		room -= w
	}
	return maxInstructions // all are whole
}

// fits reports whether each section that is cut still says something.
func fits(all []section, share int) bool {
	return !slices.ContainsFunc(all, func(s section) bool {
		return s.width > share && share-width(s.heading)-1 < minSection
	})
}

// harmless returns instructions so that nobody takes a part of them for another server's. Headings
// become headings below ours, and lines that would make one of the line before show as they are.
func harmless(instructions string) string {
	lines := strings.Split(safetext.Block(strings.ReplaceAll(instructions, "\r\n", "\n")), "\n")
	for i, line := range lines {
		rest := strings.TrimLeftFunc(line, unicode.IsSpace)
		if strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "＃") || strings.HasPrefix(rest, "﹟") {
			lines[i] = "#" + rest
		} else if rest != "" && (strings.Trim(rest, "= \t") == "" || strings.Trim(rest, "- \t") == "") {
			lines[i] = `\` + rest
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// cut returns s in at most room characters. It ends a longer one after a word.
func cut(s string, room int) string {
	if width(s) <= room {
		return s
	}
	end, word, used := 0, 0, 1 // 1 for the "…"
	for i, r := range s {
		if used += width(string(r)); used > room {
			break
		}
		if unicode.IsSpace(r) {
			word = i
		}
		end = i + len(string(r))
	}
	if next := strings.TrimLeftFunc(s[end:], unicode.IsSpace); len(next) == len(s[end:]) && word > end/2 {
		end = word // it would end within a word
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + "…"
}

// width returns the length of s as JavaScript counts it.
func width(s string) (n int) {
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}
