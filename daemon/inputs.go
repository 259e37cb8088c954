package daemon

import (
	"context"
	"encoding/json"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/mcpclient"
)

// inputKey names an input. A definition sees only the inputs of its own file, and of those that are bound
// to a definition only its own.
type inputKey struct{ source, id, to string }

// keyOf returns the key of an input for def.
func keyOf(def config.Definition, in config.Input) inputKey {
	return inputKey{in.Source.URI, in.ID, boundTo(def, in)}
}

// inputAnswer is the schema's one property. It carries the value back.
const inputAnswer = "value"

// missingInputs returns the inputs of c's definition that have no value yet. d.mu is held.
func (d *Daemon) missingInputs(c *connection, e *editor) (missing []config.Input) {
	for _, id := range c.def.InputIDs() {
		i := slices.IndexFunc(e.set.Inputs, func(in config.Input) bool { return in.ID == id && in.Source.URI == c.def.Source.URI })
		if i < 0 {
			continue
		}
		if _, known := d.inputs[keyOf(c.def, e.set.Inputs[i])]; !known {
			missing = append(missing, e.set.Inputs[i])
		}
	}
	return missing
}

// startForAnswer starts c once more for e when a start that was under way as e came is over, and has failed
// for want of an input: there was nobody to ask then.
func (d *Daemon) startForAnswer(c *connection, e *editor, over <-chan struct{}) {
	select {
	case <-over:
	case <-e.ctx.Done():
		return
	}
	d.mu.Lock()
	again := c.idle() && c.status.State == mcpclient.StateFailed && len(d.missingInputs(c, e)) > 0
	d.mu.Unlock()
	if again {
		d.start(c, e, false)
	}
}

// askInputs asks for the missing inputs of a start that e has caused, until ctx ends. The error of the start names those that
// stay without a value.
func (d *Daemon) askInputs(ctx context.Context, c *connection, e *editor) {
	d.mu.Lock()
	missing := d.missingInputs(c, e)
	d.mu.Unlock()
	for _, in := range missing {
		def, value, ok := c.definition(), "", false
		if in.Password {
			value, ok = d.keptPassword(ctx, def, in)
		}
		if !ok {
			if value, ok = e.askInput(ctx, c.name, in); !ok {
				return // the user gave no value: do not ask for the rest
			}
			if in.Password {
				d.keepPassword(ctx, def, in, value)
			}
		}
		d.mu.Lock()
		d.inputs[keyOf(def, in)] = value
		d.mu.Unlock()
	}
}

// askInput asks the user for one value with a form elicitation: in e or, if that cannot answer, in the editor that
// answers in its place. Before e is initialized it cannot be asked. No agent is asked for a password: it would show
// it, and keep it with what was said.
func (e *editor) askInput(ctx context.Context, server string, in config.Input) (value string, ok bool) {
	e.d.mu.Lock()
	var without []*editor
	if in.Password {
		without = slices.DeleteFunc(slices.Clone(e.d.editors), func(other *editor) bool { return other.agent == nil })
	}
	if !e.initialized {
		without = append(without, e)
	}
	e.d.mu.Unlock()
	for {
		e.d.mu.Lock()
		asked := e.d.inPlaceOf([]*editor{e}, func(caps editorapi.Capabilities) bool { return canAnswer(caps, modeForm) }, without)
		e.d.mu.Unlock()
		if asked == nil {
			return in.Default, in.Default != ""
		}
		value, err := e.askInputIn(ctx, asked, server, in)
		switch {
		case cannotAnswer(err):
			without = append(without, asked)
		case err != nil:
			e.log.Info("an input was not given", zap.String("server", server), zap.String("input", in.ID), zap.Error(err))
			return "", false
		default:
			return value, true
		}
	}
}

// askInputIn is askInput in the editor asked.
func (e *editor) askInputIn(ctx context.Context, asked *editor, server string, in config.Input) (value string, err error) {
	q := editorapi.Question{Server: server}
	if asked != e {
		q.Caller = &editorapi.Caller{Name: e.title()}
	}
	property := map[string]any{"type": "string", "title": in.ID, "description": in.Description}
	if in.Default != "" {
		property["default"] = in.Default
	}
	if len(in.Options) > 0 {
		property["enum"] = in.Options
	}
	message := in.Description
	if message == "" {
		message = "Value of " + in.ID
	}
	params, err := json.Marshal(map[string]any{
		"mode":            modeForm,
		"message":         message,
		"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{inputAnswer: property}, "required": []string{inputAnswer}},
		"_meta":           map[string]any{ourMeta + "input": editorapi.InputNote{ID: in.ID, Password: in.Password}},
	})
	if err != nil {
		return "", err
	}
	q.Params = params
	return asked.elicit(ctx, q)
}
