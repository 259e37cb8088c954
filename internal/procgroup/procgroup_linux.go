package procgroup

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func setDeathSignal(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// awaitExit returns when the child has ended, and leaves it to be waited for.
func awaitExit(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// processes returns the ids of all processes.
func processes() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1) // what could be read is still worth looking at
	var out []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			out = append(out, pid)
		}
	}
	return out
}

// environment returns the environment a process was started with; nil when it is
// another user's or has ended. settled is false while the process is in the
// middle of execve, when it has none yet.
func environment(pid int) (entries []string, settled bool) {
	path := fmt.Sprintf("/proc/%d", pid)
	info, err := os.Stat(path)
	if err != nil {
		return nil, true
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return nil, true
	}
	b, err := os.ReadFile(path + "/environ")
	if err != nil {
		return nil, true
	}
	if len(b) == 0 {
		stat, _ := os.ReadFile(path + "/stat")
		return nil, !inExec(string(stat))
	}
	return strings.Split(string(b), "\x00"), true
}

// inExec tells from /proc/<pid>/stat whether a process has memory, which kernel
// threads and zombies have not, but no place for an environment (proc_pid_stat(5):
// vsize is field 23, env_end field 51).
func inExec(stat string) bool {
	const afterName, vsize, envEnd = 3, 23, 51 // the name, field 2, may have spaces
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	return len(fields) > envEnd-afterName && fields[vsize-afterName] != "0" && fields[envEnd-afterName] == "0"
}
