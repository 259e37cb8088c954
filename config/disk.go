package config

import (
	"errors"
	"fmt"
	"io"
	"os"
)

var errNotRegular = errors.New("it is not a regular file")

// readRegular returns the first maxFileBytes and one byte more of a regular
// file. Others are refused before they are opened: a pipe would never end.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening %s: %w", path, errNotRegular)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFileBytes+1))
}
