package secrets

import (
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/mcp-editord/mcp-editord/test/testkit/keyringtest"
)

const (
	collectionPath = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	promptPath     = dbus.ObjectPath("/org/freedesktop/secrets/prompt/1")
)

// A fakeService is a Secret Service that the test has in its hand: one that is locked and has a
// window to ask a person, or that does not answer.
type fakeService struct {
	conn *dbus.Conn

	mu      sync.Mutex
	locked  bool
	items   map[dbus.ObjectPath]fakeItem
	prompts int           // windows that were shown
	unlocks int           // calls of Unlock
	hang    chan struct{} // Unlock waits until it is closed; nil: it answers
	shown   chan struct{} // has one for each window
}

type fakeItem struct {
	attributes map[string]string
	value      []byte
}

// A dbusSecret is org.freedesktop.Secret.Secret.
type dbusSecret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// startService puts a fake service on a bus.
func startService(t *testing.T, b *keyringtest.Bus, locked bool, hang chan struct{}) *fakeService {
	t.Helper()
	conn, err := dbus.Connect(b.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	f := &fakeService{conn: conn, locked: locked, hang: hang, items: map[dbus.ObjectPath]fakeItem{}, shown: make(chan struct{}, 10)}
	export := func(path dbus.ObjectPath, iface string, methods map[string]any) {
		if err := conn.ExportMethodTable(methods, path, iface); err != nil {
			t.Fatal(err)
		}
	}
	const secret = "org.freedesktop.Secret."
	export("/org/freedesktop/secrets", secret+"Service", map[string]any{"OpenSession": f.openSession, "Unlock": f.unlock})
	export("/org/freedesktop/secrets", "org.freedesktop.DBus.Properties", map[string]any{"Get": f.property})
	export("/org/freedesktop/secrets/session", secret+"Session", map[string]any{"Close": func() *dbus.Error { return nil }})
	export(collectionPath, secret+"Collection", map[string]any{"SearchItems": f.search, "CreateItem": f.create})
	export(collectionPath, "org.freedesktop.DBus.Properties", map[string]any{"Get": f.property})
	export(promptPath, secret+"Prompt", map[string]any{"Prompt": f.prompt})
	if _, err := conn.RequestName("org.freedesktop.secrets", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fakeService) with(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fakeService) openSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	return dbus.MakeVariant(""), "/org/freedesktop/secrets/session", nil
}

func (f *fakeService) property(_, name string) (dbus.Variant, *dbus.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if name == "Collections" {
		return dbus.MakeVariant([]dbus.ObjectPath{collectionPath}), nil
	}
	return dbus.MakeVariant(f.locked), nil
}

func (f *fakeService) unlock(paths []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	f.mu.Lock()
	f.unlocks++
	hang, locked := f.hang, f.locked
	f.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if locked {
		return []dbus.ObjectPath{}, promptPath, nil
	}
	return paths, "/", nil
}

// prompt shows the window; answer says what the person does.
func (f *fakeService) prompt(string) *dbus.Error {
	f.with(func() { f.prompts++ })
	f.shown <- struct{}{}
	return nil
}

// answer ends the window: the person types the password, or closes it.
func (f *fakeService) answer(t *testing.T, unlock bool) {
	t.Helper()
	unlocked := []dbus.ObjectPath{}
	if unlock {
		f.with(func() { f.locked = false })
		unlocked = append(unlocked, collectionPath)
	}
	if err := f.conn.Emit(promptPath, "org.freedesktop.Secret.Prompt.Completed", !unlock, dbus.MakeVariant(unlocked)); err != nil {
		t.Fatal(err)
	}
}

func (f *fakeService) search(attributes map[string]string) ([]dbus.ObjectPath, *dbus.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := []dbus.ObjectPath{}
	for path, item := range f.items {
		if item.attributes["username"] == attributes["username"] {
			found = append(found, path)
		}
	}
	return found, nil
}

func (f *fakeService) create(properties map[string]dbus.Variant, secret dbusSecret, _ bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	attributes := properties["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
	path := collectionPath + dbus.ObjectPath("/"+strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, attributes["username"]))
	f.with(func() { f.items[path] = fakeItem{attributes, secret.Value} })
	err := f.conn.ExportMethodTable(map[string]any{"GetSecret": func(session dbus.ObjectPath) (dbusSecret, *dbus.Error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return dbusSecret{session, []byte{}, f.items[path].value, "text/plain"}, nil
	}}, path, "org.freedesktop.Secret.Item")
	if err != nil {
		return "", "", dbus.MakeFailedError(err)
	}
	return path, "/", nil
}

// has fails the test unless the service has a value.
func (f *fakeService) has(t *testing.T, name, want string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, item := range f.items {
		if item.attributes["username"] == name {
			if string(item.value) != want {
				t.Errorf("the keyring has %q, want %q", item.value, want)
			}
			return
		}
	}
	t.Errorf("the keyring has no %q", name)
}

// A keyring that does not answer, and then does.
func TestSlowKeyring(t *testing.T) {
	t.Parallel()
	b := keyringtest.StartBus(t)
	hang := make(chan struct{})
	f := startService(t, b, false, hang)
	c := start(t, childSpec{Dir: privateDir(t), Place: Keyring}, b.Env()...)
	r := c.set(t, "a", "1", "memory only")
	if want := "because the keyring does not answer; unlock it"; !strings.Contains(r.Error, want) || !strings.Contains(r.Problem, want) {
		t.Errorf("the error is %q and the problem %q, want %q in both", r.Error, r.Problem, want)
	}
	if r.Took < patience {
		t.Errorf("it waited %v, want %v", r.Took, patience)
	}
	for range 20 {
		c.finds(t, "a", "1")
		c.lacks(t, "b", "unavailable")
		c.set(t, "c", "2", "memory only")
	}
	f.with(func() {
		if f.unlocks != 1 {
			t.Errorf("%d operations wait for the keyring, want one", f.unlocks)
		}
		f.hang = nil
	})
	close(hang)
	c.awaits(t, "")
	f.has(t, "a", "=1")
	f.has(t, "c", "=2")
	c.lacks(t, "b", "not found")
}

// A keyring that asks a person, who takes their time.
func TestPromptAnswered(t *testing.T) {
	t.Parallel()
	b := keyringtest.StartBus(t)
	f := startService(t, b, true, nil)
	c := start(t, childSpec{Dir: privateDir(t), Place: Keyring}, b.Env()...)
	c.set(t, "a", "1", "memory only")
	c.set(t, "b", "2", "memory only")
	c.lacks(t, "c", "unavailable")
	<-f.shown
	f.answer(t, true)
	c.awaits(t, "")
	f.has(t, "a", "=1")
	f.has(t, "b", "=2")
	f.with(func() {
		if f.prompts != 1 {
			t.Errorf("%d windows were shown, want one", f.prompts)
		}
	})
}

// A person who closes the window is not asked again, and what they unlock otherwise is used.
func TestPromptDismissed(t *testing.T) {
	t.Parallel()
	b := keyringtest.StartBus(t)
	f := startService(t, b, true, nil)
	c := start(t, childSpec{Dir: privateDir(t), Place: Keyring, Patient: true}, b.Env()...)
	if err := c.in.Encode(request{Do: "set", Name: "a", Value: []byte("1")}); err != nil {
		t.Fatal(err)
	}
	<-f.shown
	f.answer(t, false)
	var r reply
	if err := c.out.Decode(&r); err != nil || r.Kind != "memory only" || !strings.Contains(r.Problem, "because the keyring is locked; unlock it") {
		t.Fatalf("setting a value: %v, %+v", err, r)
	}
	for range 5 {
		c.lacks(t, "b", "unavailable")
		c.set(t, "a", "2", "memory only")
	}
	f.with(func() {
		if f.prompts != 1 {
			t.Errorf("%d windows were shown, want one", f.prompts)
		}
		f.locked = false
	})
	c.lacks(t, "b", "not found")
	f.has(t, "a", "=2")
}

// The bus ends while a person is asked.
func TestBusEndsDuringPrompt(t *testing.T) {
	t.Parallel()
	b := keyringtest.StartBus(t)
	f := startService(t, b, true, nil)
	c := start(t, childSpec{Dir: privateDir(t), Place: Keyring, Patient: true}, b.Env()...)
	if err := c.in.Encode(request{Do: "set", Name: "a", Value: []byte("1")}); err != nil {
		t.Fatal(err)
	}
	<-f.shown
	b.StopBus(t)
	var r reply
	if err := c.out.Decode(&r); err != nil || r.Kind != "memory only" || !strings.Contains(r.Problem, "because there is no D-Bus session") {
		t.Fatalf("setting a value: %v, %+v", err, r)
	}
	c.finds(t, "a", "1")
}

// The keyring ends while it asks a person, and another one comes.
func TestKeyringEndsDuringPrompt(t *testing.T) {
	t.Parallel()
	b := keyringtest.StartBus(t)
	f := startService(t, b, true, nil)
	c := start(t, childSpec{Dir: privateDir(t), Place: Keyring}, b.Env()...)
	c.set(t, "a", "1", "memory only")
	<-f.shown
	if err := f.conn.Close(); err != nil {
		t.Fatal(err)
	}
	f = startService(t, b, false, nil)
	c.awaits(t, "")
	f.has(t, "a", "=1")
}
