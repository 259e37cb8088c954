package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/zalando/go-keyring"

	"github.com/mcp-editord/mcp-editord/internal/safetext"
)

// service is what the keyring calls the owner of our entries.
const service = "mcp-editord"

// A ring keeps entries of text in a keyring. The error is [ErrNotFound] when there is none.
type ring interface {
	Get(entry string) (string, error)
	Set(entry, text string) error
	Delete(entry string) error
}

// A bus is the way to a keyring.
type bus interface {
	look(ask bool) error // what ready does
	abandon()
}

// A keyringPlace is the place of secrets in a keyring. parts.go says what its entries have.
type keyringPlace struct {
	ring ring
	bus  bus
	part int    // bytes that one entry takes
	lock string // the file whose lock is held by whoever changes entries

}

func (k *keyringPlace) ready(ask bool) error {
	err := guard(func() error { return k.bus.look(ask) })
	if err == nil || errors.Is(err, errHeld) {
		return err
	}
	return refusal(err)
}

func (k *keyringPlace) abandon() { k.bus.abandon() }

func (k *keyringPlace) get(name string) ([]byte, error) {
	var value []byte
	err := guard(func() (err error) {
		value, err = k.read(entryOf(name))
		return err
	})
	return value, k.why(err)
}

func (k *keyringPlace) set(name string, value []byte) error {
	entry := entryOf(name)
	return k.change(entry, func() error { return k.write(entry, value) })
}

func (k *keyringPlace) delete(name string) error {
	entry := entryOf(name)
	return k.change(entry, func() error { return k.erase(entry) })
}

// change runs fn while no other process of this user changes entries. The keyring is asked for the
// entry before: when it waits for a person, others do not wait for the lock.
func (k *keyringPlace) change(entry string, fn func() error) error {
	return k.why(guard(func() error {
		if _, err := k.ring.Get(entry); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		unlock, err := lockPlace(k.lock)
		if err != nil {
			return err
		}
		defer unlock()
		return fn()
	}))
}

// guard runs fn, and makes an error of a panic: the library does not expect that the bus goes away
// while a person is asked, nor an answer of a wrong type.
func guard(fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it broke off: %v", r)
		}
	}()
	return fn()
}

// why returns the error of an operation as what people can read.
func (k *keyringPlace) why(err error) error {
	if answers(err) {
		return err
	}
	// The library does not say that the keyring is locked, or gone.
	var t *trouble
	if errors.As(k.ready(false), &t) {
		return t.from(err)
	}
	return refusal(err)
}

// refusal returns an error of the keyring as what people can read.
func refusal(err error) error {
	var t *trouble
	if errors.As(err, &t) {
		return t
	}
	return &trouble{why: "the keyring failed: " + safetext.Line(err.Error(), 200), todo: unlockIt, cause: err}
}

// plain are the characters that every keyring takes as they are, and tells apart.
const plain = "abcdefghijklmnopqrstuvwxyz0123456789 _-.:/()@+=,~&"

const maxPlain = 120 // characters of a name that entryOf keeps

// entryOf returns the name of the entry for a secret: the name itself if that is plain and short,
// and otherwise what is plain of it, and a hash. Windows does not tell capitals apart, and macOS
// reads its commands line by line.
func entryOf(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && (strings.ContainsRune(plain, r) || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, name)
	if len(name) <= maxPlain && strings.Trim(name, plain) == "" {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return clean[:min(len(clean), maxPlain)] + " #" + hex.EncodeToString(sum[:16])
}

// systemRing is the keyring of the system.
type systemRing struct{}

func (systemRing) Get(entry string) (string, error) {
	text, err := keyring.Get(service, entry)
	return text, ours(err)
}

func (systemRing) Set(entry, text string) error { return keyring.Set(service, entry, text) }

func (systemRing) Delete(entry string) error { return ours(keyring.Delete(service, entry)) }

func ours(err error) error {
	if errors.Is(err, keyring.ErrNotFound) {
		return ErrNotFound
	}
	return err
}
