//go:build linux || darwin

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/internal/fileuri"
)

// configDesk is an editor with a folder whose configuration somebody edits.
type configDesk struct {
	t      *testing.T
	d      *Daemon
	folder string
	a      editorapi.Attachment
	s      *screen
}

// newConfigDesk attaches an editor to a folder with these files.
func newConfigDesk(t *testing.T, files map[string]string) *configDesk {
	d, dir := newTestDaemon(t, time.Hour)
	desk := &configDesk{t: t, d: d, folder: filepath.Join(dir, "w"), s: newScreen()}
	for name, text := range files {
		desk.write(name, text)
	}
	desk.a = attachWith(t, d, desk.s, editorapi.AttachParams{Folders: opened(desk.folder), DynamicCommands: true})
	return desk
}

func (desk *configDesk) write(name, text string) {
	desk.t.Helper()
	writeFile(desk.t, filepath.Join(desk.folder, name), text)
}

func (desk *configDesk) uri(name string) string {
	return fileuri.FromPath(filepath.Join(desk.folder, name))
}

// file returns what is known of a text of a file.
func (desk *configDesk) file(name, text string) editorapi.ConfigFile {
	desk.t.Helper()
	file, ok := desk.a.ConfigFile(desk.uri(name), text)
	if !ok {
		desk.t.Fatalf("%s is not a configuration file", name)
	}
	return file
}

const oneServer = `{"servers": {"x": {"command": "/nothing/x", "env": {"T": "${env:TOKEN}"}}}, "inputs": [{"id": "i"}]}`

// What an editor shows is what a decision would be about only if it is what is on the disk, and complete.
func TestConfigFileIsWhatWouldBeDecidedOn(t *testing.T) {
	for name, test := range map[string]struct {
		files       map[string]string
		text        string // "" for that on the disk
		known       bool   // the server is the editor's
		saved, part bool
	}{
		"as on the disk":        {known: true, saved: true},
		"with another line end": {text: oneServer + "\r\n", known: true, saved: true},
		"another space":         {text: oneServer + " ", known: true},
		"another command":       {text: strings.Replace(oneServer, "/nothing/x", "/nothing/y", 1), known: true},
		"a key twice":           {files: map[string]string{".mcp.json": `{"servers": {"x": {"command": "/nothing/y", "command": "/nothing/x"}}}`}, known: true, saved: true, part: true},
		"a server twice":        {files: map[string]string{".mcp.json": `{"servers": {"x": {"command": "/nothing/y"}, "x": {"command": "/nothing/x"}}}`}, known: true, saved: true, part: true},
		"an input":              {files: map[string]string{".mcp.json": `{"servers": {"x": {"command": "${input:i}"}}, "inputs": [{"id": "i", "default": "evil"}]}`}, known: true, saved: true, part: true},
		"not on the disk yet":   {files: map[string]string{".cursor/mcp.json": `{}`}, text: oneServer},
	} {
		t.Run(name, func(t *testing.T) {
			if test.files == nil {
				test.files = map[string]string{".mcp.json": oneServer}
			}
			if test.text == "" {
				test.text = test.files[".mcp.json"]
			}
			file := newConfigDesk(t, test.files).file(".mcp.json", test.text)
			if len(file.Servers) != 1 || file.Own {
				t.Fatalf("got %+v", file)
			}
			server := file.Servers[0]
			if server.Name != "x" || (server.Server != nil) != test.known || (server.Approval != nil) != test.known || server.Saved != test.saved || server.Apart != test.part {
				t.Errorf("got %+v", server)
			}
			if entry := test.text[server.Entry.Start:server.Entry.End]; !strings.HasPrefix(entry, `"x": {"command": "`) || !strings.HasSuffix(entry, "}") {
				t.Errorf("the entry is %q", entry)
			}
		})
	}
}

// Where another file has the name, an entry is about nothing that could be decided on.
func TestConfigFileOfShadowedServer(t *testing.T) {
	other := strings.Replace(oneServer, "/nothing/x", "/nothing/evil", 1)
	desk := newConfigDesk(t, map[string]string{".mcp.json": oneServer, ".vscode/mcp.json": other})
	if server := desk.file(".vscode/mcp.json", other).Servers[0]; server.Server != nil || server.Approval != nil || server.Saved || server.Instead != desk.uri(".mcp.json") {
		t.Errorf("of the file that does not count: %+v", server)
	}
	if server := desk.file(".mcp.json", oneServer).Servers[0]; server.Approval == nil || server.Approval.Definition.Command != "/nothing/x" || !server.Saved || server.Instead != "" {
		t.Errorf("of the file that counts: %+v", server)
	}
}

