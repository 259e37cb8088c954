//go:build !unix

package roots

import "errors"

func mkfifo(string) error { return errors.New("there are no named pipes") }
