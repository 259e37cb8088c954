//go:build linux || darwin

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

// lines returns the lines of a file, none when there is no file.
func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

// tells is the script of a server that writes down where it runs and what its environment says
// of that, and runs a file of its directory if there is one.
func tells(marker string) string {
	return `echo "$(pwd -P)" "PWD=$PWD" "OLDPWD=$OLDPWD" "INIT_CWD=$INIT_CWD" >>` + marker + `; [ -x ./trap ] && ./trap; exec "$0"`
}

// Promise 1: nothing of an opened folder runs through a server of the user's.
func TestPromise1ServersOfTheUserDoNotRunInTheFolder(t *testing.T) {
	w := newWorld(t)
	folder, marker, trapped := w.folder("clone"), filepath.Join(w.dir, "marker"), filepath.Join(w.dir, "trapped")
	w.executable(filepath.Join(folder, "trap"), "echo trapped >>"+trapped)
	definition := w.launched("own/../name", tells(marker), fakeserver.Script{})
	w.config(servers{"own/../name": definition}.String())
	w.vars = []string{"PWD=" + folder, "OLDPWD=" + folder, "INIT_CWD=" + folder}
	o := in(allCapabilities, folder)
	o.InitializationOptions = json.RawMessage(marshal(object{"cwd": folder, "servers": servers{"given": w.launched("given", tells(marker), fakeserver.Script{})}}))
	e := w.attach(o)
	awaitReady(e, "own/../name")
	awaitReady(e, "given")
	if received(e, "editord/approve") > 0 {
		t.Error("it was asked about")
	}
	if got := lines(t, trapped); len(got) > 0 {
		t.Error("a program of the folder has run")
	}
	seen := map[string]bool{}
	for words := range slices.Chunk(lines(t, marker), 4) {
		dir := words[0]
		info, err := os.Stat(dir)
		if filepath.Dir(dir) != w.state("servers") || err != nil || info.Mode().Perm() != 0o700 || !slices.Equal(words[1:], []string{"PWD=" + dir, "OLDPWD=", "INIT_CWD="}) {
			t.Errorf("a server runs as %q (%v, %v)", words, info, err)
		}
		seen[dir] = true
	}
	if len(seen) != 2 {
		t.Errorf("they run in %v", seen)
	}
}

// Promise 1: a server of the user's that runs in the folder is asked about, once for each folder.
func TestPromise1ServerThatEntersTheFolderIsAskedAbout(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, tt := range []struct {
		name    string
		trusted *bool
		asked   bool
		runs    bool
	}{{"asked", nil, true, true}, {"the editor trusts the folder", &yes, false, true}, {"the editor does not", &no, false, false}} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			folder, marker := w.folder("clone"), filepath.Join(w.dir, "marker")
			definition := w.launched("own", tells(marker), fakeserver.Script{})
			definition["cwd"] = "${workspaceFolder}"
			w.config(servers{"own": definition, "good": w.fakeServer("good", fakeserver.Script{})}.String())
			o, answers := w.asker(allCapabilities, "editord/approve", folder)
			if tt.trusted != nil {
				o.InitializationOptions = json.RawMessage(marshal(object{"trusted": *tt.trusted}))
			}
			e := w.attach(o, "good")
			if tt.asked {
				asked := question(e, 1)
				if asked.Kind != "folder" || asked.Server != "own" || asked.Definition.Folder != folder || asked.Definition.Cwd != folder || asked.Reason != "new" {
					t.Errorf("the question is %+v", asked)
				}
				if got := lines(t, marker); len(got) > 0 {
					t.Errorf("it ran before: %v", got)
				}
				answers <- object{"decision": "allow"}
			}
			if !tt.runs {
				view := awaitNow(e, "own", "needsApproval")
				if view.Approval != nil || view.Error == nil || !strings.Contains(view.Error.Message, "trust") {
					t.Errorf("it is %+v", view)
				}
				if got := lines(t, marker); len(got) > 0 {
					t.Errorf("it ran: %v", got)
				}
				return
			}
			awaitReady(e, "own")
			if got := lines(t, marker); len(got) < 1 || got[0] != folder {
				t.Errorf("it ran as %v", got)
			}
			if !tt.asked {
				if received(e, "editord/approve") > 0 {
					t.Error("it was asked about")
				}
				return
			}
			// The decision is about this folder, whatever else of the definition changes.
			definition["callTimeout"] = "7s"
			w.config(servers{"own": definition}.String())
			awaitNow(e, "own", "ready")
			other, more := w.asker(allCapabilities, "editord/approve", w.folder("another"))
			second := w.attach(other)
			if asked := question(second, 1); asked.Kind != "folder" || filepath.Base(asked.Definition.Folder) != "another" || asked.Reason != "new" {
				t.Errorf("the question about another folder is %+v", asked)
			}
			more <- object{"decision": "deny"}
			await(t, "it is denied there", func() bool { v := server(second, "own"); return v.Error != nil && v.Error.Kind == "denied" })
			if received(e, "editord/approve") != 1 {
				t.Error("it was asked about again")
			}
		})
	}
}

// Promise 1: the decision about a file of one folder never runs a program of another.
func TestPromise1FileOfAFolderRunsInThatFolder(t *testing.T) {
	w := newWorld(t)
	a, b, marker := w.folder("a"), w.folder("b"), filepath.Join(w.dir, "marker")
	program := func(folder, says string) {
		w.executable(filepath.Join(folder, "bin", "server"), "echo "+says+" $(pwd -P) $1 $FROM >>"+marker+"\nexec "+fakeserverBinary)
	}
	program(a, "trap")
	program(b, "right")
	w.write(filepath.Join(a, "an.env"), "FROM=trap\n")
	w.write(filepath.Join(b, "an.env"), "FROM=b\n")
	definition := w.fakeServer("here", fakeserver.Script{})
	definition["command"], definition["args"], definition["envFile"] = "./bin/server", []string{"${workspaceFolder}"}, "${workspaceFolder}/an.env"
	definition["roots"] = []string{".", "${workspaceFolder}/bin"}
	definition["tools"] = object{"echo": object{"bind": object{"folder": "${workspaceFolder}", "file": "${relativeFile}"}}}
	w.workspaceFile(b, servers{"here": definition})
	o, answers := w.asker(allCapabilities, "editord/approve", a, b)
	e := w.attach(o)
	asked := question(e, 1)
	if d := asked.Definition; d.Program != filepath.Join(b, "bin", "server") || d.Cwd != b || d.Folder != b || !strings.Contains(asked.Text.Short, d.Program) {
		t.Errorf("the question is %+v", asked)
	}
	answers <- object{"decision": "allow"}
	awaitReady(e, "here")
	if got, want := strings.Join(lines(t, marker), " "), "right "+b+" "+b+" b"; got != want {
		t.Errorf("it ran as %q, want %q", got, want)
	}
	if got := rootsOf(e, "here"); !slices.Equal(got, uris(b, filepath.Join(b, "bin"))) {
		t.Errorf("its roots are %v", got)
	}
	var filled struct{ Arguments json.RawMessage }
	request(e, "editord/prefill", object{"command": "mcp.tool.here.echo", "context": object{"textDocument": object{"uri": uris(filepath.Join(b, "x", "y.go"))[0]}}}, &filled)
	if got := string(filled.Arguments); !strings.Contains(got, `"`+b+`"`) || !strings.Contains(got, `"x/y.go"`) {
		t.Errorf("filled in is %s", got)
	}
}
