package procgroup

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts is true: a supervisor becomes the parent of every process below it whose own parent ends.
const adopts = true

// adoptOrphans makes this process the parent of every process below it whose own parent ends
// (PR_SET_CHILD_SUBREAPER(2const)).
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the parent of orphans: %w", err)
	}
	return nil
}

// nameProcess gives this process its name in lists of processes. Without it, the name would
// be "exe", from the file that was run.
func nameProcess() { _ = os.WriteFile("/proc/self/comm", []byte(supervisorName), 0) }

// thisProgram returns a path of this very program. It works even after an update has replaced or removed
// the file.
func thisProgram() (string, error) { return "/proc/self/exe", nil }

// childAttributes makes a child the leader of a session, and has the kernel kill it when its
// supervisor ends.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// processes returns all processes.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1) // after an error, look at least at these
	var out []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := lookAt(pid); ok {
			out = append(out, p)
		}
	}
	return out
}

// lookAt returns the line of one process in the process table.
func lookAt(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	return parseStat(pid, string(stat))
}

// parseStat reads /proc/<pid>/stat (proc_pid_stat(5)).
func parseStat(pid int, stat string) (p process, ok bool) {
	const afterName, parent, group, session, threads, start = 3, 4, 5, 6, 20, 22
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // the name, field 2, may have spaces
	if len(fields) <= start-afterName {
		return p, false
	}
	number := func(field int) int {
		n, err := strconv.Atoi(fields[field-afterName])
		ok = ok && err == nil
		return n
	}
	ok = true
	p = process{pid: pid, parent: number(parent), group: number(group), session: number(session), start: uint64(number(start))}
	// This is the state of the first thread; a process lives on without that.
	p.zombie = strings.ContainsAny(fields[0], "ZX") && number(threads) <= 1
	return p, ok
}

// environment returns the environment that a process was started with. It is empty when the process
// is hidden, in the middle of execve, or has ended.
func environment(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return strings.Split(string(b), "\x00")
}
