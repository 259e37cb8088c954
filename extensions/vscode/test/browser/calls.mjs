// Call documents: a call is written with completion, run, and run again.

import assert from 'node:assert/strict';

/** Accepts what completion offers, once it offers this. */
async function complete(w, label) {
  await w.offer(label).and(w.page.locator('.focused')).waitFor();
  await w.press('Tab');
}

export const calls = {
  async 'a call is written with completion, and explains itself'({ w }) {
    await w.closeEditors();
    await w.open('issues.mcp');
    await w.text('Issues of the ship');
    await w.press('ControlOrMeta+End');
    await w.page.keyboard.type('ca');
    await complete(w, 'call');
    await w.page.keyboard.type('tracker.cre');
    await complete(w, 'tracker.create_issue');
    await w.text('call: tracker.create_issue');
    await w.explains('tracker.create_issue', 'Files a new issue');
    await w.page.locator('.squiggly-error').first().waitFor(); // it lacks arguments
    await w.press('Enter');
    await w.page.keyboard.type('wi');
    await complete(w, 'with');
    await w.press('Enter');
    await w.page.keyboard.type('ti');
    await complete(w, 'title');
    await w.page.keyboard.type('Uploads stop');
    await w.press('Enter');
    await w.page.keyboard.type('la');
    await complete(w, 'labels');
    await w.page.keyboard.type('[bu');
    await complete(w, 'bug');
    await w.page.keyboard.type(']');
    await w.page.locator('.squiggly-error').waitFor({ state: 'detached' });
    await w.press('ControlOrMeta+s');
    await w.saved();
  },

  async 'its result is below it, and the next takes its place'({ w }) {
    await w.pressLens('Run, may change things', () => w.text('result: '));
    await w.text('Created #42: Uploads stop');
    await w.picture('call', 520);
    await w.page.locator('.view-line', { hasText: 'title:' }).first().click();
    await w.press('End');
    await w.page.keyboard.type(' again');
    await w.pressLens('Run, may change things', () => w.text('Created #42: Uploads stop again'));
    assert.equal(await w.page.locator('.view-line', { hasText: 'result:' }).count(), 1);
  },

  async 'one undo takes a result back'({ w }) {
    await w.press('ControlOrMeta+z');
    await w.page.locator('.view-line', { hasText: 'stop again' }).nth(1).waitFor({ state: 'detached' });
    await w.text('Created #42: Uploads stop');
  },

  async 'a call that takes long shows its progress, and can be cancelled'({ w }) {
    await write(w, 'call: tracker.import_issues\n');
    await w.pressLens('Run, may change things', w.toast('reading page 2 of 5'));
    await w.lens('Cancel').waitFor();
    await w.reply('reading page 2 of 5', 'Cancel');
    await w.text('error: ');
    await w.lens('Run, may change things').waitFor();
  },

  async 'a picture opens from the file that the result names'({ w }) {
    await write(w, 'call: tracker.burndown\n');
    await w.pressLens('Run', () => w.text('image/svg+xml'));
    const link = w.page.locator('.detected-link', { hasText: 'result-image-' }).first();
    // Its middle may be out of view: the path is longer than the line.
    await w.until(w.active('result-image-'), () =>
      link.click({ modifiers: ['ControlOrMeta'], position: { x: 20, y: 8 } }),
    );
    await w.closeEditor();
  },

  async 'what a server asks meanwhile is asked as everywhere'({ w }) {
    await write(w, 'call: tracker.close_issue\nwith: {id: 41}\n');
    await w.pressLens('Run, may change things', w.toast('Run tracker.close_issue?'));
    await w.reply('Run tracker.close_issue?', 'Run');
    await w.answer('Why is #41 closed?');
    await w.choose('Duplicate of another');
    await w.choose('Decline');
    await w.text('decline: null');
  },

  async 'a call document begins with a tool, or with a result'({ w }) {
    await w.palette('Editord: New Call…', w.title('Write a call'));
    await w.type('tracker create issue');
    await w.first('create_issue');
    await w.accept();
    await w.text('call: tracker.create_issue');
    await w.text('title: ');
    await w.page.keyboard.type('Typed where it was missing');
    await w.text('title: Typed where it was missing');
    await w.press('ControlOrMeta+a', 'Delete');
    await w.closeEditor(); // an empty document asks nothing
    await w.runNode('List Issues', w.title('tracker: List Issues'));
    await w.choose('limit');
    await w.type('3');
    await w.accept();
    await w.choose('Run list_issues');
    const document = w.result.getByRole('button', { name: 'Open as Call Document' });
    await document.waitFor();
    await w.until(
      () => w.text('call: tracker.list_issues'),
      () => document.click(),
    );
    await w.text('limit: 3');
    await w.press('ControlOrMeta+a', 'Delete');
    await w.closeEditor();
    await w.closeEditor(); // the page, which has the focus
    await w.closeEditors();
  },
};

/** Replaces the text of the document on the screen. */
async function write(w, text) {
  const [first] = text.split('\n');
  await w.until(
    () => w.text(first),
    async () => {
      await w.editor.last().click();
      await w.press('ControlOrMeta+a');
      await w.page.keyboard.insertText(text);
    },
  );
}
