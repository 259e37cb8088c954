// Made by internal/protocolgen from the Go package editorapi; do not edit.

import type { JsonObject } from './json';
import type { Implementation, Prompt, Resource, ResourceTemplate, ServerCapabilities, Tool } from './mcp';

/** The envelope of a request to a server. */
export interface MCPRequest {
  server: string;
  /** MCP's, passed on as they are. */
  params?: JsonObject;
  /** Where the user is: see Commands. */
  context?: Context;
  /** Milliseconds without a sign of life, above 0 and up to a day; progress restarts it. */
  timeout?: number;
  /** Progress arrives as `$/progress` with this token. */
  workDoneToken?: number | string;
  /**
   * Progress arrives as `mcp/notifications/progress` with this token, and otherwise as the server sent it; not
   * together with `workDoneToken`.
   */
  progressToken?: number | string;
  /**
   * What the editor can answer for this request, as in `capabilities.experimental.mcp`, where that differs from
   * what it declared there. A server of 2026-07-28 is told so; any other was told before.
   */
  capabilities?: JsonObject;
}

/** Where the user is in the editor. Commands fill arguments from it. */
export interface Context {
  textDocument?: TextDocument;
  range?: Range;
  selectedText?: string;
  languageId?: string;
}

/** Names a document. */
export interface TextDocument {
  uri: string;
}

/** LSP's, lines and characters from 0. */
export interface Range {
  start: Position;
  end: Position;
}

/** LSP's. */
export interface Position {
  line: number;
  character: number;
}

/** Has no members. Those that a peer sends are ignored. */
export type Nothing = Record<string, never>;

/** Lists the servers of the editor's workspace. */
export interface ServersResult {
  servers: Server[];
}

/** What editors are told of a server. */
export interface Server {
  name: string;
  state: ServerState;
  scope: ServerScope;
  transport: ServerTransport;
  /** URI of the file that defines it, `builtin` or `editor`. */
  source: string;
  /** The version of MCP that was negotiated. */
  protocolVersion?: string;
  serverInfo?: Implementation;
  /** How to use it, as the server says. */
  instructions?: string;
  capabilities?: ServerCapabilities;
  /** The id of its process; absent when it is reached by HTTP. */
  pid?: number;
  /** What a decision about it is bound to; with a question of kind `folder`, the digest of that question. */
  digest?: string;
  /** How often it was restarted, by itself and by request. */
  restarts: number;
  /** Why it is restarting, has failed or may not run. */
  error?: ServerError;
  /** With `needsApproval`: the params of `editord/approve` for it. */
  approval?: ApproveParams;
  /** The files whose server of the same name is ignored. */
  shadowed?: string[];
  /** Its questions are refused at once. */
  muted?: boolean;
  /** What is wrong although it may run, such as roots that are left out: each one sentence that the user can act on. */
  problems?: string[];
  /** The sign-in that is under way, once the user can go to its address. */
  signIn?: SignIn;
  /** What the daemon holds from a sign-in. */
  signedIn?: SignedIn;
  /** The name of the MCP client of this editor that runs it instead of the daemon; its state is `disabled`. */
  runBy?: string;
  /**
   * Tools of it have changed, and agents do not get them before somebody has seen how: the params of
   * `editord/approve`, of kind `tools`.
   */
  held?: ApproveParams;
  /** With `starting`: what its start waits for; absent while it waits for nobody. */
  waitsFor?: ServerWait;
  /** Somebody has said no to `held`: nobody is asked about it again, and agents still do not get those tools. */
  heldDenied?: boolean;
}

/**
 * The state of a server.
 *
 * - `disabled`: its definition disables it, or another client runs it: then `runBy` says which
 * - `needsApproval`: nobody has allowed it to run yet, or it was denied: then `error` is of kind `denied`
 * - `needsSignIn`: its endpoint wants the user to sign in: `error` is of kind `signInNeeded`, and `signIn` is there
 * while that is under way
 * - `starting`: it is being started
 * - `ready`: it takes calls
 * - `restarting`: it has ended or is being ended, and starts again
 * - `stopped`: nobody has started it, or somebody has stopped it
 * - `failed`: it does not start again by itself; `error` says why
 */
export type ServerState =
  | 'disabled'
  | 'needsApproval'
  | 'needsSignIn'
  | 'starting'
  | 'ready'
  | 'restarting'
  | 'stopped'
  | 'failed';

/**
 * Who shares a connection to a server.
 *
 * - `session`: nobody: this editor has its own
 * - `workspace`: editors with the same folders
 * - `user`: all editors of this user
 */
