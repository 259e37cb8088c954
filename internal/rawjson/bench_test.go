package rawjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

const smallCall = `{"jsonrpc":"2.0","id":12,"method":"mcp/tools/call","params":{"server":"x","params":{"name":"echo","arguments":{"text":"hello"}}}}`

// toolResult returns an answer with so many bytes of text, as a tool that reads files gives it: lines,
// quotes and indentation.
func toolResult(size int) string {
	line := `\tif got := String(Get(in, \"a\"), \"b\"); got != want {\n\t\tt.Errorf(\"String: %q\", got) // größer\n\t}\n`
	var content []string
	for n := 0; n < size; n += 4 << 10 {
		content = append(content, `{"type":"text","text":"`+strings.Repeat(line, 4<<10/len(line))+`","annotations":{"audience":["user"],"priority":0.5}}`)
	}
	return `{"jsonrpc":"2.0","id":12,"result":{"content":[` + strings.Join(content, ",") + `],"isError":false}}`
}

// objects returns an array of n small objects.
func objects(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"name":"symbol%d","kind":%d,"uri":"file:///home/u/p/f%d.go","range":{"start":{"line":%d,"character":4},"end":{"line":%d,"character":9}}}`, i, i%26, i%50, i, i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// indented returns about a mebibyte of values on lines of their own.
func indented() string {
	return "[\n" + strings.Repeat("        {\n            \"name\": \"value\",\n            \"n\": 1\n        },\n", 16<<10) + "1\n]"
}

func BenchmarkScan(b *testing.B) {
	for _, bench := range []struct{ name, in string }{
		{"small", smallCall},
		{"result64K", toolResult(64 << 10)},
		{"string1M", `"` + strings.Repeat("0123456789abcdef", 64<<10) + `"`},
		{"chinese1M", `"` + strings.Repeat("中文字符", 1<<20/12) + `"`},
		{"cyrillic1M", `"` + strings.Repeat("привет мир ", 1<<20/20) + `"`},
		{"numbers1M", "[" + strings.Repeat("12,-3.25,1e10,4096,", 1<<20/19) + "0]"},
		{"objects", objects(8 << 10)},
		{"indented1M", indented()},
		{"members50", manyMembers(50, `"z"`)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			in := []byte(bench.in)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rawjson.Measure(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkScanMembers is about an object with a million members.
func BenchmarkScanMembers(b *testing.B) {
	var in strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&in, `"name%d":%d,`, i, i)
	}
	object := []byte("{" + in.String() + `"":0}`)
	b.SetBytes(int64(len(object)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rawjson.Measure(object); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	for _, bench := range []struct{ name, in, member string }{
		{"small", smallCall, "params"},
		{"none", smallCall, "result"},
		{"result64K", toolResult(64 << 10), "none"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			in := []byte(bench.in)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				rawjson.Get(in, bench.member)
			}
		})
	}
}
