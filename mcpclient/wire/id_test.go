package wire

import "testing"

func TestParseID(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{ // want "" means: no id
		{`0`, `0`}, {`-0`, `0`}, {`7`, `7`}, {`-7`, `-7`},
		{`9007199254740993`, `9007199254740993`}, {`123456789012345678901234567890`, `123456789012345678901234567890`},
		{`"a"`, `"a"`}, {`"1"`, `"1"`}, {`""`, `""`}, {`"\u0061\/"`, `"a/"`}, {`"\u00e9\n"`, `"é\n"`}, {`"q\"1"`, `"q\"1"`},
		{``, ``}, {`null`, ``}, {`true`, ``}, {`[]`, ``}, {`{}`, ``},
		{`1.0`, ``}, {`1.5`, ``}, {`1e3`, ``}, {`-`, ``}, {`01`, ``}, {`+1`, ``}, {`"\ud800"`, ``}, {`"a`, ``},
	} {
		id, ok := ParseID([]byte(tt.raw))
		if ok != (tt.want != "") || id.IsValid() != ok || ok && id.String() != tt.want {
			t.Errorf("%s: got %v, %v; want %s", tt.raw, id, ok, tt.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want int64
		ok   bool
	}{
		{`5`, 5, true}, {`-0`, 0, true}, {`"5"`, 0, false}, {`123456789012345678901234567890`, 0, false},
	} {
		id, _ := ParseID([]byte(tt.raw))
		if n, ok := id.Number(); ok != tt.ok || ok && n != tt.want {
			t.Errorf("%s: got %d, %v", tt.raw, n, ok)
		}
	}
	if id, _ := ParseID([]byte(`5`)); id != NumberID(5) {
		t.Error("5 is not 5")
	}
	if _, ok := (ID{}).Number(); ok {
		t.Error("the zero ID is a number")
	}
}