export type ServerScope = 'session' | 'workspace' | 'user';

/**
 * How to reach a server.
 *
 * - `stdio`: a process on this machine
 * - `http`: MCP's Streamable HTTP
 * - `sse`: MCP's HTTP+SSE of 2024-11-05
 */
export type ServerTransport = 'stdio' | 'http' | 'sse';

/** Why a server does not run. */
export interface ServerError {
  kind: ServerErrorKind;
  /** One sentence that the user can act on. */
  message: string;
  /** The last lines of its stderr, at most 20, where they explain it. */
  stderr?: string[];
  /** The user was told of it before this editor attached: it need not be said again unasked. */
  told?: boolean;
}

/**
 * Classifies the reasons why a server does not run. Later versions may add kinds.
 *
 * - `denied`: the user denied it, or the editor does not trust the folder; its state is `needsApproval`
 * - `spawn`: its command cannot be run
 * - `exit`: its process ended by itself
 * - `startTimeout`: it did not finish the handshake in time
 * - `notMCP`: what it writes is not MCP
 * - `protocol`: it shares no version of MCP with the daemon, or refused the handshake
 * - `unresponsive`: it stopped reading, or did not answer a ping
 * - `unreachable`: its endpoint cannot be reached: name, port or certificate (HTTP only)
 * - `unauthorized`: its endpoint requires authentication (HTTP only: 401)
 * - `signInNeeded`: its endpoint wants the user to sign in; its state is `needsSignIn` (HTTP only)
 * - `httpError`: its endpoint refuses requests, and the message has the status (HTTP only)
 * - `sessionLost`: its endpoint does not know the session any more (HTTP only)
 */
export type ServerErrorKind =
  | 'denied'
  | 'spawn'
  | 'exit'
  | 'startTimeout'
  | 'notMCP'
  | 'protocol'
  | 'unresponsive'
  | 'unreachable'
  | 'unauthorized'
  | 'signInNeeded'
  | 'httpError'
  | 'sessionLost';

/** Asks whether a server may run, or what agents may do. */
export interface ApproveParams {
  kind: ApprovalKind;
  server: string;
  /** Identifies what is decided on: send it back in `editord/approveServer`. */
  digest: string;
  /** Exactly what runs, as written in the file. */
  definition: ApprovalDefinition;
  reason: ApprovalReason;
  /** The definition that was decided on. */
  previous?: ApprovalDefinition;
  /** With kind `tools`: those that have changed. */
  tools?: ToolChange[];
  /** With kind `call`: what the agent wants. */
  call?: AgentCall;
  text: ApprovalText;
}

/**
 * What a question is about.
 *
 * - `server`: whether a server of a workspace file may run
 * - `folder`: whether one of the user's servers may run in, or by, the opened folder
 * - `tools`: whether agents may use tools that have changed
 * - `call`: whether an agent may make one call
 */
export type ApprovalKind = 'server' | 'folder' | 'tools' | 'call';

/**
 * Exactly what would run, as written in the file: variables such as `${env:HOME}` are not expanded. From `scope`
 * on, a member is present only where it differs from the built-in default.
 */
export interface ApprovalDefinition {
  /** URI of the file. */
  source: string;
  /** The folder that the file belongs to, or the folder that is opened. */
  folder?: string;
  /** One of `ServerTransport`. */
  transport: string;
  command?: string;
  /** The file that `command` leads to now. */
  program?: string;
  args?: string[];
  /** The names of the environment variables that it sets, sorted. */
  env?: string[];
  /** The same with their values. */
  environment?: Record<string, string>;
  envFile?: string;
  cwd?: string;
  url?: string;
  /** The names, sorted. */
  headers?: string[];
  /** The same with their values. */
  headerValues?: Record<string, string>;
  /** The variables that it takes from the environment. */
  takes?: string[];
  /** Sentences about what the user should look at twice. */
  warnings?: string[];
  /** One of `ServerScope`. */
  scope?: string;
  /** The version of MCP to speak. */
  protocol?: string;
  /** The folders that it is told of; `[]`: none. */
  roots?: string[];
  sampling?: string;
  samplingLimit?: string;
  elicitationLimit?: string;
  oauth?: ApprovalOAuth;
  /** By name or pattern of the tool, then by argument. */
  bind?: Record<string, Record<string, string>>;
  inputs?: ApprovalInput[];
  /** What agents may do, by name or pattern of the tool: `allow`, `ask` or `never`. */
  agents?: Record<string, string>;
  /** Only in `previous`: it was too large, and only source, folder and transport were kept. */
  tooLarge?: boolean;
}

