// Servers are found, added, changed and removed with the inputs of the window.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tracker } from '../harness.mjs';
import { harmless } from './hostile.mjs';

const { command, args } = tracker();
const harm = '[x](command:workbench.action.toggleZenMode) **b** $(flame) \u202e\u001b[31m<img src=x>';

const dialog = (w, text) => w.page.locator('.monaco-dialog-box', { hasText: text });
const welcome = (w, button) => w.page.locator('.welcome-view-content').getByRole('button', { name: button });
const own = (place) => readFileSync(join(place.dir, 'mcp.json'), 'utf8');

/** Presses a button of a dialog slowly: what comes within half a second counts for nothing. */
async function press(w, text, button) {
  const box = dialog(w, text);
  await box.waitFor();
  await w.until(
    () => box.waitFor({ state: 'hidden' }),
    () => box.getByRole('button', { name: button, exact: true }).click({ delay: 600 }),
  );
}

async function leave(w, text) {
  await dialog(w, text).waitFor();
  await w.until(
    () => dialog(w, text).waitFor({ state: 'hidden' }),
    () => w.press('Escape'),
  );
}

/** Types what somebody has of a server. */
async function add(w, text) {
  await w.palette('Editord: Add Server…', w.title('Add a server'));
  await w.type(text);
  await w.row(text.slice(0, 15)).first().waitFor();
  await w.accept();
}

async function search(w, text, found) {
  await w.palette('Editord: Search Registry…', w.title('Search the registry'));
  await w.input.pressSequentially(text);
  await w.row(found).waitFor();
}

