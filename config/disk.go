package config

import (
	"io"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// readRegular returns the first maxFileBytes of a regular file, and one byte more. It opens
// nothing else: the owner of the folder may put a pipe there, which would never end.
func readRegular(path string) ([]byte, error) {
	f, err := safeopen.File(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFileBytes+1))
}
