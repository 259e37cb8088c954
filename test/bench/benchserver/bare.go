package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// bare is a server without an SDK.
type bare struct {
	tools int            // how many it has
	texts map[int]string // results of the tool text, by their bytes

	// The call of the tool roots that waits.
	waits json.RawMessage // its id; nil when there is none
	want  int             // roots
}

// serveBare serves so many tools. Text returns so many bytes of text; a call of roots is answered
// once the server has been told so many roots.
func serveBare(tools int) error {
	s := &bare{tools: tools, texts: map[int]string{}}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		message, err := in.ReadBytes('\n')
		if err != nil {
			return nil // the end of standard input
		}
		if err := s.received(message); err != nil {
			return err
		}
	}
}

func (s *bare) received(message []byte) error {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			ProtocolVersion string `json:"protocolVersion"`

			Name      string `json:"name"`
			Arguments struct {
				Bytes int `json:"bytes"`
				Roots int `json:"roots"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return err
	}
	switch m.Method {
	case "initialize":
		// Nothing that the server says has another meaning in another version.
		answer(m.ID, `{"protocolVersion":"`+m.Params.ProtocolVersion+`","capabilities":{"tools":{}},"serverInfo":{"name":"bare","version":"1"}}`)
	case "tools/list":
		answer(m.ID, s.list())
	case "tools/call":
		if m.Params.Name == "roots" {
			s.waits, s.want = m.ID, m.Params.Arguments.Roots
			askRoots()
			break
		}
		answer(m.ID, s.text(m.Params.Arguments.Bytes))
	case "": // the answer to roots/list
		if bytes.Count(message, []byte(`"uri":`)) == s.want && s.waits != nil {
			answer(s.waits, `{"content":[]}`)
			s.waits = nil
		}
	case "notifications/roots/list_changed":
		if s.waits != nil {
			askRoots()
		}
	case "ping":
		answer(m.ID, `{}`)
	default:
		if m.ID != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`+"\n", m.ID)
		}
	}
	return nil
}

func answer(id json.RawMessage, result string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

func askRoots() { fmt.Println(`{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`) }

// text returns the result of the tool text, which is encoded only the first time.
func (s *bare) text(size int) string {
	if s.texts[size] == "" {
		encoded, err := json.Marshal(repeat(size))
		if err != nil {
			panic(err) // a string is always encoded
		}
		s.texts[size] = `{"content":[{"type":"text","text":` + string(encoded) + `}]}`
	}
	return s.texts[size]
}

// list returns the result of tools/list. Its tools are as large as those of real servers.
func (s *bare) list() string {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range s.tools {
		name := "tool_" + strconv.Itoa(i)
		if i < 2 {
			name = []string{"text", "roots"}[i]
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"name":%q,"title":"Tool %d","description":"Reads the lines of a file that match a pattern, and returns them with their numbers and with so many lines around them.",`+
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"The file, relative to the workspace folder."},`+
			`"pattern":{"type":"string","description":"A regular expression."},"around":{"type":"integer","minimum":0,"description":"How many lines around each match."}}},`+
			`"annotations":{"readOnlyHint":true}}`, name, i)
	}
	b.WriteString(`]}`)
	return b.String()
}
