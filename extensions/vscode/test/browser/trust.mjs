// A folder that is not trusted, then one that is, with a server of the project.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const trust = {
  // faults.md, row 52.
  async 'runs nothing in a folder that is not trusted'({ w, place }) {
    await w.activity('MCP Servers').click();
    await w.page.getByText('MCP servers start once you trust this folder.').waitFor();
    assert.equal(existsSync(join(place.dir, 'run/daemon.sock')), false);
    await w.palette('MCP: Run Tool…');
    await w.toast('Trust this workspace first').waitFor();
    await w.dismissToasts();
  },

  async 'connects once the folder is trusted'({ w }) {
    await w.page.getByText('Manage Workspace Trust').click();
    await w.page.locator('.workspace-trust-editor a', { hasText: /^Trust$/ }).click();
    await w.asked('May the server deploy of this workspace run?');
  },

  async 'shows the exact command before it runs a server of the project'({ w }) {
    await w.choose('Later');
    await w.closeEditors();
    await w.open('upload.ts');
    await w.node('deploy, needs approval').hover();
    await w.node('deploy, needs approval').getByLabel('Approve Server').click();
    await w.asked('May the server deploy of this workspace run?');
    await w.says('node tools/deploy/server.mjs --environment "staging area"');
    await w.says('REGION');
    await w.picture('approval', 420);
    await w.choose('Look at the Whole Definition');
    await w.text('Argument 3: "staging area"');
    await w.text('Environment: REGION');
    await w.toast('Close the document to answer.').waitFor();
    await w.closeEditor();
    await w.asked('May the server deploy of this workspace run?');
    await w.choose('Allow');
    await w.node('deploy, ready').waitFor();
  },

  async 'takes no servers from the settings of a workspace'({ w, place }) {
    assert.equal(await w.node('mine').count(), 0);
    assert.equal(existsSync(join(place.folder, 'marker')), false);
  },
};
