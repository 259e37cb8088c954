package fileuri

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Fault odd-folder-name.
func TestFromPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	for _, tt := range []struct{ name, path, want string }{
		{"plain", "/a/b", "file:///a/b"},
		{"root", "/", "file:///"},
		{"trailing slash", "/a/b/", "file:///a/b"},
		{"dots and doubled slashes", "/a//x/../b/.", "file:///a/b"},
		{"space", "/a b", "file:///a%20b"},
		{"percent", "/100%25", "file:///100%2525"},
		{"hash and question mark", "/c#/a?b", "file:///c%23/a%3Fb"},
		{"colon", "/a:b", "file:///a:b"},
		{"brackets", "/[id]", "file:///%5Bid%5D"},
		{"backslash", `/a\b`, "file:///a%5Cb"},
		{"not ASCII", "/å/日本", "file:///%C3%A5/%E6%97%A5%E6%9C%AC"},
		{"not UTF-8", "/a\xff\xc3b", "file:///a%FF%C3b"},
		{"line break", "/a\nb", "file:///a%0Ab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := FromPath(tt.path)
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			back, err := ToPath(got)
			if want := filepath.Clean(tt.path); err != nil || back != want {
				t.Errorf("and back: %q, %v, want %q", back, err, want)
			}
		})
	}
}

// Fault odd-folder-name.
func TestToPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	for _, tt := range []struct{ name, uri, want, refused string }{
		{"no host", "file:///a/b", "/a/b", ""},
		{"no authority", "file:/a/b", "/a/b", ""},
		{"localhost", "file://localhost/a", "/a", ""},
		{"upper case", "FILE://LocalHost/a", "/a", ""},
		{"trailing slash", "file:///a/", "/a", ""},
		{"dots", "file:///a/%2e%2E/b/./c", "/b/c", ""},
		{"above the root", "file:///../../a", "/a", ""},
		{"lower case escapes", "file:///%c3%a5", "/å", ""},
		{"not escaped", "file:///å b", "/å b", ""},
		{"not UTF-8", "file:///%ff", "/\xff", ""},
		{"escaped more than needed", "file:///%61%3Ab", "/a:b", ""},
		{"another host", "file://host/a", "", "another host, \"host\""},
		{"a port", "file://localhost:80/a", "", "another host"},
		{"a user", "file://me@localhost/a", "", "another host"},
		{"a drive as host", "file://c/x", "", "another host, \"c\""},
		{"network path", "file:////host/share", "", "network path"},
		{"escaped network path", "file:///%2Fhost/share", "", "network path"},
		{"another scheme", "https:///a", "", "not a file: URI"},
		{"a path", "/a", "", "not a file: URI"},
		{"nothing", "", "", "not a file: URI"},
		{"relative", "file:a", "", "not absolute"},
		{"no path", "file://", "", "not absolute"},
		{"query", "file:///a?b", "", "query"},
		{"empty query", "file:///a?", "", "query"},
		{"fragment", "file:///a#b", "", "fragment"},
		{"empty fragment", "file:///a#", "", "fragment"},
		{"NUL", "file:///a%00b", "", "NUL"},
		{"half an escape", "file:///a%2", "", "invalid URL escape"},
		{"no escape", "file:///100%", "", "invalid URL escape"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ToPath(tt.uri)
			if got != tt.want || (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("got %q, %v, want %q, or an error about %q", got, err, tt.want, tt.refused)
			}
			if shown := Shown(tt.uri); err != nil && shown != tt.uri || err == nil && shown != got {
				t.Errorf("it is shown as %q", shown)
			}
		})
	}
}

// Fault odd-folder-name.
func TestCanonical(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) string { return filepath.Join(base, path) }
	if err := os.MkdirAll(at("real/in"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "real", "link2": "link", "nowhere": "gone", "loop": "loop"} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	for _, tt := range []struct{ name, path, want string }{
		{"no link", "real/in", "real/in"},
		{"trailing slash", "real/in/", "real/in"},
		{"link", "link", "real"},
		{"through two links", "link2/in", "real/in"},
		{"the end does not exist", "link/x/y", "real/x/y"},
		{"nothing exists", "x/y", "x/y"},
		{"link to nothing", "nowhere/x", "nowhere/x"},
		{"link to itself", "loop/x", "loop/x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := Canonical(base+"/"+tt.path), at(tt.want); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// FuzzFromPath: every path survives the way there and back. Fault odd-folder-name.
func FuzzFromPath(f *testing.F) {
	for _, path := range []string{"/", "/a b", "/100%25/%", "/c#/?", "/\xff\xfe", "/å/日本", `/a\b`, "/C:/x", "//host/share", "/a\n"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
			t.Skip()
		}
		if runtime.GOOS == "windows" {
			t.Skip("a name may not have what a URI may")
		}
		uri := FromPath(path)
		for _, r := range uri {
			if r <= ' ' || r >= 0x7f || r == '#' || r == '?' {
				t.Fatalf("%q has %q", uri, r)
			}
		}
		if got, err := ToPath(uri); err != nil || got != filepath.Clean(path) {
			t.Fatalf("%q became %s became %q, %v", path, uri, got, err)
		}
	})
}

// FuzzToPath: every URI that ToPath accepts has one canonical form. Fault odd-folder-name.
func FuzzToPath(f *testing.F) {
	for _, uri := range []string{"file:///a", "file:/a%20b", "file://localhost/%ff/", "file://host/a", "file:////h/s", "file:///a/../..", "file:///%2F", "file:///a%00"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		path, err := ToPath(uri)
		if err != nil {
			return
		}
		again, err := ToPath(FromPath(path))
		if err != nil || again != path || !filepath.IsAbs(path) || path != filepath.Clean(path) || strings.ContainsRune(path, 0) {
			t.Fatalf("%q became %q became %q, %v", uri, path, again, err)
		}
	})
}
