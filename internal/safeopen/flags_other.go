//go:build !unix

package safeopen

import "os"

// Flags open a file for reading.
const Flags = os.O_RDONLY

const onlyFolder = 0
