// The extension in a real window, with the real daemon, server-everything and fakeserver.

import * as assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Ctx } from '../../src/ctx';
import type { ToolResult } from '../../src/protocol';
import { eventually, next, until } from './wait';

let ctx: Ctx;

const run = async <T>(command: string, ...args: unknown[]) => vscode.commands.executeCommand<T>(command, ...args);
const select = () => run('workbench.action.quickOpenSelectNext');
const accept = () => run('workbench.action.acceptSelectedQuickOpenItem');
const state = (server: string) => ctx.catalog.server(server)?.state;

/** Calls a tool of fakeserver. */
function fake(tool: string, args: object, token?: vscode.CancellationToken): Promise<ToolResult> {
  return ctx.client.request('mcp/tools/call', { server: 'fake', params: { name: tool, arguments: args } }, token);
}

interface Answer {
  result?: { [name: string]: unknown };
  error?: { code: number };
}

/** The JSON-RPC answer that fakeserver got to its question. */
async function asked(tool: string, params: object): Promise<Answer> {
  const { structuredContent } = await fake(tool, { params });
  return (structuredContent as unknown as { answer: Answer }).answer;
}

/** Waits for a question, then answers it. */
async function question(title: RegExp, answer: () => Promise<unknown>): Promise<void> {
  const asked = () => ctx.questions.waiting.find((w) => title.test(w.title));
  await until(ctx.onDidAsk, () => asked() !== undefined);
  const shown = next(ctx.onDidShow);
  void asked()?.open();
  await shown;
  await answer();
}

/** Waits for a step of what is on the screen, then answers it. */
async function step(title: RegExp, answer: () => Promise<unknown>): Promise<void> {
  await next(ctx.onDidShow, (t) => title.test(t));
  await answer();
}

async function hasCommand(id: string): Promise<boolean> {
  return (await vscode.commands.getCommands(true)).includes(id);
}

describe('activation', () => {
  it('connects and finds the servers', async () => {
    const extension = vscode.extensions.getExtension<Ctx>('mcp-editord.mcp-editord');
    assert.ok(extension);
    ctx = await extension.activate();
    await until(ctx.catalog.onDidChange, () => state('everything') === 'ready' && state('fake') === 'ready');
  });

  it('has the commands of package.json', async () => {
    const all = await vscode.commands.getCommands(true);
    const declared: { command: string }[] = ctx.extension.extension.packageJSON.contributes.commands;
    assert.deepEqual(
      declared.map((c) => c.command).filter((c) => !all.includes(c)),
      [],
    );
  });

  it('asks before it runs a server of the workspace', async () => {
    assert.equal(state('project'), 'needsApproval');
    const again = step(/May the MCP server .project/, async () => {
      await select();
      await select();
      await accept();
    });
    await run('mcp-editord.approveServer', 'project');
    await again;
    await until(ctx.catalog.onDidChange, () => state('project') === 'ready');
  });

  it('asks again when that server has changed, and shows what is different', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder.uri, '.mcp.json');
    const before = Buffer.from(await vscode.workspace.fs.readFile(file)).toString();
    const denied = question(/Changed. May the MCP server .project/, async () => {
      for (let i = 0; i < 3; i++) {
        await select();
      }
      await accept(); // the last one shows the changes
      const diff = await eventually(async () => {
        const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        return input instanceof vscode.TabInputTextDiff ? input : undefined;
      });
      const text = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText();
      assert.match(await text(diff.original), /Argument: "the project"/);
      assert.match(await text(diff.modified), /Argument: "another place"/);
      await run('mcp-editord.denyServer', diff.modified);
    });
    await vscode.workspace.fs.writeFile(file, Buffer.from(before.replace('the project', 'another place')));
    await denied;
    await until(ctx.catalog.onDidChange, () => ctx.catalog.server('project')?.error?.kind === 'denied');
  });
});

