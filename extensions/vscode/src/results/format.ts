// Decides how to show a result. It decodes nothing that is not shown.

import { isDeepStrictEqual } from 'node:util';
import { isKept, isText, type KeptFile } from '../daemon/kept-file';
import { isObject, shown } from '../json';
import type { Content, Json, PromptResult, ResourceContents, ToolResult } from '../protocol';
import { named } from '../resources/media-types';
import { block, json, line } from '../text';

export type Result = ToolResult | PromptResult;

/** One part of a page. Texts and names are as the server wrote them. */
export type Block =
  | { kind: 'markdown' | 'text' | 'json'; text: string }
  | { kind: 'heading'; text: string }
  | { kind: 'image' | 'audio'; name: string; mime: string; data: string }
  | { kind: 'file'; name: string; mime: string; data: string; bytes: number }
  | { kind: 'kept'; name: string; file: KeptFile; drawn: 'image' | 'audio' | undefined }
  | { kind: 'link'; uri: string; name: string; file: string; mime: string; description: string };

/** A text to show in a document: harmless, and with a language whose links are too. */
export interface Text {
  text: string;
  language: 'json' | 'plaintext';
}

export type Presentation =
  | { as: 'nothing' }
  | { as: 'message'; text: string }
  | ({ as: 'document' } & Text)
  | { as: 'file'; file: KeptFile }
  | { as: 'page'; blocks: Block[] };

export type Preference = 'auto' | 'preview' | 'document';

/** A page draws an image or plays audio from a file of this many bytes. */
export const maxMedia = 8 << 20;

/** A page has this many characters of text. A longer result is a document. */
export const maxPage = 200_000;

/** How many characters are looked at to tell whether a text is Markdown. */
const maxLooked = 20_000;

const maxMessage = 160;

/** Returns how to show a result. `folder` has the files of the daemon. */
export function present(result: ToolResult | PromptResult, preference: Preference, folder?: string): Presentation {
  const both = hasBoth(result);
  const blocks = blocksOf(result, folder, both && !isMarkdown(textOf(result)));
  const [only, ...others] = blocks.filter((b) => b.kind !== 'heading' && !('text' in b && b.text.trim() === ''));
  if (only?.kind === 'kept' && isText(only.file) && others.length === 0) {
    return { as: 'file', file: only.file };
  }
  // Only a page shows media and links. What nobody knows is left out where there is text or data.
  const types = contents(result).map((c) => c.type);
  const drawn = types.some((type) => ['image', 'audio', 'resource', 'resource_link'].includes(type));
  const data = dataOf(result);
  const text = textOf(result);
  const blank = data === undefined && text.trim() === '';
  if (blank && types.every((type) => type === 'text')) {
    return { as: 'nothing' };
  }
  if (!drawn && !blank) {
    if (data !== undefined && preference !== 'preview' && !(both && preference === 'auto')) {
      return { as: 'document', ...asText(result) };
    }
    // The messages of a prompt have roles, which only a page shows.
    const plain = preference === 'auto' && !('messages' in result) && !isMarkdown(text) && !both;
    if (failed(result) || preference === 'document' || text.length > maxPage || plain) {
      const short = preference === 'auto' && !/[\r\n]/.test(text.trim()) && text.length <= maxMessage;
      return short && !failed(result)
        ? { as: 'message', text: line(text.trim(), maxMessage) }
        : { as: 'document', ...asText(result) };
    }
  }
  const structured = structuredOf(result);
  if (structured !== undefined) {
    const shown = { kind: 'json' as const, text: json(structured) };
    if (!drawn && shown.text.length > maxPage) {
      return { as: 'document', ...asText(result) };
    }
    blocks.push(shown);
  }
  return { as: 'page', blocks };
}

/** Returns what a document shows of a result: its data as JSON, below its texts if they say something else, else its texts. */
export function asText(result: ToolResult | PromptResult): Text {
  const data = dataOf(result);
  if (data !== undefined && hasBoth(result)) {
    return { text: `${asPlain(result).text.trimEnd()}\n\n${json(data)}`, language: 'plaintext' };
  }
  return data !== undefined ? { text: json(data), language: 'json' } : asPlain(result);
}

/** Returns the text that a page shows of a result: its texts if they say more than its data, which has a block of its own. */
export function pageText(result: ToolResult | PromptResult): Text {
  const text = textOf(result);
  return text.trim() === '' || parse(text) !== undefined ? asText(result) : asPlain(result);
}

/** Returns the texts of a result. A blank line is between the messages of a prompt. */
function asPlain(result: ToolResult | PromptResult): Text {
  const text =
    'messages' in result
      ? (result.messages ?? []).map((m) => textOf({ content: asList(m.content) })).join('\n\n')
      : textOf(result);
  return { text: block(text), language: 'plaintext' };
}

/** Returns the data of a result: what is structured, or a text that is JSON. */
function dataOf(result: ToolResult | PromptResult): Json | undefined {
  if ('messages' in result) {
    return undefined;
  }
  return structuredOf(result) ?? parse(textOf(result));
}

/** Returns what is structured in a result, undefined when it is only a text that stands there as a text too. */
function structuredOf(result: ToolResult | PromptResult): Json | undefined {
  const structured = ('structuredContent' in result ? result.structuredContent : undefined) ?? undefined;
  const plain = ['string', 'number', 'boolean'].includes(typeof wrapped(structured));
  return plain && says(result, structured) ? undefined : structured;
}

/** Whether a result has texts and data that say different things. */
function hasBoth(result: ToolResult | PromptResult): boolean {
  const structured = structuredOf(result);
  return structured !== undefined && textOf(result).trim() !== '' && !says(result, structured);
}

