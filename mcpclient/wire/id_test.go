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
