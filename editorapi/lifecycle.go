package editorapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/mcp-editord/mcp-editord/internal/fileuri"
	"github.com/mcp-editord/mcp-editord/internal/rawjson"
)

// ProtocolVersion is the version of the editor protocol. It changes when an existing part changes
// its meaning.
const ProtocolVersion = 1

// Where a session is in the lifecycle of LSP 3.18.
const (
	stateNew int32 = iota
	stateAttached
	stateShutdown
)

// clientCapabilities has the LSP capabilities of an editor that matter here.
type clientCapabilities struct {
	mcp              Capabilities
	dynamicCommands  bool // workspace.executeCommand.dynamicRegistration
	workDoneProgress bool // window.workDoneProgress
	showDocument     bool // window.showDocument.support
	showText         bool // workspace.textDocumentContent
	configuration    bool // workspace.configuration
	agent            bool // it attached for an agent
	named            bool // it says what it is
	boxes            boxKind
	inlineLimit      int  // bytes of a result that has no files; 0: results come as they are
	codeActions      bool // textDocument.codeAction.codeActionLiteralSupport
	nestedSymbols    bool // textDocument.documentSymbol.hierarchicalDocumentSymbolSupport
	documentChanges  bool // workspace.workspaceEdit.documentChanges
	refreshLenses    bool // workspace.codeLens.refreshSupport
}

// plain reports whether the editor did not declare experimental.mcp: it knows nothing but LSP.
func (s *session) plain() bool { return !s.client.mcp.MCP }

// initializeParams has the members of LSP's InitializeParams that matter here. Capabilities are
// read leniently, because editors send what they like there.
type initializeParams struct {
	ClientInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"clientInfo"`
	RootURI               *string         `json:"rootUri"`
	WorkspaceFolders      *[]Folder       `json:"workspaceFolders"` // nil also when null
	Capabilities          json.RawMessage `json:"capabilities"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
}

// gate implements [served]: the lifecycle. It handles initialize and shutdown in the order of the
// wire, so that messages that follow them in the same packet see their effect.
func (s *session) gate(method string, params json.RawMessage) (any, error, bool) {
	switch state := s.state.Load(); {
	case state == stateShutdown:
		return nil, invalidRequest("the session was shut down; only exit may follow"), true
	case method == protocol.MethodInitialize && state == stateNew:
		s.handshake.Stop()
		s.peer.out.hold()
		result, err := s.initialize(params)
		if err != nil {
			s.handshake.Reset(handshakeTimeout)
		}
		return result, err, true
	case method == protocol.MethodInitialize:
		return nil, invalidRequest("initialize may be sent only once"), true
	case state == stateNew:
		return nil, &RPCError{Code: int64(jsonrpc2.ServerNotInitialized), Message: "the session is not initialized; send initialize first"}, true
	case method == protocol.MethodShutdown:
		s.state.Store(stateShutdown)
		return nil, nil, true
	}
	return nil, nil, false
}

// attached reports whether initialize has been answered and shutdown has not been sent.
func (s *session) attached() bool { return s.state.Load() == stateAttached }

// openFolders returns the folders of the editor. Do not change them.
func (s *session) openFolders() []Folder { return *s.folders.Load() }

func (s *session) initialize(params json.RawMessage) (any, error) {
	attach, client, err := s.readInitialize(params)
	if err != nil {
		return nil, err
	}
	s.client = client
	s.folders.Store(new(attach.Folders))
	if s.attachment, err = s.backend.Attach(s.peer.ctx, s, attach); err != nil {
		return nil, err
	}
	var commands []string
	for _, own := range ownCommands() {
		commands = append(commands, own.id)
	}
	if !client.dynamicCommands {
		commands = append(commands, s.knownCommands()...)
	}
	s.state.Store(stateAttached)
	s.peer.log.Info("an editor has attached", zap.String("client", attach.ClientName), zap.String("version", attach.ClientVersion), zap.Int("folders", len(attach.Folders)))
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	workspace := &protocol.WorkspaceOptions{
		WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: &yes, ChangeNotifications: protocol.Boolean(true)},
	}
	if client.showText {
		workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{textScheme}}
	}
	able := DaemonCapabilities{Version: ProtocolVersion}
	if client.inlineLimit > 0 {
		able.Files = fileuri.FromPath(s.o.TextDir)
	}
	return protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "mcp-editord", Version: protocol.NewOptional(s.o.Version)},
		Capabilities: protocol.ServerCapabilities{
			Workspace:              workspace,
			TextDocumentSync:       &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &incremental, Save: &protocol.SaveOptions{IncludeText: &yes}},
			CompletionProvider:     &protocol.CompletionOptions{TriggerCharacters: []string{".", ":", " ", "{", "\"", "/"}},
			HoverProvider:          protocol.Boolean(true),
			DocumentSymbolProvider: protocol.Boolean(true),
			CodeActionProvider:     &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, kindRun, kindMCP, kindServer}},
			CodeLensProvider:       &protocol.CodeLensOptions{},
			ExecuteCommandProvider: protocol.ExecuteCommandOptions{
				Commands:                commands,
				WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: &yes},
			},
			Experimental: encodeOwn(map[string]any{"mcp": able}),
		},
	}, nil
}