describe('tools', () => {
  it('are commands that return the text of the result', async () => {
    await eventually(async () => (await hasCommand('mcp.tool.everything.echo')) || undefined);
    assert.equal(await run('mcp.tool.everything.echo', { message: 'hello' }), 'Echo: hello');
  });

  it('come and go with the lists of their server', async () => {
    const id = 'mcp.tool.fake.fresh';
    assert.equal(await hasCommand(id), false);
    await fake('change', { kind: 'tools', add: [{ name: 'fresh', inputSchema: { type: 'object' } }] });
    await eventually(async () => (await hasCommand(id)) || undefined);
    await run(id);
    await fake('change', { kind: 'tools', remove: ['fresh'] });
    await eventually(async () => (await hasCommand(id)) === false || undefined);
  });

  it('ask for arguments that are missing', async () => {
    const result = run<string>('mcp.tool.everything.get-sum', { a: 2, b: 3 });
    assert.match((await result) ?? '', /5/);
    const form = step(/message/, async () => {
      await run('workbench.action.closeQuickOpen');
    });
    assert.equal(await run('mcp.tool.everything.echo'), undefined);
    await form;
  });

  it('show data as a read-only JSON document', async () => {
    await run('mcp.tool.fake.echo', { text: 'data' });
    const document = await eventually(async () => {
      const active = vscode.window.activeTextEditor?.document;
      return active?.uri.scheme === 'mcp-result' ? active : undefined;
    });
    assert.equal(document.languageId, 'json');
    assert.equal(JSON.parse(document.getText()).params.arguments.text, 'data');
  });
});

describe('results', () => {
  it('that are large are files of the daemon, which VS Code opens and the extension does not read', async () => {
    await run('workbench.action.closeAllEditors');
    const path = await run<string>('mcp.tool.tracker.list_issues', { state: 'closed' });
    const document = await eventually(async () => {
      const active = vscode.window.activeTextEditor?.document;
      return active?.uri.scheme === 'file' ? active : undefined;
    });
    assert.equal(document.uri.fsPath, path);
    assert.equal(vscode.Uri.joinPath(document.uri, '..').toString(), ctx.client.files);
    assert.equal(statSync(document.uri.fsPath).mode & 0o777, 0o600);
    assert.ok(document.getText().length > 200_000);
  });

  it('are written down where only this person can read them, until they are closed', async () => {
    await run('workbench.action.closeAllEditors');
    const root = join(ctx.extension.storageUri?.fsPath ?? '', 'results');
    const files = () => (existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : []);
    const results = () => files().filter((file) => file.startsWith(`${process.pid}-`) && file.endsWith('.json'));
    await eventually(async () => results().length === 0 || undefined);
    await run('mcp.tool.fake.echo', { text: 'data' });
    const [file = ''] = await eventually(async () => (results().length === 1 ? results() : undefined));
    assert.equal(statSync(join(root, file)).mode & 0o777, 0o600);
    await eventually(async () => vscode.window.activeTextEditor?.document.uri.scheme === 'mcp-result' || undefined);
    await run('workbench.action.closeAllEditors');
    await eventually(async () => results().length === 0 || undefined);
  });

  it('go where the call was made, and one undo takes them back', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'some words' });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(0, 5, 0, 10);
    await run('mcp.tool.fake.echo', { text: 'data' });
    await eventually(async () => vscode.window.activeTextEditor?.document.uri.scheme === 'mcp-result' || undefined);
    await run('mcp-editord.replaceWithResult');
    assert.match(document.getText(), /^some \{\n/);
    await run('undo');
    assert.equal(document.getText(), 'some words');
    await run('workbench.action.revertAndCloseActiveEditor');
  });
});

describe('prompts', () => {
  it('are commands', async () => {
    assert.match((await run<string>('mcp.prompt.everything.simple-prompt')) ?? '', /\S/);
  });
});

