package secrets

import (
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/mcp-editord/mcp-editord/test/testkit/keyringtest"
)

const (
	collectionPath = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	promptPath     = dbus.ObjectPath("/org/freedesktop/secrets/prompt/1")
)

// A fakeService is a Secret Service that the test has in its hand: one that may be locked, with a
// window to ask a person.
type fakeService struct {
	conn *dbus.Conn

	mu      sync.Mutex
	locked  bool
	values  map[string]string // of items, by their names
	prompts int               // windows that were shown
	shown   chan struct{}     // has one for each window
}

// A dbusSecret is org.freedesktop.Secret.Secret.
type dbusSecret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// startService puts a fake service on a bus.
func startService(t *testing.T, b *keyringtest.Bus, locked bool) *fakeService {
	t.Helper()
	conn, err := dbus.Connect(b.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	f := &fakeService{conn: conn, locked: locked, values: map[string]string{}, shown: make(chan struct{}, 10)}
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
	defer f.mu.Unlock()
	if f.locked {
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
	name := attributes["username"]
	if _, ok := f.values[name]; ok {
		return []dbus.ObjectPath{itemPath(name)}, nil
	}
	return []dbus.ObjectPath{}, nil
}

// itemPath returns the path of an item; its name is a word.
func itemPath(name string) dbus.ObjectPath { return collectionPath + "/" + dbus.ObjectPath(name) }

func (f *fakeService) create(properties map[string]dbus.Variant, secret dbusSecret, _ bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := properties["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)["username"]
	f.values[name] = string(secret.Value)
	path := itemPath(name)
	err := f.conn.ExportMethodTable(map[string]any{"GetSecret": func(session dbus.ObjectPath) (dbusSecret, *dbus.Error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return dbusSecret{session, []byte{}, []byte(f.values[name]), "text/plain"}, nil
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
	if got := f.values[name]; got != want {
		t.Errorf("the keyring has %q, want %q", got, want)
	}
}

// asked returns a Store whose locked keyring asks a person, because somebody has set "a". Wait for set when
// that is over: it is kept in memory only.
func asked(t *testing.T, patience time.Duration) (b *keyringtest.Bus, f *fakeService, s *stand, set *sync.WaitGroup) {
	t.Helper()
	b = keyringtest.StartBus(t)
	f = startService(t, b, true)
	s = onBus(t, b)
	s.waits(patience)
	set = &sync.WaitGroup{}
	set.Go(func() { s.sets(t, "a", "1", errTrouble) })
	<-f.shown
	return b, f, s, set
}

// What is set while a person is asked is kept when they have answered, and they are asked once.
func TestPromptAnswered(t *testing.T) {
	b := keyringtest.StartBus(t)
	f := startService(t, b, true)
	s := onBus(t, b)
	var all sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		all.Go(func() { s.sets(t, name, "1", nil) })
	}
	<-f.shown
	f.answer(t, true)
	all.Wait()
	f.has(t, "a", "=1")
	f.has(t, "b", "=1")
	if f.prompts != 1 {
		t.Errorf("%d windows were shown, want one", f.prompts)
	}
}

// A person who closes the window is not asked again, and what they unlock otherwise is used.
func TestPromptDismissed(t *testing.T) {
	_, f, s, set := asked(t, time.Minute)
	f.answer(t, false)
	set.Wait()
	for range 5 {
		s.sets(t, "a", "2", errTrouble)
		s.lacks(t, "b", errTrouble)
		s.awaits(t, "because the keyring is locked; unlock it")
	}
	f.with(func() {
		if f.prompts != 1 {
			t.Errorf("%d windows were shown, want one", f.prompts)
		}
		f.locked = false
	})
	s.lacks(t, "b", ErrNotFound)
	f.has(t, "a", "=2")
}

// The bus ends while a person is asked.
func TestBusEndsDuringPrompt(t *testing.T) {
	b, _, s, set := asked(t, time.Minute)
	b.StopBus(t)
	set.Wait()
	s.awaits(t, "because there is no D-Bus session")
	s.finds(t, "a", "1")
}

// The keyring ends while it asks a person, and another one comes.
func TestKeyringEndsDuringPrompt(t *testing.T) {
	b, f, s, set := asked(t, 100*time.Millisecond)
	set.Wait()
	if err := f.conn.Close(); err != nil {
		t.Fatal(err)
	}
	f = startService(t, b, false)
	s.awaits(t, "")
	f.has(t, "a", "=1")
}
