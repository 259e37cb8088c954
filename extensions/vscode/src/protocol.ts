// What the editor and the daemon say to each other: docs/editor-protocol.md. Members
// that nothing here reads are left out, and MCP's own objects keep what is not known.

/** Fails a request of the daemon with a code of JSON-RPC. */
export class RequestError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** JSON as it came. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json | undefined };

export type ServerState =
  | 'disabled'
  | 'needsApproval'
  | 'needsSignIn'
  | 'starting'
  | 'ready'
  | 'restarting'
  | 'stopped'
  | 'failed';

export interface Server {
  name: string;
  state: ServerState;
  scope: 'session' | 'workspace' | 'user';
  transport: 'stdio' | 'http' | 'sse';
  source: string;
  protocolVersion?: string;
  serverInfo?: { name?: string; title?: string; version?: string };
  capabilities?: JsonObject;
  pid?: number;
  digest?: string;
  restarts: number;
  error?: { kind: string; message: string; stderr?: string[] };
  approval?: ApproveParams;
  shadowed?: string[];
  /** Whether its questions are refused unseen. */
  muted?: boolean;
}

/** MCP's hints about a tool. They are what the server says, and nothing is decided by them. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: JsonObject;
  annotations?: ToolAnnotations;
}

export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
}

export interface Resource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
}

export interface ResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

export interface ServerCatalog {
  server: Server;
  tools?: { command: string; tool: Tool }[] | null;
  prompts?: { command: string; prompt: Prompt }[] | null;
  resources?: Resource[] | null;
  resourceTemplates?: ResourceTemplate[] | null;
}

/** Where the person is: the context of a call. */
export interface CallContext {
  textDocument?: { uri: string };
  range?: { start: Position; end: Position };
  selectedText?: string;
  languageId?: string;
}

export interface Position {
  line: number;
  character: number;
}

export interface Prefill {
  arguments: JsonObject;
  missing: string[];
}

/** Its definition is in it too, and is shown by the text alone. */
export interface ApproveParams {
  kind: 'server' | 'folder';
  server: string;
  digest: string;
  reason: 'new' | 'changed';
  text: ApprovalText;
}

/** A question as the daemon has written it, on lines of 76 columns at most. */
export interface ApprovalText {
  title: string;
  short: string;
  whole: string;
  before?: string;
  /** Whether short says all that whole says. */
  complete: boolean;
}

export type Decision = 'allow' | 'deny' | 'later';

export interface Status {
  version: string;
  pid: number;
  socket: string;
  config: string;
  logFile: string;
  uptime: number;
  editors: { id: number; name: string; version?: string; folders: string[]; you?: boolean }[];
  servers: { server: Server; folders: string[]; editors: number[] }[];
  counters: Record<string, number>;
}

/** Lines of a server's log. The cursor goes back as it came, to ask for those after it. */
export interface LogLines {
  lines: string[];
  cursor: Json;
  /** How many lines were gone before they could be sent; they stood before these. */
  missed?: number;
}

export interface ServerLogged extends LogLines {
  server: string;
}

export interface ResourceUpdated {
  server: string;
  params: { uri: string };
  /** The URIs that this editor subscribed to and that the update is for. */
  subscribed?: string[];
}

export interface SubscriptionEnded {
  server: string;
  uri: string;
  reason: string;
}

/** A question of a server: mcp/sampling/createMessage and mcp/elicitation/create. */
export interface Question<P> {
  server: string;
  params: P;
  cause?: { command?: string; id: number | string };
  /** How many questions of this server were refused in a row before. */
  refused?: number;
}

export interface ElicitParams {
  mode?: 'form' | 'url';
  message?: string;
  requestedSchema?: JsonObject;
  url?: string;
  elicitationId?: string;
  _meta?: JsonObject;
}

export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: JsonObject;
}

export interface SamplingTool {
  name: string;
  description?: string;
  inputSchema?: JsonObject;
}

export interface SamplingMessage {
  role: 'user' | 'assistant';
  content: Content | Content[];
}

export interface SamplingParams {
  messages: SamplingMessage[];
  systemPrompt?: string;
  maxTokens?: number;
  temperature?: number;
  stopSequences?: string[];
  modelPreferences?: { hints?: { name?: string }[] };
  tools?: SamplingTool[];
  toolChoice?: { mode?: 'auto' | 'required' | 'none' };
}

export interface SamplingResult {
  role: 'assistant';
  content: Content | Content[];
  model: string;
  stopReason?: string;
}

/** A block of content; `type` may be one that nobody here knows. */
export type Content = { type: string } & JsonObject;

export interface ToolResult {
  content?: Content[];
  structuredContent?: Json;
  isError?: boolean;
}

export interface PromptResult {
  description?: string;
  messages?: { role: string; content: Content | Content[] }[];
}

export interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}
