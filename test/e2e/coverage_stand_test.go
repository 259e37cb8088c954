//go:build linux || darwin

package e2e

import (
	"bufio"
	"encoding/json"
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeeditor"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// The servers of a lane: sdk is the one that every editor of it has, fake one that an
// editor brings along.
const (
	sdk  = "sdk"
	fake = "fake"
)

// firstModern is the first version without a handshake.
const firstModern = "2026-07-28"

// A stand is the world of a lane, with a daemon and the server sdk in it, as one of its
// checks has it.
type stand struct {
	*world
	lane
	sdkserver string // the program
	check     string // its id
	folder    string
}

// newStand starts the daemon of a lane and its server.
func newStand(t *testing.T, l lane, sdkserver string) *stand {
	t.Helper()
	s := &stand{world: makeWorld(t), lane: l, sdkserver: sdkserver}
	s.folder = s.world.folder("project")
	s.config(servers{sdk: s.ofSDK()}.String())
	awaitReady(s.attach(in(everyCapability, s.folder)), sdk)
	return s
}

// of returns the stand for a check, which fails t.
func (s *stand) of(t *testing.T, c check) *stand {
	own := &world{t: t, dir: s.dir, socket: s.socket}
	t.Cleanup(func() {
		if t.Failed() {
			own.explain()
		}
	})
	return &stand{world: own, lane: s.lane, sdkserver: s.sdkserver, check: c.id(), folder: s.folder}
}

func (s *stand) modern() bool { return s.version >= firstModern }

// definition returns the definition of a server that is pinned to the version of the
// lane. Over HTTP it is started here, and ends with the test.
func (s *stand) definition(program string, args []string, env map[string]string) object {
	if s.transport == "stdio" {
		return object{"command": program, "args": args, "env": env, "protocol": s.version}
	}
	flag := "-http"
	if s.transport == "sse" && program == s.sdkserver {
		flag = "-sse" // to the fake server its script says it
	}
	cmd := exec.Command(program, append(args, flag, "127.0.0.1:0")...)
	cmd.Env = s.env()
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // killed
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.t.Fatalf("reading the URL of %s: %v", program, err)
	}
	return object{"type": s.transport, "url": strings.TrimSpace(url), "protocol": s.version}
}

// ofSDK returns the definition of a server of the SDK.
func (s *stand) ofSDK() object {
	return s.definition(s.sdkserver, []string{"-version", s.version}, nil)
}

// faked returns the definition of a fake server that keeps its record under a name. Unless its
// script says otherwise it speaks the version of the lane alone.
func (s *stand) faked(name string, script fakeserver.Script) object {
	if script.ProtocolVersions == nil {
		script.ProtocolVersions = []string{s.version}
	}
	script.HTTP.SSE = s.transport == "sse"
	script.Record = s.recordFile(s.check + "." + name)
	return s.definition(fakeserverBinary, nil, map[string]string{fakeserver.Env: marshal(script)})
}

// got returns the messages of a method that a fake server has got.
func (s *stand) got(name, method string) []recordedMessage {
	s.t.Helper()
	return s.recorded(s.check+"."+name, method)
}

// answers are what an editor answers to questions, by method.
type answers = map[string]fakeeditor.Answer

// editor attaches an editor to the daemon, which brings some servers of its own along.
func (s *stand) editor(a answers, own servers) *fakeeditor.Editor {
	s.t.Helper()
	o := in(everyCapability, s.folder)
	o.Answers = a
	if own != nil {
		o.InitializationOptions = json.RawMessage(marshal(object{"servers": own}))
	}
	return s.connect(o)
}

// withSDK attaches an editor on the server that all editors of the lane share.
func (s *stand) withSDK(a answers) *fakeeditor.Editor {
	s.t.Helper()
	e := s.editor(a, nil)
	awaitReady(e, sdk)
	return e
}

// withFake attaches an editor with a fake server of its own, some of whose definition
// may be overridden.
func (s *stand) withFake(script fakeserver.Script, a answers, members object) *fakeeditor.Editor {
	s.t.Helper()
	definition := s.faked(fake, script)
	maps.Copy(definition, members)
	e := s.editor(a, servers{fake: definition})
	awaitReady(e, fake)
	return e
}

// always is an editor's answer that is always the same.
func always(result string) fakeeditor.Answer {
	return func(json.RawMessage) (any, error) { return json.RawMessage(result), nil }
}

// asked returns the params of the one question of a method that the editor was asked.
func asked(e *fakeeditor.Editor, method string) json.RawMessage {
	raw := e.AwaitMethod(method).Params
	var q struct{ Params json.RawMessage }
	if err := json.Unmarshal(raw, &q); err != nil {
		e.Fatalf("reading %s: %v", raw, err)
	}
	return q.Params
}

// notified waits for a notification of a server whose params have a text.
func notified(e *fakeeditor.Editor, server, method, text string) {
	e.Await(method+" of "+server+" with "+text, func(m fakeeditor.Message) bool {
		return m.Method == "mcp/"+method && strings.Contains(string(m.Params), `"server":"`+server+`"`) && strings.Contains(string(m.Params), text)
	})
}

// mcp sends a request to a server and returns the result.
func mcp(e *fakeeditor.Editor, server, method, params string) string {
	var raw json.RawMessage
	request(e, "mcp/"+method, object{"server": server, "params": json.RawMessage(params)}, &raw)
	return string(raw)
}

// refused sends a request to a server, and returns the error that it must lead to.
func refused(e *fakeeditor.Editor, server, method, params string) *fakeeditor.RPCError {
	result, err := e.Request("mcp/"+method, object{"server": server, "params": json.RawMessage(params)})
	if err == nil {
		e.Fatalf("%s of %s succeeds: %s", method, server, result)
	}
	return err
}

// wantAll fails the test for each text that is not in got.
func wantAll(t *testing.T, what, got string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Errorf("%s is %s, without %s", what, got, text)
		}
	}
}

// auditOf returns the lines of the audit about a server, which mcp-editord audit prints.
func (s *stand) auditOf(server string) string {
	s.t.Helper()
	out, said, code := s.world.run("audit", "--json", "-n", "1000", "--server", server)
	if code != 0 {
		s.t.Fatalf("mcp-editord audit ends with %d: %s", code, said)
	}
	return out
}
