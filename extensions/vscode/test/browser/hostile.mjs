// faults.md, rows 60, 61 and 63: what a hostile server writes is shown as the characters it is
// made of, wherever it is shown.

import assert from 'node:assert/strict';
import { tracker } from '../harness.mjs';
import { markup } from '../tracker/hostile.mjs';

const seen = 'ansi\\u{1b}[31mred bidi\\u{202e}gnp.exe zero\\u{200b}width bell\\u{7} tag\\u{e0041}.';

/** Fails when something on the screen can be clicked, or was loaded, or hides. */
async function harmless(w, { asked }) {
  const found = await w.page.evaluate(() => {
    const all = (selector) => [...document.querySelectorAll(selector)].map((e) => e.outerHTML.slice(0, 300));
    const own = 'a.action-label, .activitybar a, .monaco-toolbar a';
    return [
      ...all(`.quick-input-widget a:not(${own}), .notification-toast a:not(${own}), .pane-body a:not(${own})`),
      ...all('[href^="command:"], [data-href^="command:"]'),
      ...all('.quick-input-list .codicon-flame, .notification-toast .codicon-flame, .pane-body .codicon-flame'),
      ...all('.quick-input-widget img, .notification-toast img'),
    ];
  });
  assert.deepEqual(found, []);
  const text = await w.page.evaluate(() => document.body.innerText);
  assert.deepEqual(
    ['\u001b', '\u0007', '\u202e', '\u{e0041}'].filter((c) => text.includes(c)),
    [],
  );
  assert.deepEqual(asked, []);
}

export const hostile = {
  async 'the texts of a hostile server are characters in lists and in the tree'({ w, place, traps }) {
    traps.asked.length = 0;
    place.configure({ hostile: tracker('--hostile') });
    await w.node('hostile, ready').click();
    await w.node('hostile, ready').press('ArrowDown');
    await w.press('ArrowRight');
    const label = '$ (flame) [title] (command:workbench.action.toggleZenMode) \\u{202e}\\u{1b}[31m';
    await w.node(label).waitFor();
    await harmless(w, traps);
    await w.palette('MCP: Run Tool…');
    await w.asked('Run a tool');
    await w.type('trap_labels');
    await w.says(label);
    await w.says('[click me] (command:workbench.action.toggleZenMode)');
    await w.says('read-only'); // as it says itself, and nothing is decided by it
    await harmless(w, traps);
    await w.press('Enter');
    await w.asked('[field] (command:workbench.action.toggleZenMode)');
    await w.says('[description] (command:workbench.action.toggleZenMode) \\u{202e}');
    await harmless(w, traps);
    await w.type('x');
    await w.press('Enter');
    await w.toast('[done] (command:workbench.action.toggleZenMode) \\u{202e}enod').waitFor();
    await harmless(w, traps);
    await w.dismissToasts();
  },

  async 'they are characters in the page of a result'({ w, traps }) {
    await run(w, 'trap_page');
    const page = w.result.locator('body');
    await page.getByText(seen).waitFor();
    assert.deepEqual(await page.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href'))), [
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

  async 'they are characters in documents and messages'({ w, traps }) {
    await run(w, 'trap_document');
    await w.text(seen);
    await w.text(markup.slice(0, 60));
    await harmless(w, traps);
    await w.closeEditors();
    await run(w, 'trap_error');
    await w.toast('[failed] (command:workbench.action.toggleZenMode)').waitFor();
    await harmless(w, traps);
    await w.dismissToasts();
  },
};

async function run(w, tool) {
  await w.palette('MCP: Run Tool…');
  await w.asked('Run a tool');
  await w.type(tool);
  await w.says(tool);
  await w.press('Enter');
}