// readInitialize reads the params of initialize. What it returns owns its memory.
func (s *session) readInitialize(params json.RawMessage) (AttachParams, clientCapabilities, error) {
	var p initializeParams
	if err := decode(params, &p, ""); err != nil {
		return AttachParams{}, clientCapabilities{}, err
	}
	a := AttachParams{ClientName: p.ClientInfo.Name, ClientVersion: p.ClientInfo.Version}
	switch {
	case p.WorkspaceFolders != nil:
		a.Folders = s.onDisk(*p.WorkspaceFolders)
	case p.RootURI != nil:
		a.Folders = s.onDisk([]Folder{{URI: *p.RootURI}})
	}

	var o InitializationOptions
	if err := decode(object(p.InitializationOptions), &o, "initializationOptions"); err != nil {
		return a, clientCapabilities{}, err
	}
	if err := decode(object(o.Environment), &a.Environment, "initializationOptions.environment"); err != nil {
		return a, clientCapabilities{}, err
	}
	if o.Umask != nil {
		umask, err := readUmask(*o.Umask)
		if err != nil {
			return a, clientCapabilities{}, err
		}
		a.Umask = &umask
	}
	a.Trusted = o.Trusted
	if a.Servers = object(o.Servers); a.Servers != nil && !rawjson.IsObject(a.Servers) {
		return a, clientCapabilities{}, invalidMember("initializationOptions.servers", "is not an object; make it a map of server definitions by name")
	}
	a.AutoStart = *cmp.Or(o.AutoStart, new(true))
	if o.InlineLimit < 0 {
		return a, clientCapabilities{}, invalidMember("initializationOptions.inlineLimit", "is negative; send a number of bytes, or leave it out")
	}
	a.OwnClient, a.Agent = o.OwnClient, o.Agent
	if err := cmp.Or(a.OwnClient.check(), a.Agent.check()); err != nil {
		return a, clientCapabilities{}, err
	}

	c := clientCapabilities{
		dynamicCommands:  isTrue(p.Capabilities, "workspace", "executeCommand", "dynamicRegistration"),
		workDoneProgress: isTrue(p.Capabilities, "window", "workDoneProgress"),
		showDocument:     isTrue(p.Capabilities, "window", "showDocument", "support"),
		showText:         rawjson.IsObject(rawjson.Path(p.Capabilities, "workspace", "textDocumentContent")),
		configuration:    isTrue(p.Capabilities, "workspace", "configuration"),
		codeActions:      rawjson.IsObject(rawjson.Path(p.Capabilities, "textDocument", "codeAction", "codeActionLiteralSupport")),
		nestedSymbols:    isTrue(p.Capabilities, "textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"),
		documentChanges:  isTrue(p.Capabilities, "workspace", "workspaceEdit", "documentChanges"),
		refreshLenses:    isTrue(p.Capabilities, "workspace", "codeLens", "refreshSupport"),
	}
	c.agent, c.named, c.inlineLimit = a.Agent != nil, a.ClientName != "", o.InlineLimit
	var err error
	c.mcp, err = readCapabilities(rawjson.Path(p.Capabilities, "experimental", "mcp"), "capabilities.experimental.mcp.")
	a.Capabilities, a.DynamicCommands = c.mcp, c.dynamicCommands
	if !c.mcp.MCP && a.Agent == nil {
		c.boxes = boxKinds[a.ClientName] // a plugin asks in ways of its own
		a.Capabilities = plainCapabilities(c)
	}
	return a, c, err
}

const (
	maxClientName  = 64  // bytes
	maxClientFiles = 16  // in ownClient.files
	maxClientFile  = 256 // bytes of the path of each
)

// check returns an error that names the member that is wrong.
func (c *OwnClient) check() error {
	const member = "initializationOptions.ownClient"
	if c == nil {
		return nil
	}
	if c.Name == "" || len(c.Name) > maxClientName || strings.ContainsFunc(c.Name, unicode.IsControl) {
		return invalidMember(member+".name", "must have 1 to %d bytes and no control characters; name the client as people know it", maxClientName)
	}
	if len(c.Files) > maxClientFiles {
		return invalidMember(member+".files", "has %d files; at most %d are allowed", len(c.Files), maxClientFiles)
	}
	for i, file := range c.Files {
		if len(file) > maxClientFile || !fs.ValidPath(file) || file == "." {
			return invalidMember(fmt.Sprintf("%s.files[%d]", member, i), "must be a path below a workspace folder of up to %d bytes, with slashes and without \"..\", such as \".vscode/mcp.json\"", maxClientFile)
		}
	}
	return nil
}

