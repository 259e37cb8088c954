package daemon

import (
	"os"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
	"github.com/mcp-editord/mcp-editord/test/testkit/fakeserver"
)

func TestMain(m *testing.M) {
	procgroup.Supervise()                                      // of the servers that the tests start
	if len(os.Args) == 2 && os.Args[1] == "workspace-server" { // the built-in server is this binary again
		_ = os.Setenv(fakeserver.Env, strings.TrimPrefix(fakeserver.Script{Plain: true}.Environ(), fakeserver.Env+"="))
		fakeserver.Main()
		return
	}
	os.Exit(m.Run())
}
