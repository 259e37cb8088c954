package editorapi

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-editord/mcp-editord/internal/toolschema"
)

// about is what a text speaks of, and what an argument "path" wants.
type about int

const (
	aboutUnknown about = iota
	aboutFile
	aboutFolder
	aboutBoth
)

var (
	folderWords = []string{"directory", "directories", "dir", "dirs", "folder", "folders", "mkdir", "rmdir", "ls"}
	fileWords   = []string{"file", "files", "filename", "filepath"}
	searchWords = []string{"search", "find", "grep", "glob"}
	removeWords = []string{"delete", "remove", "rm", "rmdir"}
)

// aboutOf returns what a text speaks of.
func aboutOf(text []string) about {
	file, folder := has(text, fileWords), has(text, folderWords)
	switch {
	case file && folder:
		return aboutBoth
	case file:
		return aboutFile
	case folder:
		return aboutFolder
	}
	return aboutUnknown
}

// wants returns whether an argument that is called "path" or the like wants a file or a folder;
// aboutUnknown where that is doubtful. The argument's own description counts first, then the name of
// the tool, then the description of the tool. A path of which nobody says anything is that of a file.
// Nobody is offered the folder of the document for removal.
func (p *proposer) wants(argument toolschema.Property) about {
	folder := aboutFolder
	if has(p.name, removeWords) {
		folder = aboutUnknown
	}
	switch aboutOf(words(argument.Description)) {
	case aboutFile:
		return aboutFile
	case aboutFolder:
		return folder
	}
	name := aboutOf(p.name)
	switch {
	case has(p.name, searchWords): // in the file, in its folder, or in all of the workspace
		return aboutUnknown
	case name == aboutFolder, name == aboutFile && slices.Contains(p.name, "list"):
		return folder
	case name == aboutUnknown && p.description == aboutFolder:
		return folder
	case name == aboutUnknown && has(p.name, removeWords):
		return aboutUnknown
	}
	return aboutFile
}

// words returns the words of a text or a name in lower case: those of list_directory, list-directory,
// listDirectory and "List directory" are the same.
func words(text string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func has(text, any []string) bool {
	return slices.ContainsFunc(text, func(word string) bool { return slices.Contains(any, word) })
}
