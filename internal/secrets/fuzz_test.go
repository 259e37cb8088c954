package secrets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is in the file, reading it neither fails in an unknown way nor quotes it.
func FuzzFile(f *testing.F) {
	for _, text := range []string{`{"version": 1, "secrets": {"a": "MQ=="}}`, `{"version": 1}`, `{"version": 1, "secrets": {"a": 7}}`, "null", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		place := &filePlace{dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(place.dir, fileName), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := place.load(); err != nil && !strings.HasSuffix(err.Error(), "is damaged; repair or delete it") {
			t.Errorf("reading %q: %v", content, err)
		}
	})
}
