package secrets

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

func TestUse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		from, to Place
		keyring  map[string]string // in the keyring afterwards
		file     bool              // whether there is a file afterwards
	}{
		"file to keyring":   {File, Keyring, map[string]string{"a": "1", "b": "2", "unseen": "3"}, false},
		"memory to keyring": {Memory, Keyring, map[string]string{"a": "1", "b": "2"}, false},
		"keyring to file":   {Keyring, File, map[string]string{"unseen": "3"}, true},
		"memory to file":    {Memory, File, map[string]string{}, true},
		"keyring to memory": {Keyring, Memory, map[string]string{"unseen": "3"}, false},
		"file to memory":    {File, Memory, map[string]string{}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t, test.from)
				s.sets(t, "a", "1", nil)
				s.sets(t, "b", "2", nil)
				switch test.from { // another process keeps one that this one never reads
				case Keyring:
					s.fake.with(func() { s.fake.secrets["unseen"] = "3" })
				case File:
					if err := (&filePlace{dir: s.dir}).set("unseen", []byte("3")); err != nil {
						t.Fatal(err)
					}
				}
				s.Use(test.to)
				s.finds(t, "a", "1")
				s.finds(t, "b", "2")
				synctest.Wait()
				s.hasProblem(t, "", 0)
				s.fake.has(t, test.keyring)
				_, err := os.Lstat(filepath.Join(s.dir, fileName))
				if (err == nil) != test.file {
					t.Errorf("looking at the file: %v; want one: %v", err, test.file)
				}
				s.finds(t, "a", "1")
				s.Use(test.from)
				synctest.Wait()
				s.finds(t, "a", "1")
			})
		})
	}
}

// Of two processes that move to a file, the second leaves alone what is there: its copy may be older.
func TestUseKeepsWhatIsNewer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Keyring)
		s.sets(t, "a", "1", nil)
		if err := (&filePlace{dir: s.dir}).set("a", []byte("2")); err != nil {
			t.Fatal(err)
		}
		s.Use(File)
		s.sets(t, "b", "3", nil) // after the move
		s.finds(t, "a", "2")
	})
}

// A file that is found at the start moves into the keyring, whatever the keyring had.
func TestOpenMovesTheFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, fake := privateDir(t), newFake()
		if err := (&filePlace{dir: dir}).set("a", []byte("newer")); err != nil {
			t.Fatal(err)
		}
		fake.secrets["a"] = "older"
		s := &stand{fake: fake, dir: dir, Store: open(Options{Place: Keyring, Dir: dir}, fake)}
		s.finds(t, "a", "newer")
		fake.has(t, map[string]string{"a": "newer"})
		if s.disk.exists() {
			t.Error("the file is still there")
		}
	})
}

// While the keyring does not answer, the file stays, and Problem says so.
func TestMoveWaitsForTheKeyring(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, File)
		s.sets(t, "a", "1", nil)
		s.fake.with(func() { s.fake.failure = keyringLocked })
		s.Use(Keyring)
		synctest.Wait()
		s.hasProblem(t, "credentials.json, and new ones are forgotten when the daemon ends, because the keyring is locked; unlock it", 1)
		s.finds(t, "a", "1")
		if !s.disk.exists() {
			t.Error("the file is gone, though nothing else has the secrets")
		}
		s.sets(t, "a", "2", ErrMemoryOnly)
		s.fake.with(func() { s.fake.failure = nil })
		time.Sleep(retryMost)
		synctest.Wait()
		s.fake.has(t, map[string]string{"a": "2"})
		if s.disk.exists() {
			t.Error("the file is still there")
		}
		s.hasProblem(t, "", 2)
	})
}

// A file that somebody has changed since it was read is read again before it is deleted.
func TestMovedFileChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Keyring)
		synctest.Wait()
		other := &filePlace{dir: s.dir}
		if err := other.set("a", []byte("1")); err != nil {
			t.Fatal(err)
		}
		s.adopt(s.keyring)
		if err := other.set("b", []byte("2")); err != nil {
			t.Fatal(err)
		}
		s.disown(s.keyring)
		if !s.disk.exists() {
			t.Error("the file is gone, and with it what nobody has read")
		}
		time.Sleep(retryMost)
		synctest.Wait()
		s.fake.has(t, map[string]string{"a": "1", "b": "2"})
		if s.disk.exists() {
			t.Error("the file is still there")
		}
		s.hasProblem(t, "", 0)
	})
}

// A file that cannot be moved is named, with what to do, and the keyring is used all the same.
func TestFileCannotMove(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Keyring)
		synctest.Wait()
		path := filepath.Join(s.dir, fileName)
		if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.sets(t, "a", "1", nil)
		s.hasProblem(t, "credentials stay in clear, because the file "+path+" is damaged; repair or delete it", 1)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		s.finds(t, "a", "1")
		s.hasProblem(t, "", 2)
	})
}

// A keyring that hangs does not keep a file from being used instead.
func TestUseWhileItHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, Keyring)
		gate := make(chan struct{})
		s.fake.gate = gate
		s.sets(t, "a", "1", ErrMemoryOnly)
		synctest.Wait()
		s.Use(File)
		s.sets(t, "b", "2", nil)
		s.finds(t, "a", "1")
		s.hasProblem(t, "", 2)
		s.Use(Keyring)
		s.sets(t, "c", "3", ErrMemoryOnly)
		synctest.Wait()
		if s.fake.working != 1 {
			t.Errorf("%d operations wait, want one", s.fake.working)
		}
		s.fake.with(func() { s.fake.gate = nil })
		close(gate)
		synctest.Wait()
		s.fake.has(t, map[string]string{"a": "1", "b": "2", "c": "3"})
		if s.disk.exists() {
			t.Error("the file is still there")
		}
		s.hasProblem(t, "", 4)
	})
}
