package procgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/await"
)

// Fault daemon-killed: the owner is killed, and everything ends with it.
func TestKilledOwner(t *testing.T) {
	name := owner(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), ownerEnv+"="+name)
	var c Command
	out := stdout(t, &c)
	cmd.Stdout = c.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var child, grandchild int
	line := readLine(t, out)
	if _, err := fmt.Sscan(line, &child, &grandchild); err != nil {
		t.Fatalf("got %q: %v", line, err)
	}
	other := start(t, shell("exec sleep 1000")) // its owner's name begins with ours
	await.Until(t, "setsid", func() bool {
		p, _ := lookAt(grandchild)
		return p.session == grandchild
	})

	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	await.Until(t, "end of the child", func() bool { return !alive(child) })
	await.Until(t, "end of the grandchild", func() bool { return !alive(grandchild) })
	if !alive(other.PID()) {
		t.Error("the child of another owner was killed")
	}
}

// Reap finds what neither owner nor supervisor could end.
func TestReap(t *testing.T) {
	for _, tt := range []struct {
		name, script string // writes the id of the grandchild
	}{
		{"by the marker", `setsid sleep 1000 & echo $!`},
		{"below what is found", `setsid sh -c 'setsid env -i sleep 1000 & echo $!; wait' &`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Owner(owner(t))
			c := shell(tt.script + "\nexec sleep 1000")
			out := stdout(t, &c)
			p := startOf(t, o, c)
			grandchild := readPID(t, out)
			t.Cleanup(func() { _ = syscall.Kill(grandchild, syscall.SIGKILL) })
			await.Until(t, "sleep", func() bool { return command(grandchild) == "sleep" })
			killSilently(t, p)
			if !alive(grandchild) {
				t.Fatal("the grandchild was to survive its supervisor, or nothing is tested")
			}
			other := startOf(t, o+"-other", shell("exec sleep 1000"))
			killed, err := o.Reap()
			if err != nil || !slices.Contains(killed, grandchild) {
				t.Errorf("Reap: %v, %v; want %d among them", killed, err, grandchild)
			}
			await.Until(t, "end of the grandchild", func() bool { return !alive(grandchild) })
			if killed, err = o.Reap(); err != nil || len(killed) != 0 {
				t.Errorf("Reap again: %v, %v", killed, err)
			}
			if !alive(other.PID()) {
				t.Error("the child of another owner was killed")
			}
		})
	}
}

// killSilently kills the supervisor of p and waits for the end of the child. The owner does
// nothing about it.
func killSilently(t *testing.T, p *Process) {
	t.Helper()
	p.mu.Lock() // blocks run
	t.Cleanup(p.mu.Unlock)
	_ = p.supervisor.Process.Kill()
	await.Until(t, "end of the child with its supervisor", func() bool { return !alive(p.PID()) })
}

// Each process starts another and ends, so that none lives long. None may get away.
func TestForksAllTheTime(t *testing.T) {
	// It ends with this process too, in case nothing else can end it.
	const hop = `kill -0 "$2" || exit; echo >>"$1"; setsid sh -c "$0" "$0" "$1" "$2" & exit`
	hops := filepath.Join(t.TempDir(), "hops")
	c := shell(`for i in 1 2 3 4; do (setsid env -i PATH="$PATH" sh -c "$0" "$0" "$1" "$2" &); done; exec sleep 1000`)
	c.Args = append(c.Args, hop, hops, strconv.Itoa(os.Getpid()))
	p := start(t, c)
	supervisor := p.supervisor.Process.Pid
	await.Until(t, "hops", func() bool {
		info, err := os.Stat(hops)
		return err == nil && info.Size() > 20
	})
	p.Kill()
	wait(t, p)
	if alive(supervisor) {
		t.Error("the supervisor lives on, and so does something below it")
	}
}

// Orphans that end do not stay in the process table, however long the child lives.
func TestOrphansAreWaitedFor(t *testing.T) {
	c := shell(`for i in 1 2 3 4 5 6 7 8 9 10; do (sh -c 'exit 0' &); done; echo done; exec sleep 1000`)
	out := stdout(t, &c)
	p := start(t, c)
	if got := readLine(t, out); got != "done" {
		t.Fatal(got)
	}
	supervisor := p.supervisor.Process.Pid
	await.Until(t, "the end of the orphans", func() bool { return slices.Equal(below(supervisor), []int{p.PID()}) })
}

// below returns the children of a process, zombies too.
func below(pid int) (pids []int) {
	for _, p := range processes() {
		if p.parent == pid {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// A child gets the three files and no other.
func TestFiles(t *testing.T) {
	p := start(t, shell(`exec sleep 1000`))
	await.Until(t, "the child has its three files and no other", func() bool { // a starting program opens its libraries
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.PID()))
		return err == nil && len(files) == 3 && files[2].Name() == "2"
	})
}

// When its first thread has ended, a process lives on but looks like a zombie.
func TestParseStat(t *testing.T) {
	for _, tt := range []struct {
		name, stat string
		want       process
		ok         bool
	}{
		{"running", "7 (x) S 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 900 8", process{7, 1, 2, 3, 900, false}, true},
		{"a zombie", "7 (x) Z 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 900 8", process{7, 1, 2, 3, 900, true}, true},
		{"without its first thread", "7 (x) Z 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 2 0 900 8", process{7, 1, 2, 3, 900, false}, true},
		{"with a name that misleads", "7 (a) Z 9 9 (b) S 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 900 8", process{7, 1, 2, 3, 900, false}, true},
		{"gone", "", process{}, false},
	} {
		if got, ok := parseStat(7, tt.stat); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %+v, %v", tt.name, got, ok)
		}
	}
}

// command returns the name of a process's program.
func command(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(b))
}
