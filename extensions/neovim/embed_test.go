package neovim

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestPluginIsWhole shows that the program installs every file of the plugin: by itself, embedding leaves
// out files and folders whose names begin with "_", such as the one that CodeCompanion loads extensions from.
func TestPluginIsWhole(t *testing.T) {
	files := 0
	for _, dir := range []string{"plugin", "ftplugin", "syntax", "lua", "doc"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			files++
			want, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if got, err := fs.ReadFile(Plugin(), filepath.ToSlash(path)); err != nil || string(got) != string(want) {
				t.Errorf("%s is not what the program has: %v", path, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 50 {
		t.Errorf("only %d files were found", files)
	}
}
