package main

import (
	"encoding/json"
	"maps"
	"slices"
)

// A scenario is what an editor does in one scenario of the suite, once the server is
// ready. The suite's server checks what it must see of that.
type scenario struct {
	steps func(*editor)

	signsIn bool    // the person signs in when the server needs it
	outcome outcome // of signing in

	// oauth returns how the configuration says to sign in, by the suite's context; nil means not at all. It
	// may write files into dir.
	oauth func(dir, context string) (map[string]any, error)

	// ask answers the elicitations of the server; nil means there must be none.
	ask func(*editor) (answer string, err error)

	// inapplicable are the names of the checks that the suite skips although the client
	// did everything it should.
	inapplicable []string
}

// scenarios returns all scenarios of the suite by name.
func scenarios() map[string]scenario {
	all := authorization()
	maps.Copy(all, others())
	return all
}

// others returns the scenarios that are not about authorization. It is a function because the steps of
// one need the others.
func others() map[string]scenario {
	return map[string]scenario{
		// 2025-11-25 alone: the initialize handshake.
		"initialize": {steps: ping},
		"elicitation-sep1034-client-defaults": {
			// The person accepts and fills in nothing; the daemon fills in the defaults.
			ask:   answers(`{"action":"accept","content":{}}`),
			steps: calls(call{"test_client_elicitation_defaults", `{}`}),
		},
		"sse-retry": {steps: calls(call{"test_reconnection", `{}`})},

		// Both eras.
		"tools_call":                       {steps: calls(call{"add_numbers", `{"a":2,"b":3}`})},
		"json-schema-2020-12-preservation": {steps: echoSchema},

		// 2026-07-28 alone: no handshake.
		"request-metadata": {steps: ping},
		"sep-2322-client-request-state": {
			ask: askedMeanwhile(call{"test_mrtr_unrelated", `{}`}, `{"action":"accept","content":{"confirmed":true}}`),
			steps: calls(
				call{"test_mrtr_echo_state", `{}`},
				call{"test_mrtr_no_state", `{}`},
				call{"test_mrtr_no_result_type", `{}`},
			),
		},
		"http-standard-headers": {
			steps: useEverything,
			// It also looks for the headers of the handshake, which this version does not have.
			inapplicable: []string{"ClientMcpMethodHeader_initialize", "ClientMcpMethodHeader_notifications_initialized"},
		},
		"http-custom-headers":       {steps: callsOfContext},
		"http-invalid-tool-headers": {steps: callEveryTool},
		"json-schema-ref-no-deref":  {steps: listTools},
	}
}

// A call is a call of a tool, with its arguments in JSON.
type call struct{ name, arguments string }

// calls returns the steps that call these tools one after the other.
func calls(list ...call) func(*editor) {
	return func(e *editor) {
		for _, c := range list {
			e.call(c.name, json.RawMessage(c.arguments))
		}
	}
}

// answers returns a person who always gives the same answer.
func answers(answer string) func(*editor) (string, error) {
	return func(*editor) (string, error) { return answer, nil }
}

// askedMeanwhile returns a person who calls a tool while the question is open.
func askedMeanwhile(c call, answer string) func(*editor) (string, error) {
	return func(e *editor) (string, error) {
		_, err := e.Request("mcp/tools/call", object{"server": server, "params": object{"name": c.name, "arguments": json.RawMessage(c.arguments)}})
		if err != nil {
			return "", err
		}
		return answer, nil
	}
}

// ping is for servers that offer nothing: it sends something after the handshake.
func ping(e *editor) { e.mcp("ping", object{}, nil) }

func listTools(e *editor) {
	if len(e.tools()) == 0 {
		e.Fatalf("the server lists no tools")
	}
}

// echoSchema sends the schema of a tool back as it came.
func echoSchema(e *editor) {
	const focal = "json_schema_2020_12_tool"
	schema, ok := e.tools()[focal]
	if !ok {
		e.Fatalf("the tool %q is not listed", focal)
	}
	e.call("json_schema_echo", json.RawMessage(`{"schema":`+string(schema)+`}`))
}

// useEverything lists everything that the server offers and uses each thing once.
func useEverything(e *editor) {
	callEveryTool(e)
	var resources struct{ Resources []struct{ URI string } }
	e.mcp("resources/list", object{}, &resources)
	for _, r := range resources.Resources {
		e.mcp("resources/read", object{"uri": r.URI}, nil)
	}
	var prompts struct{ Prompts []struct{ Name string } }
	e.mcp("prompts/list", object{}, &prompts)
	for _, p := range prompts.Prompts {
		e.mcp("prompts/get", object{"name": p.Name}, nil)
	}
}

// callEveryTool calls every tool that the daemon lists. So the suite sees a call of any tool
// that the daemon should have left out.
func callEveryTool(e *editor) {
	for _, name := range slices.Sorted(maps.Keys(e.tools())) {
		e.call(name, json.RawMessage(`{"region":"us-west1"}`))
	}
}

// callsOfContext makes the calls that the suite's context asks for.
func callsOfContext(e *editor) {
	var wanted struct {
		ToolCalls []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(e.context), &wanted); err != nil {
		e.Fatalf("reading %s: %v", envContext, err)
	}
	for _, c := range wanted.ToolCalls {
		e.call(c.Name, c.Arguments)
	}
}
