package config

import (
	"io"

	"github.com/mcp-editord/mcp-editord/internal/safeopen"
)

// readRegular returns the first maxFileBytes and one byte more of a regular file.
// Others are not opened: who owns the folder may put a pipe there, which would never end.
func readRegular(path string) ([]byte, error) {
	f, err := safeopen.File(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFileBytes+1))
}
