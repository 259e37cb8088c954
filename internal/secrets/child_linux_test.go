package secrets

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The library has one connection for the process, to the bus in the environment. So a test with a
// bus has a child: the test binary itself, with a Store that does what its standard input says.

// childVariable has what a child is to be, in JSON.
const childVariable = "MCP_EDITORD_TEST_SECRETS"

// A childSpec says what a child is.
type childSpec struct {
	Dir     string
	Place   Place
	Part    int  // the bytes that an entry takes; 0: as many as on this system
	NoBus   bool // look for no bus but the one in the environment
	Patient bool // wait for the keyring however slow the machine is
	Kill    int  // kill the child before this change of an entry; 0: do not
}

// A request is what a child does; a reply, what came of it.
type request struct {
	Do    string // get, set, delete, add, use, await
	Name  string
	Value []byte
	Times int // of add
}

type reply struct {
	Value   []byte
	Kind    string // "", "not found", "unavailable", "memory only" or "other"
	Error   string
	None    bool // the error is ErrNoKeyring
	Problem string
	Took    time.Duration
}

func TestMain(m *testing.M) {
	if spec := os.Getenv(childVariable); spec != "" {
		if err := runChild(spec); err != nil {
			_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runChild is what a child does until its standard input ends.
func runChild(text string) error {
	var spec childSpec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		return err
	}
	k := &keyringPlace{ring: systemRing{}, bus: systemBus(), part: partBytes, lock: filepath.Join(spec.Dir, "locks", "keyring.lock")}
	if spec.Part != 0 {
		k.part = spec.Part
	}
	if spec.NoBus {
		k.bus = &sessionBus{}
	}
	if spec.Kill != 0 {
		k.ring = &killingRing{systemRing{}, spec.Kill}
	}
	changed := make(chan struct{}, 1)
	s := open(Options{Dir: spec.Dir, Place: spec.Place, Changed: func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}}, k)
	if spec.Patient {
		s.keyring.mu.Lock()
		s.keyring.wait = time.Minute
		s.keyring.mu.Unlock()
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r request
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		begin := time.Now()
		value, err := s.do(r, changed)
		answer := reply{Value: value, Kind: kindOf(err), None: errors.Is(err, ErrNoKeyring), Problem: s.Problem(), Took: time.Since(begin)}
		if err != nil {
			answer.Error = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
}

// do does what a request says.
func (s *Store) do(r request, changed <-chan struct{}) ([]byte, error) {
	ctx := context.Background()
	switch r.Do {
	case "get":
		return s.Get(ctx, r.Name)
	case "set":
		return nil, s.Set(ctx, r.Name, r.Value)
	case "delete":
		return nil, s.Delete(ctx, r.Name)
	case "use":
		s.Use(Place(r.Value))
		return nil, nil
	case "add":
		for range r.Times {
			if err := s.add(ctx, r.Name); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case "await": // until the problem has a text, or is over
		for want := string(r.Value); !(want == "" && s.Problem() == "" || want != "" && strings.Contains(s.Problem(), want)); {
			<-changed
		}
		return nil, nil
	}
	return nil, errors.New("unknown request " + r.Do)
}

// add adds one to a number under the lock of its name.
func (s *Store) add(ctx context.Context, name string) error {
	unlock, err := s.Lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	value, err := s.Get(ctx, name)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	n, _ := strconv.Atoi(string(value))
	return s.Set(ctx, name, []byte(strconv.Itoa(n+1)))
}

func kindOf(err error) string {
	for kind, is := range map[string]error{"not found": ErrNotFound, "unavailable": ErrUnavailable, "memory only": ErrMemoryOnly} {
		if errors.Is(err, is) {
			return kind
		}
	}
	if err != nil {
		return "other"
	}
	return ""
}

// A killingRing kills its program.
type killingRing struct {
	ring
	changes int
}

func (r *killingRing) Set(entry, text string) error {
	r.count()
	return r.ring.Set(entry, text)
}

func (r *killingRing) Delete(entry string) error {
	r.count()
	return r.ring.Delete(entry)
}

func (r *killingRing) count() {
	if r.changes--; r.changes == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
}

// A child is a process with a Store.
type child struct {
	cmd *exec.Cmd
	in  *json.Encoder
	out *json.Decoder
	end func() error // its standard input
}

// start starts a child, with these variables and no others of the user's that matter.
func start(t *testing.T, spec childSpec, env ...string) *child {
	t.Helper()
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(os.Args[0], "-test.run=^$")}
	c.cmd.Env = append([]string{childVariable + "=" + string(text), "HOME=" + spec.Dir, "PATH=" + filepath.Join(spec.Dir, "bin")}, env...)
	c.cmd.Stderr = os.Stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.in, c.out, c.end = json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out)), in.Close
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	return c
}

// stop ends a child as a program ends that has nothing more to do.
func (c *child) stop(t *testing.T) {
	t.Helper()
	_ = c.end()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the child: %v", err)
	}
}

// ask has a child do something, and returns what came of it.
func (c *child) ask(t *testing.T, r request) reply {
	t.Helper()
	var answer reply
	if err := c.in.Encode(r); err != nil {
		t.Fatalf("asking the child to %s: %v", r.Do, err)
	}
	if err := c.out.Decode(&answer); err != nil {
		t.Fatalf("the child was to %s: %v", r.Do, err)
	}
	return answer
}

func (c *child) set(t *testing.T, name, value, kind string) reply {
	t.Helper()
	r := c.ask(t, request{Do: "set", Name: name, Value: []byte(value)})
	if r.Kind != kind {
		t.Errorf("setting %q: %q (%s), want %q", name, r.Kind, r.Error, kind)
	}
	return r
}

// finds fails the test unless the child has a value.
func (c *child) finds(t *testing.T, name, want string) {
	t.Helper()
	if r := c.ask(t, request{Do: "get", Name: name}); r.Kind != "" || string(r.Value) != want {
		t.Errorf("getting %q: %d bytes, %q (%s); want %d", name, len(r.Value), r.Kind, r.Error, len(want))
	}
}

// lacks fails the test unless the child fails to get a value.
func (c *child) lacks(t *testing.T, name, kind string) reply {
	t.Helper()
	r := c.ask(t, request{Do: "get", Name: name})
	if r.Kind != kind {
		t.Errorf("getting %q: %d bytes, %q (%s); want %q", name, len(r.Value), r.Kind, r.Error, kind)
	}
	return r
}

// awaits waits until the problem of a child has a text, or is over.
func (c *child) awaits(t *testing.T, text string) {
	t.Helper()
	c.ask(t, request{Do: "await", Value: []byte(text)})
}
