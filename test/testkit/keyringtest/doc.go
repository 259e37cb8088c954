// Package keyringtest runs a session bus and a keyring of their own for a test: the dbus-daemon and the
// gnome-keyring-daemon that `make keyring` installs. Nothing of the user's is touched.
package keyringtest
