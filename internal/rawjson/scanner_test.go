package rawjson

import (
	"strings"
	"testing"
	"unsafe"
)

// A scanner that is not in use keeps at most 64 KiB, whatever it has scanned, also up to an error.
func TestScannerKeepsLittle(t *testing.T) {
	names := func(n int, name string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"` + name + strings.Repeat("x", i%100) + strings.Repeat("y", i/100) + `":1,`)
		}
		return b.String()
	}
	s := &scanner{names: newNames()}
	for name, in := range map[string]string{
		"many names":      `{` + names(5000, "") + `"z":1}`,
		"medium objects":  `[` + strings.Repeat(`{`+names(400, "")+`"z":1},`, 3) + `1]`,
		"escapes":         `{` + names(2000, `\n`) + `"z":1}`,
		"deep":            strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"deep objects":    strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"large in large":  strings.Repeat(`{`+names(17, "")+`"a":`, 9000) + "1" + strings.Repeat("}", 9000),
		"without the end": strings.Repeat(`{`+names(17, "")+`"a":`, 100),
	} {
		for range 2 {
			_, err := s.scan([]byte(in), nil)
			if (err == nil) == (name == "without the end") {
				t.Fatalf("%s: %v", name, err)
			}
			s.reset()
			kept := cap(s.open)*int(unsafe.Sizeof(0)) + cap(s.names.spans)*int(unsafe.Sizeof(span{})) + cap(s.names.unescaped) +
				cap(s.names.tables)*int(unsafe.Sizeof(table{})) + cap(s.names.spare)*8
			if kept > 64<<10 || len(s.names.spans)+len(s.names.tables)+len(s.names.unescaped)+len(s.open) > 0 {
				t.Errorf("%s: %d bytes are kept", name, kept)
			}
			if _, err := s.scan([]byte(`{"a":{"a":1},"b":1}`), nil); err != nil {
				t.Errorf("after %s: %v", name, err)
			}
			s.reset()
		}
	}
}

// A scanner that is used again needs no memory for what is ordinary.
func TestScannerAllocatesNothing(t *testing.T) {
	var object strings.Builder
	for i := range 50 {
		object.WriteString(`"\u0061` + strings.Repeat("x", i) + `":{"b":[1,{"c":"d"}]},`)
	}
	in := []byte(`{"large":{` + object.String() + `"z":null},` + object.String() + `"z":1}`)
	s := &scanner{names: newNames()}
	members := 0
	scan := func() {
		if _, err := s.scan(in, func(name, value []byte) { members++ }); err != nil {
			t.Fatal(err)
		}
		s.reset()
	}
	scan()
	members = 0
	if got := testing.AllocsPerRun(100, scan); got > 0 {
		t.Errorf("%v allocations", got)
	}
	if members != 101*52 {
		t.Errorf("%d members", members)
	}
}
