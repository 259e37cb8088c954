package main

import (
	"encoding/json"
	"testing"
)

// Faults unknown-content and hidden-characters: what a terminal cannot show is described, and text is data.
func TestToolText(t *testing.T) {
	tests := []struct{ name, result, want string }{
		{"text", `{"content":[{"type":"text","text":"a\nb\tc"},{"type":"text","text":"d\n"}]}`, "a\nb\tc\nd\n"},
		{"escape sequences", `{"content":[{"type":"text","text":"\u001b[2J\u202e\r"}]}`, "\\u{1b}[2J\\u{202e}\\r\n"},
		{"image", `{"content":[{"type":"image","mimeType":"image/png","data":"AAAAAA=="}]}`, "[image, image/png, 4 bytes]\n"},
		{"audio without a type", `{"content":[{"type":"audio","data":""}]}`, "[audio, 0 bytes]\n"},
		{"link", `{"content":[{"type":"resource_link","uri":"file:///a","mimeType":"text/x","size":7}]}`, "[link, file:///a, text/x, 7 bytes]\n"},
		{"text resource", `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"abc"}}]}`, "[resource, a:b, 3 bytes]\n"},
		{"binary resource", `{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"AAA="}}]}`, "[resource, a:b, 2 bytes]\n"},
		{"unknown type", `{"content":[{"type":"x\u001b","y":1}]}`, "[content of the unknown type x\\u{1b}, 24 bytes of JSON]\n"},
		{"structure without text", `{"content":[],"structuredContent":{"b":1.0,"a":"\u202e"}}`, "{\n  \"b\": 1.0,\n  \"a\": \"\\u202e\"\n}\n"},
		{"structure beside text", `{"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}}`, "t\n"},
		{"nothing", `{"content":[]}`, ""},
		{"content that is none", `{"content":7}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := toolText(json.RawMessage(test.result)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPromptText(t *testing.T) {
	got := promptText(json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"a\nb"}},{"role":"x\u001b","content":{"type":"image","data":"AAAA"}}]}`))
	if want := "user:\n  a\n  b\nx\\u{1b}:\n  [image, 3 bytes]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
