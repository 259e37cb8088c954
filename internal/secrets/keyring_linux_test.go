package secrets

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/mcp-editord/mcp-editord/test/testkit/keyringtest"
)

const busAddress = "DBUS_SESSION_BUS_ADDRESS"

// onBus returns a Store with the keyring of a bus. The library has one connection for the process, to the
// bus in the environment: these tests are not parallel.
func onBus(t *testing.T, b *keyringtest.Bus) *stand {
	t.Helper()
	t.Setenv(busAddress, b.Address)
	t.Cleanup(func() {
		if conn, err := dbus.SessionBus(); err == nil {
			_ = conn.Close()
		}
	})
	return another(t, privateDir(t))
}

// another returns a Store with the keyring of the environment, like another process.
func another(t *testing.T, dir string) *stand {
	t.Helper()
	s := &stand{dir: dir, told: make(chan struct{}, 1)}
	s.Store = Open(Options{Place: Keyring, Dir: dir, Changed: func() {
		select {
		case s.told <- struct{}{}:
		default:
		}
	}})
	s.waits(time.Minute)                                // however slow the machine is
	t.Cleanup(func() { s.keepers[Keyring].use(false) }) // which asks no keyring of another test
	return s
}

// waits sets when the keyring is late.
func (s *stand) waits(d time.Duration) {
	k := s.keepers[Keyring]
	k.mu.Lock()
	defer k.mu.Unlock()
	k.patience = d
}

// awaits waits until Problem has a text, or is over.
func (s *stand) awaits(t *testing.T, text string) {
	t.Helper()
	for got := s.Problem(); (text == "") != (got == "") || !strings.Contains(got, text); got = s.Problem() {
		<-s.told
	}
}

// What is kept is there for the next process, in one entry each, and gone when it is deleted.
func TestRealKeyring(t *testing.T) {
	k := keyringtest.Start(t)
	s := onBus(t, k.Bus)
	s.lacks(t, somebody, ErrNotFound)
	values := map[string]string{
		somebody: "one", "\u00dcnicode\n": "2", "empty": "",
		"binary": string(value(t, 500)), "big": string(value(t, maxValue)),
	}
	s.sets(t, somebody, "1", nil)
	for name, text := range values {
		s.sets(t, name, text, nil)
	}
	if n := len(k.Secrets(t)); n != len(values) {
		t.Errorf("there are %d entries, want %d", n, len(values))
	}
	s = another(t, s.dir)
	for name, text := range values {
		s.finds(t, name, text)
	}
	for name := range values {
		if err := s.Delete(t.Context(), name); name != somebody && err != nil {
			t.Errorf("deleting %q: %v", name, err)
		}
	}
	s.sets(t, somebody, "small", nil)
	s.lacks(t, "big", ErrNotFound)
	if got, want := k.Secrets(t), map[string]string{somebody: "=small"}; !maps.Equal(got, want) {
		t.Errorf("the keyring has %q, want %q", got, want)
	}
	s.awaits(t, "")
}

// Without a keyring everything works until the process ends, and no bus is started.
func TestNoKeyring(t *testing.T) {
	const noSession = "because there is no D-Bus session, and so no keyring; start the daemon"
	for address, want := range map[string]string{
		"":                            noSession,
		"autolaunch:":                 noSession,
		"disabled:":                   noSession,
		"unix:path=/nonexistent/bus":  noSession,
		"a bus without a keyring":     "because no keyring answers; install one",
		"a bus that is not there now": noSession,
	} {
		t.Run(address, func(t *testing.T) {
			own := fmt.Sprintf("/run/user/%d", os.Getuid())
			if _, err := os.Stat(own); err == nil && (address == "" || address == "autolaunch:") {
				t.Skipf("NOT TESTED: there may be a bus in %s", own)
			}
			dir := privateDir(t)
			started := filepath.Join(dir, "started")
			script := "#!/bin/sh\n: >" + started + "\nexit 1\n"
			if err := os.WriteFile(filepath.Join(dir, "dbus-launch"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir)
			t.Setenv(busAddress, address)
			var s *stand
			if strings.HasPrefix(address, "a bus") {
				b := keyringtest.StartBus(t)
				s = onBus(t, b)
				if want == noSession {
					b.StopBus(t)
				}
			} else {
				s = another(t, dir)
			}
			s.lacks(t, "a", ErrNoKeyring)
			err := s.Set(t.Context(), "a", []byte("1"))
			if !isTrouble(err) || !errors.Is(err, ErrNoKeyring) || !strings.Contains(err.Error(), want) || !strings.Contains(s.Problem(), want) {
				t.Errorf("the error is %v and the problem %q, want %q in both", err, s.Problem(), want)
			}
			s.finds(t, "a", "1")
			s.Use(File)
			s.sets(t, "b", "2", nil)
			s.lacks(t, "a", ErrNotFound)
			s.awaits(t, "")
			if _, err := os.Stat(started); err == nil {
				t.Error("dbus-launch was run")
			}
		})
	}
}
