package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// Promise 3: stopping a server stops everything that it has started, and so does the
// end of the daemon, however it ends. Here servers start what does not want to be found.

// escapes are ways out of a server's reach, as a shell has them. Each writes down the id of
// a sleep.
var escapes = map[string]string{
	"new session, no environment": `setsid env -i sh -c 'echo $$ >"$0"; exec sleep 1000' $F &`,
	"double fork":                 `(setsid sh -c 'sh -c "echo \$\$ >$0; exec sleep 1000" & exit' $F &)`,
	"without the marker":          `env -u MCP_EDITORD_CHILD setsid sh -c 'echo $$ >"$0"; exec sleep 1000' $F &`,
	"no environment":              `env -i sh -c 'echo $$ >"$0"; exec sleep 1000' $F &`,
	"all together":                `(setsid env -i sh -c 'setsid env -i sh -c "echo \$\$ >$0; exec sleep 1000" & exit' $F &)`,
}

// escaping returns the definition of a server that starts each of the escapes.
func (w *world) escaping(name string) map[string]any {
	var script strings.Builder
	for way, command := range escapes {
		fmt.Fprintf(&script, "F=%s\n%s\n", w.escapeFile(name, way), command)
	}
	return w.launched(name, script.String()+`exec "$0"`, fakeserver.Script{})
}

func (w *world) escapeFile(name, way string) string {
	return filepath.Join(w.dir, name+"-"+strings.ReplaceAll(strings.ReplaceAll(way, " ", "-"), ",", ""))
}

// escaped returns the processes that a server has started, once none of them can be found on
// anything but its descent.
func (w *world) escaped(name string) map[string]int {
	pids := map[string]int{}
	for way := range escapes {
		pid := readPID(w.t, w.escapeFile(name, way))
		w.t.Cleanup(func() {
			if strings.HasPrefix(commandLine(pid), "sleep 1000") {
				_ = syscall.Kill(pid, syscall.SIGKILL) // out of reach of everybody else
			}
		})
		await(w.t, way+" of "+name+" is what it is to be", func() bool { return strings.HasPrefix(commandLine(pid), "sleep 1000") })
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || way != "double fork" && bytes.Contains(environ, []byte("MCP_EDITORD_CHILD=")) {
			w.t.Fatalf("%s of %s has the environment %q, %v", way, name, environ, err)
		}
		pids[way] = pid
	}
	return pids
}

// stat returns a field of /proc/<pid>/stat, as proc_pid_stat(5) counts them, from 4 on.
func stat(t *testing.T, pid, field int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))[field-3])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// supervisorOf returns the process that stands between the daemon and a server.
func supervisorOf(t *testing.T, daemon, server int) int {
	t.Helper()
	pid := stat(t, server, 4)
	if pid == daemon || !strings.HasPrefix(commandLine(pid), "mcp-supervisor ") {
		t.Fatalf("the parent of server %d is %d, %s", server, pid, commandLine(pid))
	}
	return pid
}

// two are two servers that start what escapes.
type two struct {
	*world
	e       *fakeeditor.Editor
	daemon  *process
	server  [2]editorapi.Server
	escaped [2]map[string]int
}

func newTwo(t *testing.T) *two {
	w := &two{world: newWorld(t)}
	w.config(servers{"one": w.escaping("one"), "two": w.escaping("two")}.String())
	w.daemon = w.serve()
	w.e = w.connect(in(mcpCapabilities, w.folder("project")))
	for i, name := range []string{"one", "two"} {
		w.server[i], w.escaped[i] = awaitReady(w.e, name), w.world.escaped(name)
	}
	return w
}

// gone fails the test over processes that are left.
func gone(t *testing.T, pids map[string]int) {
	t.Helper()
	for way, pid := range pids {
		if alive(pid) {
			t.Errorf("%s: process %d is left", way, pid)
		}
	}
}

// there fails the test over processes that are not there.
func there(t *testing.T, pids map[string]int) {
	t.Helper()
	for way, pid := range pids {
		if !alive(pid) {
			t.Errorf("%s: process %d of the other server has ended", way, pid)
		}
	}
}