// check returns an error that names the member that is wrong.
func (a *Agent) check() error {
	const member = "initializationOptions.agent"
	switch {
	case a == nil:
	case a.Name == "" || len(a.Name) > maxClientName || strings.ContainsFunc(a.Name, unicode.IsControl):
		return invalidMember(member+".name", "must have 1 to %d bytes and no control characters; name the agent as people know it", maxClientName)
	case a.Within != "" && !filepath.IsAbs(a.Within):
		return invalidMember(member+".within", "is not an absolute path; send one, or leave it out")
	}
	return nil
}

// readUmask reads a umask in its usual spelling: "022" or "0022". Anything else is an error: a
// wrong guess could open files to others.
func readUmask(text string) (int, error) {
	umask, err := strconv.ParseUint(text, 8, 32)
	if err != nil || umask > 0o777 || len(text) > 4 {
		const member = "initializationOptions.umask"
		return 0, invalidMember(member, "is %.20q; make it up to four octal digits such as \"0022\"", text)
	}
	return int(umask), nil
}

// readCapabilities reads [EditorCapabilities], which are at this place in a message; raw is nil for an
// editor without any.
func readCapabilities(raw []byte, place string) (c Capabilities, err error) {
	raw = object(raw)
	c.MCP = rawjson.IsObject(raw)
	member := func(name string) json.RawMessage {
		value := object(rawjson.Get(raw, name))
		if value != nil && !rawjson.IsObject(value) && err == nil {
			err = invalidMember(place+name, "is not an object; leave it out if the editor cannot do this")
		}
		return canonical(value)
	}
	c.Sampling, c.Elicitation, c.Extensions = member("sampling"), member("elicitation"), member("extensions")
	c.Approval, c.Roots = member("approval") != nil, member("roots") != nil
	return c, err
}

// object returns raw, {} when it is an empty array, nil when it is null. In Lua an
// empty table is both an object and an array, and editors send it as an array.
func object(raw []byte) json.RawMessage {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case raw[0] == '[' && len(strings.TrimSpace(string(raw[1:len(raw)-1]))) == 0:
		return json.RawMessage("{}")
	}
	return raw
}

// canonical returns a value with its members sorted and without white space, so that editors that
// can do the same say the same. It turns empty arrays into objects.
func canonical(raw []byte) json.RawMessage {
	if !rawjson.IsObject(raw) {
		return raw
	}
	members := map[string]json.RawMessage{}
	for name, value := range rawjson.Members(raw) {
		members[name] = canonical(object(value))
	}
	return encodeOwn(members)
}

func isTrue(raw []byte, names ...string) bool {
	return string(rawjson.Path(raw, names...)) == "true"
}

// onDisk returns the folders that have a file: URI. Editors also have folders that are nowhere or on another
// machine (untitled:, vscode-remote:). One without a name has that of its path.
func (s *session) onDisk(folders []Folder) []Folder {
	kept := []Folder{}
	for _, f := range folders {
		if u, err := url.Parse(f.URI); err != nil || u.Scheme != "file" {
			s.peer.log.Warn("a folder that is not on this disk is left out", zap.String("uri", f.URI))
			continue
		}
		if f.Name == "" {
			f.Name = path.Base(pathOf(f.URI))
		}
		kept = append(kept, f)
	}
	return kept
}

func (s *session) initialized() {
	if s.registrar.ready.Swap(true) {
		return
	}
	s.attachment.Initialized()
	s.registrar.debouncer.Trigger()
}

// foldersParams is LSP's DidChangeWorkspaceFoldersParams.
type foldersParams struct {
	Event struct {
		Added   []Folder `json:"added"`
		Removed []Folder `json:"removed"`
	} `json:"event"`
}

func (s *session) didChangeWorkspaceFolders(params json.RawMessage) {
	var p foldersParams
	if err := decode(params, &p, ""); err != nil {
		s.peer.log.Warn("a workspace/didChangeWorkspaceFolders is not valid", zap.Error(err))
		return
	}
	has := func(list []Folder, uri string) bool {
		return slices.ContainsFunc(list, func(f Folder) bool { return f.URI == uri })
	}
	folders := slices.DeleteFunc(slices.Clone(s.openFolders()), func(f Folder) bool { return has(p.Event.Removed, f.URI) })
	for _, f := range s.onDisk(p.Event.Added) {
		if !has(folders, f.URI) {
			folders = append(folders, f)
		}
	}
	s.folders.Store(&folders)
	s.attachment.ChangeFolders(slices.Clone(folders))
}
