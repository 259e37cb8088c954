// MCP's objects, as servers send them, without the members that nothing here reads. What is not
// known is kept.

import type { Json, JsonObject } from './json';

/** What a server calls itself. */
export interface Implementation {
  name?: string;
  title?: string;
  version?: string;
}

export type ServerCapabilities = JsonObject;

/** MCP's hints about a tool: what the server says. Nothing depends on them. */
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
