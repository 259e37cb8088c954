//go:build unix

package procgroup

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// CloseOnExec keeps the files that this process has inherited, all but the first three, from the
// programs that it starts: whoever reads from a terminal or a pipe waits until nobody holds its
// other end.
func CloseOnExec() {
	files, _ := os.ReadDir("/dev/fd") // after an error, they stay open: there is no other way
	for _, f := range files {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
