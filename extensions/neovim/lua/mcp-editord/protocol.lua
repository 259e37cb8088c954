---@meta
--- Made by internal/protocolgen from the Go package editorapi; do not edit.

--- The envelope of a request to a server.
---@class mcp-editord.MCPRequest
---@field server string
---@field params? table<string, any> MCP's, passed on as they are
---@field context? mcp-editord.Context where the user is: see Commands
---@field timeout? number milliseconds without a sign of life, above 0 and up to a day; progress restarts it
---@field workDoneToken? integer|string progress arrives as `$/progress` with this token
---@field progressToken? integer|string progress arrives as `mcp/notifications/progress` with this token, and otherwise as the server sent it; not together with `workDoneToken`
---@field capabilities? table<string, any> What the editor can answer for this request, as in `capabilities.experimental.mcp`, where that differs from what it declared there. A server of 2026-07-28 is told so; any other was told before.

--- Where the user is in the editor. Commands fill arguments from it.
---@class mcp-editord.Context
---@field textDocument? mcp-editord.TextDocument
---@field range? mcp-editord.Range
---@field selectedText? string
---@field languageId? string

--- Names a document.
---@class mcp-editord.TextDocument
---@field uri string

--- LSP's, lines and characters from 0.
---@class mcp-editord.Range
---@field start mcp-editord.Position
---@field ["end"] mcp-editord.Position

--- LSP's.
---@class mcp-editord.Position
---@field line integer
---@field character integer

--- Has no members. Those that a peer sends are ignored.
---@class mcp-editord.Nothing

--- Lists the servers of the editor's workspace.
---@class mcp-editord.ServersResult
---@field servers mcp-editord.Server[]

--- What editors are told of a server.
---@class mcp-editord.Server
---@field name string
---@field state mcp-editord.ServerState
---@field scope mcp-editord.ServerScope
---@field transport mcp-editord.ServerTransport
---@field source string URI of the file that defines it, `builtin` or `editor`
---@field protocolVersion? string the version of MCP that was negotiated
---@field serverInfo? table MCP's Implementation
---@field instructions? string how to use it, as the server says
---@field capabilities? table MCP's ServerCapabilities
---@field pid? integer the id of its process; absent when it is reached by HTTP
---@field digest? string what a decision about it is bound to; with a question of kind `folder`, the digest of that question
---@field restarts integer how often it was restarted, by itself and by request
---@field error? mcp-editord.ServerError why it is restarting, has failed or may not run
---@field approval? mcp-editord.ApproveParams with `needsApproval`: the params of `editord/approve` for it
---@field shadowed? string[] the files whose server of the same name is ignored
---@field muted? boolean its questions are refused at once
---@field problems? string[] what is wrong although it may run, such as roots that are left out: each one sentence that the user can act on
---@field signIn? mcp-editord.SignIn the sign-in that is under way, once the user can go to its address
---@field signedIn? mcp-editord.SignedIn what the daemon holds from a sign-in
---@field runBy? string the name of the MCP client of this editor that runs it instead of the daemon; its state is `disabled`
---@field held? mcp-editord.ApproveParams tools of it have changed, and agents do not get them before somebody has seen how: the params of `editord/approve`, of kind `tools`
---@field waitsFor? mcp-editord.ServerWait with `starting`: what its start waits for; absent while it waits for nobody
---@field heldDenied? boolean somebody has said no to `held`: nobody is asked about it again, and agents still do not get those tools

--- The state of a server.
---@alias mcp-editord.ServerState
---| 'disabled' # its definition disables it, or another client runs it: then `runBy` says which
---| 'needsApproval' # nobody has allowed it to run yet, or it was denied: then `error` is of kind `denied`
---| 'needsSignIn' # its endpoint wants the user to sign in: `error` is of kind `signInNeeded`, and `signIn` is there while that is under way
---| 'starting' # it is being started
---| 'ready' # it takes calls
---| 'restarting' # it has ended or is being ended, and starts again
---| 'stopped' # nobody has started it, or somebody has stopped it
---| 'failed' # it does not start again by itself; `error` says why

--- Who shares a connection to a server.
---@alias mcp-editord.ServerScope
---| 'session' # nobody: this editor has its own
---| 'workspace' # editors with the same folders
---| 'user' # all editors of this user

