package mcpserver

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// Agents cut instructions: Claude Code at 2,048 characters. JavaScript counts a character beyond U+FFFF
// twice, and so do we: then no other way to count finds more.
const (
	maxInstructions = 2048
	maxNames        = 200 // of names in one line
	maxShownName    = 60  // of one name
	minSection      = 150 // of instructions that are cut, with their heading: less says nothing
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

// sections returns the instructions of the servers, each under its heading, in at most room
// characters. When not all have room, short ones stay whole, and the long ones share what they leave.
func sections(servers []editorapi.CatalogServer, room int) string {
	var all []string
	var order []int // the shortest first
	for _, s := range servers {
		if text := harmless(s.Server.Instructions); text != "" && usable(s.Server.State) {
			order = append(order, len(all))
			all = append(all, "\n# "+safetext.Line(s.Server.Name, maxShownName)+"\n"+text)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return width(all[a]) - width(all[b]) })
	if len(all) > 0 && room/len(all) <= minSection {
		room -= width(fmt.Sprintf(noRoom, len(all)))
	}
	left := 0
	for i, at := range order {
		share := room/(len(order)-i) - 1 // for the end of the line
		if width(all[at]) > share {
			if share < minSection {
				all[at] = ""
				left++
				continue
			}
			all[at] = cut(all[at], share)
		}
		all[at] += "\n"
		room -= width(all[at])
	}
	if left > 0 {
		all = append(all, fmt.Sprintf(noRoom, left))
	}
	return strings.Join(all, "")
}

const noRoom = "\n(There was no room for the instructions of %d more servers.)\n"

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
	used := width("…")
	for i, r := range s {
		if used += utf16.RuneLen(r); used > room {
			s = s[:i]
			break
		}
	}
	if word := strings.LastIndexFunc(s, unicode.IsSpace); word > len(s)/2 {
		s = s[:word]
	}
	return strings.TrimRightFunc(s, unicode.IsSpace) + "…"
}

// width returns the length of s as JavaScript counts it.
func width(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
