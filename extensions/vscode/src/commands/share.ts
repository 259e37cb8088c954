// Editord: Share Server… moves a server that this editor's own client runs to a file whose servers the
// daemon runs for all editors. It shows both files before.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { Server } from '../protocol';
import { line } from '../text';
import { pick } from '../ui/quick-input';
import { configurationFile } from './configuration';
import { difference, moveServer, type ServersKey } from './move-server';

const { t } = vscode.l10n;

/** The scheme of the texts as they would be. */
const scheme = 'mcp-share';

interface Target {
  uri: vscode.Uri;
  name: string;
  key: ServersKey;
  /** What a person must know who moves the server there. */
  warning: string;
}

interface Change {
  uri: vscode.Uri;
  /** Undefined when there is no such file. */
  document: vscode.TextDocument | undefined;
  version: number | undefined;
  after: string;
}

export async function share(ctx: Ctx, server: Server): Promise<void> {
  const source = vscode.Uri.parse(server.source, true);
  const target = await chooseTarget(ctx, server, source);
  if (!target) {
    return;
  }
  const [from, to] = await Promise.all([saved(source), saved(target.uri)]);
  const sourceName = vscode.workspace.asRelativePath(source, false);
  const texts = moveServer(
    server.name,
    { name: sourceName, text: from?.getText() },
    { name: target.name, text: to?.getText() },
    target.key,
    t,
  );
  const changes: Change[] = [
    { uri: source, document: from, version: from?.version, after: texts.source },
    { uri: target.uri, document: to, version: to?.version, after: texts.target },
  ];
  const title = t('Move "{0}" from {1} to {2}?', line(server.name, 60), line(sourceName, 60), line(target.name, 100));
  if (await confirmed(title, target.warning, changes)) {
    await apply(changes, title);
  }
}

/** Asks where to. A file whose servers the editor's own client runs as well would change nothing. */
async function chooseTarget(ctx: Ctx, server: Server, source: vscode.Uri): Promise<Target | undefined> {
  const user = await configurationFile(ctx);
  const folder = vscode.workspace.getWorkspaceFolder(source);
  const project = '.mcp.json';
  const items = [
    ...(folder && !ctx.client.ownClient?.files.includes(project)
      ? [
          {
            label: `$(repo) ${t('This project: {0}', project)}`,
            detail: t('For everybody who works on it. It runs in this folder.'),
            value: {
              uri: vscode.Uri.joinPath(folder.uri, project),
              name: project,
              key: 'mcpServers' as const,
              warning: t('It waits for your approval there. One undo takes the move back.'),
            },
          },
        ]
      : []),
    {
      label: `$(account) ${t('All your projects: your mcp.json')}`,
      detail: t('For you alone. It runs without approval, in a directory of its own.'),
      value: {
        uri: user,
        name: user.fsPath,
        key: 'servers' as const,
        warning: t('It runs at once, without approval: read all of it. One undo takes the move back.'),
      },
    },
  ];
  return pick<Target>({
    title: t('Share "{0}"', line(server.name, 60)),
    placeholder: t('Select where to move it'),
    items,
  });
}

/** Returns the document of a file, undefined when there is none. What is not saved would be saved with the move. */
async function saved(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') {
      return undefined;
    }
    throw error;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.isDirty) {
    throw new Error(t('{0} has changes that are not saved; save or revert it first', line(uri.fsPath, 200)));
  }
  return document;
}

/** Shows what would change, and asks. As with approvals, a hasty Enter does nothing. */
async function confirmed(title: string, warning: string, changes: Change[]): Promise<boolean> {
  const at = (c: Change, when: string) => c.uri.with({ scheme, query: when });
  const texts = new Map(changes.map((c) => [at(c, 'after').toString(), c.after]));
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '',
  });
  try {
    const resources = changes.map((c) => [c.uri, c.document ? c.uri : at(c, 'before'), at(c, 'after')]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
    const answer = await pick<'move' | 'leave'>({
      title,
      placeholder: warning,
      items: [
        { label: `$(discard) ${t('Leave It')}`, value: 'leave' },
        { label: `$(check) ${t('Move It')}`, value: 'move' },
      ],
    });
    return answer === 'move';
  } finally {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => tab.label.startsWith(title));
    await vscode.window.tabGroups.close(tabs);
    provider.dispose();
  }
}

/** Changes both files in one step of undo, and saves them: the one that gains the server first. */
async function apply(changes: Change[], label: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  // The new file first: if somebody else has made it meanwhile, nothing has changed yet.
  for (const { uri, document, version, after } of changes.toReversed()) {
    if (!document) {
      edit.createFile(uri, { contents: Buffer.from(after) });
      continue;
    }
    if (document.version !== version || document.isDirty) {
      throw new Error(t('{0} has changed in the meantime; try again', line(uri.fsPath, 200)));
    }
    const { start, end, text } = difference(document.getText(), after);
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(uri, range, text, { label, needsConfirmation: false });
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error(t('The files could not be changed; nothing was moved'));
  }
  for (const { uri, document } of changes.toReversed()) {
    if (document && !(await document.save())) {
      throw new Error(t('{0} could not be saved; save it yourself, or undo the move', line(uri.fsPath, 200)));
    }
  }
  const moved = changes.at(-1);
  if (moved) {
    await vscode.window.showTextDocument(moved.uri);
  }
}
