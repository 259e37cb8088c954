// Translates sampling between MCP and vscode.lm.

import type * as vscode from 'vscode';
import { isObject } from '../json';
import type { Content, Json, JsonObject, SamplingMessage, SamplingParams, SamplingResult } from '../protocol';
import { block, json, line } from '../text';

/** The classes of vscode.lm that messages are made of. */
export interface Parts {
  User(content: Part[]): vscode.LanguageModelChatMessage;
  Assistant(content: Part[]): vscode.LanguageModelChatMessage;
  text(value: string): Part;
  data(bytes: Uint8Array, mime: string): Part;
  toolCall(id: string, name: string, input: object): Part;
  toolResult(id: string, content: Part[]): Part;
}

export type Part =
  | vscode.LanguageModelTextPart
  | vscode.LanguageModelDataPart
  | vscode.LanguageModelToolCallPart
  | vscode.LanguageModelToolResultPart;

/**
 * Returns the messages for the model. vscode.lm has no role for a system prompt, so the user says it
 * first. Content that a model cannot take becomes text that names it.
 */
export function toMessages(p: SamplingParams, make: Parts): vscode.LanguageModelChatMessage[] {
  const messages = p.messages.map((m) => {
    const parts = asList(m.content).map((c) => toPart(c, make));
    return m.role === 'assistant' ? make.Assistant(parts) : make.User(parts);
  });
  return p.systemPrompt ? [make.User([make.text(p.systemPrompt)]), ...messages] : messages;
}

function toPart(c: Content, make: Parts): Part {
  switch (c.type) {
    case 'text':
      return make.text(string(c.text));
    case 'image':
    case 'audio':
      return make.data(Buffer.from(string(c.data), 'base64'), string(c.mimeType));
    case 'tool_use':
      return make.toolCall(string(c.id), string(c.name), isObject(c.input) ? c.input : {});
    case 'tool_result':
      return make.toolResult(
        string(c.toolUseId),
        (Array.isArray(c.content) ? c.content : []).filter(isContent).map((inner) => toPart(inner, make)),
      );
    default:
      return make.text(JSON.stringify(c));
  }
}

/** What a model said, piece by piece. */
export type Said = { text: string } | { id: string; name: string; input: object };

/** Returns the answer to the server (MCP 2025-11-25, Sampling, Tool Use). */
export function toResult(said: Said[], model: string): SamplingResult {
  const content: Content[] = [];
  for (const s of said) {
    const last = content.at(-1);
    if (!('text' in s)) {
      content.push({ type: 'tool_use', id: s.id, name: s.name, input: s.input as JsonObject });
    } else if (last?.type === 'text') {
      last.text = string(last.text) + s.text;
    } else {
      content.push({ type: 'text', text: s.text });
    }
  }
  const calls = content.some((c) => c.type === 'tool_use');
  // Before 2025-11-25 content is one block and not an array.
  const [only] = content;
  return {
    role: 'assistant',
    content: calls ? content : (only ?? { type: 'text', text: '' }),
    model,
    stopReason: calls ? 'toolUse' : 'endTurn',
  };
}

/** What to choose a model by. */
export interface Model {
  id: string;
  name: string;
  family: string;
  vendor: string;
}

/**
 * Chooses a model: by the user's list, then by the hints of the request, which are parts of names
 * (MCP 2025-11-25, Sampling, Model Preferences), else the first.
 */
export function chooseModel<M extends Model>(
  models: readonly M[],
  preferred: string[],
  hints: string[],
): M | undefined {
  for (const wanted of [...preferred, ...hints]) {
    const found = wanted !== '' && models.find((m) => matches(m, wanted.toLowerCase()));
    if (found) {
      return found;
    }
  }
  return models[0];
}

function matches(m: Model, wanted: string): boolean {
  return [m.id, m.family, m.name, `${m.vendor}/${m.family}`].some((s) => s.toLowerCase().includes(wanted));
}

/** Returns the whole request as a text to look at. */
export function transcript(p: SamplingParams): string {
  const parts = p.messages.map(
    (m: SamplingMessage) => `${line(m.role)}:\n${asList(m.content).map(contentText).join('\n')}`,
  );
  if (p.systemPrompt) {
    parts.unshift(`system:\n${block(p.systemPrompt)}`);
  }
  for (const tool of p.tools ?? []) {
    parts.push(`tool ${line(tool.name)}:\n${block(tool.description ?? '')}`);
  }
  return `${parts.join('\n\n')}\n`;
}

function contentText(c: Content): string {
  if (c.type === 'text') {
    return block(string(c.text));
  }
  return c.type === 'image' || c.type === 'audio' ? `[${c.type}: ${block(string(c.mimeType))}]` : json(c);
}

export function isContent(value: Json): value is Content {
  return isObject(value) && typeof value.type === 'string';
}

function asList<T>(value: T | T[]): T[] {
  return Array.isArray(value) ? value : [value];
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