/** What the file says about signing in. */
export interface ApprovalOAuth {
  clientId?: string;
  clientSecret?: string;
  clientMetadataUrl?: string;
  /** The authorization server; absent: the one that the server names. */
  issuer?: string;
  scopes?: string[];
  /** The port of this machine that the browser comes back to. */
  redirectPort?: number;
  /** `client_credentials`: nobody is asked to sign in. */
  grant?: string;
  /** The key that the client signs with. */
  privateKeyFile?: string;
  keyId?: string;
  enterprise?: ApprovalEnterprise;
}

/** The identity provider of an enterprise where a person signs in. */
export interface ApprovalEnterprise {
  issuer: string;
  clientId: string;
  clientSecret?: string;
}

/** A value that the daemon asks for when the server starts. */
export interface ApprovalInput {
  id: string;
  type: string;
  default?: string;
  options?: string[];
}

/**
 * Why a question is asked.
 *
 * - `new`: nothing has been decided yet
 * - `changed`: the last decision was about another definition
 */
export type ApprovalReason = 'new' | 'changed';

/** A tool as a person last knew it, and as it is now. */
export interface ToolChange {
  name: string;
  before: Tool;
  after: Tool;
}

/** A call that an agent wants to make. */
export interface AgentCall {
  /** Its name. */
  agent: string;
  tool: string;
  arguments?: JsonObject;
}

/** A question as the user reads it: plain text that is safe to show. */
export interface ApprovalText {
  /** such as: May the MCP server "name" run? */
  title: string;
  /**
   * About 8 lines of 76 characters; begins with the program, which is never cut, and ends with it too where more is
   * left out.
   */
  short: string;
  /** Everything, line by line, on lines of at most 76 characters. */
  whole: string;
  /** With `changed`: the same for the definition that was decided on. */
  before?: string;
  /** `short` says all that `whole` says. */
  complete: boolean;
}

/** A sign-in that is under way. The editors that share the server see the same one. */
export interface SignIn {
  /** Where the user signs in with a browser: an https: address, or http: on this machine. */
  url: string;
  /** Its host, as a reader sees it. */
  host: string;
  /** Why the host may be taken for another, or that others can read along: a sentence without an end. */
  warning?: string;
  /** Where the browser ends; that address, whole, is what `editord/finishSignIn` takes. */
  redirectUri: string;
  /** When the daemon gives it up, as in RFC 3339. */
  until: string;
}

/** What the daemon holds from a sign-in. No member is a secret. */
export interface SignedIn {
  /** The authorization server. */
  issuer: string;
  /** What was granted; absent when the authorization server did not say. */
  scopes?: string[];
  /** Scopes for which the server has refused a request: signing in again asks for them. */
  wanted?: string[];
  kept: SignedInKept;
}

/**
 * Says where credentials are kept.
 *
 * - `keyring`: the keyring of the system
 * - `file`: a file that only the user can read
 * - `memory`: the daemon: it forgets them when it ends
 */
export type SignedInKept = 'keyring' | 'file' | 'memory';

/**
 * Says what the start of a server waits for.
 *
 * - `input`: an answer to a question about an input of its definition
 */
export type ServerWait = 'input';

/** Names a server. */
export interface ServerParams {
  server: string;
}

/** Says whether a server is muted. */
export interface MuteParams {
  server: string;
  /** True by default. */
  muted?: boolean;
}

/** A decision on a definition. */
export interface ApproveServerParams {
  server: string;
  /** The digest of the definition that the user looked at. */
  digest: string;
  /** `allow` or `deny`. */
  decision: Decision;
}

/**
 * What the user says about a definition.
 *
 * - `allow`
 * - `deny`
 * - `later`: no decision: the user is not asked again about any server of the same file until the editor attaches
 * anew or the definition changes
 */
export type Decision = 'allow' | 'deny' | 'later';

/** Lists the remembered decisions. */
export interface ApprovalsResult {
  approvals: Approval[];
}

/** A remembered decision. */
export interface Approval {
  server: string;
  /** URI of the file. */
  source: string;
  /** The digest that was decided on. */
  digest: string;
  decision: Decision;
  /** When it was made, as in RFC 3339. */
  at: string;
}

/** Names the decision to forget. */
export interface RevokeParams {
  /** The digest that was decided on. */
  digest: string;
}

/** Names the server whose catalog you want. */
export interface CatalogParams {
  /** When absent, all servers that are ready. */
  server?: string;
  /**
   * With true, also what the servers that are not ready offered last; those of which nothing is known come with
   * empty lists.
   */
  known?: boolean;
}