--- How to reach a server.
---@alias mcp-editord.ServerTransport
---| 'stdio' # a process on this machine
---| 'http' # MCP's Streamable HTTP
---| 'sse' # MCP's HTTP+SSE of 2024-11-05

--- Why a server does not run.
---@class mcp-editord.ServerError
---@field kind mcp-editord.ServerErrorKind
---@field message string one sentence that the user can act on
---@field stderr? string[] the last lines of its stderr, at most 20, where they explain it
---@field told? boolean the user was told of it before this editor attached: it need not be said again unasked

--- Classifies the reasons why a server does not run. Later versions may add kinds.
---@alias mcp-editord.ServerErrorKind
---| 'denied' # the user denied it, or the editor does not trust the folder; its state is `needsApproval`
---| 'spawn' # its command cannot be run
---| 'exit' # its process ended by itself
---| 'startTimeout' # it did not finish the handshake in time
---| 'notMCP' # what it writes is not MCP
---| 'protocol' # it shares no version of MCP with the daemon, or refused the handshake
---| 'unresponsive' # it stopped reading, or did not answer a ping
---| 'unreachable' # its endpoint cannot be reached: name, port or certificate (HTTP only)
---| 'unauthorized' # its endpoint requires authentication (HTTP only: 401)
---| 'signInNeeded' # its endpoint wants the user to sign in; its state is `needsSignIn` (HTTP only)
---| 'httpError' # its endpoint refuses requests, and the message has the status (HTTP only)
---| 'sessionLost' # its endpoint does not know the session any more (HTTP only)

--- Asks whether a server may run, or what agents may do.
---@class mcp-editord.ApproveParams
---@field kind mcp-editord.ApprovalKind
---@field server string
---@field digest string identifies what is decided on: send it back in `editord/approveServer`
---@field definition mcp-editord.ApprovalDefinition exactly what runs, as written in the file
---@field reason mcp-editord.ApprovalReason
---@field previous? mcp-editord.ApprovalDefinition the definition that was decided on
---@field tools? mcp-editord.ToolChange[] with kind `tools`: those that have changed
---@field call? mcp-editord.AgentCall with kind `call`: what the agent wants
---@field text mcp-editord.ApprovalText

--- What a question is about.
---@alias mcp-editord.ApprovalKind
---| 'server' # whether a server of a workspace file may run
---| 'folder' # whether one of the user's servers may run in, or by, the opened folder
---| 'tools' # whether agents may use tools that have changed
---| 'call' # whether an agent may make one call

--- Exactly what would run, as written in the file: variables such as `${env:HOME}` are not expanded. From `scope` on, a
--- member is present only where it differs from the built-in default.
---@class mcp-editord.ApprovalDefinition
---@field source string URI of the file
---@field folder? string the folder that the file belongs to, or the folder that is opened
---@field transport string one of `ServerTransport`
---@field command? string
---@field program? string the file that `command` leads to now
---@field args? string[]
---@field env? string[] the names of the environment variables that it sets, sorted
---@field environment? table<string, string> the same with their values
---@field envFile? string
---@field cwd? string
---@field url? string
---@field headers? string[] the names, sorted
---@field headerValues? table<string, string> the same with their values
---@field takes? string[] the variables that it takes from the environment
---@field warnings? string[] sentences about what the user should look at twice
---@field scope? string one of `ServerScope`
---@field protocol? string the version of MCP to speak
---@field roots? string[] the folders that it is told of; `[]`: none
---@field sampling? string
---@field samplingLimit? string
---@field elicitationLimit? string
---@field oauth? mcp-editord.ApprovalOAuth
---@field bind? table<string, table<string, string>> by name or pattern of the tool, then by argument
---@field inputs? mcp-editord.ApprovalInput[]
---@field agents? table<string, string> what agents may do, by name or pattern of the tool: `allow`, `ask` or `never`
---@field tooLarge? boolean only in `previous`: it was too large, and only source, folder and transport were kept

--- What the file says about signing in.
---@class mcp-editord.ApprovalOAuth
---@field clientId? string
---@field clientSecret? string
---@field clientMetadataUrl? string
---@field issuer? string the authorization server; absent: the one that the server names
---@field scopes? string[]
---@field redirectPort? integer the port of this machine that the browser comes back to
---@field grant? string `client_credentials`: nobody is asked to sign in
---@field privateKeyFile? string the key that the client signs with
---@field keyId? string
---@field enterprise? mcp-editord.ApprovalEnterprise

