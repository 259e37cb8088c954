package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
)

// Known reports whether somebody has ever taken the lock of a name, in this process or in any other with
// the same directory. Who sets a secret under its lock can save the question for one that was never set: a
// locked keyring asks the person for a password even if it has nothing.
func (s *Store) Known(name string) bool {
	_, err := os.Lstat(s.locks.fileOf(name))
	return err == nil
}

// fileOf returns the file of the lock of a name. It is a hash: a name may have any characters.
func (k *locks) fileOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(k.dir, hex.EncodeToString(sum[:16])+".lock")
}