/** What servers offer. The user's servers come before those of a project. */
export interface CatalogResult {
  servers: CatalogServer[];
}

/** What one server offers, without the tools that the configuration hides. */
export interface CatalogServer {
  server: Server;
  /** What it offered when it last ran, perhaps for another editor; `server` then has what it said of itself. */
  earlier?: boolean;
  /**
   * With `known`: it has run before, has failed to, or has been starting for long: nobody needs to wait for its
   * lists.
   */
  tried?: boolean;
  tools: CatalogTool[];
  prompts: CatalogPrompt[];
  resources: Resource[];
  resourceTemplates: ResourceTemplate[];
}

/** A tool and its command. */
export interface CatalogTool {
  command: string;
  /** As the server sent it. */
  tool: Tool;
}

/** A prompt and its command. */
export interface CatalogPrompt {
  command: string;
  /** As the server sent it. */
  prompt: Prompt;
}

/** Names the command whose arguments you want. */
export interface PrefillParams {
  command: string;
  /** What the user has given already, which is not proposed again. */
  arguments?: JsonObject;
  context?: Context;
}

/** Proposes arguments for a form that the user sees before the call. */
export interface PrefillResult {
  /** With those that were given. */
  arguments: JsonObject;
  /** The names of required arguments without a proposal. */
  missing: string[];
  /** The names of those of arguments that the configuration binds; all others that were not given are guesses. */
  bound: string[];
  /**
   * Those that were given, that the schema does not know, and of which another one is probably meant or none is
   * allowed.
   */
  strangers?: Stranger[];
}

/** An argument that a tool or a prompt does not have. */
export interface Stranger {
  name: string;
  /** The one that probably is. */
  meant?: string;
}

/** Says which lines of a server's log you want. */
export interface ServerLogParams {
  server: string;
  /** How many of the last lines at most: 1 to 10,000, 200 by default. */
  lines?: number;
  /** Only lines after this `cursor`. */
  after?: string;
  /** True to get `editord/serverLogged` from here on, false to end that. */
  follow?: boolean;
  /** True to get `entries` in place of `lines`, also in `editord/serverLogged`. */
  entries?: boolean;
}

/** A part of a server's log: its stderr and its log messages. */
export interface ServerLogResult {
  /** As text; `[]` when you asked for `entries`. */
  lines: string[];
  /** When you asked for them: one for each line. */
  entries?: LogEntry[];
  /** The end of these lines, for `after`. */
  cursor: string;
  /** How many lines after `after` are gone or did not fit. */
  missed?: number;
}

/** One line of the log of a server. */
export interface LogEntry {
  /** When the daemon got it: RFC 3339 in UTC with milliseconds. */
  time: string;
  /** Where it came from. */
  source: LogSource;
  /** Of a log message. */
  level?: LogLevel;
  /** Of a log message: who wrote it. */
  logger?: string;
  /** The text goes on that of the line before; they came together. */
  more?: boolean;
  /** As the server wrote it, cut at 4 KiB; make it safe before you show it. */
  text: string;
}

/**
 * Says where a line of a log came from.
 *
 * - `stderr`: the server's standard error
 * - `stdout`: lines on its standard output that are not MCP
 * - `mcp`: its log messages, `notifications/message`
 * - `daemon`: what the daemon has to say about the server
 */
export type LogSource = 'stderr' | 'stdout' | 'mcp' | 'daemon';

/**
 * A level of RFC 5424, as MCP has them.
 *
 * - `debug`
 * - `info`
 * - `notice`
 * - `warning`
 * - `error`
 * - `critical`
 * - `alert`
 * - `emergency`
 */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The state of the daemon. */
export interface Status {
  /** The version of mcp-editord. */
  version: string;
  /** The id of its process. */
  pid: number;
  /** Its path. */
  socket: string;
  /** The path of the user's configuration. */
  config: string;
  /** Its path. */
  logFile: string;
  /** Seconds. */
  uptime: number;
  editors: EditorStatus[];
  /** Every connection, including those of other editors. */
  servers: ServerStatus[];
  /** Counts since it started, and the bytes in use (`memoryInUse`), by name. */
  counters: Record<string, number>;
}

/** One attached editor. */
export interface EditorStatus {
  id: number;
  /** ClientInfo.name. */
  name: string;
  /** ClientInfo.version. */
  version?: string;
  /** URIs. */
  folders: string[];
  /** It is the editor that asked. */
  you?: boolean;
  /** It is an agent: a client of `mcp-editord mcp`, such as the chat of an editor. */
  agent?: boolean;
}

