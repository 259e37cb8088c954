//go:build linux || darwin

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// gopls knows the module that it works in from its directory. The configuration says that this is the
// workspace folder, which you are asked about, and which file its tools are about.
func TestGoplsWorksInTheFolder(t *testing.T) {
	t.Parallel()
	gopls := goServer(t, "gopls")
	w := newWorld(t)
	w.config(servers{"gopls": object{
		"command": gopls, "args": []string{"mcp"}, "cwd": "${workspaceFolder}", "env": object{"GOPROXY": "off", "GOTOOLCHAIN": "local"},
		"tools": object{"go_*": object{"bind": object{"file": "${file}", "files": "${file}"}}},
	}}.String())
	project := w.folder("shop")
	w.write(filepath.Join(project, "go.mod"), "module example.test/shop\n\ngo 1.24\n")
	w.write(filepath.Join(project, "price.go"), "package shop\n\n// Price is in cents.\ntype Price int\n")
	sum := filepath.Join(project, "sum.go")
	w.write(sum, "package shop\n\nfunc Sum(all []Price) (sum Price) {\n\tfor _, p := range all {\n\t\tsum += p\n\t}\n\treturn missing\n}\n")

	e := w.attach(in(mcpCapabilities, project))
	question := awaitServer(e, "gopls", "asks", func(s editorapi.Server) bool { return s.Approval != nil }).Approval
	if question.Kind != "folder" {
		t.Errorf("the question is of kind %q", question.Kind)
	}
	request(e, "editord/approveServer", object{"server": "gopls", "digest": question.Digest, "decision": "allow"}, nil)
	awaitReady(e, "gopls")

	if got := call(e, "gopls", "go_workspace", object{}); got.IsError || !strings.Contains(got.text(), project+"/go.mod (module example.test/shop)") {
		t.Errorf("the workspace is %+v", got)
	}
	where := object{"textDocument": object{"uri": fileuri.FromPath(sum)}}
	for tool, want := range map[string]string{"go_file_context": "type Price int", "go_diagnostics": "undefined: missing"} {
		var got toolResult
		request(e, "workspace/executeCommand", object{"command": "mcp.tool.gopls." + tool, "arguments": []any{object{}, where}}, &got)
		if got.IsError || !strings.Contains(got.text(), want) {
			t.Errorf("%s of the bound file answers %+v, without %q", tool, got, want)
		}
	}

	var status editorapi.Status
	request(e, "editord/status", object{}, &status)
	for _, c := range status.Servers {
		if c.Server.Name == "gopls" && c.Cwd != project {
			t.Errorf("status says that it runs in %q", c.Cwd)
		}
	}
}
