package secrets

import (
	"errors"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// A trouble is why a place cannot keep or find secrets, and what to do, for people. It follows "because".
type trouble struct {
	text string
	is   error // ErrNoKeyring, or nil
}

func (t *trouble) Error() string { return t.text }

func (t *trouble) Unwrap() error { return t.is }

// troubleOf returns why an operation failed.
func troubleOf(err error) *trouble {
	if t, ok := errors.AsType[*trouble](err); ok {
		return t
	}
	return &trouble{"the keyring failed: " + safetext.Line(err.Error(), 200) + unlockIt, nil}
}

// What to do when there is no keyring, or none that answers.
const (
	orFile   = `, or set "credentials": "file"`
	unlockIt = "; unlock it" + orFile
)

var (
	keyringSlow   = &trouble{"the keyring does not answer" + unlockIt, nil}
	errDamaged    = &trouble{"it is damaged in the keyring; delete it there, and log in again", nil} // it is not what was kept, though the place works
	keyringLocked = &trouble{"the keyring is locked" + unlockIt, nil}
	noKeyring     = &trouble{"no keyring answers; install one such as gnome-keyring" + orFile, ErrNoKeyring}
	noBus         = &trouble{"there is no D-Bus session, and so no keyring; start the daemon in your desktop session" + orFile, ErrNoKeyring}
	diskSlow      = &trouble{"the disk does not answer; check the disk of the state directory", nil}

	errNotKept = errors.New("it did not keep what it was given") // although it said so
)

// answers reports whether an operation with that error has shown that its place works.
func answers(err error) bool {
	return err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, errDamaged)
}