/** One connection, who is on it, and what its server has of them. */
export interface ServerStatus {
  server: Server;
  /** URIs. */
  folders: string[];
  /** Ids of `EditorStatus`. */
  editors: number[];
  /**
   * The path of its program, as it was last started, and the arguments; one with `${input:…}` or `${env:…}` in it
   * is as the definition has it.
   */
  command?: string[];
  /** The directory that it was last started in. */
  cwd?: string;
  /** Absent when it has not asked for them since it was started. */
  roots?: RootsTold;
  /** Of the last call of a tool that the configuration added arguments to. */
  bound?: BoundNames;
}

/** What a server was told when it last asked for its roots. */
export interface RootsTold {
  uris: string[];
  /** When it asked, as in RFC 3339. */
  at: string;
}

/** Says which arguments of a call the configuration has added. */
export interface BoundNames {
  tool: string;
  /** Their names. */
  arguments: string[];
}

/** What the browser ended with. */
export interface FinishSignInParams {
  server: string;
  /** The whole address that the browser ended on, or the code alone where the authorization server shows one. */
  response: string;
}

/** What to look for in the registry. */
export interface SearchServersParams {
  /** Each of them is in the name, the title or the description; one has three characters or more. */
  words: string[];
  /** `next` of the result before. */
  cursor?: string;
}

/** What a registry has. All texts are those of publishers, whom nobody has checked. */
export interface SearchServersResult {
  servers: FoundServer[];
  /** Its address. */
  registry: string;
  /** There is more: the `cursor` to get it with. */
  next?: string;
  /** Seconds since the registry said so, when it does not answer now. */
  age?: number;
}

/** A server in a registry. */
export interface FoundServer {
  /** PUBLISHER/NAME, which `editord/proposeServers` takes. */
  name: string;
  title?: string;
  description?: string;
  version: string;
  /** The address of its source. */
  repository?: string;
  /** How it can be run: `remote`, `npm`, `pypi`, `oci` and others. */
  kinds: string[];
  /** Why it should not be used any more. */
  deprecated?: string;
}

/** What somebody has of a server. It has `words`, `command` or `from`. */
export interface ProposeServersParams {
  /**
   * A command line, an address, `npm:PACKAGE`, `pypi:PACKAGE`, `docker:IMAGE`, `PUBLISHER/NAME` of the registry, or
   * the JSON of any program: in one text or in several, where the first may be a name.
   */
  words?: string[];
  /** A program and its arguments. */
  command?: string[];
  /** Another program, as `mcp-editord import` names it, `all` of them, or the path of the file of one. */
  from?: string;
  /** What to call the server. */
  name?: string;
  /** `NAME=VALUE`, or `NAME` to be asked for the value. */
  env?: string[];
  /** `NAME: VALUE`, or `NAME` to be asked for the value. */
  headers?: string[];
  /** The URI of a workspace folder, to add it to the `.mcp.json` of that folder and not to the user's configuration. */
  folder?: string;
}

/** What could be added. */
export interface ProposeServersResult {
  servers: ProposedServer[];
  /** They are ways to run the same server, the best first: add one of them. */
  choose?: boolean;
  /** What could not be read: each one sentence. */
  problems?: string[];
}

/** A server that could be added. Show `runs`, `from`, `notes` and `text` before you add it. */
export interface ProposedServer {
  name: string;
  /** As mcp.json has it. */
  definition: JsonObject;
  /** The values that the user is asked for when it is added. */
  inputs?: ProposedInput[];
  /** Values of inputs that are known already, by their ids. */
  secrets?: Record<string, string>;
  /** The command line or the address, on one line. */
  runs: string;
  /** Where it is from, on one line. */
  from: string;
  /** What to know before it is added: each one sentence. */
  notes?: string[];
  /** The URI of the file that gets it. */
  file: string;
  /** What the file gets, without secrets. */
  text: string;
  /** What the file has under that name. */
  state: ProposalState;
}

/** A value that the user is asked for. */
export interface ProposedInput {
  id: string;
  description?: string;
  default?: string;
  /** It is kept as a secret and asked for once; any other becomes a part of the definition. */
  password?: boolean;
  options?: string[];
}

/**
 * Compares a proposed server with what is in the file.
 *
 * - `new`: the file has no server of that name
 * - `same`: the file has this very server
 * - `different`: the file has another server of that name
 */
export type ProposalState = 'new' | 'same' | 'different';

/** A server to add. */
export interface AddServerParams {
  /** As `editord/proposeServers` returned it; its `name` may be another one. */
  server: ProposedServer;
  /** Put it in the place of another server of that name. */
  replace?: boolean;
  /** Write it although it does not start. */
  force?: boolean;
  /** Write it without starting it, as for one that runs in another program. */
  trusted?: boolean;
}

