package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// sampleVSIX returns a package like those of vsce, with hardly anything in it.
func sampleVSIX() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{"extension.vsixmanifest": "<PackageManifest/>", "extension/package.json": "{}"} {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			panic(err) // writes to memory do not fail
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// The new package has all that the old one had, unchanged, and the program as an executable.
func TestWriteVSIX(t *testing.T) {
	dir := t.TempDir()
	binary, file := filepath.Join(dir, "program"), filepath.Join(dir, "out.vsix")
	if err := os.WriteFile(binary, []byte("the program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeVSIX(file, sampleVSIX(), binary); err != nil {
		t.Fatal(err)
	}
	r, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := map[string]string{
		"extension.vsixmanifest": "<PackageManifest/>", "extension/package.json": "{}", bundledProgram: "the program",
	}
	if len(r.File) != len(want) {
		t.Errorf("%d entries, want %d", len(r.File), len(want))
	}
	for name, text := range want {
		f, err := r.Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		info, _ := f.Stat()
		got, err := io.ReadAll(f)
		if string(got) != text || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, text)
		}
		if runnable := info.Mode().Perm()&0o111 == 0o111; runnable != (name == bundledProgram) {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
}

func TestWriteVSIXFails(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	for _, test := range []struct {
		name      string
		file      string
		extension []byte
		binary    string
	}{
		{"no package", filepath.Join(dir, "a"), []byte("no zip"), os.Args[0]},
		{"no program", filepath.Join(dir, "b"), sampleVSIX(), missing},
		{"no directory", filepath.Join(missing, "c"), sampleVSIX(), os.Args[0]},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := writeVSIX(test.file, test.extension, test.binary); err == nil {
				t.Error("there is no error")
			}
		})
	}
}
