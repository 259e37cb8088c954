package main

import (
	"os"
	"strings"
	"testing"
)

// The documentation has the lines that install prints.
func TestLinesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, editor := range linedEditors() {
		for _, file := range editor.files {
			lines, err := lineFiles.ReadFile("lines/" + file.lines)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(doc), "\n"+string(lines)+"```") {
				t.Errorf("docs/editors.md does not have %s as it is", file.lines)
			}
		}
	}
}