/** What came of adding a server. */
export interface AddServerResult {
  /** As it is now; its `error` says why it did not start. */
  server: Server;
  /** Where it is defined; absent when it did not start, and nothing was written. */
  place?: ConfigPlace;
}

/** A place in a configuration file. */
export interface ConfigPlace {
  /** Of the file, which need not exist. */
  uri: string;
  /** Of the name of the server. */
  range?: Range;
}

/** Says whether a server may run. */
export interface EnableServerParams {
  server: string;
  enabled: boolean;
}

/** Names a server. */
export interface ConfigPlaceParams {
  /** When absent, the place is the user's configuration. */
  server?: string;
}

/** Says what to look at. */
export interface DoctorParams {
  /** Only this server, which is started if it does not run and may; when absent, all servers, and none is started. */
  server?: string;
}

/** What the daemon has found. */
export interface DoctorResult {
  checks: Check[];
  /** The names of the programs that servers start with, such as `npx`. */
  programs: string[];
}

/**
 * One thing that was looked at. Show it on a line, and below it `why` and `remedy`. Values that the definitions of
 * servers keep secret are taken out.
 */
export interface Check {
  /** What was looked at, such as `command`. */
  name: string;
  state: CheckState;
  /** What was found, on one line. */
  text: string;
  /** Unless it is `ok`: why that matters. */
  why?: string;
  /** Unless it is `ok`: one command, or one thing to do. */
  remedy?: string;
  /** The server that it is about. */
  server?: string;
  /** The place that it is about, as `path:line` or `path`. */
  file?: string;
}

/**
 * Says how bad it is.
 *
 * - `ok`
 * - `warning`: something may not work as you expect
 * - `error`: something does not work
 */
export type CheckState = 'ok' | 'warning' | 'error';

/** The envelope of a notification to a server, or of one from it. */
export interface MCPNotification {
  server: string;
  /** MCP's, passed on as they are. */
  params?: JsonObject;
  /**
   * Only in `mcp/notifications/resources/updated` to an editor: the URIs that the update is for and that this
   * editor subscribed to.
   */
  subscribed?: string[];
}

/** The envelope of a server's request to an editor. */
export interface Question {
  server: string;
  /** MCP's. */
  params: JsonObject;
  /** The editor's request that led to it, when that is certain. */
  cause?: Cause;
  /** Whose request led to it, when that is certain and it was not this editor's. */
  caller?: Caller;
  /** The server's own name for the question, where it has one: the key among the `inputRequests` of 2026-07-28. */
  key?: string;
  /** How many questions of this server in a row were declined, cancelled or failed before this one. */
  refused?: number;
}

/** Names the editor's request that led to a question. */
export interface Cause {
  /** The id of the command, when it was one. */
  command?: string;
  /** The request's id, as the editor wrote it. */
  id: number | string;
}

/** Another program in the same folder, such as an agent, whose request led to a question that it cannot answer. */
export interface Caller {
  /** Of the program, in its own words. */
  name: string;
  /** The name of the tool that it called, when it was one. */
  tool?: string;
}

/** What the person said. */
export interface ApproveResult {
  decision: Decision;
}

/** Tells that a server is no longer defined. */
export interface ServerRemoved {
  server: string;
}

/** Tells which lists of a server have changed. */
export interface CatalogChanged {
  server: string;
  /** `tools`, `prompts`, `resources`, `resourceTemplates`. */
  kinds: string[];
}

/** Tells that no more updates of a resource come. */
export interface SubscriptionEnded {
  server: string;
  /** As it was subscribed to. */
  uri: string;
  /** One sentence that the user can act on. */
  reason: string;
}

/** Brings new lines of the log of a server that this editor follows. */
export interface ServerLogged {
  server: string;
  /** As text; `[]` when you asked for `entries`. */
  lines: string[];
  /** When you asked for them: one for each line. */
  entries?: LogEntry[];
  /** The end of these lines, for `after`. */
  cursor: string;
  /** How many lines were gone before they could be sent. */
  missed?: number;
}