--- The identity provider of an enterprise where a person signs in.
---@class mcp-editord.ApprovalEnterprise
---@field issuer string
---@field clientId string
---@field clientSecret? string

--- A value that the daemon asks for when the server starts.
---@class mcp-editord.ApprovalInput
---@field id string
---@field type string
---@field default? string
---@field options? string[]

--- Why a question is asked.
---@alias mcp-editord.ApprovalReason
---| 'new' # nothing has been decided yet
---| 'changed' # the last decision was about another definition

--- A tool as a person last knew it, and as it is now.
---@class mcp-editord.ToolChange
---@field name string
---@field before table MCP's Tool
---@field after table MCP's Tool

--- A call that an agent wants to make.
---@class mcp-editord.AgentCall
---@field agent string its name
---@field tool string
---@field arguments? table<string, any>

--- A question as the user reads it: plain text that is safe to show.
---@class mcp-editord.ApprovalText
---@field title string such as: May the MCP server "name" run?
---@field short string about 8 lines of 76 characters; begins with the program, which is never cut, and ends with it too where more is left out
---@field whole string everything, line by line, on lines of at most 76 characters
---@field before? string with `changed`: the same for the definition that was decided on
---@field complete boolean `short` says all that `whole` says

--- A sign-in that is under way. The editors that share the server see the same one.
---@class mcp-editord.SignIn
---@field url string where the user signs in with a browser: an https: address, or http: on this machine
---@field host string its host, as a reader sees it
---@field warning? string why the host may be taken for another, or that others can read along: a sentence without an end
---@field redirectUri string where the browser ends; that address, whole, is what `editord/finishSignIn` takes
---@field ["until"] string when the daemon gives it up, as in RFC 3339

--- What the daemon holds from a sign-in. No member is a secret.
---@class mcp-editord.SignedIn
---@field issuer string the authorization server
---@field scopes? string[] what was granted; absent when the authorization server did not say
---@field wanted? string[] scopes for which the server has refused a request: signing in again asks for them
---@field kept mcp-editord.SignedInKept

--- Says where credentials are kept.
---@alias mcp-editord.SignedInKept
---| 'keyring' # the keyring of the system
---| 'file' # a file that only the user can read
---| 'memory' # the daemon: it forgets them when it ends

--- Says what the start of a server waits for.
---@alias mcp-editord.ServerWait
---| 'input' # an answer to a question about an input of its definition

--- Names a server.
---@class mcp-editord.ServerParams
---@field server string

--- Says whether a server is muted.
---@class mcp-editord.MuteParams
---@field server string
---@field muted? boolean true by default

--- A decision on a definition.
---@class mcp-editord.ApproveServerParams
---@field server string
---@field digest string the digest of the definition that the user looked at
---@field decision mcp-editord.Decision `allow` or `deny`

--- What the user says about a definition.
---@alias mcp-editord.Decision
---| 'allow'
---| 'deny'
---| 'later' # no decision: the user is not asked again about any server of the same file until the editor attaches anew or the definition changes

--- Lists the remembered decisions.
---@class mcp-editord.ApprovalsResult
---@field approvals mcp-editord.Approval[]

--- A remembered decision.
---@class mcp-editord.Approval
---@field server string
---@field source string URI of the file
---@field digest string the digest that was decided on
---@field decision mcp-editord.Decision
---@field at string when it was made, as in RFC 3339

--- Names the decision to forget.
---@class mcp-editord.RevokeParams
---@field digest string the digest that was decided on

--- Names the server whose catalog you want.
---@class mcp-editord.CatalogParams
---@field server? string when absent, all servers that are ready
---@field known? boolean with true, also what the servers that are not ready offered last; those of which nothing is known come with empty lists

--- What servers offer. The user's servers come before those of a project.
---@class mcp-editord.CatalogResult
---@field servers mcp-editord.CatalogServer[]

