// The files in which the daemon keeps what is large of a result (docs/editor-protocol.md, Large results).

import type { FileNote } from '../protocol';

/** A link to a file that stands for a part of a result. */
export interface KeptFile {
  uri: string;
  mimeType?: string;
  size: number;
  _meta: { 'mcp-editord/file': FileNote };
}

/** Whether a part of a result is one. A server can write such a link to any other file, so those of the daemon are in its `folder`. */
export function isKept(part: object, folder: string | undefined): part is KeptFile {
  const { type, uri = '', _meta: meta } = part as { type?: string; uri?: string; _meta?: Partial<KeptFile['_meta']> };
  const [, parent, name = ''] = /^(.*)\/([^/]*)$/.exec(uri) ?? [];
  const ours = type === 'resource_link' && folder !== undefined && parent === folder && /^result-[\w.-]+$/.test(name);
  return ours && meta?.['mcp-editord/file'] !== undefined;
}

/** Whether a file is a text, which VS Code opens as one. */
export function isText({ uri }: KeptFile): boolean {
  return /\.(txt|json|csv|xml)$/.test(uri);
}
