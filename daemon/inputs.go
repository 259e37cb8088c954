package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
func (d *Daemon) missingInputs(c *connection, e *editor) []config.Input {
	return slices.DeleteFunc(e.inputsOf(c.def), func(in config.Input) bool {
		_, known := d.inputs[keyOf(c.def, in)]
		return known
	})
}

// inputsOf returns the inputs that def uses. d.mu is held.
func (e *editor) inputsOf(def config.Definition) (used []config.Input) {
	for _, id := range def.InputIDs() {
		i := slices.IndexFunc(e.set.Inputs, func(in config.Input) bool { return in.ID == id && in.Source.URI == def.Source.URI })
		if i >= 0 {
			used = append(used, e.set.Inputs[i])
		}
	}
	return used
}

// startForAnswer starts c once more for e when a start that was under way as e came is over, and has failed
// for want of an input: there was nobody to ask then.
func (d *Daemon) startForAnswer(c *connection, e *editor, over <-chan struct{}) {
	if !await(e.ctx, over) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.idle() && c.status.State == mcpclient.StateFailed && len(d.missingInputs(c, e)) > 0 {
		d.begin(c, e, false)
	}
}

// askInputs asks for the missing inputs of s, a start of c that e has caused, until its context ends. The error of the start names those that
// stay without a value.
func (d *Daemon) askInputs(c *connection, e *editor, s *start) {
	d.mu.Lock()
	missing := d.missingInputs(c, e)
	d.mu.Unlock()
	for _, in := range missing {
		if !d.awaitInput(c, e, s, in) {
			return // the user gave no value: do not ask for the rest
		}
	}
}

// An inputQuestion is an input that is being asked for: once for all starts that need it, and for as long as one of them
// waits.
type inputQuestion struct {
	ctx    context.Context // ends when it is over or withdrawn: nobody joins it any more
	cancel context.CancelFunc
	done   chan struct{} // closed when it is over

	// Guarded by d.mu.
	starts []waitingStart
	asked  *editor // who has the question; nil for nobody
}

// A waitingStart is a start of c that e has caused, and that waits for an input.
type waitingStart struct {
	c *connection
	e *editor
}

// editors returns who has caused the starts that wait. d.mu is held.
func (q *inputQuestion) editors() (list []*editor) {
	for _, s := range q.starts {
		if !slices.Contains(list, s.e) {
			list = append(list, s.e)
		}
	}
	return list
}

// awaitInput waits until an input that s needs, a start of c that e has caused, has a value. It returns false if nobody gives
// one, or if s is cancelled first.
func (d *Daemon) awaitInput(c *connection, e *editor, s *start, in config.Input) (known bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	def := c.def
	key := keyOf(def, in)
	if _, known := d.inputs[key]; known { // since the start has looked
		return true
	}
	q := d.asking[key]
	if q == nil || q.ctx.Err() != nil {
		q = &inputQuestion{done: make(chan struct{})}
		q.ctx, q.cancel = context.WithCancel(d.ctx)
		d.asking[key] = q
		d.running.Go(func() { d.findInput(q, def, in) })
	}
	this := waitingStart{c, e}
	q.starts, s.input = append(q.starts, this), q
	c.show()
	asked := q.asked
	d.mu.Unlock()
	e.tellAsked(asked, def.Name, in)
	await(s.ctx, q.done)
	d.mu.Lock()
	i := slices.Index(q.starts, this)
	if q.starts = slices.Delete(q.starts, i, i+1); len(q.starts) == 0 {
		q.cancel()
	}
	s.input = nil
	c.show()
	_, known = d.inputs[key]
	return known
}

// findInput takes a password that is kept, or asks for the value, and keeps what was typed.
func (d *Daemon) findInput(q *inputQuestion, def config.Definition, in config.Input) {
	value, ok := "", false
	if in.Password {
		value, ok = d.keptPassword(q.ctx, def, in)
	}
	if !ok {
		if value, ok = d.askInput(q, def, in); ok && in.Password {
			d.keepPassword(d.ctx, def, in, value)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if ok {
		d.inputs[keyOf(def, in)] = value
	}
	q.cancel()
	close(q.done)
}

// askInput asks the user for one value with a form elicitation: in the editor of a start that waits or, if none of these can
// answer, in the one that answers in their place. Before an editor is initialized it cannot be asked. No agent is asked for a
// password: it would show it, and keep it with what was said.
func (d *Daemon) askInput(q *inputQuestion, def config.Definition, in config.Input) (value string, ok bool) {
	var unable []*editor
	var left *editor // the last one that has gone
	able := func(caps editorapi.Capabilities) bool { return canAnswer(caps, modeForm) }
	for {
		d.mu.Lock()
		without := slices.Clone(unable)
		for _, e := range d.editors {
			if !e.initialized || in.Password && e.agent != nil {
				without = append(without, e)
			}
		}
		starters := q.editors()
		asked := cmp.Or(d.inPlaceOf(starters, able, without), usedLast(starters, able, without))
		about := editorapi.Question{Server: def.Name}
		switch {
		case q.ctx.Err() != nil: // nobody waits any more
			d.mu.Unlock()
			return "", false
		case asked == nil && left != nil: // it may be a window that reloads
			d.mu.Unlock()
			d.awaitReturn(q.ctx, left)
			left = nil
			continue
		case asked == nil:
			q.cancel() // a start that comes now may bring an editor that can
			d.mu.Unlock()
			return in.Default, in.Default != ""
		case !slices.Contains(starters, asked):
			about.Caller = &editorapi.Caller{Name: starters[0].title()}
		}
		q.asked = asked
		for _, s := range q.starts {
			s.c.show()
		}
		d.mu.Unlock()
		for _, e := range starters {
			e.tellAsked(asked, def.Name, in)
		}
		value, err := asked.askInput(q.ctx, about, in)
		switch {
		case errors.Is(err, editorapi.ErrEditorGone):
			left = asked
			fallthrough
		case cannotAnswer(err):
			unable = append(unable, asked)
		case err != nil:
			asked.log.Info("an input was not given", zap.String("server", def.Name), zap.String("input", in.ID), zap.Error(err))
			return "", false
		default:
			return value, true
		}
	}
}

// tellAsked tells e, which waits for an input and cannot be asked for it, that asked is; nil for nobody yet. An agent is
// told nothing: it cannot act on it.
func (e *editor) tellAsked(asked *editor, server string, in config.Input) {
	if asked == nil || asked == e || e.agent != nil || canAnswer(e.caps, modeForm) {
		return
	}
	e.tellQuestion(editorapi.SeverityInfo, server, asksWhat(messageOf(in)), waitsIn(asked))
}

// messageOf returns what is asked for.
func messageOf(in config.Input) string {
	return cmp.Or(in.Description, "Value of "+in.ID)
}

// askInput asks for one value in e. about says for whom.
func (e *editor) askInput(ctx context.Context, about editorapi.Question, in config.Input) (value string, err error) {
	property := map[string]any{"type": "string", "title": in.ID, "description": in.Description}
	if in.Default != "" {
		property["default"] = in.Default
	}
	if len(in.Options) > 0 {
		property["enum"] = in.Options
	}
	params, err := json.Marshal(map[string]any{
		"mode":            modeForm,
		"message":         messageOf(in),
		"requestedSchema": map[string]any{"type": "object", "properties": map[string]any{inputAnswer: property}, "required": []string{inputAnswer}},
		"_meta":           map[string]any{ourMeta + "input": editorapi.InputNote{ID: in.ID, Password: in.Password}},
	})
	if err != nil {
		return "", err
	}
	about.Params = params
	return e.elicit(ctx, about)
}