--- What one server offers, without the tools that the configuration hides.
---@class mcp-editord.CatalogServer
---@field server mcp-editord.Server
---@field earlier? boolean what it offered when it last ran, perhaps for another editor; `server` then has what it said of itself
---@field tried? boolean with `known`: it has run before, has failed to, or has been starting for long: nobody needs to wait for its lists
---@field tools mcp-editord.CatalogTool[]
---@field prompts mcp-editord.CatalogPrompt[]
---@field resources table[] MCP's Resource
---@field resourceTemplates table[] MCP's ResourceTemplate

--- A tool and its command.
---@class mcp-editord.CatalogTool
---@field command string
---@field tool table MCP's Tool; as the server sent it

--- A prompt and its command.
---@class mcp-editord.CatalogPrompt
---@field command string
---@field prompt table MCP's Prompt; as the server sent it

--- Names the command whose arguments you want.
---@class mcp-editord.PrefillParams
---@field command string
---@field arguments? table<string, any> what the user has given already, which is not proposed again
---@field context? mcp-editord.Context

--- Proposes arguments for a form that the user sees before the call.
---@class mcp-editord.PrefillResult
---@field arguments table<string, any> with those that were given
---@field missing string[] the names of required arguments without a proposal
---@field bound string[] the names of those of arguments that the configuration binds; all others that were not given are guesses
---@field strangers? mcp-editord.Stranger[] those that were given, that the schema does not know, and of which another one is probably meant or none is allowed

--- An argument that a tool or a prompt does not have.
---@class mcp-editord.Stranger
---@field name string
---@field meant? string the one that probably is

--- Says which lines of a server's log you want.
---@class mcp-editord.ServerLogParams
---@field server string
---@field lines? integer how many of the last lines at most: 1 to 10,000, 200 by default
---@field after? string only lines after this `cursor`
---@field follow? boolean true to get `editord/serverLogged` from here on, false to end that
---@field entries? boolean true to get `entries` in place of `lines`, also in `editord/serverLogged`

--- A part of a server's log: its stderr and its log messages.
---@class mcp-editord.ServerLogResult
---@field lines string[] as text; `[]` when you asked for `entries`
---@field entries? mcp-editord.LogEntry[] when you asked for them: one for each line
---@field cursor string the end of these lines, for `after`
---@field missed? integer how many lines after `after` are gone or did not fit

--- One line of the log of a server.
---@class mcp-editord.LogEntry
---@field time string when the daemon got it: RFC 3339 in UTC with milliseconds
---@field source mcp-editord.LogSource where it came from
---@field level? mcp-editord.LogLevel of a log message
---@field logger? string of a log message: who wrote it
---@field more? boolean the text goes on that of the line before; they came together
---@field text string as the server wrote it, cut at 4 KiB; make it safe before you show it

--- Says where a line of a log came from.
---@alias mcp-editord.LogSource
---| 'stderr' # the server's standard error
---| 'stdout' # lines on its standard output that are not MCP
---| 'mcp' # its log messages, `notifications/message`
---| 'daemon' # what the daemon has to say about the server

--- A level of RFC 5424, as MCP has them.
---@alias mcp-editord.LogLevel
---| 'debug'
---| 'info'
---| 'notice'
---| 'warning'
---| 'error'
---| 'critical'
---| 'alert'
---| 'emergency'

--- The state of the daemon.
---@class mcp-editord.Status
---@field version string the version of mcp-editord
---@field pid integer the id of its process
---@field socket string its path
---@field config string the path of the user's configuration
---@field logFile string its path
---@field uptime number seconds
---@field editors mcp-editord.EditorStatus[]
---@field servers mcp-editord.ServerStatus[] every connection, including those of other editors
---@field counters table<string, integer> counts since it started, and the bytes in use (`memoryInUse`), by name

--- One attached editor.
---@class mcp-editord.EditorStatus
---@field id integer
---@field name string clientInfo.name
---@field version? string clientInfo.version
---@field folders string[] URIs
---@field you? boolean it is the editor that asked
---@field agent? boolean it is an agent: a client of `mcp-editord mcp`, such as the chat of an editor

--- One connection, who is on it, and what its server has of them.
---@class mcp-editord.ServerStatus
---@field server mcp-editord.Server
---@field folders string[] URIs
---@field editors integer[] ids of `EditorStatus`
---@field command? string[] the path of its program, as it was last started, and the arguments; one with `${input:…}` or `${env:…}` in it is as the definition has it
---@field cwd? string the directory that it was last started in
---@field roots? mcp-editord.RootsTold absent when it has not asked for them since it was started
---@field bound? mcp-editord.BoundNames of the last call of a tool that the configuration added arguments to

