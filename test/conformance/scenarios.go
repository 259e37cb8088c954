package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A scenario is what an editor does in one scenario of the suite, once the server is
// ready. The suite's server checks what it must see of that.
type scenario struct {
	steps func(context.Context, *editor) error

	signsIn bool    // the person signs in when the server needs it
	outcome outcome // of signing in

	// oauth returns how the configuration says to sign in, by the suite's context; nil means not at all. It
	// may write files into dir.
	oauth func(dir, context string) (map[string]any, error)

	// ask answers the elicitations of the server; nil means there must be none.
	ask func(context.Context, *editor) (answer string, err error)

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
func calls(list ...call) func(context.Context, *editor) error {
	return func(ctx context.Context, e *editor) error {
		for _, c := range list {
			if err := e.call(ctx, c.name, json.RawMessage(c.arguments)); err != nil {
				return err
			}
		}
		return nil
	}
}

// answers returns a person who always gives the same answer.
func answers(answer string) func(context.Context, *editor) (string, error) {
	return func(context.Context, *editor) (string, error) { return answer, nil }
}

// askedMeanwhile returns a person who calls a tool while the question is open.
func askedMeanwhile(c call, answer string) func(context.Context, *editor) (string, error) {
	return func(ctx context.Context, e *editor) (string, error) {
		return answer, e.call(ctx, c.name, json.RawMessage(c.arguments))
	}
}

// ping is for servers that offer nothing: it sends something after the handshake.
func ping(ctx context.Context, e *editor) error { return e.mcp(ctx, "ping", struct{}{}, nil) }

func listTools(ctx context.Context, e *editor) error {
	tools, err := e.tools(ctx)
	if err == nil && len(tools) == 0 {
		err = errors.New("the server lists no tools")
	}
	return err
}

// echoSchema sends the schema of a tool back as it came.
func echoSchema(ctx context.Context, e *editor) error {
	tools, err := e.tools(ctx)
	if err != nil {
		return err
	}
	const focal = "json_schema_2020_12_tool"
	schema, ok := tools[focal]
	if !ok {
		return fmt.Errorf("the tool %q is not listed", focal)
	}
	arguments, err := json.Marshal(map[string]json.RawMessage{"schema": schema})
	if err != nil {
		return err
	}
	return e.call(ctx, "json_schema_echo", arguments)
}

// useEverything lists everything that the server offers and uses each thing once.
func useEverything(ctx context.Context, e *editor) error {
	if err := callEveryTool(ctx, e); err != nil {
		return err
	}
	var resources struct{ Resources []struct{ URI string } }
	if err := e.mcp(ctx, "resources/list", struct{}{}, &resources); err != nil {
		return err
	}
	for _, r := range resources.Resources {
		if err := e.mcp(ctx, "resources/read", map[string]string{"uri": r.URI}, nil); err != nil {
			return err
		}
	}
	var prompts struct{ Prompts []struct{ Name string } }
	if err := e.mcp(ctx, "prompts/list", struct{}{}, &prompts); err != nil {
		return err
	}
	for _, p := range prompts.Prompts {
		if err := e.mcp(ctx, "prompts/get", map[string]string{"name": p.Name}, nil); err != nil {
			return err
		}
	}
	return nil
}

// callEveryTool calls every tool that the daemon lists. So the suite sees a call of any tool
// that the daemon should have left out.
func callEveryTool(ctx context.Context, e *editor) error {
	tools, err := e.tools(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		if err := e.call(ctx, name, json.RawMessage(`{"region":"us-west1"}`)); err != nil {
			return err
		}
	}
	return nil
}

// callsOfContext makes the calls that the suite's context asks for.
func callsOfContext(ctx context.Context, e *editor) error {
	var wanted struct {
		ToolCalls []struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(e.context), &wanted); err != nil {
		return fmt.Errorf("reading %s: %w", envContext, err)
	}
	for _, c := range wanted.ToolCalls {
		if err := e.call(ctx, c.Name, c.Arguments); err != nil {
			return err
		}
	}
	return nil
}
