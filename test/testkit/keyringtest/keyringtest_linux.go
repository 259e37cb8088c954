package keyringtest

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// within bounds how long a daemon takes to start or to answer, so that a test fails with what the
// daemon said.
const within = 30 * time.Second

const (
	serviceName = "org.freedesktop.secrets"
	servicePath = dbus.ObjectPath("/org/freedesktop/secrets")
	login       = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	password    = "a password"
)

// A Bus is a session bus that only this test uses. It starts no programs.
type Bus struct {
	Address string // for DBUS_SESSION_BUS_ADDRESS
	Conn    *dbus.Conn
	dir     string
	tools   string
	daemon  *exec.Cmd
}

// A Keyring is a bus with a gnome-keyring on it. The keyring has one collection, which is unlocked
// at the start. There is nobody who could be asked to unlock it: asking fails at once.
type Keyring struct{ *Bus }

// installed returns the folder of the programs. Where they are not installed, it skips the test, or
// fails it if MCP_EDITORD_TEST_KEYRING names a folder, as `make test` does.
func installed(t testing.TB) string {
	t.Helper()
	tools := os.Getenv("MCP_EDITORD_TEST_KEYRING")
	demanded := tools != ""
	if !demanded {
		_, here, _, _ := runtime.Caller(0)
		tools = filepath.Join(filepath.Dir(here), "..", "..", "..", ".tools", "keyring")
	}
	if _, err := os.Stat(filepath.Join(tools, ".stamp")); err != nil {
		if demanded {
			t.Fatalf("no keyring is installed in %s (%v); run make keyring", tools, err)
		}
		t.Skip("NOT TESTED: there is no .tools/keyring; run make keyring")
	}
	return tools
}

// StartBus starts a bus that has no keyring. The test ends it.
func StartBus(t testing.TB) *Bus {
	t.Helper()
	b := &Bus{tools: installed(t)}
	// The paths of sockets are short; that of a test need not be.
	dir, err := os.MkdirTemp("", "keyringtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b.dir = dir
	b.daemon = exec.Command(filepath.Join(b.tools, "bin", "dbus-daemon"), "--nofork", "--nopidfile", "--print-address=1",
		"--config-file="+filepath.Join(b.tools, "session.conf"), "--address=unix:path="+filepath.Join(dir, "bus"))
	b.Address = start(t, b.daemon, b.environment(), "", "unix:")
	b.Conn, err = dbus.Connect(b.Address)
	if err != nil {
		t.Fatalf("connecting to the bus: %v", err)
	}
	t.Cleanup(func() { _ = b.Conn.Close() })
	return b
}

// Start starts a bus with a keyring on it. The test ends both.
func Start(t testing.TB) *Keyring {
	t.Helper()
	k := &Keyring{Bus: StartBus(t)}
	owners := make(chan *dbus.Signal, 10)
	k.Conn.Signal(owners)
	defer k.Conn.RemoveSignal(owners)
	if err := k.Conn.AddMatchSignal(dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, serviceName)); err != nil {
		t.Fatalf("listening to the bus: %v", err)
	}
	daemon := exec.Command(filepath.Join(k.tools, "bin", "gnome-keyring-daemon"), "--foreground", "--unlock", "--components=secrets",
		"--control-directory="+filepath.Join(k.dir, "control"))
	start(t, daemon, k.environment(), password, "GNOME_KEYRING_CONTROL=")
	timeout := time.After(within)
	for {
		select {
		case signal := <-owners:
			if len(signal.Body) == 3 && signal.Body[0] == serviceName && signal.Body[2] != "" {
				return k
			}
		case <-timeout:
			t.Fatal("the keyring does not come to the bus")
		}
	}
}

// Env returns the variable that has a program use the bus.
func (b *Bus) Env() []string { return []string{"DBUS_SESSION_BUS_ADDRESS=" + b.Address} }

