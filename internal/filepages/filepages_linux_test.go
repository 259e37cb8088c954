package filepages

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Only what reads as its file does, and can be read again from it, is let go of.
func TestUnchanged(t *testing.T) {
	const program = "/usr/bin/mcp-editord"
	of := func(start, end, access, path string, anonymous int) string {
		return fmt.Sprintf("%s-%s %s 00000000 fe:00 12 %30s\nSize: 8 kB\nRss: 8 kB\nAnonymous:         %d kB\nVmFlags: rd ex mr-mw \n", start, end, access, path, anonymous)
	}
	tests := []struct {
		name, smaps string
		want        []part
	}{
		{"text", of("00400000", "00b2d000", "r-xp", program, 0), []part{{0x400000, 0xb2d000}}},
		{"constants", of("00b2d000", "01354000", "r--p", program, 0), []part{{0xb2d000, 0x1354000}}},
		{"a library", of("7f9938600000", "7f9938688000", "r-xp", "/lib/libc.so.6", 0), []part{{0x7f9938600000, 0x7f9938688000}}},
		{"a replaced program", of("00400000", "00b2d000", "r-xp", program+" (deleted)", 0), []part{{0x400000, 0xb2d000}}},
		{"a path with a space", of("00400000", "00b2d000", "r-xp", "/my dir/12-34 r", 0), []part{{0x400000, 0xb2d000}}},
		{"variables", of("01354000", "013d5000", "rw-p", program, 0), nil},
		{"relocated", of("00b2d000", "01354000", "r--p", program, 4), nil},
		{"a breakpoint", of("00400000", "00b2d000", "r-xp", program, 4), nil},
		{"no file", of("7f9938600000", "7f9938688000", "r--p", "", 0), nil},
		{"the kernel's", of("7f9938600000", "7f9938688000", "r-xp", "[vdso]", 0), nil},
		{"cut off", strings.TrimSuffix(of("00400000", "00b2d000", "r-xp", program, 0), " 0 kB\nVmFlags: rd ex mr-mw \n"), nil},
		{"not smaps", "x-y z\nAnonymous: 0 kB\n", nil},
		{"several", of("00400000", "00b2d000", "r-xp", program, 0) + of("01354000", "013d5000", "rw-p", program, 0) + of("02000000", "02001000", "r--p", program, 0),
			[]part{{0x400000, 0xb2d000}, {0x2000000, 0x2001000}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := unchanged(strings.NewReader(test.smaps)); !slices.Equal(got, test.want) {
				t.Errorf("got %x, want %x", got, test.want)
			}
		})
	}
}

// A process that has let go has fewer pages of files, and runs on.
func TestRelease(t *testing.T) {
	before := filePages(t)
	Release()
	if after := filePages(t); after >= before {
		t.Errorf("%d kB before, %d kB after", before, after)
	}
}

// filePages returns the memory of this process that is pages of files, in kB.
func filePages(t *testing.T) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "RssFile: %d kB", &n); err == nil {
			return n
		}
	}
	t.Fatal("the system does not say")
	return 0
}
