package mcpserver

import "io/fs"

// foreign reports false: on Windows nobody else writes to the folders above.
func foreign(fs.FileInfo) bool { return false }
