package roots

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gitIgnores returns which directories of a repository git ignores.
func gitIgnores(t *testing.T, base string, dirs []string) []string {
	t.Helper()
	cmd := exec.Command("git", "-C", base, "check-ignore", "--no-index", "--stdin", "-z")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = strings.NewReader(strings.Join(dirs, "\x00"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); err != nil && code != 1 { // 1: nothing is ignored
		t.Fatalf("git check-ignore: %v\n%s", err, &stderr)
	}
	var ignored []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name != "" {
			ignored = append(ignored, name)
		}
	}
	slices.Sort(ignored)
	return ignored
}

// weIgnore returns which directories the rulebook ignores, or which are inside of such a one.
func weIgnore(t *testing.T, base string, dirs []string) []string {
	t.Helper()
	b := rulebook{sheets: map[string]*rules{}}
	inside := map[string]*rules{}
	ignored := map[string]bool{}
	inside["."], _ = b.own(base, nil, false, true, true)
	work := 0
	for _, dir := range dirs { // parents first
		above := inside[filepath.Dir(dir)]
		path := filepath.Join(base, dir)
		ignored[dir] = ignored[filepath.Dir(dir)] || above.ignored(path, true, &work)
		inside[dir], _ = b.own(path, above, false, false, true)
	}
	var all []string
	for dir, yes := range ignored {
		if yes {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return all
}

func newRepository(t *testing.T) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git:", err)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(git, "init", "-q", base).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return base
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func allDirs(t *testing.T, base string) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(base, func(path string, e fs.DirEntry, err error) error {
		if e.Name() == ".git" {
			return fs.SkipDir
		}
		if rel, _ := filepath.Rel(base, path); e.IsDir() && rel != "." {
			dirs = append(dirs, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// What we ignore is what git ignores.
func TestIgnoreLikeGit(t *testing.T) {
	dirs := []string{"a", "b", "ab", "a/b", "a/b/c", "b/a", "b/a/b", "c/a/b/ab", "foo", "foo bar", "foo ", "#x", "!x", "[x]", "x]", "a-b", "a*b",
		"build", "src/build", "src/build/x", "src/deep/build/y", "Foo", "é", "x\ny", `back\slash`, "a.b", "aXb", "1", "z9"}
	for _, text := range []string{
		"a", "a/", "/a", "a/b", "/a/b", "a/**", "**/b", "a/**/b", "**/a/**", "b/**/b", "**", "*", "/*", "*/", "***/b", "a/***", "**/", "/**/",
		"a*", "*b", "a*b", "?", "??", "foo*bar", "foo\\ ", "foo ", "foo\\ bar", "\\#x", "#x", "\\!x", "!x", "[x]", "\\[x\\]", "[[]x]", "x[]]", "[]x]*",
		"[a-c]", "[!a]", "[^a]", "a[!/]b", "a[/]b", "a[-.]b", "[[:alpha:]]", "[[:digit:]]", "[[:alpha:]][[:digit:]]", "[[:nonsense:]]", "[[:a]", "[[:alpha:]",
		"[a", "a\\", "[a-", "[z-a]", "[\\a]", "[a\\-c]b", "a\\/b", "a\\*b", "back\\\\slash", "//a", "a//b", "/", "!", "\\",
		"*\n!a", "*\n!*/", "a\n!a/b", "a/*\n!a/b", "build\n!src/build", "*\n!/a\n!/a/b", "\ufeffa", "a\r\nb\r", "a  \nb\t", "é", "?\xa9", "??", "x?y",
		"**/build/**", "src/**/build", "src/**/y", "**/deep/**/y", "**/**/b", "a/**/**", "*/*/*", "*[!b]", "[a-z][A-Z]b", "{a,b}", strings.Repeat("*a", 30),
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			base := newRepository(t)
			for _, dir := range dirs {
				if err := os.MkdirAll(filepath.Join(base, dir), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(base, ".gitignore"), text)
			all := allDirs(t, base)
			if got, want := weIgnore(t, base, all), gitIgnores(t, base, all); !slices.Equal(got, want) {
				t.Errorf("we ignore\n%q, git\n%q", got, want)
			}
		})
	}
}

// The same with files in several folders, made at random.
func TestIgnoreLikeGitAtRandom(t *testing.T) {
	const trees = 60
	for seed := range uint64(trees) {
		r := rand.New(rand.NewPCG(seed, 1))
		base := newRepository(t)
		var dirs []string
		for range 60 {
			dir := ""
			for range 1 + r.IntN(4) {
				dir = filepath.Join(dir, randomName(r))
			}
			dirs = append(dirs, dir)
			if err := os.MkdirAll(filepath.Join(base, dir), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(base, ".git/info/exclude"), randomPatterns(r))
		write(t, filepath.Join(base, ".gitignore"), randomPatterns(r))
		for range 6 {
			write(t, filepath.Join(base, dirs[r.IntN(len(dirs))], ".gitignore"), randomPatterns(r))
		}
		all := allDirs(t, base)
		if got, want := weIgnore(t, base, all), gitIgnores(t, base, all); !slices.Equal(got, want) {
			t.Fatalf("seed %d in %s: we ignore\n%q, git\n%q", seed, base, got, want)
		}
	}
}

func randomName(r *rand.Rand) string {
	const letters = "abcAB1-]["
	name := ""
	for range 1 + r.IntN(2) {
		name += string(letters[r.IntN(len(letters))])
	}
	return name
}

// randomPatterns avoids a name that ends in two stars, such as in a**/b: git takes it for **, against
// its documentation.
func randomPatterns(r *rand.Rand) string {
	pieces := []string{"a", "b", "A", "1", "*", "?", "[ab]", "[!a]", "[a-c]", "[^]a-]", "[[:upper:]]", "\\[", "\\a", "-"}
	text := ""
	for range r.IntN(5) {
		line := ""
		if r.IntN(4) == 0 {
			line = "!"
		}
		if r.IntN(3) == 0 {
			line += "/"
		}
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				line += "/"
			}
			if r.IntN(5) == 0 {
				line += "**"
				continue
			}
			star := false
			for range 1 + r.IntN(3) {
				piece := pieces[r.IntN(len(pieces))]
				if star && piece == "*" {
					continue
				}
				star = piece == "*"
				line += piece
			}
		}
		if r.IntN(3) == 0 {
			line += "/"
		}
		text += line + "\n"
	}
	return text
}

// A pattern from a stranger costs no more than the product of its length and the length of what it
// is about.
func TestPatternsDoNotExplode(t *testing.T) {
	for _, tt := range []struct{ name, pattern, path string }{
		{"stars", strings.Repeat("*a", 500) + "b", strings.Repeat("a", 255)},
		{"double stars", strings.Repeat("**/a/", 200) + "b", strings.TrimSuffix(strings.Repeat("a/", 1000), "/")},
		{"both", strings.Repeat("**/*a*a/", 120) + "b", strings.TrimSuffix(strings.Repeat("aaaa/", 800), "/")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if len(tt.pattern) > maxPattern {
				t.Fatal("the pattern is too long to count")
			}
			p, ok := parsePattern(tt.pattern)
			if !ok {
				t.Fatal("it is no pattern")
			}
			work := 0
			if p.matches(tt.path, true, &work) {
				t.Error("it matches")
			}
			if most := 2 * (len(tt.pattern) + 1) * (len(tt.path) + 1); work == 0 || work > most {
				t.Errorf("it took %d comparisons, want at most %d", work, most)
			}
		})
	}
}
