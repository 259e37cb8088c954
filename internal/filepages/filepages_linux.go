package filepages

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Release lets go of all pages of files that are mapped only for reading. One that is needed again
// comes back from the system's cache at its next use. When something fails, they stay.
func Release() {
	// With os.Open the file would get the poller, which takes more memory than it is worth in a small
	// process.
	fd, err := unix.Open("/proc/self/smaps", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	smaps := os.NewFile(uintptr(fd), "smaps")
	defer smaps.Close()
	for _, p := range unchanged(smaps) {
		// Without a page of its own such a part reads as its file does, before and after
		// (madvise(2), MADV_DONTNEED).
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, p.start, p.end-p.start, unix.MADV_DONTNEED)
	}
}

// part is a part of the address space.
type part struct{ start, end uintptr }

// unchanged returns, from smaps (proc_pid_smaps(5)), the parts that map a file, cannot be written,
// and have no page of their own. Relocations make such pages, and so do breakpoints.
func unchanged(smaps io.Reader) (found []part) {
	lines := bufio.NewReaderSize(smaps, 8<<10) // longer than a line with the longest path
	var mapped part                            // the part that the lines are about, if it maps a file for reading only
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return found
		}
		if p, rest, ok := parseHead(line); ok {
			mapped = part{}
			if len(rest) > 1 && rest[1] == '-' && bytes.Contains(rest, []byte(" /")) {
				mapped = p
			}
		} else if own, ok := bytes.CutPrefix(line, []byte("Anonymous:")); ok && mapped.end != 0 && string(bytes.TrimSpace(own)) == "0 kB" {
			found = append(found, mapped)
		}
	}
}

// parseHead reads the beginning of the line that begins a part:
// "00400000-00b2d000 r-xp 00000000 fe:00 1 /path".
func parseHead(line []byte) (p part, rest []byte, ok bool) {
	span, rest, _ := bytes.Cut(line, []byte(" "))
	first, last, ok := bytes.Cut(span, []byte("-"))
	if !ok {
		return part{}, nil, false
	}
	start, err1 := strconv.ParseUint(string(first), 16, 64)
	end, err2 := strconv.ParseUint(string(last), 16, 64)
	return part{uintptr(start), uintptr(end)}, rest, err1 == nil && err2 == nil
}