// Lock locks the keyring.
func (k *Keyring) Lock(t testing.TB) {
	t.Helper()
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	service := k.Conn.Object(serviceName, servicePath)
	err := service.Call("org.freedesktop.Secret.Service.Lock", 0, []dbus.ObjectPath{login}).Store(&locked, &prompt)
	if err != nil || len(locked) != 1 {
		t.Fatalf("locking the keyring: locked %v, %v", locked, err)
	}
}

// secret is a secret on the bus.
type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// session opens a session, in which secrets are as they are.
func (k *Keyring) session(t testing.TB) (session dbus.ObjectPath) {
	t.Helper()
	var ignored dbus.Variant
	service := k.Conn.Object(serviceName, servicePath)
	if err := service.Call("org.freedesktop.Secret.Service.OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&ignored, &session); err != nil {
		t.Fatalf("asking the keyring: %v", err)
	}
	return session
}

// Unlock unlocks the keyring, as a person does.
func (k *Keyring) Unlock(t testing.TB) {
	t.Helper()
	const unlock = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.UnlockWithMasterPassword"
	with := secret{k.session(t), []byte{}, []byte(password), "text/plain"}
	if err := k.Conn.Object(serviceName, servicePath).Call(unlock, 0, login, with).Err; err != nil {
		t.Fatalf("unlocking the keyring: %v", err)
	}
}

// Secrets returns what the keyring has, by the attribute username.
func (k *Keyring) Secrets(t testing.TB) map[string]string {
	t.Helper()
	session := k.session(t)
	items, err := k.Conn.Object(serviceName, login).GetProperty("org.freedesktop.Secret.Collection.Items")
	if err != nil {
		t.Fatalf("reading the keyring: %v", err)
	}
	found := map[string]string{}
	for _, path := range items.Value().([]dbus.ObjectPath) {
		item := k.Conn.Object(serviceName, path)
		var kept secret
		attributes, err := item.GetProperty("org.freedesktop.Secret.Item.Attributes")
		if err == nil {
			err = item.Call("org.freedesktop.Secret.Item.GetSecret", 0, session).Store(&kept)
		}
		if err != nil {
			t.Fatalf("reading the keyring: %v", err)
		}
		found[attributes.Value().(map[string]string)["username"]] = string(kept.Value)
	}
	return found
}

// StopBus ends the bus.
func (b *Bus) StopBus(t testing.TB) {
	t.Helper()
	stop(b.daemon)
}

func stop(daemon *exec.Cmd) {
	_ = daemon.Process.Kill()
	_ = daemon.Wait() // again, at the end of the test: it says so, and nothing else
}

// environment is what the daemons see: nothing of the user's.
func (b *Bus) environment() []string {
	env := []string{"HOME=" + b.dir, "PATH=/nonexistent"}
	for _, name := range []string{"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		env = append(env, name+"="+filepath.Join(b.dir, strings.ToLower(name)))
	}
	if b.Address != "" {
		env = append(env, b.Env()...)
	}
	return env
}

// start starts a daemon, which the test ends, and returns its first line that begins with prefix.
func start(t testing.TB, daemon *exec.Cmd, env []string, stdin, prefix string) string {
	t.Helper()
	daemon.Env = env
	daemon.Stdin = strings.NewReader(stdin)
	daemon.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it never outlives the test
	var said strings.Builder
	daemon.Stderr = &said
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatalf("starting %s: %v", daemon.Path, err)
	}
	t.Cleanup(func() { stop(daemon) })
	line := make(chan string, 1)
	go func() {
		defer close(line)
		r := bufio.NewReader(out)
		for {
			text, err := r.ReadString('\n')
			if strings.HasPrefix(text, prefix) {
				line <- strings.TrimSpace(text)
				_, _ = io.Copy(io.Discard, r)
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var got string
	select {
	case got = <-line:
	case <-time.After(within):
		err = errors.New("it says nothing")
	}
	if got == "" {
		stop(daemon)
		t.Fatalf("starting %s: %v; it said: %s", daemon.Path, err, said.String())
	}
	return got
}
