package secrets

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// Another place has nothing of the one before. A file goes where somebody has said that another place is
// to be used; what is in the keyring stays there.
func TestUse(t *testing.T) {
	tests := map[string]struct {
		from, to Place
		file     bool // whether there is a file afterwards
		back     bool // whether what was kept is found again in the place before
	}{
		"file to keyring":   {File, Keyring, false, false},
		"file to default":   {File, Default, true, true},
		"file to memory":    {File, Memory, false, false},
		"keyring to file":   {Keyring, File, true, true},
		"keyring to memory": {Keyring, Memory, false, true},
		"memory to keyring": {Memory, Keyring, false, false},
		"memory to file":    {Memory, File, true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, test.from, func(t *testing.T, s *stand) {
				s.sets(t, "a", "1", nil)
				if !s.Use(test.to) || s.Use(test.to) {
					t.Error("Use says the wrong thing about whether the place is another one")
				}
				s.lacks(t, "a", ErrNotFound)
				s.sets(t, "b", "2", nil)
				s.finds(t, "b", "2")
				rest()
				s.hasProblem(t, "", 0)
				if _, err := os.Lstat(filepath.Join(s.dir, fileName)); (err == nil) != test.file {
					t.Errorf("looking at the file: %v; want one: %v", err, test.file)
				}
				s.Use(test.from)
				if test.back {
					s.finds(t, "a", "1")
				} else {
					s.lacks(t, "a", ErrNotFound)
				}
			})
		})
	}
}

// The default is the keyring: who then says so moves nothing, but has the file of before deleted.
func TestUseTheDefault(t *testing.T) {
	bubble(t, File, func(t *testing.T, s *stand) {
		s.sets(t, "a", "1", nil)
		s.Use(Default)
		s.fake.with(func() { s.fake.failure = keyringLocked })
		s.sets(t, "b", "2", errTrouble)
		if s.Use(Keyring) {
			t.Error("the keyring is another place than the default")
		}
		s.finds(t, "b", "2")
		rest()
		if _, err := os.Lstat(filepath.Join(s.dir, fileName)); err == nil {
			t.Error("the file is still there")
		}
	})
}

// A file that is found at the start goes as with Use, whatever is in it, and with any place what a write
// that was killed has left in clear.
func TestOpenFindsAFile(t *testing.T) {
	for _, p := range []Place{Default, Keyring, Memory, File} {
		synctest.Test(t, func(t *testing.T) {
			dir := privateDir(t)
			path, left := filepath.Join(dir, fileName), filepath.Join(dir, fileName+".123.tmp")
			for _, name := range []string{path, left} {
				if err := os.WriteFile(name, []byte("damaged"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := open(Options{Place: p, Dir: dir}, newFake())
			rest()
			if _, err := os.Lstat(path); (err == nil) != (p == File || p == Default) || s.Problem() != "" {
				t.Errorf("with %q, looking at the file: %v; the problem is %q", p, err, s.Problem())
			}
			if _, err := os.Lstat(left); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%q: looking at what was left: %v; want that it is gone", p, err)
			}
		})
	}
}

// A keyring that hangs does not keep a file from being used instead.
func TestUseWhileItHangs(t *testing.T) {
	bubble(t, Keyring, func(t *testing.T, s *stand) {
		open := s.hang()
		s.sets(t, "a", "1", errTrouble)
		rest()
		s.Use(File)
		s.sets(t, "b", "2", nil)
		s.hasProblem(t, "", 2)
		s.Use(Keyring)
		s.sets(t, "c", "3", errTrouble)
		rest()
		if s.fake.working != 1 {
			t.Errorf("%d operations wait, want one", s.fake.working)
		}
		open()
		s.fake.has(t, map[string]string{"a": "1", "c": "3"})
		s.lacks(t, "b", ErrNotFound)
		s.hasProblem(t, "", 4)
	})
}

// A file that cannot go is named.
func TestFileStays(t *testing.T) {
	bubble(t, File, func(t *testing.T, s *stand) {
		path := filepath.Join(s.dir, fileName)
		if err := os.MkdirAll(filepath.Join(path, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
		s.Use(Memory)
		synctest.Wait()
		s.hasProblem(t, "credentials stay in clear, because deleting "+path+" failed", 1)
		s.Use(File)
		synctest.Wait()
		s.hasProblem(t, "", 2)
	})
}
