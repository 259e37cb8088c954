package wire

// The versions of MCP (MCP, Versioning).
const (
	Version20241007 = "2024-10-07"
	Version20241105 = "2024-11-05"
	Version20250326 = "2025-03-26"
	Version20250618 = "2025-06-18"
	Version20251125 = "2025-11-25"
	Version20260728 = "2026-07-28"
)

// The methods of MCP that matter here.
const (
	MethodInitialize = "initialize"
	MethodDiscover   = "server/discover"
	MethodPing       = "ping"
	MethodSetLevel   = "logging/setLevel"
	MethodComplete   = "completion/complete"

	MethodListTools = "tools/list"
	MethodCallTool  = "tools/call"

	MethodListPrompts = "prompts/list"
	MethodGetPrompt   = "prompts/get"

	MethodListResources = "resources/list"
	MethodListTemplates = "resources/templates/list"
	MethodReadResource  = "resources/read"
	MethodSubscribe     = "resources/subscribe"
	MethodUnsubscribe   = "resources/unsubscribe"
	MethodListen        = "subscriptions/listen"

	// What a server asks of a client.
	MethodListRoots = "roots/list"
	MethodSample    = "sampling/createMessage"
	MethodElicit    = "elicitation/create"
)

// MCP's notifications.
const (
	MethodInitialized  = "notifications/initialized"
	MethodCancelled    = "notifications/cancelled"
	MethodProgress     = "notifications/progress"
	MethodMessage      = "notifications/message"
	MethodElicited     = "notifications/elicitation/complete"
	MethodRootsChanged = "notifications/roots/list_changed"

	MethodToolsChanged     = "notifications/tools/list_changed"
	MethodPromptsChanged   = "notifications/prompts/list_changed"
	MethodResourcesChanged = "notifications/resources/list_changed"
	MethodUpdated          = "notifications/resources/updated"
	MethodAcknowledged     = "notifications/subscriptions/acknowledged"
)

// The members of _meta that belong to one request of 2026-07-28, or to its result (MCP 2026-07-28,
// Overview, _meta). A request without MetaVersion belongs to an earlier version.
const (
	MetaVersion        = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo     = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities   = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel       = "io.modelcontextprotocol/logLevel"
	MetaServerInfo     = "io.modelcontextprotocol/serverInfo"
	MetaSubscriptionID = "io.modelcontextprotocol/subscriptionId"
)

// Codes of errors (JSON-RPC 2.0, section 5.1; MCP 2025-11-25, Elicitation; MCP
// 2026-07-28, Overview, Error Codes).
const (
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603

	CodeURLElicitation = -32042 // the user has to visit an address first

	// Only a server of the modern era sends these.
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)
