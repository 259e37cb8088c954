package ipc

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// letGo takes the program out of the memory of this process, which is only going to wait. What is
// used again comes back from the page cache, by itself.
//
// A program touches most of its pages when it starts, because all its packages are initialized. They
// are shared with the daemon, but each process pays for its tables of them and is shown with them.
//
// The system does the same when memory is short. It is safe for what was mapped from a file, cannot be
// written and was never changed: there is nothing to lose. proc_pid_smaps(5) and madvise(2).
func letGo() {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return // then the program stays
	}
	defer f.Close()
	var begin, end uintptr // of the mapping that is described; end is 0 for one that stays
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, rest, _ := bytes.Cut(lines.Bytes(), []byte(" "))
		switch {
		case !bytes.HasSuffix(name, []byte(":")):
			begin, end = programPart(name, rest)
		case end != 0 && string(name) == "Anonymous:" && string(bytes.TrimSpace(rest)) == "0 kB":
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_DONTNEED) // if not, it stays
		}
	}
}

// programPart returns where a mapping begins and ends that comes from a file and cannot be written,
// and 0, 0 for any other.
func programPart(addresses, description []byte) (begin, end uintptr) {
	const private, writable = 3, 1 // among the four letters for the permissions
	if len(description) < 4 || description[writable] != '-' || description[private] != 'p' || !bytes.Contains(description, []byte("/")) {
		return 0, 0
	}
	from, to, _ := bytes.Cut(addresses, []byte("-"))
	first, err := strconv.ParseUint(string(from), 16, 64)
	if err != nil {
		return 0, 0
	}
	last, err := strconv.ParseUint(string(to), 16, 64)
	if err != nil {
		return 0, 0
	}
	return uintptr(first), uintptr(last)
}
