package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mcp-editord/mcp-editord/test/bench/clock"
)

// recordEnv names a file for what a bare server is told about its roots, a line for each:
//
//	initialized TIME
//	changed TIME      roots/list_changed has arrived
//	roots TIME COUNT  the answer to roots/list has arrived
//
// TIME is in nanoseconds of package clock. With recordEnv the server asks for its roots once it
// is initialized, and again whenever they have changed.
const recordEnv = "BENCH_RECORD"

// bare is a server without an SDK.
type bare struct {
	tools  int // how many it has
	more   int // one of them comes and goes: 1 while it is there
	asked  int // how often it asked for its roots
	record io.Writer
	texts  map[int]string // results of the tool text, by their bytes
}

// serveBare serves so many tools. The tool text returns so many bytes of text; a call of the tool
// change makes one more tool come or go.
func serveBare(tools int) error {
	s := &bare{tools: tools, texts: map[int]string{}}
	if path := os.Getenv(recordEnv); path != "" {
		record, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer record.Close()
		s.record = record
	}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		message, err := in.ReadBytes('\n')
		if err != nil {
			return nil // the end of standard input
		}
		if err := s.received(message, clock.Now()); err != nil {
			return err
		}
	}
}

func (s *bare) received(message []byte, now int64) error {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			ProtocolVersion string `json:"protocolVersion"`

			Name      string `json:"name"`
			Arguments struct {
				Bytes int `json:"bytes"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return err
	}
	answer := func(result string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result) }
	switch m.Method {
	case "initialize":
		// Nothing that the server says has another meaning in another version.
		answer(`{"protocolVersion":"` + m.Params.ProtocolVersion + `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"bare","version":"1"}}`)
	case "notifications/initialized":
		s.askRoots("initialized", now)
	case "notifications/roots/list_changed":
		s.askRoots("changed", now)
	case "": // the answer to roots/list
		fmt.Fprintf(s.record, "roots %d %d\n", now, bytes.Count(message, []byte(`"uri":`)))
	case "tools/list":
		answer(s.list())
	case "tools/call":
		if m.Params.Name == "text" {
			answer(s.text(m.Params.Arguments.Bytes))
			break
		}
		answer(`{"content":[]}`)
		if m.Params.Name == "change" {
			s.more = 1 - s.more
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
	case "ping":
		answer(`{}`)
	default:
		if m.ID != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`+"\n", m.ID)
		}
	}
	return nil
}

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

func (s *bare) askRoots(why string, now int64) {
	if s.record == nil {
		return
	}
	fmt.Fprintf(s.record, "%s %d\n", why, now)
	s.asked++
	fmt.Printf(`{"jsonrpc":"2.0","id":"roots-%d","method":"roots/list"}`+"\n", s.asked)
}

// list returns the result of tools/list. Its tools are as large as those of real servers.
func (s *bare) list() string {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range s.tools + s.more {
		name := "tool_" + strconv.Itoa(i)
		switch i {
		case 0:
			name = "change"
		case 1:
			name = "text"
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"name":%q,"title":"Tool %d","description":"Reads the lines of a file that match a pattern, and returns them with their numbers and with so many lines around them.",`+
			`"inputSchema":{"type":"object","required":["path","pattern"],"properties":{"path":{"type":"string","description":"The file, relative to the workspace folder."},`+
			`"pattern":{"type":"string","description":"A regular expression."},"around":{"type":"integer","minimum":0,"description":"How many lines around each match."}}},`+
			`"annotations":{"readOnlyHint":true}}`, name, i)
	}
	b.WriteString(`]}`)
	return b.String()
}
