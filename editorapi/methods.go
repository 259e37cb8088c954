package editorapi

import (
	"context"
	"encoding/json"
)

// This file lists every method of the editor protocol's own groups, mcp/… and editord/…: who sends
// it, its params and its result, and what it is for. A session serves these and nothing else.
// internal/protocolgen makes the tables of docs/editor-protocol.md and the types of the plugins
// from this file. LSP's own methods are in serve.go.

const (
	mcpPrefix     = "mcp/"
	notifications = "notifications/"

	// These stand for all methods with the same beginning that have no entry of their own.
	anyRequest      = mcpPrefix + "<method>"
	anyNotification = mcpPrefix + notifications + "<name>"
)

// Requests to the daemon.
var (
	// Sends an MCP request to a server. The result is the server's, byte for byte.
	_ = serves[MCPRequest, json.RawMessage](anyRequest, (*session).mcpRequest)

	// MethodServers lists the servers of this editor's workspace.
	MethodServers = serves[Nothing, ServersResult]("editord/servers", (*session).servers)

	// MethodStartServer starts a server. The answer comes once it is ready, failed or stopped.
	MethodStartServer = changes[ServerParams]("editord/startServer", ofServer(Attachment.StartServer))

	// MethodStopServer stops a server. The answer comes once it is ready, failed or stopped.
	MethodStopServer = changes[ServerParams]("editord/stopServer", ofServer(Attachment.StopServer))

	// MethodRestartServer stops a server and starts it anew. The answer comes once it is ready, failed or stopped.
	MethodRestartServer = changes[ServerParams]("editord/restartServer", ofServer(Attachment.RestartServer))

	// Mutes a server. The daemon refuses at once whatever a muted server asks, for all editors on
	// it, until it is started anew or unmuted.
	_ = changes[MuteParams]("editord/muteServer", muteServer)

	// MethodApproveServer records the decision whether a server may run.
	MethodApproveServer = serves[ApproveServerParams, Server]("editord/approveServer", (*session).approveServer)

	// MethodApprovals lists the remembered decisions.
	MethodApprovals = serves[Nothing, ApprovalsResult]("editord/approvals", (*session).approvals)

	// MethodRevokeApproval forgets a decision.
	MethodRevokeApproval = serves[RevokeParams, Nothing]("editord/revokeApproval", (*session).revokeApproval)

	// MethodCatalog lists what servers offer, with the commands of their tools and prompts.
	// It does not wait for servers that are not ready.
	MethodCatalog = serves[CatalogParams, CatalogResult]("editord/catalog", (*session).catalog)

	// MethodPrefill proposes the arguments of a command, for a form that the user sees before the call.
	MethodPrefill = serves[PrefillParams, PrefillResult]("editord/prefill", (*session).prefill)

	// MethodServerLog reads the log of a server, and follows it.
	MethodServerLog = notes[ServerLogParams, ServerLogResult]("editord/serverLog", (*session).serverLog)

	// MethodStatus returns the state of the daemon.
	MethodStatus = serves[Nothing, Status]("editord/status", (*session).status)

	// MethodSignIn has the user sign in to a server with a browser, at the address that the daemon sends
	// with `window/showDocument`. The answer comes once the server is ready or has failed. Who asks
	// while a sign-in is under way waits for the same one, which ends when nobody waits any more.
	MethodSignIn = changes[ServerParams]("editord/signIn", ofServer(Attachment.SignIn))

	// MethodFinishSignIn finishes the sign-in that is under way, where the browser cannot reach the
	// daemon. The answer says that the address fits; that of `editord/signIn` says what came of it.
	MethodFinishSignIn = serves[FinishSignInParams, Nothing]("editord/finishSignIn", (*session).finishSignIn)

	// MethodSignOut forgets what the daemon keeps from signing in to a server and the passwords typed for it,
	// and has its tokens revoked where the authorization server can. It also ends a sign-in that is under way.
	MethodSignOut = changes[ServerParams]("editord/signOut", ofServer(Attachment.SignOut))

	// MethodSearchServers looks for servers in the registry. Nothing changes.
	MethodSearchServers = serves[SearchServersParams, SearchServersResult]("editord/searchServers", byBackend(Attachment.SearchServers))

	// MethodProposeServers makes definitions of what somebody has of servers. Nothing changes, and nothing of them runs.
	MethodProposeServers = serves[ProposeServersParams, ProposeServersResult]("editord/proposeServers", byBackend(Attachment.ProposeServers))

	// MethodAddServer starts a proposed server once and, when that works, writes it into the configuration. The
	// user is asked for the values that it needs. When it does not start, nothing is written.
	MethodAddServer = serves[AddServerParams, AddServerResult]("editord/addServer", byBackend(Attachment.AddServer))

	// MethodRemoveServer takes a server out of the file that defines it.
	MethodRemoveServer = serves[ServerParams, ConfigPlace]("editord/removeServer", byBackend(Attachment.RemoveServer))

	// MethodEnableServer says in the file that defines a server whether it may run.
	MethodEnableServer = serves[EnableServerParams, ConfigPlace]("editord/enableServer", byBackend(Attachment.EnableServer))

	// MethodConfigPlace says where a server is defined, or where the user's configuration is.
	MethodConfigPlace = serves[ConfigPlaceParams, ConfigPlace]("editord/configPlace", byBackend(Attachment.ConfigPlace))

	// MethodDoctor looks for what is wrong with the configuration, the servers and the daemon.
	MethodDoctor = serves[DoctorParams, DoctorResult]("editord/doctor", byBackend(Attachment.Doctor))
)

