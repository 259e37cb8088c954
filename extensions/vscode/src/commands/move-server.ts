// Moves the definition of a server from one mcp.json to another, as text: comments and formatting stay.
// It needs no window.

import { createScanner, getNodeValue, type Node, type ParseError, parseTree, SyntaxKind } from 'jsonc-parser';
import { line, type Translate } from '../text';

/** A file. Its name is for messages. */
export interface File {
  name: string;
  /** Undefined when there is no such file. */
  text: string | undefined;
}

export interface Texts {
  source: string;
  target: string;
}

/** Two spellings of the same key: docs/configuration.md. */
export type ServersKey = 'servers' | 'mcpServers';

/** What has text of its own in a file: a member of an object or an element of a list, with its comments. */
interface Piece {
  /** The lines above it. */
  comments: string[];
  lines: string[];
}

/**
 * Returns both texts after the move of a server, with the inputs that it uses. `key` is for a target
 * that has no servers yet. Where the daemon would not run the server as it is, it fails with a sentence
 * that says what to do first.
 */
export function moveServer(name: string, source: File, target: File, key: ServersKey, t: Translate): Texts {
  const called = line(name, 60);
  let from = source.text ?? '';
  let to = target.text?.trim() ? target.text : '{}\n';

  const found = definitions(read(from, source.name, t), name);
  const [definition] = found;
  if (!definition) {
    throw new Error(t('"{0}" is no longer in {1}', called, source.name));
  }
  if (found.length > 1) {
    throw new Error(t('"{0}" is in {1} twice; remove one of them first', called, source.name));
  }
  if (definitions(read(to, target.name, t), name).length > 0) {
    throw new Error(t('{1} has a server "{0}" already; rename one of them first', called, target.name));
  }
  check(called, definitionOf(definition), t);

  for (const id of inputsOf(definitionOf(definition))) {
    const shown = line(id, 60);
    const input = inputs(read(from, source.name, t), id).at(-1);
    if (!input) {
      throw new Error(t('"{0}" uses the input "{1}", which {2} does not define', called, shown, source.name));
    }
    checkInput(called, shown, getNodeValue(input), t);
    const same = inputs(read(to, target.name, t), id).at(-1);
    if (same && JSON.stringify(getNodeValue(same)) !== JSON.stringify(getNodeValue(input))) {
      throw new Error(t('{1} has another input "{0}"; rename one of them first', shown, target.name));
    }
    if (!same) {
      to = insert(to, 'inputs', '[]', cut(from, input).piece);
    }
    if (usersOf(read(from, source.name, t), id) === 1) {
      from = cut(from, input).rest;
    }
  }

  const [entry] = definitions(read(from, source.name, t), name) as [Node];
  const { piece, rest } = cut(from, entry);
  const root = read(to, target.name, t);
  const used = (['servers', 'mcpServers'] as const).find((k) => members(root, k).length > 0) ?? key;
  return { source: rest, target: insert(to, used, '{}', piece) };
}

/** Returns what is different in two texts: the part of the first to replace, and the text instead. */
export function difference(before: string, after: string): { start: number; end: number; text: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) {
    start++;
  }
  let same = 0;
  while (same < most - start && before[before.length - 1 - same] === after[after.length - 1 - same]) {
    same++;
  }
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}

function read(text: string, name: string, t: Translate): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root?.type !== 'object' || errors.length > 0) {
    throw new Error(t('{0} is not a valid JSON object; correct it first', name));
  }
  return root;
}

/** Returns the members of an object with this key: more than one where a file repeats it. */
function members(object: Node, key: string): Node[] {
  return (object.children ?? []).filter((m) => m.children?.[0]?.value === key && m.children[1]);
}

function definitions(root: Node, name: string): Node[] {
  return servers(root).filter((m) => m.children?.[0]?.value === name);
}

function servers(root: Node): Node[] {
  return [...members(root, 'servers'), ...members(root, 'mcpServers')].flatMap((m) => m.children?.[1]?.children ?? []);
}

