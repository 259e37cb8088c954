// Package wording has the words for what many messages say: sizes, and what is about a server. What a message is about
// comes first: messages are cut where there is no room.
package wording

import (
	"fmt"
	"strconv"
	"strings"
)

// Size returns a number of bytes for people.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return Count(n, "byte")
	case n < 1<<20:
		return scaled(n, 1<<10) + " KiB"
	}
	return scaled(n, 1<<20) + " MiB"
}

// Count returns a number of things, such as "2 lines".
func Count[N ~int | ~int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// scaled returns n in units, with one digit after the point unless that is a zero.
func scaled(n, unit int64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/float64(unit), 'f', 1, 64), ".0")
}

// OfServer returns a message that names the server that it is about, once, and at its beginning.
func OfServer(server, message string) string {
	name := "server " + strconv.Quote(server)
	if strings.HasPrefix(message, name) {
		return message
	}
	for _, subject := range []string{"the server ", "it "} {
		if rest, ok := strings.CutPrefix(message, subject); ok {
			return name + " " + rest
		}
	}
	return name + ": " + message
}

// Adding returns a message with more of what happened. What the message advises, behind its last semicolon, stays last.
func Adding(message, more string) string {
	if i := strings.LastIndex(message, "; "); i >= 0 {
		return message[:i] + more + message[i:]
	}
	return message + more
}

// WhoAsks says who asks a question of a server: without one, it is the daemon itself.
func WhoAsks(server string) string {
	if server == "" {
		return "mcp-editord"
	}
	return fmt.Sprintf("The MCP server %q", server)
}
