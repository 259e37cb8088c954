package secrets

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// A value that one entry cannot take is in several: parts, and a head that names them. There are two
// sets of parts, a and b. A write writes the set that the head does not name, then the
// head, which is one entry and so changes at once, and then deletes the other set. So whenever a
// write is killed, the head names a set that is whole. The head has the hash of the
// value: a reader that was overtaken by two writes notices, and reads again.
//
// The texts of a head:
//
//	=VALUE       the value
//	+a 3 HASH    the value is in the parts "#a1", "#a2" and "#a3"
//
// The parts of a set have no gaps, whatever was killed: they are written from the first to the
// last and deleted from the last to the first.

// maxParts bounds what a reader believes.
const maxParts = maxValue/1024 + 1

// How often a reader that was overtaken reads again. Each write takes longer than a reading.
const maxReadings = 5

// A head is the text of the entry of a secret.
type head struct {
	set   byte // 'a' or 'b'; 0: the value is in the head
	parts int
	sum   [sha256.Size]byte
}

// parseHead returns what the text of a head says.
func parseHead(text string) (head, bool) {
	var h head
	var sum []byte
	if strings.HasPrefix(text, "=") {
		return h, true
	}
	n, err := fmt.Sscanf(text, "+%c %d %x", &h.set, &h.parts, &sum)
	if err != nil || n != 3 || h.set != 'a' && h.set != 'b' || h.parts < 1 || h.parts > maxParts || len(sum) != len(h.sum) {
		return head{}, false
	}
	copy(h.sum[:], sum)
	return h, text == h.String()
}

func (h head) String() string { return fmt.Sprintf("+%c %d %x", h.set, h.parts, h.sum) }

func partOf(entry string, set byte, n int) string { return fmt.Sprintf("%s #%c%d", entry, set, n) }

// read returns the value of an entry.
func (k *keyringPlace) read(entry string) ([]byte, error) {
	for range maxReadings {
		text, err := k.ring.Get(entry)
		if err != nil {
			return nil, err
		}
		if value, ok := strings.CutPrefix(text, "="); ok {
			return []byte(value), nil
		}
		h, ok := parseHead(text)
		if !ok {
			return nil, errDamaged
		}
		value, err := k.gather(entry, h)
		if err == nil || !errors.Is(err, ErrNotFound) && !errors.Is(err, errDamaged) {
			return value, err
		}
	}
	return nil, errDamaged
}

// gather returns the value in the parts that a head names.
func (k *keyringPlace) gather(entry string, h head) ([]byte, error) {
	var value []byte
	for n := 1; n <= h.parts; n++ {
		text, err := k.ring.Get(partOf(entry, h.set, n))
		if err != nil {
			return nil, err
		}
		value = append(value, text...)
	}
	if sha256.Sum256(value) != h.sum {
		return nil, errDamaged
	}
	return value, nil
}

// write makes value the value of an entry. The caller holds the lock.
func (k *keyringPlace) write(entry string, value []byte) error {
	was, err := k.ring.Get(entry)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	old, _ := parseHead(was)
	text := "=" + string(value)
	var h head
	if len(text) > k.part {
		h = head{set: 'a', sum: sha256.Sum256(value)}
		if old.set == 'a' {
			h.set = 'b'
		}
		for rest := value; len(rest) > 0; h.parts++ {
			part := rest[:min(len(rest), k.part)]
			if err := k.ring.Set(partOf(entry, h.set, h.parts+1), string(part)); err != nil {
				return err
			}
			rest = rest[len(part):]
		}
		text = h.String()
	}
	if err := k.ring.Set(entry, text); err != nil {
		return err
	}
	// The library does not report each refusal.
	if got, err := k.read(entry); err != nil || !bytes.Equal(got, value) {
		return fmt.Errorf("it did not keep what it was given (%w)", errors.Join(err, errNotKept))
	}
	for _, set := range []byte{'a', 'b'} {
		from := 1
		if set == h.set {
			from = h.parts + 1
		}
		_ = k.sweep(entry, set, from) // the value is kept; the next write sweeps again
	}
	return nil
}

// erase deletes an entry and its parts. The caller holds the lock.
func (k *keyringPlace) erase(entry string) error {
	if err := k.ring.Delete(entry); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return errors.Join(k.sweep(entry, 'a', 1), k.sweep(entry, 'b', 1))
}

// sweep deletes the parts of a set from one on.
func (k *keyringPlace) sweep(entry string, set byte, from int) error {
	n := from
	for ; n <= maxParts; n++ {
		if _, err := k.ring.Get(partOf(entry, set, n)); errors.Is(err, ErrNotFound) {
			break
		} else if err != nil {
			return err
		}
	}
	for n--; n >= from; n-- {
		if err := k.ring.Delete(partOf(entry, set, n)); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}
