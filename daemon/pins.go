package daemon

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/config"
	"github.com/mcp-editord/mcp-editord/editorapi"
	"github.com/mcp-editord/mcp-editord/editorapi/approvaltext"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
	"github.com/mcp-editord/mcp-editord/internal/safetext"
	"github.com/mcp-editord/mcp-editord/internal/wording"
	"github.com/mcp-editord/mcp-editord/mcpclient"
	"github.com/mcp-editord/mcp-editord/mcpclient/wire"
)

// An agent reads what a server says about its tools as instructions. So tools are pinned as agents first
// see them, and one that changes is held until a person has seen how. Nothing is compared for a
// server that no agent is on.

// maxShownTools bounds the definitions that one question shows, in bytes. What does not fit comes with the
// next question.
const maxShownTools = 1 << 20

// maxShownName bounds the name of a tool in a problem, in characters.
const maxShownName = 100

// pinning compares the tools of one state of the lists of a server with those that are known.
type pinning struct {
	lists *mcpclient.Lists
	held  func() *held // does it once; may wait for the disk, so not called with d.mu held
}

// held is what agents do not get.
type held struct {
	tools    map[string]bool          // by name
	question *editorapi.ApproveParams // nil when nothing is held, or nothing of it can be shown
	shown    []config.PinnedTool      // those that question is about
	denied   bool                     // somebody has answered it with no
	tooLarge map[string]int           // those of tools that no question can show, with their bytes
}

// pinned returns the comparison of lists of the server, which counts from now on: its own or,
// before it has run, those that are known. d.mu is held.
func (c *connection) pinned(lists *mcpclient.Lists) *pinning {
	if c.pins == nil || c.pins.lists != lists {
		c.pins = c.newPinning(lists)
	}
	return c.pins
}

func (c *connection) newPinning(lists *mcpclient.Lists) *pinning {
	p := &pinning{lists: lists}
	def := c.def
	p.held = sync.OnceValue(func() *held {
		h := c.d.compare(def, lists.Of(wire.ListTools))
		c.hold(p, h)
		return h
	})
	return p
}

// repin compares the tools of a server that has run anew in the background, if an agent is or was
// on the connection. d.mu is held.
func (c *connection) repin() {
	agents := c.pins != nil || slices.ContainsFunc(c.members, func(e *editor) bool { return e.agent != nil })
	if !agents || c.said == nil || c.d.closing {
		return
	}
	c.d.running.Go(func() {
		c.comparing.Lock() // who waits holds no lists, and finds the newest compared
		defer c.comparing.Unlock()
		c.d.mu.Lock()
		p := c.pinned(c.client.Lists())
		c.d.mu.Unlock()
		c.hold(p, p.held()) // it may have been made before it counted
	})
}

// hold takes the outcome of p, and tells the editors if it differs from the one before.
func (c *connection) hold(p *pinning, h *held) {
	d := c.d
	d.mu.Lock()
	changed := c.pins == p && (c.held.digest() != h.digest() || !maps.Equal(c.held.tooLarge, h.tooLarge))
	var members []*editor
	if changed {
		c.held = *h
		members = slices.Clone(c.members)
		for _, e := range members {
			if e.agent != nil {
				e.listed(c.name, string(wire.ListTools))
			}
		}
		c.show()
	}
	d.mu.Unlock()
	for _, e := range members {
		d.askApprovals(e)
	}
}

// problems says which tools nobody can decide on.
func (h *held) problems() (list []string) {
	for _, tool := range slices.Sorted(maps.Keys(h.tooLarge)) {
		list = append(list, tooLargeToShow(tool, h.tooLarge[tool]))
	}
	return list
}

// tooLargeToShow says what to do about a tool of which no question can show how it has changed; size is in bytes.
func tooLargeToShow(tool string, size int) string {
	return fmt.Sprintf("tool %q has changed, and no agent gets it: %s are too much to show to a person; ask for a smaller definition, or give the server another name in its file to begin anew with all of its tools",
		safetext.Line(tool, maxShownName), wording.Size(int64(size)))
}

// digest returns that of the question, "" for none.
func (h *held) digest() string {
	if h.question == nil {
		return ""
	}
	return h.question.Digest
}

// pinID names a server in [config.Pins].
func pinID(def config.Definition) string { return hashOf(def.Name, def.Digest) }

