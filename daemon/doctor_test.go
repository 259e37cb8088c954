//go:build linux || darwin

package daemon

import (
	"errors"
	"testing"

	"github.com/mcp-editord/mcp-editord/editorapi"
)

// What only several editors, or a daemon that was killed, can show. TestDoctor of cmd/mcp-editord has the rest.
func TestExamination(t *testing.T) {
	asker := &editor{name: "mcp-editord", env: map[string]string{"PATH": "/a:/b:/c"}}
	of := func(name, path string) *editor { return &editor{name: name, env: map[string]string{"PATH": path}} }
	over := make(chan struct{})
	close(over)
	for _, tt := range []struct {
		name   string
		others []*editor
		reap   error
		want   string // the state and text of the only check
	}{
		{"nobody else", nil, nil, ""},
		{"more directories", []*editor{of("Neovim", "/x:/c:/b:/a")}, nil, "ok: PATH of Neovim has all directories of yours"},
		{"fewer directories", []*editor{of("VS Code", "/b")}, nil, "warning: PATH of VS Code lacks /a, /c"},
		{"processes are left", nil, errors.New("process 7 does not end"), "warning: servers of an earlier daemon may still run: process 7 does not end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &Daemon{editors: append(tt.others, asker), reaped: over, reapFailed: tt.reap}
			asker.d = d
			x := &examination{e: asker}
			x.environments()
			x.leftovers()
			got := ""
			for _, c := range x.Checks {
				got += string(c.State) + ": " + c.Text
				if c.State != editorapi.CheckOK && (c.Why == "" || c.Remedy == "") {
					t.Errorf("it does not say why %+v matters, or what mends it", c)
				}
			}
			if got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}
