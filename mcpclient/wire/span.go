package wire

import (
	"time"

	"github.com/mcp-editord/mcp-editord/internal/wording"
)

// Span returns a duration as people say it: "3 minutes", "90 seconds". One that is
// not in whole seconds stays as Go writes it.
func Span(d time.Duration) string {
	for _, u := range [...]struct {
		name string
		of   time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if n := d / u.of; n > 0 && d%u.of == 0 {
			return wording.Count(int64(n), u.name)
		}
	}
	return d.String()
}
