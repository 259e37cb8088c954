package editorapi

import (
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/textdoc"
)

const plainEntry = "    \"x\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"tool\"]\n    }"

// inFile returns the text of a file with an entry, and where the entry is in it.
func inFile(entry string) (text string, span textdoc.Span) {
	const before, after = "{\n  \"servers\": {\n", ",\n    \"y\": {\"command\": \"y\"}\n  }\n}\n"
	start := len(before) + strings.Index(entry, `"x"`)
	return before + entry + after, textdoc.Span{Start: start, End: len(before) + strings.LastIndexByte(entry, '}') + 1}
}

// Allow is offered where a definition is, only if all of it is in view as it is (promise 1).
func TestPromise1AllowOnlyWhatIsInView(t *testing.T) {
	with := func(old, replacement string) string { return strings.Replace(plainEntry, old, replacement, 1) }
	for name, test := range map[string]struct {
		entry string
		file  func(*ConfigFile)
		part  func(textdoc.Span) textdoc.Span // what the editor asks about, of the entry
		after string
		want  bool
	}{
		"a plain entry":                 {entry: plainEntry, want: true},
		"on one line":                   {entry: `    "x": {"command": "npx"}`, want: true},
		"tabs and CRLF":                 {entry: strings.ReplaceAll(strings.ReplaceAll(plainEntry, "  ", "\t"), "\n", "\r\n"), want: true},
		"letters outside of ASCII":      {entry: with("tool", "wörkzeug-工具"), want: true},
		"escaped quotes":                {entry: with(`"tool"`, `"a \"b\" \\ c/d"`), want: true},
		"a blank line":                  {entry: with("\n      \"args", "\n\n      \"args"), want: true},
		"behind 300 spaces":             {entry: `    "x": {"command": "npx",` + strings.Repeat(" ", 300) + `"args": ["evil"]}`},
		"300 spaces before it":          {entry: strings.Repeat(" ", 300) + plainEntry},
		"behind 40 tabs":                {entry: `    "x": {"command": "npx",` + strings.Repeat("\t", 40) + `"args": ["evil"]}`},
		"a line of 5000 characters":     {entry: with("tool", strings.Repeat("a", 5000))},
		"wide characters":               {entry: with("tool", strings.Repeat("工", 60))},
		"41 lines":                      {entry: with(`"tool"`, "\"a\",\n"+strings.Repeat("      \"b\",\n", 37)+"\"c\"")},
		"two blank lines":               {entry: with("\n      \"args", "\n\n\n      \"args")},
		"bidi characters":               {entry: with("tool", "\u202eloot\u202c")},
		"an escape sequence":            {entry: with("tool", "a\x1b[8mb")},
		"a zero-width space":            {entry: with("tool", "to\u200bol")},
		"a space that is not one":       {entry: with("tool", "to\u00a0ol")},
		"a wide space":                  {entry: with("tool", "to\u3000ol")},
		"a filler":                      {entry: with("tool", "to\u3164ol")},
		"a line end of its own":         {entry: with("\n      \"args", "\r      \"args")},
		"a line separator":              {entry: with("tool", "to\u2028ol")},
		"bytes that are not UTF-8":      {entry: with("tool", "to\xffol")},
		"characters by number":          {entry: with(`"command"`, `"comm\u0061nd"`)},
		"a comment":                     {entry: with(`"npx",`, "\"npx\", // pinned\n")},
		"a comment that looks like it":  {entry: with(`"npx"`, `/* "npx", */ "evil"`)},
		"a comment that ends before it": {entry: strings.Replace(plainEntry, `"x"`, `/* */ "x"`, 1)},
		"a modeline in it":              {entry: with("tool", "x vim: set fdm=marker:")},
		"local variables behind it":     {entry: plainEntry, after: "\n// Local Variables:\n// End:\n"},
		"another one before it":         {entry: `    "w": {"command": "w"}, "x": {"command": "npx"}`},
		"another one behind it":         {entry: plainEntry + `, "z": {"command": "z"`}, // which inFile closes
		"something behind it":           {entry: plainEntry + ` // all of it`},
		"asked for the line":            {entry: plainEntry, part: func(s textdoc.Span) textdoc.Span { return textdoc.Span{Start: s.Start - 4, End: s.Start} }, want: true},
		"asked at the end of the line":  {entry: plainEntry, part: func(s textdoc.Span) textdoc.Span { return textdoc.Span{Start: s.End + 1, End: s.End + 1} }, want: true},
		"asked for the whole file":      {entry: plainEntry, part: func(s textdoc.Span) textdoc.Span { return textdoc.Span{End: s.End + 30} }},
		"not saved":                     {entry: plainEntry, file: func(f *ConfigFile) { f.Servers[0].Saved = false }},
		"parts elsewhere":               {entry: plainEntry, file: func(f *ConfigFile) { f.Servers[0].Apart = true }},
		"a warning":                     {entry: plainEntry, file: func(f *ConfigFile) { f.Servers[0].Approval.Definition.Warnings = []string{"PATH."} }},
		"an envFile":                    {entry: plainEntry, file: func(f *ConfigFile) { f.Servers[0].Approval.Definition.EnvFile = ".env" }},
		"an input":                      {entry: plainEntry, file: func(f *ConfigFile) { f.Servers[0].Approval.Definition.Inputs = []ApprovalInput{{ID: "i"}} }},
		"a question about a folder":     {entry: plainEntry, file: func(f *ConfigFile) { f.Servers[0].Approval.Kind = ApproveFolder }},
		"a problem in it":               {entry: plainEntry, file: func(f *ConfigFile) { f.Problems = []textdoc.Problem{{Span: f.Servers[0].Key}} }},
		"a problem with the whole file": {entry: plainEntry, file: func(f *ConfigFile) { f.Problems = []textdoc.Problem{{}} }, want: true},
		"a problem that contains it":    {entry: plainEntry, file: func(f *ConfigFile) { f.Problems = []textdoc.Problem{{Span: textdoc.Span{End: 1000}}} }},
	} {
		t.Run(name, func(t *testing.T) {
			text, span := inFile(test.entry)
			text += test.after
			key := textdoc.Span{Start: span.Start, End: span.Start + len(`"x"`)}
			file := ConfigFile{Servers: []ConfigServer{{
				Name: "x", Key: key, Entry: span, Saved: true, Server: &Server{Name: "x", State: ServerNeedsApproval},
				Approval: &ApproveParams{Kind: ApproveServer, Server: "x", Digest: "d", Reason: ApprovalNew},
			}}}
			if test.file != nil {
				test.file(&file)
			}
			part := textdoc.Span{Start: span.Start, End: span.Start}
			if test.part != nil {
				part = test.part(span)
			}
			l := configLanguage{file: file}
			actions := l.actions(&document{text: textdoc.New(text)}, part)
			var titles []string
			for _, a := range actions {
				titles = append(titles, a.title)
			}
			got, want := strings.Join(titles, ", "), `Review "x"…`
			if test.want {
				want = `Show All of It, Deny "x", Allow "x" to Run`
			}
			if got != want {
				t.Errorf("%q\n got %s\nwant %s", text, got, want)
			}
		})
	}
}