export const servers = {
  async 'while there is only the built-in server, a welcome has the ways to add one'({ w, place }) {
    await w.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await w.closeEditors();
    writeFileSync(join(place.dir, 'mcp.json'), '{ "credentials": "file" }\n');
    writeFileSync(join(place.folder, '.mcp.json'), '{}');
    await w.node('workspace, ready').waitFor();
    for (const button of ['Add Server…', 'Import Servers…', 'Search Registry…']) {
      await welcome(w, button).waitFor();
    }
    await w.dismissToasts();
    await w.picture('welcome', 420);
  },

  async 'Escape adds nothing, at any step'({ w, place }) {
    await w.page.evaluate((text) => navigator.clipboard.writeText(text), 'hunter2');
    await w.until(w.title('Add a server'), () => welcome(w, 'Add Server…').click());
    await w.row('Search the Registry…').waitFor();
    assert.equal(await w.row('hunter2').count(), 0); // it is no server
    await w.escape();
    await add(w, 'npx -y @modelcontextprotocol/server-everything');
    await dialog(w, 'Add "everything"?').waitFor();
    await w.picture('add');
    await leave(w, 'Add "everything"?');
    await search(w, 'tide', 'Says when the tide turns');
    await w.escape();
    assert.equal(own(place), '{ "credentials": "file" }\n');
  },

  async 'what was copied is added with the mouse alone, after a look at all that runs and is written'({ w, place }) {
    await w.page.evaluate((text) => navigator.clipboard.writeText(text), `${command} ${args.join(' ')}\n`);
    await w.until(w.row('from the clipboard'), () => welcome(w, 'Add Server…').click());
    await w.choose('from the clipboard');
    const box = dialog(w, 'Add "tracker"?');
    await box.waitFor();
    const text = await box.innerText();
    for (const part of [`Runs: ${command}`, `Written to: ${join(place.dir, 'mcp.json')}`, '"tracker": {']) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    await press(w, 'Add "tracker"?', 'Add');
    await w.reply('"tracker" is added: offers 8 tools', 'Run Tool…');
    await w.choose('list_issues');
    await w.choose('Run list_issues');
    await w.active('tracker: List Issues').waitFor();
    await w.closeEditors();
    await welcome(w, 'Add Server…').waitFor({ state: 'detached' });
    assert.match(own(place), /"tracker": \{/);
  },

  async 'a server that does not start says why, and is written only when the person wants that'({ w, place }) {
    await add(w, `node -e "console.error('no key'); process.exit(3)"`);
    await press(w, 'Add "node"?', 'Add');
    await w.toast('"node" did not start, and nothing was written: the server exited with code 3').waitFor();
    assert.doesNotMatch(own(place), /"node"/);
    await w.reply('"node" did not start', 'Write Anyway');
    await w.toast(/"node" is added: (restarting|failed): the server exited/).waitFor();
    assert.match(own(place), /"node": \{/);
    await w.dismissToasts();
  },

  async 'another server of the same name is replaced after a word about it, and the start can be cancelled'({
    w,
    place,
  }) {
    await add(w, 'node -e "setInterval(() => {}, 1000)"');
    await dialog(w, 'Beware: the file has another server of this name').waitFor();
    await press(w, 'Add "node"?', 'Replace');
    await w.reply('Adding "node"', 'Cancel');
    assert.doesNotMatch(own(place), /setInterval/);
  },

  async 'a value that a server needs is asked for before it starts'({ w, place }) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of mcp.json
    const asks = { command, args: [...args, '--place', '${input:harbour}'] };
    const inputs = [{ id: 'harbour', type: 'promptString', description: 'Which harbour?' }];
    await add(w, JSON.stringify({ servers: { asks }, inputs }));
    await press(w, 'Asks you for: harbour', 'Add');
    await w.answer('Which harbour?');
    await w.type('Oban');
    await w.accept();
    await w.toast('"asks" is added').waitFor();
    assert.match(own(place), /"Oban"/);
    await w.dismissToasts();
  },

  async 'a registry is searched once nobody types any more, and its texts are characters'({ w, traps, published }) {
    published.asked.length = 0;
    await search(w, 'example/tide', 'Says when the tide turns'); // which is in no cache yet
    assert.deepEqual(published.asked.slice(-1), ['example/tide']);
    assert.ok(published.asked.length < 'example/tide'.length, String(published.asked));
    await w.says('deprecated: use tide [click] (command:');
    await harmless(w, traps);
    await w.choose('Says when the tide turns');
    await w.row('https://tide.invalid/mcp').waitFor();
    await w.choose('npx -y @a/b@1.0.0');
    await leave(w, 'Add "tide"?');
    await search(w, 'harm', 'org.evil/harm');
    await w.choose('org.evil/harm');
    await dialog(w, 'Add "harm"?').waitFor();
    await harmless(w, traps);
    await leave(w, 'Add "harm"?');
  },

  async 'so are those of a proposal that means harm, and a long one is seen whole before it is added'({ w, traps }) {
    const long = Array.from({ length: 40 }, (_, i) => `--argument-${i}`);
    await add(w, JSON.stringify({ mcpServers: { [harm]: { command: 'node' } } }));
    await w.says('no control characters'); // and the text is there to be corrected
    await w.escape();
    await add(
      w,
      JSON.stringify({ mcpServers: { [harm.replace('\u001b', '')]: { command: 'node', args: [...long, harm] } } }),
    );
    const box = dialog(w, 'There is more than fits here');
    await box.waitFor();
    await harmless(w, traps);
    assert.equal(await box.getByRole('button', { name: 'Add', exact: true }).count(), 0);
    await press(w, 'There is more than fits here', 'Show All');
    await w.text('--argument-20');
    await w.closeEditor();
    await box.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await leave(w, 'There is more than fits here');
  },

  async 'a server is opened, disabled, enabled and removed'({ w, place }) {
    await w.menu(w.node('tracker'), 'Disable Server', w.node('tracker, disabled'));
    assert.match(own(place), /"enabled": false/);
    await w.menu(w.node('tracker'), 'Show Server Configuration', w.active('mcp.json'));
    await w.pressIn(w.node('tracker, disabled'), 'Enable Server', w.node('tracker, ready'));
    const remove = dialog(w, `taken out of ${join(place.dir, 'mcp.json')}`);
    await w.menu(w.node('tracker'), 'Remove Server…', remove);
    await leave(w, 'Remove "tracker"?');
    assert.match(own(place), /"tracker"/);
    await w.menu(w.node('tracker'), 'Remove Server…', remove);
    await press(w, 'Remove "tracker"?', 'Remove');
    await w.node('tracker').waitFor({ state: 'detached' });
    assert.doesNotMatch(own(place), /"tracker"/);
    await w.closeEditors();
    await w.dismissToasts();
    place.configure({});
    await w.node('tracker, ready').waitFor();
  },
};