/** Opens a resource that a tool changes. */
async function openBoard(): Promise<vscode.TextDocument> {
  const query = new URLSearchParams({ server: 'tracker', uri: 'tracker://board' }).toString();
  const uri = vscode.Uri.from({ scheme: 'mcp', authority: 'tracker', path: '/board.md', query });
  const editor = await vscode.window.showTextDocument(uri);
  return editor.document;
}

/** Edits the board until the document shows it: VS Code has no event for when it begins to watch and so subscribes. */
async function follows(document: vscode.TextDocument): Promise<void> {
  const before = document.getText();
  await eventually(async () => {
    await run('mcp.tool.tracker.edit_board');
    return document.getText() !== before || undefined;
  });
}

describe('resources', () => {
  it('are files that follow their updates', async () => {
    const document = await openBoard();
    assert.match(document.getText(), /edition 1\n/);
    await follows(document);
  });

  it('cannot be written', () => {
    assert.equal(vscode.workspace.fs.isWritableFileSystem('mcp'), false);
  });
});

describe('logs', () => {
  /** The log of fakeserver on the screen. */
  const text = () =>
    vscode.workspace.textDocuments
      .find((d) => d.uri.scheme === 'output' && d.uri.path.endsWith('Editord: fake'))
      ?.getText() ?? '';
  const count = (part: string) => text().split(part).length - 1;
  /** Lets fakeserver write a line, and waits until it is on the screen. */
  const writes = async (line: string) => {
    await fake('notify', { method: 'notifications/message', params: { level: 'info', data: line } });
    await eventually(async () => count(line) > 0 || undefined);
  };

  it('follow their server', async () => {
    await run('mcp-editord.showServerLog', 'fake');
    await writes('the first line');
    await writes('the second line');
    assert.equal(count('the first line'), 1);
  });

  it('go on with the next connection where they were', async () => {
    const connected = next(ctx.client.onDidChangeState, (s) => s === 'running');
    void run('mcp-editord.reconnect');
    await connected;
    await until(ctx.catalog.onDidChange, () => state('fake') === 'ready');
    await writes('the third line');
    assert.deepEqual([count('the first line'), count('the second line'), count('the third line')], [1, 1, 1]);
    assert.match(text(), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[info\] the first line$/m);
  });
});

