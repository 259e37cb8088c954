package nearname

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	names := []string{"command", "args", "env", "envFile", "create_issue", strings.Repeat("x", 200)}
	for _, tt := range []struct{ name, written, want string }{
		{"the name itself", "args", "args"},
		{"a letter too many", "argss", "args"},
		{"a letter too few", "comand", "command"},
		{"two letters swapped", "create_isseu", "create_issue"},
		{"two letters of a short name swapped", "agrs", "args"},
		{"capitals", "Command", "command"},
		{"too far", "commander-in-chief", ""},
		{"a short name", "x", ""},
		{"the nearer one", "envfil", "envFile"},
		{"nothing", "", ""},
		{"a long one", strings.Repeat("x", 199), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Of(tt.written, names); got != tt.want {
				t.Errorf("it is %q, want %q", got, tt.want)
			}
		})
	}
}
