package daemon

import (
	"context"
	"encoding/json"
	"slices"

	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
)

// inputKey names an input. A definition sees only the inputs of its own file.
type inputKey struct{ source, id string }

// inputAnswer is the schema's one property. It carries the value back.
const inputAnswer = "value"

// missingInputs returns the inputs of c's definition that have no value yet. d.mu is held.
func (d *Daemon) missingInputs(c *connection, e *editor) (missing []config.Input) {
	for _, id := range c.def.InputIDs() {
		if _, known := d.inputs[inputKey{c.def.Source.URI, id}]; known {
			continue
		}
		i := slices.IndexFunc(e.set.Inputs, func(in config.Input) bool { return in.ID == id && in.Source.URI == c.def.Source.URI })
		if i >= 0 {
			missing = append(missing, e.set.Inputs[i])
		}
	}
	return missing
}

// askInputs asks e for the missing inputs, until ctx ends. The error of the start names those that
// stay without a value.
func (d *Daemon) askInputs(ctx context.Context, c *connection, e *editor) {
	d.mu.Lock()
	missing := d.missingInputs(c, e)
	d.mu.Unlock()
	for _, in := range missing {
		value, ok := e.askInput(ctx, c.name, in)
		if !ok {
			return // the user gave no value: do not ask for the rest
		}
		d.mu.Lock()
		d.inputs[inputKey{in.Source.URI, in.ID}] = value
		d.mu.Unlock()
	}
}

// askInput asks the user for one value with a form elicitation.
func (e *editor) askInput(ctx context.Context, server string, in config.Input) (value string, ok bool) {
	if !canAnswer(e.caps, modeForm) {
		return in.Default, in.Default != ""
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
	if err == nil {
		value, err = e.elicit(ctx, editorapi.Question{Server: server, Params: params})
	}
	if err != nil {
		e.log.Info("an input was not given", zap.String("server", server), zap.String("input", in.ID), zap.Error(err))
		return "", false
	}
	return value, true
}
