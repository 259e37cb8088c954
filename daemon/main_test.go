package daemon

import (
	"os"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/procgroup"
)

func TestMain(m *testing.M) {
	procgroup.Supervise() // of the servers that the tests start
	os.Exit(m.Run())
}