describe('roots', () => {
  it('follow the folders of the window', async () => {
    const roots = async () => {
      const r = await ctx.client.request<{ roots: { uri: string }[] }>('mcp/roots/list', { server: 'fake' });
      return r.roots.map((x) => x.uri.replace(/.*\//, ''));
    };
    assert.deepEqual(await roots(), ['workspace']);
    const first = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(first);
    const added = next(vscode.workspace.onDidChangeWorkspaceFolders);
    vscode.workspace.updateWorkspaceFolders(1, 0, { uri: vscode.Uri.joinPath(first, '../more') });
    await added;
    await eventually(async () => ((await roots()).join() === 'workspace,more' ? true : undefined));
    const removed = next(vscode.workspace.onDidChangeWorkspaceFolders);
    vscode.workspace.updateWorkspaceFolders(1, 1);
    await removed;
    await eventually(async () => ((await roots()).join() === 'workspace' ? true : undefined));
  });
});

describe('questions', () => {
  const message = { messages: [{ role: 'user', content: { type: 'text', text: 'what is up' } }], maxTokens: 100 };

  it('sampling is answered by a model of VS Code', async () => {
    await eventually(async () =>
      (await vscode.lm.selectChatModels({ vendor: 'mcp-editord-test' })).length > 0 ? true : undefined,
    );
    const allowed = question(/May "fake" ask the model "Parrot Large"/, async () => {
      await select();
      await accept();
    });
    const answer = await asked('ask_sampling', {
      ...message,
      systemPrompt: 'be brief',
      modelPreferences: { hints: [{ name: 'large' }] },
    });
    await allowed;
    assert.deepEqual(answer.result?.content, { type: 'text', text: 'parrot-large repeats: be brief | what is up' });
    assert.equal(answer.result?.model, 'parrot-large');
  });

  it('sampling passes tools on', async () => {
    const allowed = question(/May "fake" ask/, async () => {
      await select();
      await accept();
    });
    const tools = [
      {
        name: 'weather',
        description: 'the weather',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ];
    const answer = await asked('ask_sampling', { ...message, tools });
    await allowed;
    assert.deepEqual(answer.result?.content, [
      { type: 'tool_use', id: 'call-1', name: 'weather', input: { city: 'Bern' } },
    ]);
    assert.equal(answer.result?.stopReason, 'toolUse');
  });

  it('sampling that is not allowed fails', async () => {
    const refused = question(/May "fake" ask/, async () => {
      for (let i = 0; i < 4; i++) {
        await select();
      }
      await accept(); // not now
    });
    const answer = await asked('ask_sampling', message);
    await refused;
    assert.equal(answer.error?.code, -1);
  });

  it('an elicitation is a form', async () => {
    const form = question(/pick one/, async () => {
      const list = step(/^fake: pick one$/, accept);
      await accept();
      await list;
    });
    const answer = await asked('ask_elicitation', {
      message: 'pick one',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Your name', default: 'Ada' },
          loud: { type: 'boolean', default: true },
        },
        required: ['name'],
      },
    });
    await form;
    assert.deepEqual(answer.result, { action: 'accept', content: { name: 'Ada', loud: true } });
  });

  it('a question is withdrawn when its server gives up', async () => {
    const params = { message: 'never answered', requestedSchema: { type: 'object', properties: {} } };
    const source = new vscode.CancellationTokenSource();
    const withdrawn = question(/never answered/, async () => {
      await fake('notify', { method: 'notifications/cancelled', params: { requestId: 777 } });
      source.cancel();
    });
    await assert.rejects(fake('ask_elicitation', { id: 777, params }, source.token));
    await withdrawn;
    // The place is free for the next one.
    const second = question(/another one/, async () => {
      await select();
      await accept();
    });
    const answer = await asked('ask_elicitation', { ...params, message: 'another one' });
    await second;
    assert.deepEqual(answer.result, { action: 'decline' });
  });
});

describe('the daemon', () => {
  const status = () => ctx.client.request('editord/status', {});

  it('shares a server between two windows', async () => {
    console.log('harness: open a second window');
    const both = await eventually(async () => {
      const s = await status();
      const shared = s.servers.filter((c) => c.server.name === 'everything');
      return s.editors.length === 2 && shared.some((c) => c.editors.length === 2) ? shared : undefined;
    });
    assert.equal(both.length, 1);
    assert.equal(both[0]?.server.pid, ctx.catalog.server('everything')?.pid);
  });

  it('is connected again after kill -9', async () => {
    const { pid } = await status();
    const stopped = next(ctx.client.onDidChangeState, (s) => s !== 'running');
    process.kill(pid, 'SIGKILL');
    await stopped;
    await until(ctx.client.onDidChangeState, () => ctx.client.state === 'running');
    await until(ctx.catalog.onDidChange, () => state('everything') === 'ready');
    await eventually(async () => (await hasCommand('mcp.tool.everything.echo')) || undefined);
    assert.equal(await run('mcp.tool.everything.echo', { message: 'again' }), 'Echo: again');
    assert.notEqual((await status()).pid, pid);
  });

  it('is told again which resources are open', async () => {
    await until(ctx.catalog.onDidChange, () => state('tracker') === 'ready');
    const document = await openBoard();
    await eventually(async () => document.getText().includes('edition 1\n') || undefined); // its server is a new one
    await follows(document);
  });

  it('restarts a server that was killed', async () => {
    const pid = ctx.catalog.server('fake')?.pid;
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    await until(ctx.catalog.onDidChange, () => state('fake') === 'ready' && ctx.catalog.server('fake')?.pid !== pid);
  });
});
