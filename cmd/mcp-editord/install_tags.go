package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
)

// helpTag is a tag of a help file: *name* between white space (Neovim, helphelp.txt, "Writing help files").
var helpTag = regexp.MustCompile(`(?m)(?:^|[ \t])\*([^*\s|]+)\*(?:[ \t]|$)`)

// helpTags makes the tags file of one help file, as :helptags does: one line for each tag, sorted
// by bytes.
func helpTags(name string, help []byte) []byte {
	var lines []string
	for rest := help; ; {
		at := helpTag.FindSubmatchIndex(rest)
		if at == nil {
			break
		}
		tag := string(rest[at[2]:at[3]])
		lines = append(lines, fmt.Sprintf("%s\t%s\t/*%s*\n", tag, name, tagPattern(tag)))
		rest = rest[at[3]+1:] // the white space after one tag may also come before the next
	}
	slices.Sort(lines)
	var b bytes.Buffer
	for _, line := range slices.Compact(lines) {
		b.WriteString(line)
	}
	return b.Bytes()
}

// tagPattern escapes the special characters in the search command of a tags file.
func tagPattern(tag string) string {
	var b []byte
	for _, c := range []byte(tag) {
		if c == '\\' || c == '/' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return string(b)
}
