// The chat: VS Code's own MCP client has the servers of the daemon. It comes after share.mjs, which turns the client on.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from '../agent.mjs';
import { terminal, tracker } from '../harness.mjs';

/** Has the agent of test/model make one call. */
async function ask(w, tool, values) {
  await w.palette('Test: Ask the Agent…', w.title('Ask the agent'));
  await w.type(`CALL ${tool} ${JSON.stringify(values)}`);
  await w.accept();
}

/** Presses a button of VS Code's dialog. */
async function dialog(w, text, button) {
  const box = w.page.locator('.monaco-dialog-box', { hasText: text });
  await box.getByRole('button', { name: button }).click();
  await box.waitFor({ state: 'detached' });
}

/** Waits until VS Code lists so many servers of this name. Its list follows what is there, and closes when it changes much. */
async function listed(w, name, count = 1) {
  const counted = () =>
    w.page.waitForFunction(
      ([wanted, many]) => {
        const list = document.querySelector('.quick-input-widget:not([inert])');
        const rows = [...(list?.querySelectorAll('.monaco-list-row') ?? [])].map((row) =>
          row.getAttribute('aria-label'),
        );
        return (
          list?.checkVisibility() &&
          rows.some((label) => label.startsWith('Add Server')) &&
          rows.filter((label) => label.startsWith(`${wanted},`)).length === many
        );
      },
      [name, count],
    );
  await w.palette('MCP: List Servers', counted);
  await w.escape();
}

export const chat = {
  async 'VS Code lists the servers that the daemon may run'({ w }) {
    await w.closeEditors();
    await w.node('tracker, ready').waitFor();
    await listed(w, 'tracker');
    await w.palette('MCP: List Servers', w.row('tracker'));
    await w.choose('tracker');
    await w.choose('Start Server');
    await w.output('Discovered 8 tools');
    await w.dismissToasts();
    await w.palette('Editord: Show Status', () => w.text('Agents and chats'));
    const lines = (await w.editor.first().innerText()).replaceAll('\u00a0', ' ').split('\n');
    const editors = lines.slice(lines.indexOf('Editors') + 1, lines.indexOf('Agents and chats'));
    assert.equal(editors.filter((line) => line.trim() !== '').length, 1, editors.join('\n')); // this window
    await w.closeEditor();
  },

  async 'a tool that a model calls runs in the process that the window uses, and an agent in a terminal'({ w, place }) {
    const edited = async (run) => {
      await run();
      const said = await w.toast(/edition \d+/).innerText();
      await w.dismissToasts();
      return Number(/edition (\d+)/.exec(said)?.[1]);
    };
    const first = await edited(async () => {
      await w.palette('Editord: Run Tool…', w.title('Run a tool'));
      await w.type('tracker edit board');
      await w.choose('Edit Board');
    });
    const second = await edited(async () => {
      await ask(w, 'edit_board', {});
      await dialog(w, 'Run Edit Board', 'Yes');
    });
    assert.equal(second, first + 1);
    const agent = await Agent.start(place, 'Claude Code');
    assert.equal(await agent.call('tracker__edit_board').answer, `edition ${first + 2}`);
    const { servers } = JSON.parse((await terminal(place, 'status', '--json')).said);
    const connections = servers.filter((c) => c.server.name === 'tracker' && c.server.pid);
    assert.equal(connections.length, 1);
    assert.equal(connections[0].editors.length, 3);
    await agent.stop();
  },

  async 'a question that its call leads to is one of VS Code'({ w }) {
    await ask(w, 'close_issue', { id: 41 });
    await dialog(w, 'Run Close Issue', 'Yes');
    const toast = w.toast('Why is #41 closed?');
    await toast.getByText('MCP Server (tracker)').waitFor();
    assert.equal(await w.waiting('1').count(), 0); // it is not asked here as well
    await w.until(w.title('Reason'), () => toast.getByRole('button', { name: 'Respond' }).click());
    await w.choose('Duplicate of another');
    await w.asked('Comment');
    await w.accept();
    await w.asked('API token');
    await w.accept();
    await w.toast('close_issue: accept: {"reason":"duplicate"}').waitFor();
    await w.dismissToasts();
  },

  async 'so is what a server asks a model'({ w }) {
    await ask(w, 'suggest_labels', { id: 41 });
    await dialog(
      w,
      'The MCP server "tracker" has issued a request to make a language model call',
      'Allow in this Session',
    );
    await w.toast('suggest_labels: parrot-large repeats: You triage issues.').waitFor();
    await w.dismissToasts();
  },

  async 'a server that needs approval is not listed until it has it'({ w, place }) {
    mkdirSync(join(place.folder, '.cursor'));
    writeFileSync(join(place.folder, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { notices: tracker() } }));
    await w.node('notices, needs approval').waitFor();
    await listed(w, 'notices', 0);
    await w.answer('May the MCP server "notices" run?');
    await w.choose('Allow');
    await w.node('notices, ready').waitFor();
    await listed(w, 'notices');
    rmSync(join(place.folder, '.cursor/mcp.json'));
    await w.node('notices').waitFor({ state: 'detached' });
    await listed(w, 'notices', 0);
  },

  async 'a setting keeps the servers out of the chat'({ w, place }) {
    const before = readFileSync(place.file, 'utf8');
    const workspace = JSON.parse(before);
    workspace.settings['mcp-editord.chat.servers'] = false;
    writeFileSync(place.file, JSON.stringify(workspace));
    await listed(w, 'tracker', 0);
    writeFileSync(place.file, before);
    await listed(w, 'tracker');
  },
};