/** Whether the texts of a result say what is structured. MCP has servers send it as JSON in one text. */
function says(result: ToolResult | PromptResult, structured: Json | undefined): boolean {
  const texts = contents(result).flatMap((c) => (c.type === 'text' ? [string(c.text)] : []));
  const same = (text: string | undefined, value: Json | undefined) =>
    text !== undefined && value !== undefined && (text === shown(value) || isDeepStrictEqual(parse(text), value));
  const inner = wrapped(structured);
  return texts.length === 1
    ? same(texts[0], structured) || same(texts[0], inner)
    : Array.isArray(inner) && inner.length === texts.length && inner.every((value, i) => same(texts[i], value));
}

/** Returns the value that a framework has put into a member "result", because it is no object. */
function wrapped(structured: Json | undefined): Json | undefined {
  return isObject(structured) && Object.keys(structured).join() === 'result' ? structured.result : undefined;
}

function failed(result: ToolResult | PromptResult): boolean {
  return 'isError' in result && result.isError === true;
}

/** Returns the text of a result, as it came. */
export function textOf(result: ToolResult | PromptResult): string {
  return contents(result)
    .flatMap((c) => (c.type === 'text' && typeof c.text === 'string' ? [c.text] : []))
    .join('\n');
}

function contents(result: ToolResult | PromptResult): Content[] {
  const list = ('content' in result ? result.content : undefined) ?? [];
  const messages = ('messages' in result ? result.messages : undefined) ?? [];
  return [...asList(list), ...messages.flatMap((m) => asList(m.content))].filter(isContent);
}

/** `plain` says that the texts of a tool are no Markdown. */
function blocksOf(result: ToolResult | PromptResult, folder: string | undefined, plain: boolean): Block[] {
  const blockOf = (c: Content) => (isKept(c, folder) ? keptBlock(c) : inlineBlock(c));
  if (!('messages' in result)) {
    // What a failed program wrote is no Markdown: its lines and its stars mean what they are.
    return contents(result)
      .map(blockOf)
      .map((b) => ((plain || failed(result)) && b.kind === 'markdown' ? { ...b, kind: 'text' } : b));
  }
  return (result.messages ?? []).flatMap((m) => [
    { kind: 'heading' as const, text: m.role },
    ...asList(m.content).filter(isContent).map(blockOf),
  ]);
}

function keptBlock(file: KeptFile): Block {
  const { uri, mimeType: mime = '', size } = file;
  const note = file._meta['mcp-editord/file'];
  const drawn = /^(image|audio)\//.exec(mime)?.[1] as 'image' | 'audio' | undefined;
  return {
    kind: 'kept',
    name: named(note.uri ?? note.part, mime),
    file,
    drawn: size > maxMedia || uri.endsWith('.bin') ? undefined : drawn,
  };
}

function inlineBlock(c: Content): Block {
  switch (c.type) {
    case 'text':
      return { kind: 'markdown', text: string(c.text) };
    case 'image':
    case 'audio':
      return media(c.type, string(c.mimeType), string(c.data), named(c.type, string(c.mimeType))) ?? unknown(c);
    case 'resource_link':
      return {
        kind: 'link',
        uri: string(c.uri),
        name: string(c.title) || string(c.name) || string(c.uri),
        file: string(c.name),
        mime: string(c.mimeType),
        description: string(c.description),
      };
    case 'resource': {
      const r = c.resource as unknown as ResourceContents | undefined;
      if (typeof r?.text === 'string') {
        return /markdown/.test(r.mimeType ?? '')
          ? { kind: 'markdown', text: r.text }
          : { kind: 'text', text: block(r.text) };
      }
      if (typeof r?.blob === 'string') {
        const kind = r.mimeType?.startsWith('audio/') ? 'audio' : 'image';
        return media(kind, r.mimeType ?? '', r.blob, named(string(r.uri), r.mimeType)) ?? unknown(c);
      }
      return unknown(c);
    }
    default:
      return unknown(c);
  }
}

/** Returns content as JSON: its type is not known, or it is not what its type says. */
function unknown(c: Content): Block {
  return { kind: 'json', text: json(c) };
}

function media(kind: 'image' | 'audio', mime: string, data: string, name: string): Block | undefined {
  if (!new RegExp(`^${kind}/[\\w.+-]{1,64}$`).test(mime)) {
    const bytes = Math.floor((data.length * 3) / 4);
    return /^[\w.+-]+\/[\w.+-]+$/.test(mime) || mime === '' ? { kind: 'file', name, mime, data, bytes } : undefined;
  }
  return /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/.test(data) ? { kind, name, mime, data } : undefined;
}

/** Whether a text is probably Markdown. */
export function isMarkdown(text: string): boolean {
  const lines = text
    .slice(0, maxLooked)
    .split('\n')
    .map((l) => l.trim().slice(0, 500));
  // Each pattern has a bound, so that no line takes long.
  return lines.some(
    (l, i) =>
      /^#{1,6} \S|^```|\*\*\S[^*]{0,200}\*\*|\[[^[\]]{1,200}\]\([^()\s]{1,400}\)|^\|.+\|$/.test(l) ||
      (/^[-*] \S/.test(l) && /^[-*] \S/.test(lines[i + 1] ?? '')),
  );
}

function parse(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text) || text.length > 8 << 20) {
    return undefined;
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns a size as people read it. */
export function size(bytes: number): string {
  return bytes < 1024
    ? `${bytes} B`
    : bytes < 1 << 20
      ? `${(bytes / 1024).toFixed(0)} KB`
      : `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

function asList<T>(value: T | T[] | undefined): T[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function isContent(c: Content): boolean {
  return typeof c === 'object' && c !== null && typeof c.type === 'string';
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
