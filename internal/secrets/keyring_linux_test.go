package secrets

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/keyringtest"
)

// What is kept is there for the next process, and gone when it is deleted.
func TestRealKeyring(t *testing.T) {
	t.Parallel()
	k := keyringtest.Start(t)
	spec := childSpec{Dir: privateDir(t), Place: Keyring, Patient: true}
	c := start(t, spec, k.Env()...)
	c.lacks(t, somebody, "not found")
	c.set(t, somebody, "1", "")
	c.set(t, "Ünicode\n", "2", "")
	c.set(t, "empty", "", "")
	c.set(t, "binary", string(value(t, 500)), "")
	big := string(value(t, maxValue))
	c.set(t, "big", big, "")
	c.set(t, somebody, "one", "")
	c.stop(t)

	c = start(t, spec, k.Env()...)
	c.finds(t, somebody, "one")
	c.finds(t, "Ünicode\n", "2")
	c.finds(t, "empty", "")
	c.finds(t, "big", big)
	for _, name := range []string{"big", "binary", "empty", "Ünicode\n", "not there"} {
		if r := c.ask(t, request{Do: "delete", Name: name}); r.Kind != "" || r.Problem != "" {
			t.Errorf("deleting %q: %s; the problem is %q", name, r.Error, r.Problem)
		}
	}
	c.lacks(t, "big", "not found")
	if got, want := k.Secrets(t), map[string]string{somebody: "=one"}; !maps.Equal(got, want) {
		t.Errorf("the keyring has %q, want %q", got, want)
	}
}

// A value that is larger than an entry on macOS and Windows.
func TestRealKeyringSplits(t *testing.T) {
	t.Parallel()
	k := keyringtest.Start(t)
	spec := childSpec{Dir: privateDir(t), Place: Keyring, Part: 2048, Patient: true}
	big := strings.Repeat("0123456789", 1024)
	c := start(t, spec, k.Env()...)
	c.set(t, somebody, big, "")
	c.stop(t)
	if n := len(k.Secrets(t)); n != 6 {
		t.Errorf("%d bytes are in %d entries, want 6", len(big), n)
	}
	c = start(t, spec, k.Env()...)
	c.finds(t, somebody, big)
	c.set(t, somebody, "small", "")
	if got, want := k.Secrets(t), map[string]string{somebody: "=small"}; !maps.Equal(got, want) {
		t.Errorf("the keyring has %q, want %q", got, want)
	}
}

// A process that is killed while it replaces a value in several entries.
func TestRealKeyringKilled(t *testing.T) {
	t.Parallel()
	k := keyringtest.Start(t)
	spec := childSpec{Dir: privateDir(t), Place: Keyring, Part: 2048, Patient: true}
	old, fresh := strings.Repeat("old ", 2000), strings.Repeat("new ", 2000)
	c := start(t, spec, k.Env()...)
	c.set(t, somebody, old, "")
	for step := 1; step <= 8; step++ { // 4 parts, the head, 3 of the 4 old parts
		killed := spec
		killed.Kill = step
		victim := start(t, killed, k.Env()...)
		if err := victim.in.Encode(request{Do: "set", Name: somebody, Value: []byte(fresh)}); err != nil {
			t.Fatal(err)
		}
		if err := victim.cmd.Wait(); err == nil || victim.cmd.ProcessState.Success() {
			t.Fatalf("the process ended by itself: %v", err)
		}
		if r := c.ask(t, request{Do: "get", Name: somebody}); r.Kind != "" || string(r.Value) != old && string(r.Value) != fresh {
			t.Errorf("killed before change %d: read %d bytes, %s", step, len(r.Value), r.Error)
		} else if isNew := string(r.Value) == fresh; isNew != (step > 5) {
			t.Errorf("killed before change %d: the new value is there: %v", step, isNew)
		}
		c.set(t, somebody, old, "")
		if n := len(k.Secrets(t)); n != 5 {
			t.Errorf("killed before change %d: the next write leaves %d entries, want 5", step, n)
		}
	}
}

// Two processes that change one secret, each under its lock: nothing is lost.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	for _, p := range []Place{Keyring, File} {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			var env []string
			if p == Keyring {
				env = keyringtest.Start(t).Env()
			}
			spec := childSpec{Dir: privateDir(t), Place: p, Patient: true}
			a, b := start(t, spec, env...), start(t, spec, env...)
			add := request{Do: "add", Name: "n", Times: 25}
			for _, c := range []*child{a, b} {
				if err := c.in.Encode(add); err != nil {
					t.Fatal(err)
				}
			}
			for _, c := range []*child{a, b} {
				var r reply
				if err := c.out.Decode(&r); err != nil || r.Kind != "" {
					t.Fatalf("adding: %v, %s", err, r.Error)
				}
			}
			a.finds(t, "n", "50")
			b.finds(t, "n", "50")
		})
	}
}

