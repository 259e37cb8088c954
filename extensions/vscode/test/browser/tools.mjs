// The tree, tools, prompts and resources.

import assert from 'node:assert/strict';

export const tools = {
  async 'shows servers and what they offer as a tree'({ w }) {
    await w.expand(w.node('tracker, ready'));
    await w.expand(w.node('Tools'));
    await w.node('Burndown Chart, read-only').waitFor();
    await w.node('Close Issue, destructive').waitFor();
    await w.status.getByText('Editord 2').waitFor();
    await w.open('upload.ts');
    await w.text('Sends the readings');
    await w.picture('tree');
  },

  async 'runs a tool from the palette'({ w }) {
    await w.palette('Editord: Run Tool…', w.title('Run a tool'));
    await w.says('List Issues');
    await w.says('Draws how many issues were open');
    await w.picture('run-tool', 520);
    await w.type('list issues');
    await w.accept();
    await w.asked('tracker: List Issues'); // all its arguments are optional
    await w.says('open');
    await w.accept();
    const row = w.result.locator('tr', { hasText: 'Show sensor drift on the dashboard' });
    await row.getByText('Jonas').waitFor();
  },

  async 'asks for arguments step by step, and checks them'({ w }) {
    await w.palette('Editord: Run Tool…', w.title('Run a tool'));
    await w.choose('Create Issue');
    await w.asked('tracker: Create Issue: title');
    await w.says('One line that says what is wrong or wanted');
    await w.type('Up');
    await w.says('Type at least 3 characters.');
    await w.press('Enter'); // is not accepted
    await w.type('Uploads stop after a lost connection');
    await w.accept();
    await w.asked('tracker: Create Issue: labels');
    await w.back();
    await w.asked('tracker: Create Issue: title');
    await w.holds('Uploads stop after a lost connection');
    await w.accept();
    await w.asked('tracker: Create Issue: labels');
    await w.tick('bug');
    await w.tick('docs');
    await w.accept();
    await w.says('bug, docs');
    await w.choose('priority');
    await w.asked('tracker: Create Issue: priority');
    await w.type('9');
    await w.says('Type a number of at most 5.');
    await w.type('2');
    await w.accept();
    await w.says('omitted');
    await w.picture('form', 520);
  },

  async 'edits nested values as JSON with their schema'({ w }) {
    await w.choose('place');
    await w.asked('tracker: Create Issue: place › file');
    await w.button('Edit "place" as JSON');
    await w.text('"file": ""');
    await w.page.locator('.view-line', { hasText: '"file"' }).click();
    await w.press('End', 'Backspace', 'Backspace', '7');
    // The schema is attached: the editor knows that this must be a string.
    await w.page.locator('[id="status.problems"] [aria-label*="Warnings: 1"]').waitFor();
    await w.press('Backspace');
    await w.page.keyboard.insertText('"src/upload.ts", "line": 8');
    await w.until(w.row('Done'), () => w.press('ControlOrMeta+Enter'));
    await w.choose('Done');
    await w.says('file: src/upload.ts, line: 8');
    await w.choose('Run create_issue');
    await w.result.getByText('Created #42').waitFor();
    await w.result.getByText('"priority": 2,').waitFor();
    await w.closeEditors();
  },

  async 'prefills from the selection'({ w }) {
    await w.open('README.md');
    await w.text('Uploads on ship 7');
    await w.selectLastLine();
    await w.palette('Editord: Run Tool on Selection…', w.title('Run a tool on the selection'));
    await w.choose('Create Issue');
    await w.asked('tracker: Create Issue: title');
    await w.holds('Uploads on ship 7 stop after the first lost connection.');
    await w.escape();
  },

  async 'finds a tool by words in any order, and accepts what is typed fast'({ w }) {
    await w.palette('Editord: Run Tool…', w.title('Run a tool'));
    await w.type('issue create');
    await w.says('2 of'); // one of each server
    assert.equal(await w.row('create_issue').count(), 2);
    assert.equal(await w.row('issue').count(), 2);
    await w.type('nothing like this');
    await w.says('Nothing matches.');
    await w.press('Enter'); // is no answer
    await w.escape();
    for (let i = 0; i < 5; i++) {
      await w.palette('Editord: Run Tool…', w.title('Run a tool'));
      await w.type('close_issue');
      await w.press('Enter'); // most likely before the list has followed
      await w.asked('tracker: Close Issue: id');
      await w.escape();
    }
  },

  async 'shows what a tool does before it is run'({ w }) {
    const node = w.node('Close Issue, destructive · Closes an issue');
    await w.until(w.result.getByRole('heading', { name: 'Close Issue' }), () => node.click());
    await w.result.getByText('Destructive: it may delete or overwrite.').waitFor();
    await w.result.getByText('The number of the issue', { exact: true }).waitFor();
    assert.equal(await w.quick.isVisible(), false); // nothing runs
    const copied = w.page.getByText('Copied: mcp.tool.tracker.close_issue');
    await w.until(copied, () => w.result.getByRole('button', { name: 'Copy ID' }).click());
    await w.picture('details');
    await w.until(w.title('tracker: Close Issue: id'), () => w.result.getByRole('button', { name: 'Run…' }).click());
    await w.escape();
    // The same with the keyboard alone: two lines further down in the tree.
    await w.palette('Editord: Focus on Servers View', w.page.locator('.pane-body .monaco-list:focus'));
    await w.press('ArrowDown', 'ArrowDown');
    await w.node('Burndown Chart').and(w.page.locator('.focused')).waitFor();
    await w.until(w.result.getByRole('heading', { name: 'Burndown Chart' }), () => w.press('Enter'));
  },

  async 'draws images of a result'({ w }) {
    const image = w.result.getByAltText('Image in the result');
    await w.until(image, () => w.result.getByRole('button', { name: 'Run…' }).click());
    assert.ok(await image.evaluate((e) => e.decode().then(() => e.naturalWidth === 560)));
    await w.picture('result');
  },

  async 'opens a resource that a result links to, and follows its updates'({ w }) {
    await w.until(
      () => w.text('Board, edition 1'),
      () => w.result.getByRole('button', { name: 'Open', exact: true }).click(),
    );
    await w.runNode('Edit Board', w.toast('edition 2'));
    await w.text('Board, edition 2');
    await w.closeEditors();
  },

  async 'completes the arguments of prompts'({ w }) {
    await w.palette('Editord: Run Prompt…', w.title('Run a prompt'));
    await w.choose('Review Branch');
    await w.asked('tracker: Review Branch: branch');
    await w.type('retry');
    await w.row('sensor-drift').waitFor({ state: 'hidden' });
    await w.says('retry-uploads');
    await w.choose('retry-backoff');
    await w.choose('focus');
    await w.asked('tracker: Review Branch: focus');
    await w.type('errors');
    await w.accept();
    await w.choose('Run review_branch');
    await w.result.locator('main').getByText('retry-backoff').waitFor();
    await w.result.getByText('Look most at errors.').waitFor();
    await w.closeEditors();
  },

  async 'completes the variables of templates'({ w }) {
    await w.palette('Editord: Open Resource…', w.title('Open a resource'));
    await w.choose('An issue');
    await w.asked('tracker://issues/{id}: id');
    await w.says('38');
    await w.type('35');
    await w.row('38').waitFor({ state: 'hidden' });
    await w.type('3');
    await w.says('38'); // which were found for this
    await w.choose('35');
    await w.text('# tracker://issues/35');
    await w.closeEditors();
  },

  async 'shows progress, and cancels'({ w }) {
    await w.runNode('Import Issues', w.toast('reading page 2 of 5'));
    await w.reply('reading page 2 of 5', 'Cancel');
  },

  async 'has a log for each server, whose level the server can be asked for'({ w }) {
    await w.menu(w.node('tracker, ready'), 'Set Log Level…', w.title('tracker: set log level'));
    await w.escape();
    await w.palette('Editord: Show Server Log', w.title('Show Server Log'));
    await w.choose('tracker');
    await w.output('tracker 1.4.0 is ready');
    await w.output(/\[warning\]\simport:\srequest\s\d+\swas\scancelled/);
    await w.until(
      () => w.page.locator('.output-view').waitFor({ state: 'hidden' }),
      () => w.press('ControlOrMeta+j'),
    );
  },

  async 'shows roots and the status'({ w }) {
    await w.palette('Editord: Show Roots', w.title('Show the roots of a server'));
    await w.choose('tracker');
    await w.asked('Roots of tracker');
    await w.says('weather-station');
    await w.escape();
    await w.palette('Editord: Show Status', () => w.text('(this window)'));
    await w.text('tracker: ready');
    await w.closeEditors();
  },
};
