// Package approvaltext writes the questions whether a server may run and what an agent may do: one text
// for all editors and the terminal.
//
// Invariants:
//
//   - The whole form says everything that would run. Where the short form or the title leaves
//     something out, the text is not complete, and editors offer no Allow beside it.
//   - It is plain text, safe to show. No text from a file can begin a line.
package approvaltext

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// How much of a question is shown at once.
const (
	shortLines   = 8
	screenLines  = 16 // a longer text ends with the program too, which may be out of sight above
	middleLines  = 4  // of short, at least, between the lines of a long program
	cutItemLines = 2  // of one item, when not all items fit
)

// item is one statement of a question. All of it is safe to show.
type item struct {
	label, value string
	below        []string // more lines, each indented by us
}

func (i item) lines() []string {
	lines := wrap(i.label + ": " + i.value)
	for _, line := range i.below {
		lines = append(lines, wrap(hanging+line)...)
	}
	return lines
}

func linesOf(items []item) (lines []string) {
	for _, i := range items {
		lines = append(lines, i.lines()...)
	}
	return lines
}

// Of returns the text of p, the same one for all editors and the terminal.
//
// Every line has at most [textColumns] columns, so that an editor that does not wrap lines hides
// nothing. Continuation lines are indented, and no text from a file can begin a line: every label
// is the daemon's.
//
// Of a call it is [OfCall] that writes it.
func Of(p editorapi.ApproveParams) editorapi.ApprovalText {
	if p.Kind == editorapi.ApproveTools {
		return ofTools(p)
	}
	title, cut := titleOf(p)
	t := editorapi.ApprovalText{Title: title}
	t.Short, t.Complete = shortOf(p.Definition)
	t.Complete = t.Complete && !cut
	t.Whole = wholeOf(p.Definition)
	if p.Reason == editorapi.ApprovalChanged && p.Previous != nil {
		t.Before = wholeOf(*p.Previous)
	}
	return t
}

// textOf returns the text of a question about items. cut says that its title does not say all.
func textOf(title string, cut bool, items []item) editorapi.ApprovalText {
	short, all := fit(items, shortLines)
	return editorapi.ApprovalText{
		Title:    title,
		Short:    strings.Join(short, "\n"),
		Whole:    strings.Join(linesOf(items), "\n"),
		Complete: all && !cut,
	}
}

// titleOf returns the question, and whether the name of the server is cut in it.
func titleOf(p editorapi.ApproveParams) (title string, cut bool) {
	name, cut := nameIn(p.Server)
	switch {
	case p.Kind == editorapi.ApproveFolder:
		title = "May your MCP server " + name + " run in the opened folder?"
	case p.Definition.URL != "":
		title = "May mcp-editord connect to the MCP server " + name + "?"
	default:
		title = "May the MCP server " + name + " run?"
	}
	if p.Reason == editorapi.ApprovalChanged {
		title = "Changed. " + title
	}
	return title, cut
}

// nameIn returns a name for a title, and whether it is cut.
func nameIn(name string) (shown string, cut bool) {
	shown = quoted(name)
	if safetext.Columns(shown) > maxNameColumns {
		return safetext.CutColumns(shown, maxNameColumns), true
	}
	return shown, false
}

// wholeOf returns every item, one to a line, with the program first and, in a text that may not fit on a screen, last
// too.
func wholeOf(d editorapi.ApprovalDefinition) string {
	if d.TooLarge {
		return "It was too large to be kept, and cannot be shown any more."
	}
	program := programOf(d).lines()
	lines := slices.Concat(program, linesOf(detailsOf(d)))
	if len(lines) > screenLines {
		lines = append(lines, program...)
	}
	return strings.Join(lines, "\n")
}

// shortOf returns as much as fits, and reports whether that is everything. The program is first and, where not
// everything fits, last too.
func shortOf(d editorapi.ApprovalDefinition) (text string, complete bool) {
	program := programOf(d).lines()
	if details, all := fit(gather(detailsOf(d)), shortLines-len(program)); all {
		return strings.Join(append(program, details...), "\n"), true
	}
	room := max(shortLines-2*len(program), middleLines)
	middle, _ := fit(gather(detailsOf(d)), room)
	return strings.Join(slices.Concat(program, middle, program), "\n"), false
}

// fit returns the lines of items, at most room of them. If they do not all fit, it cuts each item,
// and the last line says that there is more.
func fit(items []item, room int) (lines []string, all bool) {
	if lines = linesOf(items); len(lines) <= room {
		return lines, true
	}
	lines = nil
	for _, i := range items {
		of := i.lines()
		if most := min(cutItemLines, room-1-len(lines)); len(of) > most {
			of = of[:most]
			if most > 0 {
				of[most-1] = safetext.CutColumns(of[most-1], textColumns-1) + "…"
			}
		}
		lines = append(lines, of...)
	}
	return append(lines, "There is more than fits here: look at all of it."), false
}