// A keyring that is locked, with nobody who could be asked.
func TestLockedKeyring(t *testing.T) {
	t.Parallel()
	k := keyringtest.Start(t)
	spec := childSpec{Dir: privateDir(t), Place: Keyring, Patient: true}
	c := start(t, spec, k.Env()...)
	c.set(t, "seen", "1", "")
	c.set(t, "unseen", "2", "")
	c.stop(t)
	c = start(t, spec, k.Env()...)
	c.finds(t, "seen", "1")
	k.Lock(t)
	r := c.lacks(t, "unseen", "unavailable")
	want := `the credential "unseen" cannot be read, because the keyring is locked; unlock it, or set "credentials": "file"`
	if r.Error != want || r.None {
		t.Errorf("the error is %q, want %q; is it ErrNoKeyring: %v", r.Error, want, r.None)
	}
	c.finds(t, "seen", "1") // a copy
	c.set(t, "new", "3", "memory only")
	c.finds(t, "new", "3")
	c.awaits(t, `because the keyring is locked; unlock it, or set "credentials": "file"`)

	k.Unlock(t)
	c.awaits(t, "") // nobody calls
	c.finds(t, "unseen", "2")
	if got := k.Secrets(t)["new"]; got != "=3" {
		t.Errorf("the keyring has %q, want what was set while it was locked", got)
	}
}

// A keyring that ends and comes back.
func TestKeyringRestarts(t *testing.T) {
	t.Parallel()
	k := keyringtest.Start(t)
	c := start(t, childSpec{Dir: privateDir(t), Place: Keyring, Patient: true}, k.Env()...)
	c.set(t, "a", "1", "")
	k.Stop(t)
	r := c.set(t, "a", "2", "memory only")
	if !strings.Contains(r.Error, "because no keyring answers; install one") || !r.None {
		t.Errorf("the error is %q; is it ErrNoKeyring: %v", r.Error, r.None)
	}
	c.finds(t, "a", "2")
	k.Restart(t)
	c.awaits(t, "")
	c.finds(t, "a", "2")
	if got := k.Secrets(t)["a"]; got != "=2" {
		t.Errorf("the keyring has %q", got)
	}
}

// Without a keyring everything works until the process ends, and no bus is started.
func TestNoKeyring(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		env  func(t *testing.T) []string
		want string
	}{
		"no address": {func(t *testing.T) []string { return nil }, "because there is no D-Bus session, and so no keyring; start the daemon"},
		"autolaunch": {func(t *testing.T) []string { return []string{busAddress + "=autolaunch:"} }, "because there is no D-Bus session"},
		"disabled":   {func(t *testing.T) []string { return []string{busAddress + "=disabled:"} }, "because there is no D-Bus session"},
		"no socket":  {func(t *testing.T) []string { return []string{busAddress + "=unix:path=/nonexistent/bus"} }, "because there is no D-Bus session"},
		"no keyring": {func(t *testing.T) []string { return keyringtest.StartBus(t).Env() }, "because no keyring answers; install one"},
		"bus ended": {func(t *testing.T) []string {
			b := keyringtest.StartBus(t)
			b.StopBus(t)
			return b.Env()
		}, "because there is no D-Bus session"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := privateDir(t)
			started := filepath.Join(dir, "started")
			if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
				t.Fatal(err)
			}
			script := "#!/bin/sh\n: >" + started + "\nexit 1\n"
			if err := os.WriteFile(filepath.Join(dir, "bin", "dbus-launch"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			c := start(t, childSpec{Dir: dir, Place: Keyring, NoBus: true, Patient: true}, test.env(t)...)
			if r := c.lacks(t, "a", "unavailable"); !r.None {
				t.Errorf("the error %q is not ErrNoKeyring", r.Error)
			}
			r := c.set(t, "a", "1", "memory only")
			if !r.None {
				t.Errorf("the error %q is not ErrNoKeyring", r.Error)
			}
			if !strings.Contains(r.Problem, test.want) || !strings.Contains(r.Error, test.want) {
				t.Errorf("the problem is %q and the error %q, want %q in both", r.Problem, r.Error, test.want)
			}
			c.finds(t, "a", "1")
			c.ask(t, request{Do: "use", Value: []byte(File)})
			if r := c.set(t, "b", "2", ""); r.Problem != "" {
				t.Errorf("with a file the problem is %q", r.Problem)
			}
			c.lacks(t, "a", "not found")
			if _, err := os.Stat(started); err == nil {
				t.Error("dbus-launch was run")
			}
		})
	}
}
