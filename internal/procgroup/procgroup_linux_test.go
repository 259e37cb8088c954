package procgroup

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Row 6: pipes that os/exec copies do not keep Done from being closed.
func TestHeldPipe(t *testing.T) {
	// The grandchild clears its environment and leaves the group before the child
	// ends, so that nothing finds it.
	cmd := exec.Command("sh", "-c", `{ { env -i setsid sh -c 'echo $$ >&3; echo; exec sleep 1000 >&3' & } | read line; } 3>&1`)
	var out strings.Builder
	cmd.Stdout = &out
	p := start(t, cmd)
	wait(t, p)
	pid, err := strconv.Atoi(strings.TrimSpace(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	if !alive(pid) {
		t.Error("the grandchild was to survive, or nothing is tested")
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// The death signal goes by the thread that forked: a caller whose thread ends
// must not take the child with it.
func TestThreadOfTheCaller(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := stdout(t, cmd)
	var p *Process
	thread := make(chan int)
	body := func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		p = start(t, cmd)
		thread <- syscall.Gettid()
	}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if syscall.Gettid() == os.Getpid() {
			// The main thread never ends. While it is taken here body runs elsewhere.
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				body()
			}()
			<-ended
			return
		}
		body()
	}()
	task := fmt.Sprintf("/proc/self/task/%d", <-thread)
	await(t, "end of the thread", func() bool {
		_, err := os.Stat(task)
		return err != nil
	})
	if _, err := io.WriteString(in, "still here\n"); err != nil {
		t.Fatal(err)
	}
	if got := readLine(t, out); got != "still here" {
		t.Errorf("got %q", got)
	}
	p.Kill()
	wait(t, p)
}

// Row 42: the owner is killed, its children end or are reaped by the next one.
func TestReap(t *testing.T) {
	name := owner(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), ownerEnv+"="+name)
	out := stdout(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var child, grandchild int
	if line := readLine(t, out); !scan(line, &child, &grandchild) {
		t.Fatalf("got %q", line)
	}
	other := start(t, exec.Command("sleep", "1000")) // its owner's name begins with ours
	await(t, "setsid", func() bool { return session(grandchild) == grandchild })

	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	await(t, "death signal", func() bool { return !alive(child) })
	if !alive(grandchild) {
		t.Error("the grandchild was to survive its owner, or nothing is tested")
	}
	killed, err := Reap(name)
	if err != nil || !slices.Equal(killed, []int{grandchild}) {
		t.Errorf("Reap: %v, %v; want [%d]", killed, err, grandchild)
	}
	await(t, "end of the grandchild", func() bool { return !alive(grandchild) })
	if killed, err = Reap(name); err != nil || len(killed) != 0 {
		t.Errorf("Reap again: %v, %v", killed, err)
	}
	if !alive(other.PID()) {
		t.Error("the child of another owner was killed")
	}
}

// session returns the session of a process, 0 if there is none.
func session(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	var state string
	var parent, group, session int
	_, _ = fmt.Sscan(rest, &state, &parent, &group, &session)
	return session
}

func scan(line string, into ...any) bool {
	n, err := fmt.Sscan(line, into...)
	return err == nil && n == len(into)
}

func TestInExec(t *testing.T) {
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	// fields 3 to 52 of proc_pid_stat(5): all "1" but for those given.
	line := func(name string, fields map[int]string) string {
		out := "7 (" + name + ")"
		for i := 3; i <= 52; i++ {
			value := "1"
			if v, ok := fields[i]; ok {
				value = v
			}
			out += " " + value
		}
		return out + "\n"
	}
	for _, tt := range []struct {
		name, stat string
		want       bool
	}{
		{"this process", string(own), false},
		{"in the middle of execve", line("x", map[int]string{51: "0"}), true},
		{"with a name that misleads", line("a) R 0 (b", map[int]string{51: "0"}), true},
		{"a kernel thread or a zombie", line("x", map[int]string{23: "0", 51: "0"}), false},
		{"an empty environment", line("x", nil), false},
		{"gone", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := inExec(tt.stat); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