--- What a server was told when it last asked for its roots.
---@class mcp-editord.RootsTold
---@field uris string[]
---@field at string when it asked, as in RFC 3339

--- Says which arguments of a call the configuration has added.
---@class mcp-editord.BoundNames
---@field tool string
---@field arguments string[] their names

--- What the browser ended with.
---@class mcp-editord.FinishSignInParams
---@field server string
---@field response string the whole address that the browser ended on, or the code alone where the authorization server shows one

--- What to look for in the registry.
---@class mcp-editord.SearchServersParams
---@field words string[] each of them is in the name, the title or the description; one has three characters or more
---@field cursor? string `next` of the result before

--- What a registry has. All texts are those of publishers, whom nobody has checked.
---@class mcp-editord.SearchServersResult
---@field servers mcp-editord.FoundServer[]
---@field registry string its address
---@field next? string there is more: the `cursor` to get it with
---@field age? integer seconds since the registry said so, when it does not answer now

--- A server in a registry.
---@class mcp-editord.FoundServer
---@field name string PUBLISHER/NAME, which `editord/proposeServers` takes
---@field title? string
---@field description? string
---@field version string
---@field repository? string the address of its source
---@field kinds string[] how it can be run: `remote`, `npm`, `pypi`, `oci` and others
---@field deprecated? string why it should not be used any more

--- What somebody has of a server. It has `words`, `command` or `from`.
---@class mcp-editord.ProposeServersParams
---@field words? string[] a command line, an address, `npm:PACKAGE`, `pypi:PACKAGE`, `docker:IMAGE`, `PUBLISHER/NAME` of the registry, or the JSON of any program: in one text or in several, where the first may be a name
---@field command? string[] a program and its arguments
---@field from? string another program, as `mcp-editord import` names it, `all` of them, or the path of the file of one
---@field name? string what to call the server
---@field env? string[] `NAME=VALUE`, or `NAME` to be asked for the value
---@field headers? string[] `NAME: VALUE`, or `NAME` to be asked for the value
---@field folder? string the URI of a workspace folder, to add it to the `.mcp.json` of that folder and not to the user's configuration

--- What could be added.
---@class mcp-editord.ProposeServersResult
---@field servers mcp-editord.ProposedServer[]
---@field choose? boolean they are ways to run the same server, the best first: add one of them
---@field problems? string[] what could not be read: each one sentence

--- A server that could be added. Show `runs`, `from`, `notes` and `text` before you add it.
---@class mcp-editord.ProposedServer
---@field name string
---@field definition table<string, any> as mcp.json has it
---@field inputs? mcp-editord.ProposedInput[] the values that the user is asked for when it is added
---@field secrets? table<string, string> values of inputs that are known already, by their ids
---@field runs string the command line or the address, on one line
---@field from string where it is from, on one line
---@field notes? string[] what to know before it is added: each one sentence
---@field file string the URI of the file that gets it
---@field text string what the file gets, without secrets
---@field state mcp-editord.ProposalState what the file has under that name

--- A value that the user is asked for.
---@class mcp-editord.ProposedInput
---@field id string
---@field description? string
---@field default? string
---@field password? boolean it is kept as a secret and asked for once; any other becomes a part of the definition
---@field options? string[]

--- Compares a proposed server with what is in the file.
---@alias mcp-editord.ProposalState
---| 'new' # the file has no server of that name
---| 'same' # the file has this very server
---| 'different' # the file has another server of that name

--- A server to add.
---@class mcp-editord.AddServerParams
---@field server mcp-editord.ProposedServer as `editord/proposeServers` returned it; its `name` may be another one
---@field replace? boolean put it in the place of another server of that name
---@field force? boolean write it although it does not start
---@field trusted? boolean write it without starting it, as for one that runs in another program

--- What came of adding a server.
---@class mcp-editord.AddServerResult
---@field server mcp-editord.Server as it is now; its `error` says why it did not start
---@field place? mcp-editord.ConfigPlace where it is defined; absent when it did not start, and nothing was written

--- A place in a configuration file.
---@class mcp-editord.ConfigPlace
---@field uri string of the file, which need not exist
---@field range? mcp-editord.Range of the name of the server

