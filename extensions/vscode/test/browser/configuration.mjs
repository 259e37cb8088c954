// A configuration file says how its servers are, and a server is allowed where its definition is in view.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tracker } from '../harness.mjs';

/** Writes .cursor/mcp.json, with a server that has these arguments as well. */
function define(place, ...more) {
  const file = join(place.folder, '.cursor/mcp.json');
  mkdirSync(dirname(file), { recursive: true });
  const { command, args } = tracker();
  const mcpServers = { board: { command, args: [...args, ...more] } };
  writeFileSync(file, `${JSON.stringify({ mcpServers }, undefined, 2)}\n`);
  return file;
}

/** Runs a code action where the cursor is, after a look at the list with the one that has the focus. */
async function decide(w, title, look) {
  const list = w.page.locator('.action-widget:not(.action-list-submenu-panel)');
  const actions = list.locator('.monaco-list-row');
  await w.until(actions.getByText(title), async () => {
    if (await list.isVisible()) {
      await w.press('Escape'); // in the list, the same keys would choose an action
    }
    await w.press('ControlOrMeta+.');
  });
  await look?.(actions.and(w.page.locator('.focused')));
  await w.until(
    () => list.waitFor({ state: 'hidden' }),
    () => actions.getByText(title).click(),
  );
}

/** What the line above a server says of it. */
function state(w, text) {
  return w.page.locator('.codelens-decoration', { hasText: `Editord: ${text}` });
}

export const configuration = {
  async 'a server of the project is allowed where its definition is in view'({ w, place }) {
    await w.closeEditors();
    define(place);
    await w.node('board, needs approval').waitFor();
    await w.palette('Editord: Show Server Configuration', w.row('board'));
    await w.choose('board'); // which selects it in its file
    await state(w, 'Needs approval').waitFor();
    await w.page.locator('.squiggly-warning').first().waitFor();
    await decide(w, 'Allow "board" to Run', async (focused) => {
      await focused.getByText('Show All of It').waitFor(); // so a bare Enter allows nothing
      await w.picture('allow', 420);
    });
    await w.node('board, ready').waitFor();
    await state(w, 'Ready, 8 tools').waitFor();
    await w.waiting('').waitFor({ state: 'hidden' }); // the question is withdrawn
  },

  async 'its members are explained and completed, and half a line that auto-save saves is no message'({ w, place }) {
    place.machine({ 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 50 });
    await w.explains('"command"', 'The program to start.');
    await w.page.locator('.view-line', { hasText: '"command"' }).click();
    await w.press('End', 'Enter');
    await w.page.keyboard.type('"cw');
    await w.offer('cwd').waitFor();
    await w.press('Tab');
    await w.text('"cwd": ');
    await w.offer('workspaceFolder').waitFor();
    await w.press('Escape');
    await w.saved();
    await w.page.locator('.squiggly-error').first().waitFor();
    await w.node('board, ready, one problem').waitFor();
    assert.equal(await w.toasts.filter({ hasText: 'not valid JSON' }).count(), 0);
    place.machine({ 'files.autoSave': 'off' });
    await w.press('Shift+Home', 'Delete', 'Backspace', 'ControlOrMeta+s');
    await w.page.locator('.squiggly-error').first().waitFor({ state: 'detached' });
    await w.saved();
    await state(w, 'Ready').waitFor();
  },

  async 'a file that is broken when a person saves it says so, also in the tree and in the status bar'({ w, place }) {
    await w.page.locator('.view-line', { hasText: '"command"' }).click();
    await w.press('End');
    await w.page.keyboard.type('"');
    await w.press('ControlOrMeta+s');
    await w.toast('not valid JSON').waitFor();
    await w.node('board, ready, one problem').waitFor();
    await w.status.locator('.codicon-warning').waitFor();
    await w.press('Backspace', 'ControlOrMeta+s');
    await w.node('board, ready, one problem').waitFor({ state: 'detached' });
    await w.status.locator('.codicon-plug').waitFor();
    place.machine({});
    await w.dismissToasts();
  },

  async 'its lenses do what the view does'({ w }) {
    await w.pressLens('Stop', w.node('board, stopped'));
    await state(w, 'Stopped').waitFor();
    await w.pressLens(/^Start$/, w.node('board, ready'));
  },

  async 'a definition that has changed, or is not all on the screen, is reviewed in a document'({ w, place }) {
    define(place, ...Array.from({ length: 32 }, (_, i) => `--argument-${i}`));
    await w.node('board, needs approval').waitFor();
    await state(w, 'Needs approval').waitFor();
    await decide(w, 'Allow "board" to Run');
    const allow = w.page.locator('.editor-actions .action-label[aria-label^="Allow"]');
    await allow.waitFor();
    await w.text('Argument: "--argument-0"');
    await w.closeEditor(); // which decides nothing
    await w.until(w.lens('Review…'), () => w.press('ControlOrMeta+Home'));
    await w.pressLens('Review…', allow);
    await w.closeEditor();
    await w.waiting('1').waitFor();
    rmSync(dirname(define(place)), { recursive: true });
    await w.node('board').waitFor({ state: 'detached' });
    await w.closeEditors();
    await w.dismissToasts();
  },
};
