// What a hostile server writes is shown as the characters it is made of, wherever it is shown.

import assert from 'node:assert/strict';
import { tracker } from '../harness.mjs';

const seen = 'ansi\\u{1b}[31mred bidi\\u{202e}gnp.exe zero\\u{200b}width bell\\u{7} tag\\u{e0041}.';

/** Returns the characters of a text that change what stands around them, or that nobody sees. */
function hidden(text) {
  return ['\u001b', '\u0007', '\u202e', '\u{e0041}'].filter((c) => text.includes(c));
}

/** Fails when something on the screen can be clicked, or was loaded, or hides. */
export async function harmless(w, { asked }) {
  const found = await w.page.evaluate(() => {
    const all = (selector) => [...document.querySelectorAll(selector)].map((e) => e.outerHTML.slice(0, 300));
    return [
      ...all('[href^="command:"], [data-href^="command:"], .notification-list-item-message a'),
      ...all('.quick-input-widget .monaco-link, .quick-input-description a, .quick-input-message a'),
      ...all('.quick-input-list .codicon-flame, .notification-toast .codicon-flame, .pane-body .codicon-flame'),
      ...all('.quick-input-widget img, .notification-toast img'),
    ];
  });
  assert.deepEqual(found, []);
  assert.deepEqual(hidden(await w.page.evaluate(() => document.body.innerText)), []);
  assert.deepEqual(asked, []);
}

export const hostile = {
  async 'the texts of a hostile server are characters in lists and in the tree'({ w, place, traps }) {
    traps.asked.length = 0;
    place.configure({ hostile: tracker('--hostile') });
    await w.expand(w.node('hostile, ready'));
    await w.expand(await w.firstBelow(w.node('hostile, ready'), 'Tools'));
    const label = '$ (flame) [title] (command:workbench.action.toggleZenMode) \\u{202e}\\u{1b}[31m';
    await w.node(label).waitFor();
    await harmless(w, traps);
    const name = label.replaceAll('$ (', '$(').replaceAll('] (', '](');
    await w.until(w.result.getByRole('heading', { name }), () => w.node(label).click());
    await w.result.getByText('<script>alert(1)</script>').first().waitFor();
    assert.equal(await w.result.locator('main').locator('script, a, img').count(), 0);
    assert.deepEqual(hidden(await w.result.locator('body').innerText()), []);
    await harmless(w, traps);
    await w.closeEditors();
    await w.palette('Editord: Run Tool…', w.title('Run a tool'));
    await w.type('trap_labels');
    await w.says(label);
    await w.says('[click me] (command:workbench.action.toggleZenMode)');
    await w.says('read-only'); // as its server says; nothing depends on it
    await harmless(w, traps);
    await w.press('Enter');
    await w.asked('[field] (command:workbench.action.toggleZenMode)');
    await w.says('[description] (command:workbench.action.toggleZenMode) \\u{202e}');
    await harmless(w, traps);
    await w.type('x');
    await w.accept();
    await w.toast(`${label}: done $ (flame) \\u{202e}enod`).waitFor();
    await harmless(w, traps);
    await w.dismissToasts();
  },

  async 'they are characters in the page of a result'({ w, traps }) {
    await run(w, 'trap_page');
    const page = w.result.locator('body');
    await page.getByText(seen, { exact: true }).waitFor();
    assert.deepEqual(hidden(await page.innerText()), []);
    assert.deepEqual(await page.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href'))), [
      `${traps.address}/text`,
      'https://example.com/a',
    ]);
    assert.deepEqual(
      await page.locator('img').evaluateAll((all) => all.map((a) => a.getAttribute('src')?.slice(0, 15))),
      ['data:image/gif;'],
    );
    assert.equal(await page.locator('script:not([nonce]), section b').count(), 0);
    await page.getByText('<script>alert(1)</script>').waitFor();
    await harmless(w, traps);
    await w.closeEditors();
  },

  // A language of VS Code may make links of what it finds, and such a link may run a command.
  async 'they are characters in the documents of resources'({ w, traps }) {
    await w.palette('Editord: Open Resource…', w.title('Open a resource'));
    await w.type('hostile · tracker://board');
    await w.first('hostile');
    await w.accept();
    await w.text('Board, edition 1');
    await noCommands(w); // the characters are those of the file, which VS Code marks
    assert.deepEqual(traps.asked, []);
    await w.closeEditors();
  },

  async 'a server that ends a subscription is named, and can be asked again'({ w }) {
    const watch = async (allowed) => {
      await run(w, 'watch_board');
      await w.asked('hostile: watch_board: allowed');
      await w.choose(allowed);
      await w.choose('Run watch_board'); // it does not say that it only reads
      await w.toast(`watching is ${allowed === 'true' ? 'allowed' : 'not allowed'}`).waitFor();
    };
    await w.palette('Editord: Open Resource…', w.title('Open a resource'));
    await w.type('hostile · tracker://board');
    await w.first('hostile');
    await w.accept();
    await w.text('Board, edition 1');
    await run(w, 'hostile · edit_board');
    await w.text('Board, edition 2');
    await watch('false');
    await w.dismissToasts();
    await w.palette('Editord: Restart Server', w.row('hostile'));
    await w.choose('hostile');
    await w.reply('"board.md" is no longer updated', 'Subscribe Again');
    await w.toast('The subscription failed').waitFor();
    await watch('true');
    await w.reply('The subscription failed', 'Try Again');
    await w.text('Board, edition 1'); // the server began anew
    await run(w, 'hostile · edit_board');
    await w.text('Board, edition 2');
    await w.dismissToasts();
    await w.closeEditors();
  },

  async 'they are characters in documents and messages'({ w, traps }) {
    await run(w, 'trap_document');
    const asText = w.result.getByRole('button', { name: 'Open as Text' });
    await asText.waitFor();
    await w.until(
      () => w.text(seen),
      () => asText.click(),
    );
    await noCommands(w);
    await harmless(w, traps);
    await w.closeEditors();
    await run(w, 'trap_error');
    await w.toast('[failed] (command:workbench.action.toggleZenMode)').waitFor();
    await harmless(w, traps);
    await w.dismissToasts();
  },

  // editord/serverRemoved.
  async 'a server that is removed from the configuration leaves the tree, the status and the palette'({ w, place }) {
    await w.status.getByText('Editord 3').waitFor();
    place.configure({});
    await w.node('hostile').waitFor({ state: 'detached' });
    await w.status.getByText('Editord 2').waitFor();
    await w.palette('Editord: Show Server Log', w.title('Show Server Log'));
    assert.equal(await w.row('hostile').count(), 0);
    await w.escape();
  },
};

/** Fails when a command is a link in the document on the screen. */
async function noCommands(w) {
  await w.text('[click me](command:workbench.action.toggleZenMode)');
  const links = w.page.locator('.editor-instance .detected-link');
  await links.filter({ hasText: '/text' }).first().waitFor(); // VS Code has looked for links
  assert.equal(await links.filter({ hasText: 'command:' }).count(), 0);
}

async function run(w, tool) {
  await w.palette('Editord: Run Tool…', w.title('Run a tool'));
  await w.type(tool);
  await w.first(tool.split(' · ').at(-1));
  await w.accept();
}