function inputs(root: Node, id: string): Node[] {
  const all = members(root, 'inputs').flatMap((m) => m.children?.[1]?.children ?? []);
  return all.filter((i) => getNodeValue(i)?.id === id);
}

function definitionOf(member: Node): unknown {
  return member.children?.[1] && getNodeValue(member.children[1]);
}

function usersOf(root: Node, id: string): number {
  return servers(root).filter((m) => inputsOf(definitionOf(m)).includes(id)).length;
}

/** The names in ${…} of all texts. */
function variables(value: unknown): string[] {
  if (typeof value === 'string') {
    return Array.from(value.matchAll(/\$\{([^}]*)\}/g), ([, name]) => name ?? '');
  }
  return value && typeof value === 'object' ? Object.values(value).flatMap(variables) : [];
}

function inputsOf(value: unknown): string[] {
  const used = variables(value).flatMap((v) => (v.startsWith('input:') ? [v.slice('input:'.length)] : []));
  return [...new Set(used)];
}

/** Fails where the daemon would understand the definition in another way than the editor's client does. */
function check(name: string, value: unknown, t: Translate): void {
  const { tools: _, envFile, ...rest } = (value ?? {}) as Record<string, unknown>;
  const known = /^(workspaceFolder|workspaceFolderBasename|userHome|env:.+|input:.+)$/;
  const unknown = variables({ ...rest, envFile }).find((v) => !known.test(v));
  if (unknown !== undefined) {
    const variable = line(`\${${unknown}}`, 60);
    throw new Error(t('"{0}" uses {1}, which mcp-editord does not know; replace it first', name, variable));
  }
  if (typeof envFile === 'string' && !/^([\\/]|\$\{|[a-z]:)/i.test(envFile)) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of mcp.json
    const prefix = '${workspaceFolder}/';
    throw new Error(t('The "envFile" of "{0}" is relative to its file; begin it with {1} first', name, prefix));
  }
}

function checkInput(name: string, id: string, value: unknown, t: Translate): void {
  const { type = 'promptString', options } = value as { type?: unknown; options?: unknown };
  const strings = Array.isArray(options) && options.every((o) => typeof o === 'string');
  if (type !== 'promptString' && !(type === 'pickString' && strings)) {
    throw new Error(
      t(
        '"{0}" uses the input "{1}", which mcp-editord cannot ask for: it asks only for texts and choices of texts',
        name,
        id,
      ),
    );
  }
}

interface Token {
  kind: SyntaxKind;
  start: number;
  end: number;
}

/** Returns the tokens of a part of a text, comments and line breaks among them, but no blanks. */
function tokens(text: string, start: number, end = text.length): Token[] {
  const scanner = createScanner(text, false);
  scanner.setPosition(start);
  const found: Token[] = [];
  for (let kind = scanner.scan(); kind !== SyntaxKind.EOF && scanner.getTokenOffset() < end; kind = scanner.scan()) {
    if (kind !== SyntaxKind.Trivia) {
      const at = scanner.getTokenOffset();
      found.push({ kind, start: at, end: at + scanner.getTokenLength() });
    }
  }
  return found;
}

const isComment = ({ kind }: Token) => kind === SyntaxKind.LineCommentTrivia || kind === SyntaxKind.BlockCommentTrivia;
const isBreak = ({ kind }: Token) => kind === SyntaxKind.LineBreakTrivia;
const endOf = (node: Node) => node.offset + node.length;
const indentAt = (text: string, offset: number) =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? '';

/** Returns the comma after a node, and where the line ends that belongs to the node. */
function tail(text: string, node: Node): { comma: Token | undefined; end: number; comment: string } {
  const limit = node.parent ? endOf(node.parent) - 1 : text.length;
  const rest = tokens(text, endOf(node), limit);
  const comma = rest.find((token) => !isComment(token) && !isBreak(token));
  const breaks = rest.findIndex(isBreak);
  const onLine = rest.slice(0, breaks < 0 ? rest.length : breaks);
  const whole = onLine.every((token) => isComment(token) || token === comma);
  const last = whole ? onLine.at(-1) : onLine.find((token) => token === comma);
  const comment = onLine.filter((token) => whole && isComment(token)).map((c) => text.slice(c.start, c.end));
  return { comma, end: last?.end ?? endOf(node), comment: comment.join(' ') };
}

