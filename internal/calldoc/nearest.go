package calldoc

import (
	"fmt"

	"github.com/mcp-editord/mcp-editord/internal/nearname"
)

// suggestion returns a clause that names the one of names that name was probably meant to be; "" when
// none is near.
func suggestion(name string, names []string) string {
	if found := nearname.Of(name, names); found != "" {
		return fmt.Sprintf("; did you mean %q?", found)
	}
	return ""
}
