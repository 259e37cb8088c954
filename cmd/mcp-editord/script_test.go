//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcp-editord/mcp-editord/internal/peercred"
	"github.com/mcp-editord/mcp-editord/internal/procgroup"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// patience ends waits that would otherwise hang. It measures nothing.
const patience = 2 * time.Minute

// The test binary is three programs: mcp-editord, mcp-editord with an extension for VS Code in it,
// and a server that follows a script.
func TestMain(m *testing.M) {
	procgroup.Supervise()
	testscript.Main(m, map[string]func(){
		"mcp-editord": main,
		"mcp-editord-with-extension": func() {
			os.Exit(newApp(sampleVSIX()).run(context.Background(), os.Args[1:]))
		},
		"mcp-editord-old": func() {
			old := newApp(nil)
			old.version = "v0.0.1"
			os.Exit(old.run(context.Background(), os.Args[1:]))
		},
		"fakeserver": fakeserver.Main,
	})
}

// Each script has one user's machine: home, configuration, workspace ws, socket and daemon. It has
// these commands besides those of testscript:
//
//	await PROGRAM…            runs it until it succeeds
//	code N PROGRAM…           runs it, and its exit code must be N
//	interrupt FILE TEXT PROGRAM…  runs it, sends SIGINT once TEXT is in FILE; its exit code must be 130
//	kill-daemon               kills the daemon, and waits until it is gone
//	typing FILE PROGRAM…      runs it in a terminal, on Linux. For each line PROMPT|TEXT of the file it waits for
//	                          the prompt and types the text, then Enter or, where it is ^D, that. stderr is the screen
func TestScripts(t *testing.T) {
	t.Setenv("GOTMPDIR", "/tmp") // where long lines are broken, and how long sockets are, depends on the folder
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await": await, "code": code, "interrupt": interrupt, "kill-daemon": killDaemon, "typing": typing,
		},
	})
}

// environKey is the key of a script's environment, testKey that of its test.
type environKey struct{}
type testKey struct{}

func setUp(env *testscript.Env) error {
	// Not in the script's directory: a socket's path may have only about a hundred bytes.
	run, err := os.MkdirTemp("/tmp", "mcpd")
	if err != nil {
		return err
	}
	socket := filepath.Join(run, "s")
	for name, value := range map[string]string{
		"HOME":               filepath.Join(env.WorkDir, "home"),
		"XDG_CONFIG_HOME":    filepath.Join(env.WorkDir, "config"),
		"XDG_STATE_HOME":     filepath.Join(env.WorkDir, "state"),
		"MCP_EDITORD_SOCKET": socket,
		"RUN":                run,
		"GORACE":             "atexit_sleep_ms=10 log_path=" + filepath.Join(run, "race"),
	} {
		env.Setenv(name, value)
	}
	env.Cd = filepath.Join(env.WorkDir, "ws")
	for _, dir := range []string{env.Cd, filepath.Join(env.WorkDir, "home")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	t := env.T().(testing.TB)
	env.Values[environKey{}], env.Values[testKey{}] = env.Vars, t
	env.Defer(func() {
		defer os.RemoveAll(run)
		if err := endDaemon(socket, syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		races, _ := filepath.Glob(filepath.Join(run, "race.*"))
		for _, path := range races {
			report, _ := os.ReadFile(path)
			t.Errorf("the race detector says:\n%s", report)
		}
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(env.WorkDir, "state", "mcp-editord", "daemon.log"))
			t.Logf("daemon.log:\n%s", log)
		}
	})
	return nil
}

// endDaemon signals the daemon of a socket, if one runs, and waits until it has released its lock,
// the last thing that it does.
func endDaemon(socket string, signal syscall.Signal) error {
	conn, err := net.Dial("unix", socket)
	if err == nil {
		daemon, err := peercred.Of(conn.(*net.UnixConn))
		conn.Close()
		if err != nil {
			return err
		}
		if err := syscall.Kill(daemon.PID, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	if _, err := os.Stat(socket + ".lock"); err != nil {
		return nil // there never was one
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock := flock.New(socket + ".lock")
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("waiting for the end of the daemon: %w", err)
	}
	return nil
}

func killDaemon(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: kill-daemon")
	}
	ts.Check(endDaemon(ts.Getenv("MCP_EDITORD_SOCKET"), syscall.SIGKILL))
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: await program [args...]")
	}
	awaitThat(ts, strings.Join(args, " "), func() bool { return ts.Exec(args[0], args[1:]...) == nil })
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code n program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	checkCode(ts, ts.Exec(args[1], args[2:]...), want)
}

// interrupt runs the program in the background, so scripts cannot look at its output.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt file text program [args...]")
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = ts.Value(environKey{}).([]string)
	ts.Check(cmd.Start())
	file := ts.MkAbs(args[0])
	awaitThat(ts, args[1]+" in "+args[0], func() bool {
		text, _ := os.ReadFile(file)
		return strings.Contains(string(text), args[1])
	})
	ts.Check(cmd.Process.Signal(os.Interrupt))
	checkCode(ts, cmd.Wait(), exitInterrupted)
}

func typing(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: typing file program [args...]")
	}
	t := ts.Value(testKey{}).(testing.TB)
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir, cmd.Env, cmd.Stdout = ts.MkAbs("."), ts.Value(environKey{}).([]string), ts.Stdout()
	p := startInTerminal(t, cmd)
	prompts := map[string]int{}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		prompt, text, _ := strings.Cut(line, "|")
		if text == "^D\n" {
			text = "\x04"
		}
		prompts[prompt]++
		p.screen.await(t, prompt, prompts[prompt])
		_, err := p.keyboard.WriteString(text)
		ts.Check(err)
	}
	err := cmd.Wait()
	p.screen.awaitEnd()
	fmt.Fprint(ts.Stderr(), strings.ReplaceAll(p.screen.String(), "\r\n", "\n"))
	if neg == (err == nil) {
		ts.Fatalf("it ended with %v; the screen is %q", err, p.screen)
	}
}

func checkCode(ts *testscript.TestScript, err error, want int) {
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// awaitThat polls, for conditions that nobody can announce.
func awaitThat(ts *testscript.TestScript, what string, holds func() bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			ts.Fatalf("still not so after %v: %s", patience, what)
		}
		<-tick.C
	}
}
