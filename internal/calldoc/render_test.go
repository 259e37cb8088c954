package calldoc

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Faults unknown-content and hidden-characters: what a text cannot show is described, and text is data.
func TestRender(t *testing.T) {
	for _, test := range []struct{ name, method, result, want string }{
		{"text", "tools/call", `{"content":[{"type":"text","text":"a\nb\tc"},{"type":"text","text":"d\n"}]}`, "a\nb\tc\nd\n"},
		{"text is data", "tools/call", `{"content":[{"type":"text","text":"\u001b[2J\u202e\r\u2028"}]}`, "\\u{1b}[2J\\u{202e}\\r\\u{2028}\n"},
		{"nothing", "tools/call", `{"content":[]}`, ""},
		{"image", "tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"AAAAAA=="}]}`, "image/png, 4 bytes: /kept/1-image.png\n"},
		{"the server does not choose the extension", "tools/call", `{"content":[{"type":"image","mimeType":"image/x.exe; a","data":""},{"type":"image","mimeType":"IMAGE/JPEG;q=1","data":""},{"type":"image","mimeType":"image/svg+xml","data":""}]}`,
			"image/x.exe; a, 0 bytes: /kept/1-image.bin\nIMAGE/JPEG;q=1, 0 bytes: /kept/2-image.jpg\nimage/svg+xml, 0 bytes: /kept/3-image.bin\n"},
		{"audio without a type", "tools/call", `{"content":[{"type":"audio","data":"AA=="}]}`, "audio, 1 byte: /kept/1-resource.bin\n"},
		{"not base64", "tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"!"}]}`, "image/png, not valid base64\n"},
		{"link", "tools/call", `{"content":[{"type":"resource_link","name":"A","uri":"file:///a","mimeType":"text/x","size":7000}]}`, "A, text/x, 6.8 KiB: file:///a\n"},
		{"binary resource", "tools/call", `{"content":[{"type":"resource","resource":{"uri":"a:b","mimeType":"application/pdf","blob":"AAA="}}]}`, "a:b, application/pdf, 2 bytes: /kept/1-resource.pdf\n"},
		{"unknown type", "tools/call", `{"content":[{"type":"x\u001b","y":1}]}`, "content of the unknown type x\\u{1b}, 24 bytes of JSON\n"},
		{"structure without text", "tools/call", `{"content":[],"structuredContent":{"b":1.0,"a":"x: y"}}`, "b: 1.0\na: \"x: y\"\n"},
		{"structure beside text", "tools/call", `{"content":[{"type":"text","text":"Two issues."}],"structuredContent":{"n":2}}`, "Two issues.\n\nn: 2\n"},
		{"structure that a text for people has in it", "tools/call", `{"content":[{"type":"text","text":"/a.go\n/b.go\n"}],"structuredContent":{"files":["/a.go","/b.go"],"more":true,"next":null}}`, "/a.go\n/b.go\n"},
		{"structure that says more", "tools/call", `{"content":[{"type":"text","text":"/a.go\n"}],"structuredContent":{"files":["/a.go"],"more":2}}`, "/a.go\n\nfiles:\n  - /a.go\nmore: 2\n"},
		{"structure that the text says too", "tools/call", `{"content":[{"type":"text","text":"{ \"a\": 1, \"b\": [1] }"}],"structuredContent":{"b":[1],"a":1}}`, "b:\n  - 1\na: 1\n"},
		{"a wrapped text", "tools/call", `{"content":[{"type":"text","text":"It is\nfine"}],"structuredContent":{"result":"It is\nfine"}}`, "result: |-\n  It is\n  fine\n"},
		{"wrapped items", "tools/call", `{"content":[{"type":"text","text":"{\"a\":1}"},{"type":"text","text":"{\"a\":2}"}],"structuredContent":{"result":[{"a":1},{"a":2}]}}`, "result:\n  a\n  1\n  2\n"},
		{"a table", "tools/call", `{"content":[],"structuredContent":{"issues":[{"id":1,"title":"日本語","open":true},{"id":10,"title":"e\u0301a","by":null}],"more":false}}`,
			"issues:\n  id  title   open  by\n  1   日本語  true\n  10  e\u0301a\nmore: false\n"},
		{"a table with bad cells", "tools/call", `{"content":[],"structuredContent":{"a":[{"x\u001b":"\u202e|"}]}}`, "a:\n  x\\u{1b}\n  \\u{202e}|\n"},
		{"objects that are not flat", "tools/call", `{"content":[],"structuredContent":{"a":[{"x":{"y":1}}]}}`, "a:\n  - x:\n      y: 1\n"},
		{"prompt", "prompts/get", `{"messages":[{"role":"user","content":{"type":"text","text":"a\nb"}},{"role":"x\u001b","content":{"type":"image","data":"AAAA"}}]}`, "user:\n  a\n  b\nx\\u{1b}:\n  image, 3 bytes: /kept/1-resource.bin\n"},
		{"one resource", "resources/read", `{"contents":[{"uri":"a:b","text":"abc\n"}]}`, "abc\n"},
		{"several resources", "resources/read", `{"contents":[{"uri":"a:b","text":"abc"},{"uri":"a:c","mimeType":"image/png","blob":"AAAA"}]}`, "a:b:\nabc\na:c, image/png, 3 bytes: /kept/1-image.png\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := 0
			got := Render(test.method, json.RawMessage(test.result), func(name string, _ []byte) (string, error) {
				n++
				return fmt.Sprintf("/kept/%d-%s", n, name), nil
			})
			if got.Text != test.want || got.Failed {
				t.Errorf("got\n%s\nwant\n%s", got.Text, test.want)
			}
		})
	}
}

func TestRenderFailed(t *testing.T) {
	got := Render("tools/call", json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no"}]}`), nil)
	if want := (Result{true, "no\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := Failure(errors.New("a\x1bb")), (Result{true, "a\\u{1b}b\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A document has at most 200 lines and 16 KiB of a result; the file has all of it.
func TestRenderLong(t *testing.T) {
	for name, text := range map[string]string{
		"lines": strings.Repeat("line\n", 1000), "one line": strings.Repeat("é", 40_000), "long lines": strings.Repeat(strings.Repeat("x", 9_000)+"\n", 9),
	} {
		t.Run(name, func(t *testing.T) {
			quoted, _ := json.Marshal(text)
			result := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, quoted)
			var kept string
			got := Render("tools/call", result, func(name string, data []byte) (string, error) {
				kept = string(data)
				return "/kept/" + name, nil
			}).Text
			if strings.TrimRight(kept, "\n") != strings.TrimRight(text, "\n") {
				t.Errorf("the file has %d bytes, want %d", len(kept), len(text))
			}
			if lines := strings.Count(got, "\n"); lines > maxResultLines || len(got) > maxResultBytes {
				t.Errorf("the text has %d lines and %d bytes", lines, len(got))
			}
			if !strings.HasSuffix(got, ": /kept/result.txt\n") || !strings.HasPrefix(text, got[:100]) {
				t.Errorf("it begins %q and ends %q", got[:10], got[len(got)-80:])
			}
			whole := Render("tools/call", result, nil).Text
			if strings.TrimRight(whole, "\n") != strings.TrimRight(text, "\n") {
				t.Errorf("without files it has %d bytes, want %d", len(whole), len(text))
			}
			failed := Render("tools/call", result, func(string, []byte) (string, error) { return "", errors.New("the disk is full") }).Text
			if !strings.HasSuffix(failed, ": not kept: the disk is full\n") {
				t.Errorf("it ends %q", failed[len(failed)-80:])
			}
		})
	}
}

func TestRenderKeepsFewFiles(t *testing.T) {
	n := 0
	image := `{"type":"image","mimeType":"image/png","data":"` + base64.StdEncoding.EncodeToString([]byte("x")) + `"},`
	Render("tools/call", json.RawMessage(`{"content":[`+strings.Repeat(image, 500)+`7]}`), func(string, []byte) (string, error) {
		n++
		return "/f", nil
	})
	if n != maxKept+1 { // and the text, which is long
		t.Errorf("%d files were kept", n)
	}
}

// Of a large result both are shown, the text and what may say the same: to find out would take a gigabyte.
func TestRenderLargeStructure(t *testing.T) {
	numbers := strings.Repeat("0,", 1<<20) + "0"
	result := json.RawMessage(`{"content":[{"type":"text","text":"{\"a\":[` + numbers + `]}"}],"structuredContent":{"b":[` + numbers + `]}}`)
	keep := func(name string, _ []byte) (string, error) { return "/kept/" + name, nil }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := Render("tools/call", result, keep)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 80*uint64(len(result)) { // the race detector doubles it
		t.Errorf("a result of %d MiB takes %d MiB of memory", len(result)>>20, took>>20)
	}
	if !strings.Contains(got.Text, "/kept/result.txt") {
		t.Errorf("got %.100q", got.Text)
	}
}
