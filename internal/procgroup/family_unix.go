//go:build linux || darwin

package procgroup

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of end: how long it usually goes on, and the longest pause between two looks.
const (
	endTime  = time.Second
	endPause = 50 * time.Millisecond
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

// family says which processes belong together: the processes that it names, and
// everything below them.
type family struct {
	// adopted names the children of this process that are not in its session. The children
	// that it has started itself, supervisors, are in its session.
	adopted bool
	// sessions names the members of these sessions. It maps the id of a session, also the id of
	// the process that began it, to the start of that process. The system gives the id to no
	// other process while the session has a member.
	sessions map[int]uint64
	// named names these processes.
	named []identity
	// marker names the processes of this user with a marker that fits; nil for none.
	marker func(entry string) bool
}

// pick returns the family's members in the process table, zombies among them.
// They never include the caller, nor what is below it on another branch.
// all is false when pick could not judge some process yet.
func (f family) pick() (members []process, all bool) {
	self, own := os.Getpid(), ownSession()
	table := processes()
	all = true
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
	renewed := make(map[int]bool) // ids that other sessions have now
	for _, p := range table {
		below[p.parent] = append(below[p.parent], p)
		if since, ok := f.sessions[p.pid]; ok && p.start != since {
			renewed[p.pid] = true
		}
	}
	for _, p := range table {
		since, known := f.sessions[p.session]
		belongs := f.adopted && p.parent == self && p.session != own ||
			known && !renewed[p.session] && p.start >= since ||
			slices.Contains(f.named, p.identity())
		if !belongs && f.marker != nil && !p.zombie {
			entries, known := environment(p.pid)
			all = all && known
			belongs = carries(entries, f.marker)
		}
		if belongs {
			add(p)
		}
	}
	return members, all
}

// end ends all that pick finds, until two looks in a row find nothing alive: a
// process that forks and ends between two lines of the process table hides its
// child from a single look. It returns the processes that it has killed, and the processes
// that are still there after limit.
//
// It stops everything before it kills anything. A stopped process starts nothing
// more and keeps its place in the table, so a process that forks all the time runs
// out of room. It also stays the parent of what it has started, so end finds what is
// below it.
func end(pick func() ([]process, bool), limit time.Duration) (killed, left []int) {
	until := time.Now().Add(limit)
	stopped, hopeless, signalled := map[identity]bool{}, map[identity]bool{}, map[identity]bool{}
	clean := 0
	for pause := time.Millisecond; ; pause = min(2*pause, endPause) {
		members, all := pick()
		members = slices.DeleteFunc(members, func(p process) bool { return p.zombie })
		fresh, alive := false, false
		for _, p := range members {
			if hopeless[p.identity()] {
				continue
			}
			alive = true
			if !stopped[p.identity()] {
				fresh, stopped[p.identity()] = true, true
				if errors.Is(p.signal(syscall.SIGSTOP), os.ErrPermission) {
					hopeless[p.identity()] = true
				}
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
		clean++
		if alive || !all {
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

// carries reports whether an environment has a marker that fits.
func carries(entries []string, fits func(entry string) bool) bool {
	return slices.ContainsFunc(entries, func(entry string) bool {
		return strings.HasPrefix(entry, markerName+"=") && fits(entry)
	})
}
