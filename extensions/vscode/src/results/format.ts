// Decides how to show a result. It decodes nothing that is not shown.

import type { Content, Json, PromptResult, ResourceContents, ToolResult } from '../protocol';
import { nameOf } from '../resources/address';
import { block, json, line } from '../text';

/** One part of a page. Texts and names are as the server wrote them. */
export type Block =
  | { kind: 'markdown'; text: string }
  | { kind: 'heading'; text: string }
  | { kind: 'json'; text: string }
  | { kind: 'image' | 'audio'; mime: string; data: string }
  | { kind: 'file'; name: string; mime: string; data: string; bytes: number }
  | { kind: 'link'; uri: string; name: string; description: string };

export type Presentation =
  | { as: 'message'; text: string }
  | { as: 'document'; text: string; language: 'json' | 'plaintext' }
  | { as: 'page'; blocks: Block[] };

export type Preference = 'auto' | 'preview' | 'document';

/** Larger media, in bytes, are offered as a file and not drawn. */
export const maxMedia = 8 << 20;

/** Longer text, in characters, is a document and not a page. */
const maxPage = 200_000;

/** How many characters are looked at to tell whether a text is Markdown. */
const maxLooked = 20_000;

const maxMessage = 160;

/** Returns how to show a result. */
export function present(result: ToolResult | PromptResult, preference: Preference): Presentation {
  const blocks = blocksOf(result);
  const drawn = blocks.some((b) => b.kind !== 'markdown' && b.kind !== 'json' && b.kind !== 'heading');
  const structured = 'structuredContent' in result ? result.structuredContent : undefined;
  const text = textOf(result);
  if (!drawn) {
    const data = structured ?? parse(text);
    if (data !== undefined && preference !== 'preview') {
      return { as: 'document', text: json(data), language: 'json' };
    }
    if (preference === 'document' || text.length > maxPage || (preference === 'auto' && !isMarkdown(text))) {
      const short =
        preference === 'auto' && text.trim() !== '' && !/[\r\n]/.test(text.trim()) && text.length <= maxMessage;
      return short
        ? { as: 'message', text: line(text.trim(), maxMessage) }
        : { as: 'document', text: block(text), language: 'plaintext' };
    }
  }
  if (structured !== undefined && structured !== null) {
    blocks.push({ kind: 'json', text: json(structured) });
  }
  return { as: 'page', blocks };
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

function blocksOf(result: ToolResult | PromptResult): Block[] {
  if (!('messages' in result)) {
    return contents(result).map(blockOf);
  }
  return (result.messages ?? []).flatMap((m) => [
    { kind: 'heading' as const, text: m.role },
    ...asList(m.content).filter(isContent).map(blockOf),
  ]);
}

function blockOf(c: Content): Block {
  switch (c.type) {
    case 'text':
      return { kind: 'markdown', text: string(c.text) };
    case 'image':
    case 'audio':
      return media(c.type, string(c.mimeType), string(c.data), c.type) ?? unknown(c);
    case 'resource_link':
      return {
        kind: 'link',
        uri: string(c.uri),
        name: string(c.title) || string(c.name) || string(c.uri),
        description: string(c.description),
      };
    case 'resource': {
      const r = c.resource as unknown as ResourceContents | undefined;
      if (typeof r?.text === 'string') {
        return /markdown/.test(r.mimeType ?? '')
          ? { kind: 'markdown', text: r.text }
          : { kind: 'json', text: block(r.text) };
      }
      if (typeof r?.blob === 'string') {
        const kind = r.mimeType?.startsWith('audio/') ? 'audio' : 'image';
        return media(kind, r.mimeType ?? '', r.blob, nameOf(string(r.uri))) ?? unknown(c);
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
  const bytes = Math.floor((data.length * 3) / 4);
  const drawable = new RegExp(`^${kind}/[\\w.+-]{1,64}$`).test(mime);
  if (bytes > maxMedia || !drawable) {
    return /^[\w.+-]+\/[\w.+-]+$/.test(mime) || mime === '' ? { kind: 'file', name, mime, data, bytes } : undefined;
  }
  return /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/.test(data) ? { kind, mime, data } : undefined;
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