/**
 * Classifies the daemon's own errors.
 *
 * - `serverNotFound`: no such server in this workspace
 * - `serverNotReady`: `detail` is its state
 * - `serverGone`: it ended during the call, or could not be reached; the call is not repeated
 * - `timeout`: no sign of life within the limit; the server was told
 * - `cancelled`: by the editor
 * - `capabilityNotSupported`: the server did not declare it
 * - `tooLarge`: the answer was over the frame limit (64 MiB), or over the memory that was left for it
 * - `invalidParams`: `detail` names the member
 * - `invalidResult`: the server's answer is not what MCP allows, or is nested more than 500 deep
 * - `httpError`: the endpoint refused the request; `detail` is the status code
 * - `signInNeeded`: the user has to sign in; `detail` has the scopes that are missing, separated by spaces, where
 * that is why
 * - `signInFailed`: the sign-in was refused, or its answer does not fit; nothing has changed
 * - `notAllowed`: an agent may not do this; `detail` says why: `never`, `ask` (nobody can be asked now), `denied`
 * (a person said no), `changed` (a person has to see the tool first) or `agent` (no agent may)
 * - `busy`: 1024 requests of this editor are under way, what waits for it uses up its memory, or 1024 other editors
 * are attached
 * - `internal`: a bug; the log has its stack
 */
export type ErrorKind =
  | 'serverNotFound'
  | 'serverNotReady'
  | 'serverGone'
  | 'timeout'
  | 'cancelled'
  | 'capabilityNotSupported'
  | 'tooLarge'
  | 'invalidParams'
  | 'invalidResult'
  | 'httpError'
  | 'signInNeeded'
  | 'signInFailed'
  | 'notAllowed'
  | 'busy'
  | 'internal';

/** The `data` of the daemon's own errors. Their message is one sentence that the user can act on. */
export interface ErrorData {
  kind: ErrorKind;
  /** The server that it is about. */
  server?: string;
  /** More, depending on the kind. */
  detail?: string;
}

/** What initialize may have in initializationOptions. */
export interface InitializationOptions {
  /** The environment that servers get. */
  environment?: Record<string, string>;
  /** The umask that servers get: up to four octal digits; 0022 when absent. */
  umask?: string;
  /** Accepted but without effect: see configuration.md, Where a server runs. */
  cwd?: string;
  /** More servers by name, as in mcp.json; trusted. */
  servers?: JsonObject;
  /** Whether the user trusts these folders; absent where the editor has not asked. */
  trusted?: boolean;
  /** False: nothing starts until asked. */
  autoStart?: boolean;
  /** The editor's own MCP client; absent where it has none that is in use. */
  ownClient?: OwnClient;
  /** How many bytes a result may have before its largest parts come as files; absent for no such limit. */
  inlineLimit?: number;
  /** Absent for an editor; there where a program attaches for an agent. */
  agent?: Agent;
}

/**
 * An MCP client that an editor has beside the daemon. The daemon runs none of its servers for this editor; it does
 * for others.
 */
export interface OwnClient {
  /** Its name as people know it, such as `VS Code`: 1 to 64 bytes without control characters. */
  name: string;
  /**
   * The files whose servers it runs, relative to a workspace folder and with slashes, such as `.vscode/mcp.json`;
   * at most 16, of 1 to 256 bytes each.
   */
  files: string[];
}

/**
 * Says that a program attaches for an agent: for a model that calls tools by itself. An agent is asked for no
 * approval and gives none, the rules for agents hold for its calls, and its first call starts a server. Questions
 * that it cannot answer go to the editor of the same folder.
 */
export interface Agent {
  /** As people know it, such as `Claude Code`: 1 to 64 bytes without control characters. */
  name: string;
  /**
   * Where it works, an absolute path, when it did not choose its folders itself: it gets those of the editor that
   * has this path open, if there is one.
   */
  within?: string;
}

/** What an editor can do. The daemon asks for nothing else. */
export interface EditorCapabilities {
  /** It answers `mcp/sampling/createMessage`, such as `{"tools": {}}`; MCP's ClientCapabilities.sampling. */
  sampling?: JsonObject;
  /** It answers `mcp/elicitation/create`, such as `{"form": {}, "url": {}}`; MCP's ClientCapabilities.elicitation. */
  elicitation?: JsonObject;
  /** Extensions of MCP that it knows, such as `{"io.example/x": {}}`; servers are told. */
  extensions?: JsonObject;
  /** It answers `editord/approve`: `{}`. */
  approval?: JsonObject;
  /** It answers `mcp/roots/list` for its own calls, which is only for programs that pass the question on: `{}`. */
  roots?: JsonObject;
}

/** What the answer to initialize has in capabilities.experimental.mcp. */
export interface DaemonCapabilities {
  /** Of the editor protocol. */
  version: number;
  /** For an editor with an `inlineLimit`: the `file:` URI of the folder that has the files. */
  files?: string;
}

/**
 * The member `mcp-editord/input` of the `_meta` of an elicitation that asks for a value that the configuration
 * takes from `inputs`. Its one property is the string `value`.
 */
