// A folder that is not trusted, then one that is, with a server of the project.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Window } from './window.mjs';

const asked = 'May the MCP server "deploy" run?';

export const trust = {
  async 'runs nothing in a folder that is not trusted'({ w, place }) {
    await w.view();
    await w.page.getByText('MCP servers start once you trust this folder.').waitFor();
    assert.equal(existsSync(join(place.dir, 'run/daemon.sock')), false);
    await w.palette('Editord: Run Tool…', w.toast('trust this workspace first'));
    await w.reply('trust this workspace first', 'Trust…');
    await w.page.locator('.workspace-trust-editor').waitFor();
    await w.closeEditors();
  },

  async 'connects once the folder is trusted'({ w }) {
    const trust = w.page.locator('.workspace-trust-editor a', { hasText: /^Trust$/ });
    await w.until(trust, () => w.page.getByText('Manage Workspace Trust').click());
    await w.until(w.toast(asked), () => trust.click());
    await w.answer(asked);
  },

  // What a person is asked hides nothing of what would run.
  async 'shows all that would run above the answers, and nothing is the default but Later'({ w }) {
    await w.escape(); // which decides nothing
    await w.waiting('1').waitFor();
    await w.closeEditors();
    await w.open('upload.ts');
    await w.pressIn(w.node('deploy, needs approval'), 'Approve Server', w.title(asked));
    const above = await w.rowsBefore('Later');
    for (const part of ['Program: node', 'tools/deploy/server.mjs', '"staging area"', 'REGION']) {
      assert.ok(above.includes(part), `${part} in ${above}`);
    }
    assert.equal((above.match(/Program: node/g) ?? []).length, 1); // all of it is in sight
    for (const answer of ['Later', 'Deny', 'Allow', 'Look at the Whole Definition']) {
      await w.row(answer).waitFor();
    }
    await w.picture('approval', 420);
    await w.accept();
    await w.waiting('').waitFor({ state: 'hidden' });
    await w.node('deploy, needs approval').waitFor();
  },

  async 'allows a definition in the document that shows all of it'({ w }) {
    await w.pressIn(w.node('deploy, needs approval'), 'Approve Server', w.title(asked));
    await w.choose('Look at the Whole Definition');
    await w.text('Argument: "staging area"');
    await w.pressLens('Allow', w.node('deploy, ready'));
  },

  async 'allows a long definition only after its end was seen'({ w, place }) {
    const file = join(place.folder, '.mcp.json');
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
    mcpServers.deploy.args.push(...Array.from({ length: 200 }, (_, i) => `--argument-${i}`));
    writeFileSync(file, JSON.stringify({ mcpServers }));
    await w.answer(`Changed. ${asked}`);
    await w.row('Look at the Changes').waitFor();
    assert.equal(await w.row(/Allow/).count(), 0);
    assert.equal(await w.row(/Deny/).count(), 0);
    await w.choose('Look at the Changes');
    await w.text('--argument-0');
    await w.page.locator('.editor-actions .action-label.disabled[aria-label^="Allow"]').waitFor();
    const allow = w.page.locator('.editor-actions .action-label:not(.disabled)[aria-label^="Allow"]');
    await w.until(allow, async () => {
      await w.page.locator('.editor.modified .view-line').first().click();
      await w.press('ControlOrMeta+End');
    });
    await w.until(w.node('deploy, ready'), () => allow.click());
  },

  // A trusted workspace may not choose what is run either.
  async 'takes neither the program nor servers from the settings of a workspace'({ w, place }) {
    assert.equal(await w.node('mine').count(), 0);
    assert.equal(existsSync(join(place.folder, 'marker')), false);
  },
};

/** Opens a second window. This comes last, because pages in the first window stay empty afterwards. */
export const folder = {
  // Its settings are those of a workspace too.
  async 'takes neither from .vscode/settings.json of a folder that is opened'({ w, place }) {
    const other = new Window(await w.page.context().newPage(), w.pictures);
    await other.page.goto(`http://${place.host}/?${new URLSearchParams({ folder: place.folder })}`);
    await other.view();
    await other.node('tracker, ready').waitFor();
    assert.equal(await other.node('mine').count(), 0);
    assert.equal(existsSync(join(place.folder, 'marker')), false);
    await other.page.close();
  },
};
