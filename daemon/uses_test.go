//go:build linux || darwin

package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// The status says how a server was started, with no value that may be a secret, which roots it was told,
// and what the configuration added to a call.
func TestUses(t *testing.T) {
	d, dir := newTestDaemon(t, time.Hour)
	folder := filepath.Join(dir, "w x")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.run=^TestFakeServerProcess$", "${workspaceFolder}/x", "--token=${env:TOKEN}", "--at=${workspaceFolder}${env:TOKEN}"}
	encoded, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	servers := rawjson.SetPath(fakeDefinition(t, plainScript), encoded, "fake", "args")
	s := newScreen()
	env := editorapi.Environment(os.Environ())
	env["TOKEN"] = "hunter2"
	a := attachWith(t, d, s, editorapi.AttachParams{Folders: opened(folder), Servers: servers, AutoStart: true, DynamicCommands: true, Environment: env})
	s.await(t, "ready")
	status := func() editorapi.ServerStatus {
		t.Helper()
		all := a.Status().Servers
		if len(all) != 1 {
			t.Fatalf("servers are %+v", all)
		}
		return all[0]
	}
	first := status()
	if want := []string{args[0], folder + "/x", args[2], args[3]}; !slices.Equal(first.Command[1:], want) || !strings.Contains(first.Cwd, "/servers/fake-") {
		t.Errorf("it was started in %s as %q, want %q", first.Cwd, first.Command, want)
	}
	if first.Roots != nil || first.Bound != nil {
		t.Errorf("roots %+v, bound %+v", first.Roots, first.Bound)
	}

	c := a.(*editor).connection("fake")
	if _, err := c.Request(t.Context(), mcpclient.Ask{Method: wire.MethodListRoots}); err != nil {
		t.Fatal(err)
	}
	_, _ = a.Call(t.Context(), editorapi.Call{Server: "fake", Method: wire.MethodCallTool, Params: json.RawMessage(`{"name":"echo"}`), Bound: []string{"file"}})
	_, _ = a.Call(t.Context(), editorapi.Call{Server: "fake", Method: wire.MethodCallTool, Params: json.RawMessage(`{"name":"other"}`)})
	then := status()
	if then.Roots == nil || !slices.Equal(then.Roots.URIs, []string{fileuri.FromPath(folder)}) {
		t.Errorf("roots are %+v", then.Roots)
	} else if _, err := time.Parse(time.RFC3339, then.Roots.At); err != nil {
		t.Error(err)
	}
	if then.Bound == nil || then.Bound.Tool != "echo" || !slices.Equal(then.Bound.Arguments, []string{"file"}) {
		t.Errorf("bound is %+v", then.Bound)
	}

	c.StatusChanged(mcpclient.Status{State: mcpclient.StateStarting})
	if then := status(); then.Roots != nil {
		t.Errorf("a new life has been told %+v", then.Roots)
	}
}
