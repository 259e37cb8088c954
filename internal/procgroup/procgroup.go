// Package procgroup starts child processes that never outlive their owner.
//
// A child gets a process group of its own and a marker in its environment, which
// everything it starts inherits. The group reaches what stayed in it; the
// marker reaches what left it (setsid) and, with [Reap], what a killed
// owner left behind. On Linux the child is also killed by the kernel when its
// owner dies.
//
// Invariants:
//
//   - When [Process.Done] is closed the child has ended and been waited for, and all
//     that was found of its group and its marker has got SIGKILL.
//   - A process is signalled only while its group is known to be the child's, or
//     right after its marker was read again. Processes of another user and the
//     calling process are never signalled.
//   - Nothing here waits without bound once the child has ended.
//
// The marker is found in /proc on Linux and with sysctl on macOS, where
// Apple's own programs (those in /bin, for one) hide their environment: they are
// reached through their group only. A program that overwrites or clears its
// environment and leaves the group is reached by neither.
//
// Linux and macOS are supported. Elsewhere [Start] returns an error.
package procgroup

import (
	"crypto/rand"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// markerName is the environment variable that carries "<owner>/<random>".
const markerName = "MCP_EDITORD_CHILD"

// Unmarked returns env without the marker of whoever started this process: what
// is started with it belongs to no owner, and outlives one.
func Unmarked(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, markerName+"=") })
}

// waitDelay is how long pipes that os/exec copies itself may stay open after the
// child has ended. A caller that hands the child files of its own must bound its
// reading by itself.
const waitDelay = 2 * time.Second

// A Process is a running or ended child. Its methods are safe for concurrent use.
type Process struct {
	cmd    *exec.Cmd
	pid    int
	marker string // the whole entry of the environment

	// mu guards gone, and is held while the group is signalled: a group's id is
	// nobody else's until its leader has been waited for.
	mu   sync.Mutex
	gone bool

	done chan struct{}
	exit string // set before done is closed
}

// Start starts cmd as a child of owner, a short name that is the same in every
// life of the owner; [Reap] goes by it. cmd.Env is completed with the marker,
// cmd.SysProcAttr with the process group, and cmd.WaitDelay is set. cmd belongs
// to the Process from then on; do not call its Wait.
func Start(cmd *exec.Cmd, owner string) (*Process, error) {
	if owner == "" || strings.ContainsAny(owner, "/\x00") {
		return nil, fmt.Errorf("%q cannot be the owner of a process", owner)
	}
	if err := configure(cmd); err != nil {
		return nil, err
	}
	p := &Process{
		cmd:    cmd,
		marker: markerName + "=" + owner + "/" + rand.Text(),
		done:   make(chan struct{}),
	}
	// The last place is the one that programs which write their title over their
	// arguments and environment reach last.
	cmd.Env = append(cmd.Environ(), p.marker)
	cmd.WaitDelay = waitDelay
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// PID returns the id of the child, which is also that of its group.
func (p *Process) PID() int { return p.pid }

// Done is closed when the child has ended and what it left behind is killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit tells how the child ended, for people: "exited with code 1", "was ended
// by signal: killed". It waits for [Process.Done].
func (p *Process) Exit() string {
	<-p.done
	return p.exit
}

// Kill sends SIGKILL to the child's group. The rest of what the child started is killed
// before [Process.Done] is closed.
func (p *Process) Kill() { _ = p.Signal(sigKill) }

// Leftovers returns the processes that carry the child's marker now. After
// [Process.Done] these are the ones that could not be killed.
func (p *Process) Leftovers() []int {
	return marked(func(entry string) bool { return entry == p.marker })
}

// Reap kills every process of this user that carries the marker of owner, and
// returns their ids. It is for an owner that has just begun to live and knows
// that it is the only one of its name: what is there is left from one that was
// killed. It must return before the first [Start]. The error tells which
// processes are still there.
func Reap(owner string) ([]int, error) {
	prefix := markerName + "=" + owner + "/"
	killed, left := sweep(func(entry string) bool { return strings.HasPrefix(entry, prefix) })
	if len(left) > 0 {
		return killed, fmt.Errorf("killing processes of an earlier daemon: %v are still running", left)
	}
	return killed, nil
}