// compare compares tools with those that are known of the server, and makes the question about those that
// have changed.
func (d *Daemon) compare(def config.Definition, tools []json.RawMessage) *held {
	var now []config.PinnedTool
	for _, tool := range tools {
		now = append(now, pinnedTool(tool))
	}
	changes, err := d.pins.Compare(pinID(def), now)
	if err != nil {
		d.log.Error("comparing tools with those that are known", zap.String("server", def.Name), zap.Error(err))
	}
	h := &held{tools: map[string]bool{}, tooLarge: map[string]int{}}
	identity := []string{"tools", pinID(def)}
	params := editorapi.ApproveParams{
		Kind: editorapi.ApproveTools, Server: def.Name, Definition: definitionOf(def.Shown()), Reason: editorapi.ApprovalChanged,
	}
	size := 0
	for _, change := range changes {
		tool := change.After
		h.tools[tool.Name] = true
		before := change.Before
		if before == nil { // it was too large to keep
			before = rawjson.Set(nil, "name", rawjson.Quote(tool.Name))
		}
		both := len(before) + len(tool.Definition)
		if both > maxShownTools {
			h.tooLarge[tool.Name] = both
			continue
		}
		if size+both > maxShownTools {
			continue
		}
		size += both
		h.shown = append(h.shown, tool)
		identity = append(identity, tool.Name, tool.Hash)
		params.Tools = append(params.Tools, editorapi.ToolChange{Name: tool.Name, Before: before, After: tool.Definition})
	}
	if len(h.tools) > 0 {
		d.log.Info("tools have changed, and agents do not get them", zap.String("server", def.Name), zap.Int("tools", len(h.tools)))
	}
	if len(h.shown) > 0 {
		params.Digest = hashOf(identity...)
		params.Text = approvaltext.Of(params)
		h.question, h.denied = &params, d.pins.Denied(pinID(def), params.Digest)
	}
	return h
}

// pinnedTool returns what counts of MCP's Tool, in canonical form.
func pinnedTool(tool json.RawMessage) config.PinnedTool {
	var definition json.RawMessage
	for _, member := range []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"} {
		if value := rawjson.Get(tool, member); !rawjson.IsAbsent(value) {
			definition = rawjson.Set(definition, member, canonical(value))
		}
	}
	return config.PinnedTool{Name: rawjson.String(tool, "name"), Hash: hashOf(string(definition)), Definition: definition}
}

// canonical returns value without white space, with the members of objects sorted and strings spelled in
// one way. Numbers stay as they are. It does not decode the value: that takes thirty times its size, and
// a server may send 64 MiB.
func canonical(value json.RawMessage) json.RawMessage {
	v := jsontext.Value(value).Clone()
	if v.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false), jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) != nil {
		return value
	}
	return json.RawMessage(v)
}

// aboutTools returns the question about the tools of c that are held, nil for none: an agent that would get
// them is on the connection, and nobody has answered it yet. d.mu is held.
func (e *editor) aboutTools(c *connection) *approvalQuestion {
	if c == nil || c.held.question == nil || c.held.denied || e.later[c.held.digest()] ||
		!slices.ContainsFunc(c.members, func(m *editor) bool { return m.agent != nil }) {
		return nil
	}
	params, tools := *c.held.question, c.held.shown
	return &approvalQuestion{
		server: c.name, digest: params.Digest, done: make(chan struct{}),
		params: func() editorapi.ApproveParams { return params },
		stands: func() bool { return c.held.digest() == params.Digest && !c.held.denied },
		decide: func(decision editorapi.Decision) error { return e.d.decideTools(e, c, params.Digest, tools, decision) },
		after: func(decision editorapi.Decision) {
			if decision == editorapi.DecisionLater {
				e.later[params.Digest] = true
			}
		},
	}
}

// decideTools records what the person at e says to the tools of c that are held, and makes it true for all
// connections to the server.
func (d *Daemon) decideTools(e *editor, c *connection, digest string, tools []config.PinnedTool, decision editorapi.Decision) error {
	d.mu.Lock()
	def := c.def
	d.mu.Unlock()
	var err error
	if decision == editorapi.DecisionAllow {
		err = d.pins.Accept(pinID(def), tools)
	} else {
		err = d.pins.Deny(pinID(def), digest)
	}
	if err != nil {
		e.log.Error("recording a decision about tools", zap.String("server", def.Name), zap.Error(err))
		return err
	}
	d.log.Info("tools were decided on", zap.String("server", def.Name), zap.String("decision", string(decision)), zap.String("digest", digest))
	d.audit.decision(e, AuditApproval, def.Name, digest, decision)
	var anew []*pinning
	var asked []*editor
	d.mu.Lock()
	for _, other := range d.conns {
		if other.name != def.Name || other.def.Digest != def.Digest {
			continue
		}
		if decision == editorapi.DecisionAllow {
			if other.pins != nil {
				other.pins = other.newPinning(other.pins.lists)
				anew = append(anew, other.pins)
			}
		} else if other.held.digest() == digest {
			other.held.denied = true
			other.show()
			asked = append(asked, other.members...)
		}
	}
	d.mu.Unlock()
	for _, p := range anew {
		p.held()
	}
	for _, other := range asked {
		d.askApprovals(other)
	}
	return nil
}
