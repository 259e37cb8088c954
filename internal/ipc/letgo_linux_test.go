package ipc

import "testing"

// Only what has nothing to lose is let go.
func TestProgramPart(t *testing.T) {
	tests := []struct {
		addresses, description string
		begin, end             uintptr
	}{
		{"00400000-00b34000", "r-xp 00000000 fe:00 1   /usr/bin/mcp-editord", 0x400000, 0xb34000},
		{"7f0000000000-7f0000001000", "r--p 00000000 fe:00 1   /usr/lib/libc.so.6", 0x7f0000000000, 0x7f0000001000},
		{"01369000-013ea000", "rw-p 00f69000 fe:00 1   /usr/bin/mcp-editord", 0, 0},
		{"01369000-013ea000", "r--s 00f69000 fe:00 1   /some/file", 0, 0},
		{"013ea000-0342e000", "r--p 00000000 00:00 0", 0, 0},
		{"7f0000000000-7f0000001000", "r-xp 00000000 00:00 0   [vdso]", 0, 0},
		{"00400000-", "r-xp 00000000 fe:00 1   /x", 0, 0},
		{"nonsense", "r-xp /x", 0, 0},
		{"", "", 0, 0},
	}
	for _, test := range tests {
		if begin, end := programPart([]byte(test.addresses), []byte(test.description)); begin != test.begin || end != test.end {
			t.Errorf("%s %s: got %#x-%#x, want %#x-%#x", test.addresses, test.description, begin, end, test.begin, test.end)
		}
	}
}

// The program goes on.
func TestLetGo(t *testing.T) {
	for range 3 {
		letGo()
		TestProgramPart(t)
	}
}
