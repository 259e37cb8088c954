package fakeserver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// args are the arguments of an action. The package comment says which action takes which.
type args struct {
	Do      string            `json:"do"`
	Env     []string          `json:"env"`
	MS      int               `json:"ms"`
	Code    int               `json:"code"`
	Signal  int               `json:"signal"`
	Message string            `json:"message"`
	Data    json.RawMessage   `json:"data"`
	N       int               `json:"n"`
	Late    int               `json:"late"`
	Method  string            `json:"method"`
	Params  json.RawMessage   `json:"params"`
	ID      json.RawMessage   `json:"id"`
	Kind    string            `json:"kind"`
	Add     []json.RawMessage `json:"add"`
	Remove  []string          `json:"remove"`
	Bytes   int               `json:"bytes"`
	Lines   []string          `json:"lines"`
	Text    string            `json:"text"`
	To      string            `json:"to"`
	Stream  string            `json:"stream"`

	Inputs     json.RawMessage `json:"inputs"`
	State      *string         `json:"state"`
	Rounds     int             `json:"rounds"`
	ResultType string          `json:"resultType"`
}

// An action does what its name says, for the request m or at a moment, when m may be empty.
// A call of the tool has the outcome's result as structuredContent.
type action func(s *server, a args, m message) outcome

// actions returns the actions by name.
func actions() map[string]action {
	return map[string]action{
		"echo":            echo,
		"process":         process,
		"delay":           delay,
		"hang":            hang,
		"refuse":          refuse,
		"exit":            exit,
		"ignore":          ignore,
		"progress":        progress,
		"ask":             ask,
		"ask_roots":       asking("roots/list"),
		"ask_sampling":    asking("sampling/createMessage"),
		"ask_elicitation": asking("elicitation/create"),
		"notify":          notify,
		"change":          change,
		"big":             big,
		"raw":             rawLines,
		"batch":           batch,
		"stdout":          text,
		"stderr":          text,
		"flood":           flood,
		"close":           closeStream,
		"deaf":            deaf,
		"ask_inputs":      askInputs,
		"end_listen":      endListen,
		"headers":         headers,
		"forget":          forget,
		"disconnect":      disconnect,
	}
}

// actionTools returns the actions as the tools of tools/list.
func actionTools() []json.RawMessage {
	var out []json.RawMessage
	for name := range actions() {
		out = append(out, raw(map[string]any{
			"name": name, "description": "fakeserver: " + name,
			"inputSchema": map[string]any{"type": "object"}, "x-grease": true,
		}))
	}
	slices.SortFunc(out, func(a, b json.RawMessage) int {
		return strings.Compare(toolName(a), toolName(b))
	})
	return out
}

// moment runs the steps of a moment. It drops their results, except those that end the
// matter: an error, silence, or a question.
func (s *server) moment(name string, m message) outcome {
	for _, step := range s.script.Steps[name] {
		var a args
		if err := json.Unmarshal(step, &a); err != nil {
			return failure(-32603, err.Error())
		}
		act := actions()[a.Do]
		if act == nil {
			return failure(-32603, "no such step: "+a.Do)
		}
		if out := act(s, a, m); out.ends() {
			return out
		}
	}
	return outcome{}
}

// call runs the action of a tool. A tool of the script that is no action answers with what
// it got.
func (s *server) call(m message) outcome {
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(m.Params, &call); err != nil {
		return failure(-32602, err.Error())
	}
	a := args{}
	if call.Arguments != nil {
		if err := json.Unmarshal(call.Arguments, &a); err != nil && actions()[call.Name] != nil && call.Name != "echo" {
			return failure(-32602, err.Error())
		}
	}
	a.Do = call.Name
	act := actions()[call.Name]
	if act == nil {
		s.mu.Lock()
		known := slices.ContainsFunc(s.lists["tools"], func(t json.RawMessage) bool { return toolName(t) == call.Name })
		s.mu.Unlock()
		if !known {
			return failure(-32602, "unknown tool: "+call.Name)
		}
		act = echo
	}
	out := act(s, a, m)
	if out.ends() {
		return out
	}
	if out.result == nil {
		out.result = json.RawMessage(`{}`)
	}
	content := []any{map[string]any{"type": "text", "text": string(out.result)}}
	if call.Name == "big" {
		content = []any{map[string]any{"type": "text", "text": strings.Repeat("x", a.Bytes)}}
	}
	if !s.script.Plain {
		content = append(content, map[string]any{"type": "x-grease", "value": 1})
	}
	out.result = raw(map[string]any{"content": content, "structuredContent": out.result})
	return out
}

