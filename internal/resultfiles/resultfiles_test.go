package resultfiles

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// JSON has lines where a person reads it, unless that makes it much larger: a server chooses how deep it is.
func TestLines(t *testing.T) {
	for _, test := range []struct{ name, json, want string }{
		{"an object", `{"rows":[{"id":1,"name":"a name"},{"id":2,"name":"a name"}]}`, "{\n  \"rows\": [\n    {\n      \"id\": 1,\n      \"name\": \"a name\"\n    },\n    {\n      \"id\": 2,\n      \"name\": \"a name\"\n    }\n  ]\n}"},
		{"what has lines", "[1,\n2]", "[1,\n2]"},
		{"what is deep", strings.Repeat("[", 400) + strings.Repeat("1,", 400) + "1" + strings.Repeat("]", 400), ""},
		{"what is no JSON", `[1`, `[1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want == "" {
				want = test.json
			}
			if got := string(lines([]byte(test.json))); got != want {
				t.Errorf("got %.300q, want %.300q", got, want)
			}
		})
	}
}

// A result stays whole where a file of it cannot be written, and leaves no other file behind.
func TestShrinkLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := filepath.Join(t.TempDir(), "texts")
	text := `{"type":"text","text":"` + strings.Repeat("x", 9000) + `"}`
	result := json.RawMessage(`{"content":[` + text + `,` + text + `]}`)
	stand := 0
	p := Policy{Dir: dir, Limit: 5000, MaxFiles: 8, StandIn: func(Part) json.RawMessage {
		if stand++; stand == 1 { // between the first file and the second
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return json.RawMessage(`{}`)
	}}
	got, err := Shrink(result, p)
	left, _ := os.ReadDir(dir)
	if err == nil || string(got) != string(result) || len(left) > 0 {
		t.Errorf("got %.100s, %v, and %d files", got, err, len(left))
	}
	if got, err := Shrink(result, Policy{Dir: dir}); err != nil || string(got) != string(result) {
		t.Errorf("without a limit: got %.100s, %v", got, err)
	}
}
