package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is made of the sources is what is in the repository. That says how everything is written.
func TestNothingHasDrifted(t *testing.T) {
	t.Chdir("../..")
	if err := run(true); err != nil {
		t.Error(err)
	}
}

// What protocolgen cannot express is an error; it is not left out.
func TestProblems(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"may be null":         "type T struct { A *int `json:\"a\"` }",
		"no name on the wire": "type T struct { A int }",
		"embedded":            "type T struct { p.U }",
		"no type U":           "type T struct { A U `json:\"a\"` }",
		"cannot express":      "type T struct { A func() `json:\"a\"` }",
		"neither a struct":    "type T int",
		"no comment":          "type T struct {}\nfunc tells[P any](string) notificationToEditor[P]\nvar m = tells[T](\"editord/m\")",
		"not a constant":      "type T struct {}\nfunc tells[P any](string) notificationToEditor[P]\n// Tells.\nvar m = tells[T](f())",
		"does not know":       "type T struct {}\nfunc other[P any](string) notificationToEditor[P]\n// Tells.\nvar m = other[T](\"editord/m\")",
		"not say its types":   "type T struct {}\nfunc tells[P any](string, P) notificationToEditor[P]\n// Tells.\nvar m = tells(\"editord/m\", T{})",
	} {
		_, err := parseText(t, "//protocolgen:type\n"+source)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	for _, document := range []string{"<!-- made of editorapi: types -->\n", "<!-- made of editorapi: types\n", "<!-- made of editorapi: type Other -->\n<!-- end -->\n"} {
		if _, err := fillMarkdown(document, &proto{}); err == nil {
			t.Errorf("%q is not an error", document)
		}
	}
	for name, source := range map[string]string{
		"no type is marked": "type T struct{}",
		"no comment":        "//protocolgen:type\ntype T struct { A int `json:\"a\"` }",
	} {
		p, err := parseText(t, source)
		if err == nil {
			_, err = schema(p)
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// parseText parses a package of one file.
func parseText(t *testing.T, source string) (*proto, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte("package p\n"+source), 0o600); err != nil {
		t.Fatal(err)
	}
	return parse(dir)
}
