package secrets

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// errHeld means that a place cannot be used without asking a person, who was asked a short while ago.
var errHeld = errors.New("a person was asked a short while ago")

// errDamaged means that the place answers, but what it has under a name is not what was kept there.
// errFull means that the place works, but has no room for a value.
var errFull = errors.New("there is no room")

// errNotKept means that a keyring has not kept a value, although it said so.
var errNotKept = errors.New("another value is there")

var errDamaged = errors.New("it is not what was kept")

// A trouble is why a place cannot keep or find secrets, for people.
type trouble struct {
	why   string // follows "because"
	todo  string
	cause error // nil when why says it all
}

func (t *trouble) Error() string { return t.why + "; " + t.todo }

func (t *trouble) Unwrap() error { return t.cause }

// from returns the same trouble with one more cause.
func (t *trouble) from(err error) *trouble {
	return &trouble{why: t.why, todo: t.todo, cause: errors.Join(t.cause, err)}
}

// What to do when there is no keyring, or none that answers.
const (
	unlockIt  = `unlock it, or set "credentials": "file"`
	installIt = `install one such as gnome-keyring, or set "credentials": "file"`
)

var (
	keyringSlow   = &trouble{why: "the keyring does not answer", todo: unlockIt}
	keyringLocked = &trouble{why: "the keyring is locked", todo: unlockIt}
	noKeyring     = &trouble{why: "no keyring answers", todo: installIt, cause: ErrNoKeyring}
	noBus         = &trouble{why: "there is no D-Bus session, and so no keyring", todo: `start the daemon in your desktop session, or set "credentials": "file"`, cause: ErrNoKeyring}
	diskSlow      = &trouble{why: "the disk does not answer", todo: "check the disk of the state directory"}
	errTooMany    = errors.New("memory is full of credentials that are kept nowhere else; delete some")
)

// troubleOf returns why an operation of the line failed.
func (l *line) troubleOf(err error) *trouble {
	var t *trouble
	if errors.As(err, &t) {
		return t
	}
	return &trouble{why: "keeping them failed: " + safetext.Line(err.Error(), 200), todo: "see the log", cause: err}
}

// A failure is an error of a Store for its callers.
type failure struct {
	kind  error // ErrUnavailable or ErrMemoryOnly
	text  string
	cause error
}

func (f *failure) Error() string { return f.text }

func (f *failure) Unwrap() []error { return []error{f.kind, f.cause} }

// current returns the trouble that there is now, nil for none. The caller holds mu.
func (s *Store) current() *trouble {
	if l := s.line(); l != nil && l.isLate() {
		return l.slow
	}
	return s.trouble
}

// problem returns what Problem does. The caller holds mu.
func (s *Store) problem() string {
	t := s.current()
	switch {
	case t != nil && s.adopted != [sha256.Size]byte{}:
		return fmt.Sprintf("credentials stay in clear in %s, and new ones are forgotten when the daemon ends, because %v", s.disk.path(), t)
	case t != nil:
		return fmt.Sprintf("credentials are forgotten when the daemon ends, because %v", t)
	case s.stray != nil:
		return fmt.Sprintf("credentials stay in clear, because %v", s.stray)
	}
	return ""
}