--- Says whether a server may run.
---@class mcp-editord.EnableServerParams
---@field server string
---@field enabled boolean

--- Names a server.
---@class mcp-editord.ConfigPlaceParams
---@field server? string when absent, the place is the user's configuration

--- Says what to look at.
---@class mcp-editord.DoctorParams
---@field server? string only this server, which is started if it does not run and may; when absent, all servers, and none is started

--- What the daemon has found.
---@class mcp-editord.DoctorResult
---@field checks mcp-editord.Check[]
---@field programs string[] the names of the programs that servers start with, such as `npx`

--- One thing that was looked at. Show it on a line, and below it `why` and `remedy`. Values that the definitions of
--- servers keep secret are taken out.
---@class mcp-editord.Check
---@field name string what was looked at, such as `command`
---@field state mcp-editord.CheckState
---@field text string what was found, on one line
---@field why? string unless it is `ok`: why that matters
---@field remedy? string unless it is `ok`: one command, or one thing to do
---@field server? string the server that it is about
---@field file? string the place that it is about, as `path:line` or `path`

--- Says how bad it is.
---@alias mcp-editord.CheckState
---| 'ok'
---| 'warning' # something may not work as you expect
---| 'error' # something does not work

--- The envelope of a notification to a server, or of one from it.
---@class mcp-editord.MCPNotification
---@field server string
---@field params? table<string, any> MCP's, passed on as they are
---@field subscribed? string[] Only in `mcp/notifications/resources/updated` to an editor: the URIs that the update is for and that this editor subscribed to.

--- The envelope of a server's request to an editor.
---@class mcp-editord.Question
---@field server string
---@field params table<string, any> MCP's
---@field cause? mcp-editord.Cause the editor's request that led to it, when that is certain
---@field caller? mcp-editord.Caller whose request led to it, when that is certain and it was not this editor's
---@field key? string the server's own name for the question, where it has one: the key among the `inputRequests` of 2026-07-28
---@field refused? integer how many questions of this server in a row were declined, cancelled or failed before this one

--- Names the editor's request that led to a question.
---@class mcp-editord.Cause
---@field command? string the id of the command, when it was one
---@field id integer|string the request's id, as the editor wrote it

--- Another program in the same folder, such as an agent, whose request led to a question that it cannot answer.
---@class mcp-editord.Caller
---@field name string of the program, in its own words
---@field tool? string the name of the tool that it called, when it was one

--- What the person said.
---@class mcp-editord.ApproveResult
---@field decision mcp-editord.Decision

--- Tells that a server is no longer defined.
---@class mcp-editord.ServerRemoved
---@field server string

--- Tells which lists of a server have changed.
---@class mcp-editord.CatalogChanged
---@field server string
---@field kinds string[] `tools`, `prompts`, `resources`, `resourceTemplates`

--- Tells that no more updates of a resource come.
---@class mcp-editord.SubscriptionEnded
---@field server string
---@field uri string as it was subscribed to
---@field reason string one sentence that the user can act on

--- Brings new lines of the log of a server that this editor follows.
---@class mcp-editord.ServerLogged
---@field server string
---@field lines string[] as text; `[]` when you asked for `entries`
---@field entries? mcp-editord.LogEntry[] when you asked for them: one for each line
---@field cursor string the end of these lines, for `after`
---@field missed? integer how many lines were gone before they could be sent

--- Classifies the daemon's own errors.
---@alias mcp-editord.ErrorKind
---| 'serverNotFound' # no such server in this workspace
---| 'serverNotReady' # `detail` is its state
---| 'serverGone' # it ended during the call, or could not be reached; the call is not repeated
---| 'timeout' # no sign of life within the limit; the server was told
---| 'cancelled' # by the editor
---| 'capabilityNotSupported' # the server did not declare it
---| 'tooLarge' # the answer was over the frame limit (64 MiB), or over the memory that was left for it
---| 'invalidParams' # `detail` names the member
---| 'invalidResult' # the server's answer is not what MCP allows, or is nested more than 500 deep
---| 'httpError' # the endpoint refused the request; `detail` is the status code
---| 'signInNeeded' # the user has to sign in; `detail` has the scopes that are missing, separated by spaces, where that is why
---| 'signInFailed' # the sign-in was refused, or its answer does not fit; nothing has changed
---| 'notAllowed' # an agent may not do this; `detail` says why: `never`, `ask` (nobody can be asked now), `denied` (a person said no), `changed` (a person has to see the tool first) or `agent` (no agent may)
---| 'busy' # 1024 requests of this editor are under way, what waits for it uses up its memory, or 1024 other editors are attached
---| 'internal' # a bug; the log has its stack