func TestPromise3StoppedServerTakesAllWithIt(t *testing.T) {
	w := newTwo(t)
	stop(w.e, "one")
	gone(t, w.escaped[0])
	there(t, w.escaped[1])
	stop(w.e, "two")
	gone(t, w.escaped[1])
}

func TestPromise3EndedServerTakesAllWithIt(t *testing.T) {
	w := newTwo(t)
	w.kill(w.server[0].PID)
	awaitServer(w.e, "one", "has failed", func(s editorapi.Server) bool {
		return s.Error != nil && strings.Contains(s.Error.Message, "was ended by signal: killed")
	})
	gone(t, w.escaped[0])
	there(t, w.escaped[1])
}

func TestPromise3KilledDaemonLeavesNothing(t *testing.T) {
	w := newTwo(t)
	w.kill(w.daemon.pid)
	for i := range w.server {
		w.escaped[i]["the server"] = w.server[i].PID
		for way, pid := range w.escaped[i] {
			await(t, way+" has ended with the daemon", func() bool { return !alive(pid) })
		}
	}
}

func TestPromise3KilledSupervisorLeavesNothing(t *testing.T) {
	w := newTwo(t)
	w.kill(supervisorOf(t, w.daemon.pid, w.server[0].PID))
	awaitServer(w.e, "one", "has failed", func(s editorapi.Server) bool { return s.Error != nil })
	gone(t, w.escaped[0])
	there(t, w.escaped[1])
	awaitServer(w.e, "one", "ready again", func(s editorapi.Server) bool { return s.State == "ready" && s.PID != w.server[0].PID })
	for _, child := range children(t, w.daemon.pid) {
		if !alive(child) {
			t.Errorf("process %d is a zombie of the daemon", child)
		}
	}
}

// keepStopped stops a process again and again until it has ended: to let it go on once is
// not enough. A server can do that to its supervisor: both are the same user's.
func keepStopped(t *testing.T, pid int) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for syscall.Kill(pid, syscall.SIGSTOP) == nil && alive(pid) {
		}
	}()
	t.Cleanup(func() { <-ended })
	await(t, "the supervisor is stopped", func() bool {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return bytes.Contains(b, []byte(") T "))
	})
}

func TestPromise3StoppedSupervisorDoesNotProtectItsServer(t *testing.T) {
	w := newTwo(t)
	supervisor := supervisorOf(t, w.daemon.pid, w.server[0].PID)
	keepStopped(t, supervisor)
	stop(w.e, "one")
	gone(t, w.escaped[0])
	gone(t, map[string]int{"the supervisor": supervisor})
	there(t, w.escaped[1])
}

// The daemon is killed while one supervisor is kept from its work, and the other is killed with
// it. The next daemon goes by the marker.
func TestPromise3NextDaemonEndsWhatSupervisorsLeft(t *testing.T) {
	w := newTwo(t)
	stopped, killed := supervisorOf(t, w.daemon.pid, w.server[0].PID), supervisorOf(t, w.daemon.pid, w.server[1].PID)
	if err := syscall.Kill(w.daemon.pid, syscall.SIGSTOP); err != nil { // it must not see the one end
		t.Fatal(err)
	}
	keepStopped(t, stopped)
	w.kill(killed)
	w.kill(w.daemon.pid)
	await(t, "the daemon has ended", w.daemon.ended)
	await(t, "the server has ended with its supervisor", func() bool { return !alive(w.server[1].PID) })
	// What has shed the marker is out of reach when both are gone.
	left := map[string]int{"double fork": w.escaped[1]["double fork"]}
	there(t, left)
	next := w.connectAgain()
	awaitReady(next, "one") // it starts after them
	gone(t, w.escaped[0])
	gone(t, left)
	gone(t, map[string]int{"the supervisor": stopped})
	awaitReady(next, "two")
}

// connectAgain starts a daemon and returns an editor that it has taken.
func (w *world) connectAgain() *fakeeditor.Editor {
	w.t.Helper()
	w.must("start")
	return w.connect(in(mcpCapabilities, w.folder("project")))
}

// children returns the processes whose parent is pid.
func children(t *testing.T, pid int) (pids []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tasks {
		b, _ := os.ReadFile(path) // the thread may have ended
		for _, field := range strings.Fields(string(b)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}