// gather joins neighbours with the same label into one item.
func gather(items []item) []item {
	var gathered []item
	for len(items) > 0 {
		var values []string
		label := items[0].label
		for len(items) > 0 && items[0].label == label {
			values = append(values, items[0].value)
			items = items[1:]
		}
		gathered = append(gathered, item{label: label, value: strings.Join(values, "  ")})
	}
	return gathered
}

// programOf returns the item about what runs, or about the address to connect to.
func programOf(d editorapi.ApprovalDefinition) item {
	if d.URL != "" {
		return item{label: "Address", value: word(d.URL)}
	}
	value := word(d.Command)
	if d.Program != "" && d.Program != d.Command {
		value += "  leads to  " + word(d.Program)
	}
	return item{label: "Program", value: value}
}

// detailsOf returns every item but the program, the most important first.
func detailsOf(d editorapi.ApprovalDefinition) []item {
	var items []item
	add := func(label, value string) { items = append(items, item{label: label, value: value}) }
	each := func(label string, texts []string, shown func(string) string) {
		for _, text := range texts {
			add(label, shown(text))
		}
	}
	some := func(label, text string) {
		if text != "" {
			add(label, word(text))
		}
	}
	each("Argument", d.Args, quoted)
	each("Warning", d.Warnings, safe)
	some("Runs in", d.Cwd)
	each("Sets", d.Env, func(name string) string { return word(name) + valueIn(d.Environment, name) })
	some("Environment file", d.EnvFile)
	each("Header", d.Headers, func(name string) string { return word(name) + valueIn(d.HeaderValues, name) })
	each("Takes from your environment", d.Takes, word)
	for _, input := range d.Inputs {
		add("Asks you for", inputText(input))
	}
	if d.OAuth != nil {
		add("OAuth", oauthText(*d.OAuth))
		if d.OAuth.Enterprise != nil {
			add("Enterprise sign-in", enterpriseText(*d.OAuth.Enterprise))
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(d.Bind)) {
		add("In calls of tool", word(pattern)) // once: it may be long, and its arguments many
		for _, argument := range slices.Sorted(maps.Keys(d.Bind[pattern])) {
			add("Fills in", word(argument)+" = "+quoted(d.Bind[pattern][argument]))
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(d.Agents)) {
		add("Agents may call", word(pattern)+" = "+word(d.Agents[pattern]))
	}
	if d.Roots != nil && len(d.Roots) == 0 {
		add("Roots", "none")
	}
	each("Roots", d.Roots, quoted)
	some("Scope", d.Scope)
	some("Protocol", d.Protocol)
	some("Sampling", d.Sampling)
	some("Sampling limit", d.SamplingLimit)
	some("Elicitation limit", d.ElicitationLimit)
	if d.Folder != d.Cwd {
		some("Folder", d.Folder)
	}
	add("Defined in", word(fileuri.Shown(d.Source)))
	return items
}

// valueIn returns what a name is set to, as the rest of an item.
func valueIn(values map[string]string, name string) string {
	value, ok := values[name]
	if !ok {
		return " (its value was not kept)"
	}
	return " = " + quoted(value)
}

func inputText(input editorapi.ApprovalInput) string {
	text := word(input.ID)
	if input.Default != "" {
		text += ", or uses " + quoted(input.Default)
	}
	for i, option := range input.Options {
		text += map[bool]string{true: ", one of ", false: ", "}[i == 0] + quoted(option)
	}
	return text
}

// oauthText says how to sign in to the server.
func oauthText(o editorapi.ApprovalOAuth) string {
	var parts []string
	add := func(label, value string) {
		if value != "" {
			parts = append(parts, label+" "+quoted(value))
		}
	}
	add("client", o.ClientID)
	add("sends the secret", o.ClientSecret)
	add("signs with the key", o.PrivateKeyFile)
	add("key id", o.KeyID)
	add("metadata", o.ClientMetadataURL)
	add("issuer", o.Issuer)
	if o.Issuer == "" && o.ClientID != "" {
		parts = append(parts, "the issuer is the first one that the server names")
	}
	for _, scope := range o.Scopes {
		parts = append(parts, "scope "+quoted(scope))
	}
	if o.RedirectPort != 0 {
		parts = append(parts, "redirect port "+strconv.Itoa(o.RedirectPort))
	}
	add("grant", o.Grant)
	if o.Grant != "" {
		parts = append(parts, "nobody is asked to sign in")
	}
	return cmp.Or(strings.Join(parts, ", "), "as the server asks for it")
}

// enterpriseText says where a person signs in for the servers of an enterprise.
func enterpriseText(e editorapi.ApprovalEnterprise) string {
	text := "issuer " + quoted(e.Issuer) + ", client " + quoted(e.ClientID)
	if e.ClientSecret != "" {
		text += ", sends the secret " + quoted(e.ClientSecret)
	}
	return text
}
