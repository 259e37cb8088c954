//go:build linux || darwin

package procgroup

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of end: how long it usually goes on, and the longest pause between two looks.
const (
	endTime  = time.Second
	endPause = 50 * time.Millisecond
	reapTime = 5 * time.Second // the same for Reap
)

// process is a line of the process table.
type process struct {
	pid, parent, group, session int

	start  uint64 // when it started, in the system's own measure
	zombie bool   // it has ended and nobody has waited for it
}

// identity identifies a process: no two processes share it between two boots.
type identity struct {
	pid   int
	start uint64
}

func (p process) identity() identity { return identity{p.pid, p.start} }

// family says which processes belong together: those that it names, and everything below them.
type family struct {
	// adopted names the children of this process that are not in its session. The children
	// that it has started itself, supervisors, are in its session.
	adopted bool
	// leader names the members of the session that this process began; zero for none. The system gives
	// its id to no other process while the session has a member.
	leader identity
	// marker names the processes with an entry in their environment that begins so; "" for none.
	marker string
}

// pick returns the family's members in the process table, zombies among them.
// They never include the caller, nor what is below it on another branch.
func (f family) pick() (members []process) {
	self, own := os.Getpid(), ownSession()
	table := processes()
	in := make(map[int]bool)
	below := make(map[int][]process)
	var add func(p process)
	add = func(p process) {
		if p.pid == self || in[p.pid] {
			return
		}
		in[p.pid] = true
		members = append(members, p)
		for _, child := range below[p.pid] {
			add(child)
		}
	}
	inSession := f.leader != identity{}
	for _, p := range table {
		below[p.parent] = append(below[p.parent], p)
		if p.pid == f.leader.pid && p.start != f.leader.start {
			inSession = false // another session has the id now
		}
	}
	for _, p := range table {
		belongs := f.adopted && p.parent == self && p.session != own ||
			inSession && p.session == f.leader.pid && p.start >= f.leader.start ||
			f.marker != "" && !p.zombie && carries(environment(p.pid), f.marker)
		if belongs {
			add(p)
		}
	}
	return members
}

// Reap kills every process left over from an earlier life of o that has the marker, with what is
// below it, and returns their ids. The caller must know that no other owner has its name. Reap must
// return before the first [Owner.Start]. The error names the processes that are still there.
func (o Owner) Reap() ([]int, error) {
	killed, left := end(family{marker: o.marker()}, reapTime)
	if len(left) > 0 {
		return killed, fmt.Errorf("killing processes of an earlier daemon: %v are still running", left)
	}
	return killed, nil
}

// end ends the members of f, until two looks in a row find none alive: a
// process that forks and ends between two lines of the process table hides its
// child from a single look, and one in the middle of execve has no marker. It returns
// the processes that it has killed, and those that are still there after limit.
//
// It stops everything before it kills anything. A stopped process starts nothing
// more and keeps its place in the table, so a process that forks all the time runs
// out of room. It also stays the parent of what it has started, so end finds what is
// below it.
func end(f family, limit time.Duration) (killed, left []int) {
	until := time.Now().Add(limit)
	stopped, signalled := map[identity]bool{}, map[identity]bool{}
	clean := 0
	for pause := time.Millisecond; ; pause = min(2*pause, endPause) {
		members := slices.DeleteFunc(f.pick(), func(p process) bool { return p.zombie })
		fresh := false
		for _, p := range members {
			if !stopped[p.identity()] {
				fresh, stopped[p.identity()] = true, true
				_ = p.signal(syscall.SIGSTOP)
			}
		}
		late := time.Now().After(until)
		if fresh && !late {
			clean = 0
			continue
		}
		for _, p := range members {
			if p.signal(syscall.SIGKILL) == nil && !signalled[p.identity()] {
				signalled[p.identity()] = true
				killed = append(killed, p.pid)
			}
		}
		if clean++; len(members) > 0 {
			clean = 0
		}
		if clean == 2 || late {
			for _, p := range members {
				left = append(left, p.pid)
			}
			return killed, left
		}
		time.Sleep(pause)
	}
}

// signal sends sig to the process if it is still the same one, and
// then to its group unless that may be the caller's. On Linux, os.FindProcess opens a handle
// before signal looks again; the handle stays with that process,
// even if another process gets the id.
func (p process) signal(sig syscall.Signal) error {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return err
	}
	defer func() { _ = handle.Release() }()
	now, ok := lookAt(p.pid)
	if !ok || now.identity() != p.identity() {
		return os.ErrProcessDone
	}
	if err := handle.Signal(sig); err != nil {
		return err
	}
	// One call reaches the whole group at once, and a process that forks cannot escape it. A
	// session that began below a member is wholly below it, and so are its groups.
	if now.session != ownSession() && now.group > 1 {
		_ = syscall.Kill(-now.group, sig)
	}
	return nil
}

// ownSession returns the session of this process.
func ownSession() int {
	session, err := unix.Getsid(0)
	if err != nil {
		return -1
	}
	return session
}