export interface InputNote {
  id: string;
  /** Show no characters. */
  password: boolean;
}

/**
 * The member `mcp-editord/url` of the `_meta` of an elicitation whose URL may lead elsewhere than it seems to. Show
 * both members, and the whole URL.
 */
export interface URLNote {
  /** As it reads, with its ASCII form where that differs. */
  host: string;
  /** A sentence. */
  warning: string;
}

/**
 * The member `mcp-editord/file` of the `_meta` of a `resource_link` that stands for a part of a result. The file is
 * in the folder that the daemon named in `capabilities.experimental.mcp.files`; a link to anywhere else is the
 * server's own.
 */
export interface FileNote {
  /**
   * The type of the content, such as `text` or `image`; `structuredContent`; or `list`, when several are in one
   * file, as a list.
   */
  part: string;
  /** Of the resource, when it is the contents of one. */
  uri?: string;
}

/** The params and the result of each request to the daemon. */
export interface RequestsToDaemon {
  /** Lists the servers of this editor's workspace. */
  'editord/servers': { params: Nothing; result: ServersResult };
  /** Starts a server. The answer comes once it is ready, failed or stopped. */
  'editord/startServer': { params: ServerParams; result: Server };
  /** Stops a server. The answer comes once it is ready, failed or stopped. */
  'editord/stopServer': { params: ServerParams; result: Server };
  /** Stops a server and starts it anew. The answer comes once it is ready, failed or stopped. */
  'editord/restartServer': { params: ServerParams; result: Server };
  /**
   * Mutes a server. The daemon refuses at once whatever a muted server asks, for all editors on it, until it is
   * started anew or unmuted.
   */
  'editord/muteServer': { params: MuteParams; result: Server };
  /** Records the decision whether a server may run. */
  'editord/approveServer': { params: ApproveServerParams; result: Server };
  /** Lists the remembered decisions. */
  'editord/approvals': { params: Nothing; result: ApprovalsResult };
  /** Forgets a decision. */
  'editord/revokeApproval': { params: RevokeParams; result: Nothing };
  /**
   * Lists what servers offer, with the commands of their tools and prompts. It does not wait for servers that are
   * not ready.
   */
  'editord/catalog': { params: CatalogParams; result: CatalogResult };
  /** Proposes the arguments of a command, for a form that the user sees before the call. */
  'editord/prefill': { params: PrefillParams; result: PrefillResult };
  /** Reads the log of a server, and follows it. */
  'editord/serverLog': { params: ServerLogParams; result: ServerLogResult };
  /** Returns the state of the daemon. */
  'editord/status': { params: Nothing; result: Status };
  /**
   * Has the user sign in to a server with a browser, at the address that the daemon sends with
   * `window/showDocument`. The answer comes once the server is ready or has failed. Who asks while a sign-in is
   * under way waits for the same one, which ends when nobody waits any more.
   */
  'editord/signIn': { params: ServerParams; result: Server };
  /**
   * Finishes the sign-in that is under way, where the browser cannot reach the daemon. The answer says that the
   * address fits; that of `editord/signIn` says what came of it.
   */
  'editord/finishSignIn': { params: FinishSignInParams; result: Nothing };
  /**
   * Forgets what the daemon keeps from signing in to a server and the passwords typed for it, and has its tokens
   * revoked where the authorization server can. It also ends a sign-in that is under way.
   */
  'editord/signOut': { params: ServerParams; result: Server };
  /** Looks for servers in the registry. Nothing changes. */
  'editord/searchServers': { params: SearchServersParams; result: SearchServersResult };
  /** Makes definitions of what somebody has of servers. Nothing changes, and nothing of them runs. */
  'editord/proposeServers': { params: ProposeServersParams; result: ProposeServersResult };
  /**
   * Starts a proposed server once and, when that works, writes it into the configuration. The user is asked for the
   * values that it needs. When it does not start, nothing is written.
   */
  'editord/addServer': { params: AddServerParams; result: AddServerResult };
  /** Takes a server out of the file that defines it. */
  'editord/removeServer': { params: ServerParams; result: ConfigPlace };
  /** Says in the file that defines a server whether it may run. */
  'editord/enableServer': { params: EnableServerParams; result: ConfigPlace };
  /** Says where a server is defined, or where the user's configuration is. */
  'editord/configPlace': { params: ConfigPlaceParams; result: ConfigPlace };
  /** Looks for what is wrong with the configuration, the servers and the daemon. */
  'editord/doctor': { params: DoctorParams; result: DoctorResult };
}
