package calldoc

import (
	"cmp"
	"strings"

	"github.com/mcp-editord/mcp-editord/internal/keptfiles"
)

// fileName returns the name for a file with data of a MIME type.
func fileName(mimeType string) string {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(mimeType)), "/")
	if name != "image" && name != "audio" && name != "video" {
		name = "resource"
	}
	return name + cmp.Or(keptfiles.Extension(mimeType), ".bin")
}
