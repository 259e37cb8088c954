//go:build !linux && !darwin

package peercred

import "errors"

// ask fails: a peer that may be another user is refused.
func ask(int) (Credentials, error) {
	return Credentials{}, errors.New("mcp-editord cannot identify the user who connects on this system yet")
}
