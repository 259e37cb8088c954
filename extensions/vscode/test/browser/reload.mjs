// Large results, and what a reload of the window leaves.

import assert from 'node:assert/strict';
import { terminal } from '../harness.mjs';

export const reload = {
  async 'a large result is a file that VS Code opens, which nobody can change'({ w }) {
    await w.runNode('List Issues', w.title('tracker: List Issues'));
    await w.choose('state');
    await w.choose('closed');
    await w.choose('Run list_issues');
    await w.text('9000: An old issue');
    await w.active('result-list_issues-').waitFor();
    await w.until(w.page.getByText('Editor is read-only'), async () => {
      await w.editor.first().click();
      await w.press('x');
    });
    const copied = w.page.locator('.statusbar-item', { hasText: 'Copied: 9000: An old issue' });
    await w.palette('Editord: Copy Result', copied);
  },

  async 'results and kept ones come back after a reload, and a call that it ended is named'({ w }) {
    await w.runNode('Burndown Chart', w.result.getByAltText('Image in the result'));
    await w.until(
      () => w.result.locator('nav').waitFor({ state: 'detached' }),
      () => w.result.getByRole('button', { name: 'Keep' }).click(),
    );
    await w.runNode('List Issues', w.title('tracker: List Issues'));
    await w.accept();
    await w.result.getByText('2 of 2').waitFor();
    await w.runNode('Import Issues', w.toast('reading page 2 of 5'));
    await again(w);
    const lost = 'while "tracker: Import Issues" ran, so its result is lost';
    await w.toast(lost).waitFor();
    await w.until(
      () => w.text('call: tracker.import_issues'),
      () => w.reply(lost, 'Open as Call Document'),
    );
    await w.press('ControlOrMeta+a', 'Delete');
    await w.closeEditor();
    await w.until(w.result.getByText('2 of 2'), () => w.tabs('tracker: List Issues').click());
    await w.until(
      () => w.text('9000: An old issue'),
      () => w.press('Alt+PageUp'),
    );
    await w.until(w.result.getByAltText('Image in the result'), () => w.tabs('tracker: Burndown Chart').click());
    assert.equal(await w.result.locator('nav').count(), 0);
    await w.closeEditors();
  },

  async 'what was typed for a question is there when it comes again after a reload'({ w, place }) {
    const called = terminal(place, 'call', '--yes', 'tracker', 'close_issue', 'id=41');
    await w.answer('Why is #41 closed?');
    await w.choose('Duplicate of another');
    await w.choose('Comment');
    await w.asked('Why is #41 closed?: Comment');
    await w.type('Half of a sentence');
    await again(w);
    await w.answer('Why is #41 closed?');
    await w.holds('Half of a sentence');
    await w.accept();
    await w.says('Duplicate of another');
    await w.choose('Decline');
    await called;
  },
};

/** Reloads the window, as a person does. */
async function again(w) {
  await w.reload();
  await w.expand(w.node('tracker, ready')); // VS Code may have closed it
  await w.expand(w.node('Tools'));
}
