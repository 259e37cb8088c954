package secrets

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zalando/go-keyring"
)

// service is what the keyring calls the owner of our entries.
const service = "mcp-editord"

// maxParts bounds what a reader believes.
const maxParts = maxValue/1024 + 1

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

// A keyringPlace is the place of secrets in a keyring.
//
// A value that one entry cannot take is in several: parts, and a head that names them. There are two
// sets of parts, a and b. A write writes the set that the head does not name, then the
// head, which is one entry and so changes at once, and then deletes the other set. So whenever a
// write is killed, the head names a set that is whole. The texts of an entry:
//
//	=VALUE   the value
//	+a 3     the value is in the parts "#a1", "#a2" and "#a3"
//
// The parts of a set have no gaps, whatever was killed: they are written from the first to the
// last and deleted from the last to the first.
type keyringPlace struct {
	ring ring
	bus  bus
	part int    // bytes that one entry takes
	lock string // the file whose lock is held by whoever uses entries
}

func (k *keyringPlace) ready(ask bool) error { return guard(func() error { return k.bus.look(ask) }) }

func (k *keyringPlace) abandon() { k.bus.abandon() }

func (k *keyringPlace) get(name string) (value []byte, err error) {
	err = k.locked(name, func(entry string) (err error) {
		value, err = k.read(entry)
		return err
	})
	return value, err
}

func (k *keyringPlace) set(name string, value []byte) error {
	return k.locked(name, func(entry string) error { return k.write(entry, value) })
}

func (k *keyringPlace) delete(name string) error { return k.locked(name, k.erase) }

// locked runs fn while no other process of this user uses entries. The keyring is asked for the
// entry before: when it waits for a person, others do not wait for the lock.
func (k *keyringPlace) locked(name string, fn func(entry string) error) error {
	entry := entryOf(name)
	return k.why(guard(func() error {
		if _, err := k.ring.Get(entry); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		return locked(k.lock, func() error { return fn(entry) })
	}))
}

// why returns the error of an operation with what the library does not say: that the keyring is locked, or gone.
func (k *keyringPlace) why(err error) error {
	if answers(err) {
		return err
	}
	if t, ok := errors.AsType[*trouble](k.ready(false)); ok {
		return t
	}
	return err
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

// sets are the names of the sets of parts.
var sets = []string{"a", "b"}

// headOf returns which parts the text of an entry names; n is 0 when it names none.
func headOf(text string) (set string, n int) {
	for _, set := range sets {
		if rest, ok := strings.CutPrefix(text, "+"+set+" "); ok {
			if n, err := strconv.Atoi(rest); err == nil && n > 0 && n <= maxParts {
				return set, n
			}
		}
	}
	return "", 0
}

func partOf(entry, set string, n int) string { return fmt.Sprintf("%s #%s%d", entry, set, n) }

// read returns the value of an entry. The caller holds the lock.
func (k *keyringPlace) read(entry string) ([]byte, error) {
	text, err := k.ring.Get(entry)
	if err != nil {
		return nil, err
	}
	if plain, ok := strings.CutPrefix(text, "="); ok {
		return []byte(plain), nil
	}
	set, parts := headOf(text)
	if parts == 0 {
		return nil, errDamaged
	}
	var value []byte
	for n := 1; n <= parts; n++ {
		part, err := k.ring.Get(partOf(entry, set, n))
		if errors.Is(err, ErrNotFound) {
			return nil, errDamaged
		}
		if err != nil {
			return nil, err
		}
		value = append(value, part...)
	}
	return value, nil
}

// write makes value the value of an entry. The caller holds the lock.
func (k *keyringPlace) write(entry string, value []byte) error {
	was, err := k.ring.Get(entry)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	text := "=" + string(value)
	set, parts := "", 0
	if len(text) > k.part {
		set = sets[0]
		if used, _ := headOf(was); used == set {
			set = sets[1]
		}
		for part := range slices.Chunk(value, k.part) {
			parts++
			if err := k.ring.Set(partOf(entry, set, parts), string(part)); err != nil {
				return err
			}
		}
		text = fmt.Sprintf("+%s %d", set, parts)
	}
	if err := k.ring.Set(entry, text); err != nil {
		return err
	}
	// The library does not report each refusal.
	if got, err := k.read(entry); err != nil || !bytes.Equal(got, value) {
		return errors.Join(errNotKept, err)
	}
	for _, each := range sets {
		from := 1
		if each == set {
			from = parts + 1
		}
		_ = k.sweep(entry, each, from) // the value is kept; the next write sweeps again
	}
	return nil
}

// erase deletes an entry and its parts. The caller holds the lock.
func (k *keyringPlace) erase(entry string) error {
	if err := k.remove(entry); err != nil {
		return err
	}
	return errors.Join(k.sweep(entry, "a", 1), k.sweep(entry, "b", 1))
}

// remove deletes an entry, if there is one.
func (k *keyringPlace) remove(entry string) error {
	if err := k.ring.Delete(entry); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// sweep deletes the parts of a set from one on.
func (k *keyringPlace) sweep(entry, set string, from int) error {
	n := from
	for ; n <= maxParts; n++ {
		if _, err := k.ring.Get(partOf(entry, set, n)); errors.Is(err, ErrNotFound) {
			break
		} else if err != nil {
			return err
		}
	}
	for n--; n >= from; n-- {
		if err := k.remove(partOf(entry, set, n)); err != nil {
			return err
		}
	}
	return nil
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

func (systemRing) Get(entry string) (string, error) { return keyring.Get(service, entry) }

func (systemRing) Set(entry, text string) error { return keyring.Set(service, entry, text) }

func (systemRing) Delete(entry string) error { return keyring.Delete(service, entry) }
