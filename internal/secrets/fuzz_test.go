package secrets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzParseHead(f *testing.F) {
	for _, text := range []string{"=", "=value", "+a 3 " + strings.Repeat("0f", 32), "+b 1 00", "+", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h := parseHead(text)
		if h.parts != 0 && (h.String() != text || h.parts < 1 || h.parts > maxParts) {
			t.Errorf("%q is read as %v", text, h)
		}
	})
}

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