// Notifications to the daemon.
var (
	// Sends an MCP notification to a server.
	_ = hears[MCPNotification](anyNotification)
)

// Requests to the editor.
var (
	// methodSample asks the editor's model, in an editor that declared `sampling`. The result is
	// MCP's CreateMessageResult.
	methodSample = asks[Question, json.RawMessage]("mcp/sampling/createMessage")

	// methodElicit asks the user, in an editor that declared `elicitation`. The result is MCP's
	// ElicitResult.
	methodElicit = asks[Question, json.RawMessage]("mcp/elicitation/create")

	// methodListRoots asks for the roots that count for a call, in an editor that declared `roots`. The
	// result is MCP's ListRootsResult.
	methodListRoots = asks[Question, json.RawMessage]("mcp/roots/list")

	// methodApprove asks whether a server may run, in an editor that declared `approval`; one
	// question at a time.
	methodApprove = asks[ApproveParams, ApproveResult]("editord/approve")
)

// Notifications to the editor.
var (
	// Passes on a notification of a server.
	_ = tells[MCPNotification](anyNotification)

	// methodServerChanged tells the state of a server: of every server after `initialized`, then on every change.
	methodServerChanged = tells[Server]("editord/serverChanged")

	// methodServerRemoved tells that a server is no longer defined.
	methodServerRemoved = tells[ServerRemoved]("editord/serverRemoved")

	// methodCatalogChanged tells which lists of a server have changed. The daemon has already read them again.
	methodCatalogChanged = tells[CatalogChanged]("editord/catalogChanged")

	// methodSubscriptionEnded tells that no more updates of a resource come. Subscribe again to ask
	// the server anew.
	methodSubscriptionEnded = tells[SubscriptionEnded]("editord/subscriptionEnded")

	// methodServerLogged brings new lines of the log of a server that this editor follows.
	methodServerLogged = tells[ServerLogged]("editord/serverLogged")
)

// requestToDaemon is a method that a [session] serves and a [Client] calls.
type requestToDaemon[P, R any] struct{ name string }

// requestToEditor is a method that a [session] asks and a [Client] answers.
type requestToEditor[P, R any] struct{ name string }

// notificationToEditor is a method that a [session] sends and a [Client] hears.
type notificationToEditor[P any] struct{ name string }

// handlers are what a session does for each method: what must keep the order of the wire, without
// waiting for anybody. The rest is served side by side with other requests. The declarations above
// fill the map while the package is initialized; afterwards it does not change.
var handlers = map[string]func(*session, *request) (rest func() (any, error)){}

// serves declares a request to the daemon.
func serves[P, R any](name string, do func(*session, *request, P) (R, error)) requestToDaemon[P, R] {
	return notes(name, func(s *session, r *request, params P) func() (R, error) {
		return func() (R, error) { return do(s, r, params) }
	})
}

// notes declares a request to the daemon of which do notes something in the order of the wire.
func notes[P, R any](name string, do func(*session, *request, P) (rest func() (R, error))) requestToDaemon[P, R] {
	handlers[name] = func(s *session, r *request) (rest func() (any, error)) {
		var params P
		if err := decodeWhole(r.params, &params, ""); err != nil {
			return fails(err)
		}
		serve := do(s, r, params)
		return func() (any, error) { return serve() }
	}
	return requestToDaemon[P, R]{name}
}

// changes declares a request to the daemon to change the life of a server.
func changes[P any](name string, do func(Attachment, P) Change) requestToDaemon[P, Server] {
	return notes(name, func(s *session, r *request, params P) func() (Server, error) {
		change := do(s.attachment, params)
		return func() (Server, error) { return change(r.ctx) }
	})
}

// byBackend returns what serves a request that the backend answers.
func byBackend[P, R any](do func(Attachment, context.Context, P) (R, error)) func(*session, *request, P) (R, error) {
	return func(s *session, r *request, params P) (R, error) { return do(s.attachment, r.ctx, params) }
}

// fails returns what serves a request that fails.
func fails(err error) (rest func() (any, error)) {
	return func() (any, error) { return nil, err }
}

// hears declares a notification to the daemon: one that a [Client] sends and a [session] hears.
func hears[P any](name string) string { return name }

// asks declares a request to the editor.
func asks[P, R any](name string) requestToEditor[P, R] { return requestToEditor[P, R]{name} }

// tells declares a notification to the editor.
func tells[P any](name string) notificationToEditor[P] { return notificationToEditor[P]{name} }