// A link may lead to another file later, and what it leads to has no entry here.
func TestConfigFileThatIsALink(t *testing.T) {
	d, dir := newTestDaemon(t, time.Hour)
	folder, alias := filepath.Join(dir, "w"), filepath.Join(dir, "alias")
	desk := &configDesk{t: t, d: d, folder: folder, s: newScreen()}
	desk.write(".mcp.json", oneServer)
	desk.write("elsewhere.json", strings.ReplaceAll(oneServer, "x", "y"))
	for _, link := range [][2]string{{filepath.Join(folder, "elsewhere.json"), filepath.Join(folder, ".vscode", "mcp.json")}, {folder, alias}} {
		if err := os.MkdirAll(filepath.Dir(link[1]), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Fatal(err)
		}
	}
	desk.folder = alias
	desk.a = attachWith(t, d, desk.s, editorapi.AttachParams{Folders: opened(alias), DynamicCommands: true})
	if server := desk.file(".vscode/mcp.json", strings.ReplaceAll(oneServer, "x", "y")).Servers[0]; server.Approval == nil || !server.Saved || !server.Apart {
		t.Errorf("of a link: %+v", server)
	}
	if server := desk.file(".mcp.json", oneServer).Servers[0]; server.Approval == nil || !server.Saved || server.Apart {
		t.Errorf("of a file in a folder with another name: %+v", server)
	}
	if _, ok := desk.a.ConfigFile(fileuri.FromPath(filepath.Join(folder, "elsewhere.json")), oneServer); ok {
		t.Error("where the link leads is taken for a configuration file")
	}
}

// Problems and what can be completed are those of the text, not of the disk.
func TestConfigFileOfText(t *testing.T) {
	desk := newConfigDesk(t, map[string]string{".mcp.json": oneServer})
	text := strings.Replace(oneServer, `"command"`, `"commando"`, 1)
	file := desk.file(".mcp.json", text)
	if len(file.Problems) == 0 || text[file.Problems[0].Start:file.Problems[0].End] != `{"commando": "/nothing/x", "env": {"T": "${env:TOKEN}"}}` {
		t.Errorf("got %+v", file.Problems)
	}
	file = desk.file(".mcp.json", oneServer)
	if len(file.Problems) > 0 || strings.Join(file.Inputs, " ") != "i" || strings.Join(file.Environment, " ") != "TOKEN" || len(file.Schema) == 0 {
		t.Errorf("got %+v", file)
	}
	file = desk.file(".mcp.json", oneServer+"{")
	if len(file.Problems) != 1 || len(file.Servers) > 0 || strings.Join(file.Inputs, " ") != "i" || strings.Join(file.Environment, " ") != "TOKEN" {
		t.Errorf("while somebody types: %+v", file)
	}
	own, ok := desk.a.ConfigFile(fileuri.FromPath(desk.d.opts.Paths.Config), `{"servers": {"mine": {"command": "m"}}, "defaults": {"scope": "all"}}`)
	if !ok || !own.Own || len(own.Problems) != 1 || own.Servers[0].Server != nil {
		t.Errorf("of the user's own file: %+v, %v", own, ok)
	}
	for _, uri := range []string{"file:///etc/passwd", "untitled:mcp.json", fileuri.FromPath(filepath.Join(desk.folder, "mcp.json")), ""} {
		if _, ok := desk.a.ConfigFile(uri, oneServer); ok {
			t.Errorf("%s is taken for a configuration file", uri)
		}
	}
}

// An agent edits no configuration.
func TestConfigFileOfAgent(t *testing.T) {
	desk := newConfigDesk(t, map[string]string{".mcp.json": oneServer})
	agent := attachWith(t, desk.d, newScreen(), editorapi.AttachParams{Folders: opened(desk.folder), Agent: &editorapi.Agent{Name: "Agent"}})
	if _, ok := agent.ConfigFile(fileuri.FromPath(filepath.Join(desk.folder, ".mcp.json")), oneServer); ok {
		t.Error("an agent is told of a configuration file")
	}
}