func echo(_ *server, _ args, m message) outcome {
	return outcome{result: json.RawMessage(`{"params":` + string(m.Params) + `}`)}
}

func process(_ *server, a args, _ message) outcome {
	cwd, _ := os.Getwd()
	env := map[string]string{}
	for _, name := range a.Env {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	return outcome{result: raw(map[string]any{"pid": os.Getpid(), "cwd": cwd, "args": os.Args, "env": env})}
}

func delay(_ *server, a args, _ message) outcome {
	time.Sleep(time.Duration(a.MS) * time.Millisecond)
	return outcome{}
}

func hang(_ *server, _ args, m message) outcome {
	if m.ID == nil {
		forever()
	}
	<-m.gone // over stdio this waits for ever
	return outcome{silent: true}
}

// forever does not return. The runtime takes an empty select for a deadlock.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

func ignore(_ *server, a args, _ message) outcome {
	signal.Ignore(syscall.Signal(a.Signal))
	return outcome{}
}

func refuse(_ *server, a args, _ message) outcome {
	e := map[string]any{"code": a.Code, "message": a.Message}
	if a.Data != nil {
		e["data"] = a.Data
	}
	return outcome{err: raw(e)}
}

func exit(_ *server, a args, _ message) outcome {
	if a.Signal != 0 {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Signal(syscall.Signal(a.Signal))
		}
		forever()
	}
	os.Exit(a.Code)
	return outcome{}
}

func progress(_ *server, a args, m message) outcome {
	var params struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params)
	total := a.N + a.Late
	send := func(i int) {
		m.out(notification("notifications/progress", raw(map[string]any{
			"progressToken": params.Meta.Token, "progress": i, "total": total, "message": fmt.Sprintf("step %d", i), "x-grease": i})))
	}
	for i := range a.N {
		send(i + 1)
	}
	return outcome{after: func() {
		for i := a.N; i < total; i++ {
			send(i + 1)
		}
	}}
}

func asking(method string) action {
	return func(s *server, a args, m message) outcome {
		a.Method = method
		return ask(s, a, m)
	}
}

func ask(s *server, a args, m message) outcome {
	answer := make(chan json.RawMessage, 1)
	s.mu.Lock()
	if a.ID == nil {
		s.lastID++
		a.ID = raw(s.lastID)
	}
	s.waiting[string(a.ID)] = answer
	s.mu.Unlock()
	if a.Params == nil {
		a.Params = json.RawMessage(`{}`)
	}
	m.out(`{"jsonrpc":"2.0","id":` + string(a.ID) + `,"method":` + string(raw(a.Method)) + `,"params":` + string(a.Params) + `}`)
	select {
	case got := <-answer:
		return outcome{result: object("answer", got)}
	case <-m.gone:
		return outcome{silent: true}
	}
}

func notify(s *server, a args, m message) outcome {
	for range max(1, a.N) {
		if concernsNoRequest(a.Method) {
			s.announce(a.Method, a.Params)
		} else {
			m.out(notification(a.Method, a.Params))
		}
	}
	return outcome{}
}

func change(s *server, a args, _ message) outcome {
	s.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(s.lists[a.Kind]), func(e json.RawMessage) bool {
		return slices.Contains(a.Remove, toolName(e))
	})
	s.lists[a.Kind] = append(list, a.Add...)
	s.mu.Unlock()
	for range max(1, a.N) {
		s.announce("notifications/"+a.Kind+"/list_changed", nil)
	}
	return outcome{}
}

func big(_ *server, a args, _ message) outcome { return outcome{result: object("bytes", a.Bytes)} }

func rawLines(_ *server, a args, m message) outcome {
	m.reply(strings.ReplaceAll(strings.Join(a.Lines, "\n"), "$ID", string(m.ID)), 0)
	return outcome{silent: true}
}

func batch(*server, args, message) outcome { return outcome{batch: true} }
