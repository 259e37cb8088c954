package model

import "encoding/json"

// messages is Anthropic's API.
var messages = api{
	read: func(body []byte) (question, error) {
		var p struct {
			Model    string
			Stream   bool
			Messages []struct {
				Role    string
				Content content
			}
			Tools []struct{ Name string }
		}
		if err := json.Unmarshal(body, &p); err != nil {
			return question{}, err
		}
		q := question{Model: p.Model, Stream: p.Stream}
		for _, t := range p.Tools {
			q.tools = append(q.tools, tool{name: t.Name})
		}
		var said content
		for _, m := range p.Messages {
			if m.Role == "assistant" { // what it has answered is over
				said, q.result = content{}, nil
			}
			for _, part := range m.Content.parts {
				if part.Type == "tool_result" {
					text := part.Content.text()
					q.result = &text
				} else {
					said.parts = append(said.parts, part)
				}
			}
		}
		q.said = said.text()
		return q, nil
	},
	say: func(e *events, model string, a answer) {
		block, begin, stop := object{"type": "text", "text": a.text}, object{"type": "text", "text": ""}, "end_turn"
		delta := object{"type": "text_delta", "text": a.text}
		if a.tool.name != "" {
			block = object{"type": "tool_use", "id": "toolu_" + e.id, "name": a.tool.name, "input": json.RawMessage(a.arguments)}
			begin, stop = object{"type": "tool_use", "id": "toolu_" + e.id, "name": a.tool.name, "input": object{}}, "tool_use"
			delta = object{"type": "input_json_delta", "partial_json": a.arguments}
		}
		usage := object{"input_tokens": 1, "output_tokens": 1}
		message := object{"id": "msg_" + e.id, "type": "message", "role": "assistant", "model": model, "content": []any{block}, "stop_reason": stop, "stop_sequence": nil, "usage": usage}
		if e.whole(message) {
			return
		}
		message["content"], message["stop_reason"] = []any{}, nil
		e.event("message_start", object{"type": "message_start", "message": message})
		e.event("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": begin})
		e.event("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
		e.event("content_block_stop", object{"type": "content_block_stop", "index": 0})
		e.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
		e.event("message_stop", object{"type": "message_stop"})
	},
}

// chat is OpenAI's chat completions.
var chat = api{
	read: func(body []byte) (question, error) {
		var p struct {
			Model    string
			Stream   bool
			Messages []struct {
				Role    string
				Content content
			}
			Tools []struct{ Function struct{ Name string } }
		}
		if err := json.Unmarshal(body, &p); err != nil {
			return question{}, err
		}
		q := question{Model: p.Model, Stream: p.Stream}
		for _, t := range p.Tools {
			q.tools = append(q.tools, tool{name: t.Function.Name})
		}
		if len(p.Messages) > 0 {
			last := p.Messages[len(p.Messages)-1]
			q.said = last.Content.text()
			if last.Role == "tool" {
				q.result = &q.said
			}
		}
		return q, nil
	},
	say: func(e *events, model string, a answer) {
		message, reason := object{"role": "assistant", "content": a.text}, "stop"
		if a.tool.name != "" {
			reason = "tool_calls"
			message = object{"role": "assistant", "content": nil, "tool_calls": []any{
				object{"index": 0, "id": "call_" + e.id, "type": "function", "function": object{"name": a.tool.name, "arguments": a.arguments}},
			}}
		}
		usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
		if e.whole(object{"id": "c1", "object": "chat.completion", "created": 1, "model": model, "usage": usage,
			"choices": []any{object{"index": 0, "message": message, "finish_reason": reason}}}) {
			return
		}
		chunk := func(delta any, reason any) object {
			return object{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model, "usage": usage,
				"choices": []any{object{"index": 0, "delta": delta, "finish_reason": reason}}}
		}
		e.event("", chunk(message, nil))
		e.event("", chunk(object{}, reason))
		_, _ = e.w.Write([]byte("data: [DONE]\n\n"))
	},
}

// responses is OpenAI's responses.
var responses = api{
	read: func(body []byte) (question, error) {
		type item struct {
			Type    string
			Role    string
			Content content
			Output  content
		}
		type named struct{ Name string }
		var p struct {
			Model  string
			Stream bool
			Input  json.RawMessage
			Tools  []struct {
				named
				Type  string
				Tools []named
			}
		}
		if err := json.Unmarshal(body, &p); err != nil {
			return question{}, err
		}
		q := question{Model: p.Model, Stream: p.Stream}
		for _, t := range p.Tools {
			if t.Type != "namespace" && t.Name != "" {
				q.tools = append(q.tools, tool{name: t.Name})
			}
			for _, inner := range t.Tools {
				q.tools = append(q.tools, tool{t.Name, inner.Name})
			}
		}
		if json.Unmarshal(p.Input, &q.said) == nil {
			return q, nil
		}
		var items []item
		if err := json.Unmarshal(p.Input, &items); err != nil {
			return q, err
		}
		for i, item := range items {
			if item.Role == "user" {
				q.said = item.Content.text()
			}
			if i == len(items)-1 && item.Type == "function_call_output" {
				text := item.Output.text()
				q.result = &text
			}
		}
		return q, nil
	},
	say: func(e *events, model string, a answer) {
		item := object{"type": "message", "id": "m_" + e.id, "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": a.text, "annotations": []any{}}}}
		if a.tool.name != "" {
			item = object{"type": "function_call", "id": "fc_" + e.id, "call_id": "call_" + e.id, "name": a.tool.name, "arguments": a.arguments, "status": "completed"}
			if a.tool.namespace != "" {
				item["namespace"] = a.tool.namespace
			}
		}
		response := func(status string, output []any) object {
			return object{"id": "r_" + e.id, "object": "response", "status": status, "model": model, "output": output,
				"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
		}
		done := response("completed", []any{item})
		if e.whole(done) {
			return
		}
		say := func(name string, more object) {
			more["type"] = name
			e.event(name, more)
		}
		say("response.created", object{"response": response("in_progress", []any{})})
		say("response.output_item.added", object{"output_index": 0, "item": item})
		if a.tool.name == "" {
			say("response.output_text.delta", object{"item_id": "m_" + e.id, "output_index": 0, "content_index": 0, "delta": a.text})
		}
		say("response.output_item.done", object{"output_index": 0, "item": item})
		say("response.completed", object{"response": done})
	},
}
