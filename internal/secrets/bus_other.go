//go:build !linux

package secrets

import "errors"

// partBytes is what an entry takes everywhere: macOS has a limit of 4096 bytes for the command that
// has the entry in Base64, Windows one of 2560 bytes.
const partBytes = 2048

var errAsks = errors.New("using it may ask you for the password of the keyring")

// direct is the way to a keyring that needs no bus.
type direct struct{}

func systemBus() bus { return direct{} }

func (direct) abandon() {}

// look tells whether the keyring can be used. Only using it shows, and that may ask a person to unlock it.
func (direct) look(ask bool) error {
	if !ask {
		return errAsks
	}
	return nil
}