--- The `data` of the daemon's own errors. Their message is one sentence that the user can act on.
---@class mcp-editord.ErrorData
---@field kind mcp-editord.ErrorKind
---@field server? string the server that it is about
---@field detail? string more, depending on the kind

--- What initialize may have in initializationOptions.
---@class mcp-editord.InitializationOptions
---@field environment? table<string, string> the environment that servers get
---@field umask? string the umask that servers get: up to four octal digits; 0022 when absent
---@field cwd? string accepted but without effect: see configuration.md, Where a server runs
---@field servers? table<string, any> more servers by name, as in mcp.json; trusted
---@field trusted? boolean whether the user trusts these folders; absent where the editor has not asked
---@field autoStart? boolean false: nothing starts until asked
---@field ownClient? mcp-editord.OwnClient the editor's own MCP client; absent where it has none that is in use
---@field inlineLimit? integer how many bytes a result may have before its largest parts come as files; absent for no such limit
---@field agent? mcp-editord.Agent absent for an editor; there where a program attaches for an agent

--- An MCP client that an editor has beside the daemon. The daemon runs none of its servers for this editor; it does for
--- others.
---@class mcp-editord.OwnClient
---@field name string its name as people know it, such as `VS Code`: 1 to 64 bytes without control characters
---@field files string[] the files whose servers it runs, relative to a workspace folder and with slashes, such as `.vscode/mcp.json`; at most 16, of 1 to 256 bytes each

--- Says that a program attaches for an agent: for a model that calls tools by itself. An agent is asked for no approval
--- and gives none, the rules for agents hold for its calls, and its first call starts a server. Questions that it
--- cannot answer go to the editor of the same folder.
---@class mcp-editord.Agent
---@field name string as people know it, such as `Claude Code`: 1 to 64 bytes without control characters
---@field within? string where it works, an absolute path, when it did not choose its folders itself: it gets those of the editor that has this path open, if there is one

--- What an editor can do. The daemon asks for nothing else.
---@class mcp-editord.EditorCapabilities
---@field sampling? table<string, any> it answers `mcp/sampling/createMessage`, such as `{"tools": {}}`; MCP's ClientCapabilities.sampling
---@field elicitation? table<string, any> it answers `mcp/elicitation/create`, such as `{"form": {}, "url": {}}`; MCP's ClientCapabilities.elicitation
---@field extensions? table<string, any> extensions of MCP that it knows, such as `{"io.example/x": {}}`; servers are told
---@field approval? table<string, any> it answers `editord/approve`: `{}`
---@field roots? table<string, any> it answers `mcp/roots/list` for its own calls, which is only for programs that pass the question on: `{}`

--- What the answer to initialize has in capabilities.experimental.mcp.
---@class mcp-editord.DaemonCapabilities
---@field version integer of the editor protocol
---@field files? string for an editor with an `inlineLimit`: the `file:` URI of the folder that has the files

--- The member `mcp-editord/input` of the `_meta` of an elicitation that asks for a value that the configuration takes
--- from `inputs`. Its one property is the string `value`.
---@class mcp-editord.InputNote
---@field id string
---@field password boolean show no characters

--- The member `mcp-editord/url` of the `_meta` of an elicitation whose URL may lead elsewhere than it seems to. Show
--- both members, and the whole URL.
---@class mcp-editord.URLNote
---@field host string as it reads, with its ASCII form where that differs
---@field warning string a sentence

--- The member `mcp-editord/file` of the `_meta` of a `resource_link` that stands for a part of a result. The file is in
--- the folder that the daemon named in `capabilities.experimental.mcp.files`; a link to anywhere else is the server's
--- own.
---@class mcp-editord.FileNote
---@field part string the type of the content, such as `text` or `image`; `structuredContent`; or `list`, when several are in one file, as a list
---@field uri? string of the resource, when it is the contents of one
