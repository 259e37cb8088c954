package wording

import "testing"

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1 KiB", 7000: "6.8 KiB", 100 << 10: "100 KiB",
		1<<20 - 1: "1024 KiB", 64 << 20: "64 MiB", 73_400_320: "70 MiB", 3 << 30: "3072 MiB",
	} {
		if got := Size(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestOfServer(t *testing.T) {
	for message, want := range map[string]string{
		"the server exited with code 1; see its log": `server "a" exited with code 1; see its log`,
		`server "a" was stopped`:                     `server "a" was stopped`,
		`server "ab" was stopped`:                    `server "a": server "ab" was stopped`,
		"it was denied":                              `server "a" was denied`,
		"items are wrong":                            `server "a": items are wrong`,
	} {
		if got := OfServer("a", message); got != want {
			t.Errorf("%q is %q, want %q", message, got, want)
		}
	}
}

func TestAdding(t *testing.T) {
	for message, want := range map[string]string{
		"it ended": "it ended again", "it ended; see its log": "it ended again; see its log", "a; b; c": "a; b again; c",
	} {
		if got := Adding(message, " again"); got != want {
			t.Errorf("%q is %q, want %q", message, got, want)
		}
	}
}