/** Returns a member or an element with its comments, and the text without it. */
function cut(text: string, node: Node): { piece: Piece; rest: string } {
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const { comma, end, comment } = tail(text, node);

  // The comments right above it, each on lines of its own.
  let start = node.offset;
  const comments: string[] = [];
  const above = tokens(text, before ? tail(text, before).end : (node.parent?.offset ?? 0) + 1, node.offset);
  const newest = above.at(-1);
  if (newest && isBreak(newest)) {
    start = node.offset - indentAt(text, node.offset).length;
    for (let i = above.length - 2; i >= 1; i -= 2) {
      const [previous, token, next] = [above[i - 1], above[i], above[i + 1]] as [Token, Token, Token];
      if (!isBreak(next) || !isComment(token) || !isBreak(previous)) {
        break;
      }
      const indent = indentAt(text, token.start);
      comments.unshift(...shifted(text.slice(token.start, token.end), indent));
      start = token.start - indent.length;
    }
  }

  const lines = shifted(text.slice(node.offset, endOf(node)), indentAt(text, node.offset));
  const removed: [number, number][] = [[start, end]];
  const next = /^[ \t]*\r?\n/.exec(text.slice(end));
  if (next && (start === 0 || text[start - 1] === '\n')) {
    removed[0] = [start, end + next[0].length];
  }
  if (comma && comma.start >= end) {
    removed.push([comma.start, comma.end]);
  }
  const left = before && !comma && tail(text, before).comma;
  if (left) {
    removed.push([left.start, left.end]);
  }
  removed.sort(([a], [b]) => b - a);
  const rest = removed.reduce((kept, [a, b]) => kept.slice(0, a) + kept.slice(b), text);
  if (comment) {
    comments.push(comment);
  }
  return { piece: { comments, lines }, rest };
}

/** Returns the lines of a text without the indentation of its first line. */
function shifted(text: string, indent: string): string[] {
  return text.split(/\r?\n/).map((l, i) => (i > 0 && l.startsWith(indent) ? l.slice(indent.length) : l));
}

/** Puts a piece at the end of a member of the root, which is `empty` if it is not there yet. */
function insert(text: string, key: string, empty: '{}' | '[]', piece: Piece): string {
  let root = parseTree(text, [], { allowTrailingComma: true }) as Node;
  if (members(root, key).length === 0) {
    text = append(text, root, { comments: [], lines: [`${JSON.stringify(key)}: ${empty}`] });
    root = parseTree(text, [], { allowTrailingComma: true }) as Node;
  }
  const container = members(root, key).at(-1)?.children?.[1] as Node;
  return append(text, container, piece);
}

/** Puts a piece at the end of an object or a list. */
function append(text: string, container: Node, piece: Piece): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /^(\t| {2,8})(?=\S)/m.exec(text)?.[0] ?? '  ';
  const outer = indentAt(text, container.offset);
  const closing = endOf(container) - 1;
  const last = container.children?.at(-1);
  const ofItsOwn = last && /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', last.offset - 1) + 1, last.offset));
  const indent = ofItsOwn ? indentAt(text, last.offset) : outer + unit;

  const inside = tokens(text, last ? endOf(last) : container.offset + 1, closing).filter((token) => !isBreak(token));
  const end = inside.at(-1)?.end ?? (last ? endOf(last) : container.offset + 1);
  const body = [...piece.comments, ...piece.lines].map((l) => eol + (l && indent + l)).join('');
  const space = text.slice(end, closing);
  const after = space.includes('\n') ? space : eol + outer;
  const comma = last && !inside.some(({ kind }) => kind === SyntaxKind.CommaToken) ? ',' : '';
  const at = last ? endOf(last) : end;
  return text.slice(0, at) + comma + text.slice(at, end) + body + after + text.slice(closing);
}
