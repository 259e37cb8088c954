// What was typed is never lost, sent, or taken for an answer by accident.

import assert from 'node:assert/strict';

export const typed = {
  async 'a selection of several lines keeps its lines'({ w }) {
    await w.open('README.md');
    await w.text('Uploads on ship 7');
    await w.press('ControlOrMeta+a');
    await w.palette('Editord: Run Tool on Selection…', w.title('Run a tool on the selection'));
    await w.choose('Create Issue');
    await w.asked('tracker: Create Issue: title');
    await w.says('5 lines: # Weather station');

    await w.choose('Use As Is');
    await w.asked('tracker: Create Issue: labels');
    await w.tick('docs');
    await w.accept();
    await w.says('5 lines: # Weather station');
    await w.choose('Run create_issue');
    await made(w, String.raw`"title": "# Weather station\n\nCollects readings at sea and uploads them`);
    await w.closeEditors();
  },

  async 'a line becomes several in a document, which only an explicit Use ends'({ w, place }) {
    // Auto-save saves whatever is half typed.
    place.machine({ 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 50 });
    await create(w);
    await w.type('First line');
    await w.button('Edit in a Document');
    await w.text('First line');
    await w.press('ControlOrMeta+End', 'Enter');
    await w.page.keyboard.insertText('second line');
    await w.saved();
    await w.closeEditor(); // which keeps it
    await w.asked('tracker: Create Issue: title');
    await w.says('2 lines: First line');
    await w.choose('Edit in a Document');
    await w.text('second line');
    await w.page.getByText('Use This Value').first().waitFor();
    await w.until(w.title('tracker: Create Issue: labels'), () => w.press('ControlOrMeta+Enter'));
    await w.tick('bug');
    await w.accept();
    await w.says('2 lines: First line');
  },

  async 'auto-save sends no half-typed JSON, and what is wrong is said'({ w, place }) {
    await w.choose('place');
    await w.asked('tracker: Create Issue: place › file');
    await w.button('Edit "place" as JSON');
    await w.text('"file": ""');
    await w.page.locator('.view-line', { hasText: '"file"' }).click();
    await w.press('End', 'Enter');
    await w.page.keyboard.insertText('"line": ');
    await w.saved();
    await w.until(w.toast('This is not valid JSON'), () => w.press('ControlOrMeta+Enter'));
    await w.text('"line":'); // the document stays
    await w.closeEditor();
    await w.says('This is not valid JSON');
    await w.choose('Edit in a Document');
    await w.text('"line":');
    await w.page.locator('.view-line', { hasText: '"file"' }).click();
    await w.press('End');
    await w.page.keyboard.insertText(',');
    await w.page.locator('.view-line', { hasText: '"line"' }).click();
    await w.press('End');
    await w.page.keyboard.insertText('3');
    await w.saved();
    await w.until(w.row('Done'), () => w.press('ControlOrMeta+Enter'));
    await w.choose('Done');
    await w.says('file: "", line: 3');
    await w.choose('Run create_issue');
    await made(w, String.raw`"title": "First line\nsecond line"`);
    place.machine({});
    await w.dismissToasts();
    await w.closeEditors();
  },

  async 'Escape and another quick input keep what was typed'({ w }) {
    await create(w);
    await w.type('Half a ti');
    await w.elsewhere(); // takes the place of the form
    await create(w);
    await w.says('title: Half a ti');
    await w.choose('Continue Where You Left Off');
    await w.asked('tracker: Create Issue: title');
    await w.holds('Half a ti');
    await w.type('Half a title');
    await w.accept();
    await w.asked('tracker: Create Issue: labels');
    await w.tick('question');
    await w.escape();
    await create(w);
    await w.choose('Continue Where You Left Off');
    await w.asked('tracker: Create Issue: labels');
    await w.says('1 Selected');
    await w.accept();
    await w.choose('Run create_issue');
    await made(w, '"title": "Half a title"');
    await w.closeEditors();
    await create(w); // it was sent, so there is nothing to continue
    await w.asked('tracker: Create Issue: title');
    await w.holds('');
    await w.escape();
  },

  async 'a form outlives its window'({ w }) {
    await create(w);
    await w.type('Kept over a reload');
    await w.escape();
    await w.reload();
    await w.node('tracker, ready').waitFor();
    await create(w);
    await w.choose('Continue Where You Left Off');
    await w.asked('tracker: Create Issue: title');
    await w.holds('Kept over a reload');
    await w.escape();
    await create(w);
    await w.choose('Start Over');
    await w.asked('tracker: Create Issue: title');
    await w.holds('');
    await w.escape();
  },

  async 'a question takes no focus, and waits with what was typed'({ w }) {
    await close(w, 41);
    await w.open('README.md');
    await w.text('Weather station');
    await w.toast('tracker: Why is #41 closed?').waitFor();
    await w.press('ControlOrMeta+Home');
    await w.page.keyboard.type('typed into the file ');
    await w.text('typed into the file # Weather station');
    await w.waiting('1').waitFor();
    await w.picture('question');
    await w.answerNext('tracker: Why is #41 closed?: Reason');
    await w.choose('Done');
    await w.choose('Comment');
    await w.asked('tracker: Why is #41 closed?: Comment');
    await w.type('half a com');
    await w.elsewhere(); // which answers nothing
    await w.until(w.title('tracker: Why is #41 closed?: Comment'), () => w.waiting('1').click());
    await w.holds('half a com');
    await w.type('half a comment');
    await w.accept();
    await w.choose('Send to tracker');
    await w.toast('accept: {"reason":"done","comment":"half a comment"}').waitFor();
    await w.waiting('').waitFor({ state: 'hidden' });
    await w.press('ControlOrMeta+z');
    await w.dismissToasts();
  },

  async 'of two questions one is chosen, and both wait'({ w }) {
    await close(w, 41);
    await close(w, 38);
    await w.waiting('2').waitFor();
    await w.toast('2 questions from MCP servers are waiting.').waitFor();
    await w.answerNext('Answer a question');

    await w.choose('Why is #38 closed?');
    await w.asked('tracker: Why is #38 closed?: Reason');
    await w.button('Decline');
    await w.toast('decline: null').waitFor();
    await w.waiting('1').waitFor();
    await w.toast('tracker: Why is #41 closed?').waitFor(); // where it said that there are two
    await w.dismissToasts();
  },

  async 'after three refusals a server can be muted, and unmuted in the tree'({ w }) {
    for (let i = 0; i < 3; i++) {
      await w.answerNext('tracker: Why is #41 closed?: Reason');
      if (i === 0) {
        assert.equal(await w.hasButton('Mute tracker'), false);
      }
      await w.button('Decline');
      await w.waiting('').waitFor({ state: 'hidden' });
      await close(w, 41);
      await w.waiting('1').waitFor();
    }
    await w.dismissToasts();
    await w.answerNext('tracker: Why is #41 closed?: Reason');
    assert.equal(await w.hasButton('Stop tracker'), true);
    await w.button('Mute tracker');
    await w.node('tracker, ready, muted').waitFor();
    await w.dismissToasts();
    await close(w, 41); // is refused without asking
    await w.toast('decline').or(w.toast('muted')).first().waitFor();
    const heard = w.node('tracker, ready').and(w.page.locator(':not([aria-label*="muted"])'));
    await w.pressIn(w.node('tracker, ready, muted'), 'Unmute Server', heard);
    await w.dismissToasts();
    await close(w, 41);
    await w.waiting('1').waitFor();
  },

  async 'a question that is withdrawn leaves the screen'({ w }) {
    await w.answerNext('tracker: Why is #41 closed?: Reason');
    await close(w, 38);
    await w.waiting('2').waitFor();
    await w.answerNext('Answer a question');
    await w.choose('Why is #41 closed?');
    await w.asked('tracker: Why is #41 closed?: Reason');
    await w.escape();
    await w.palette('Editord: Restart Server', w.row('tracker'));
    await w.choose('tracker');
    await w.toast('Why is #38 closed?').waitFor({ state: 'detached' });
    await w.waiting('').waitFor({ state: 'hidden' });
    await w.node('tracker, ready').waitFor();
    await w.dismissToasts();
  },
};

async function create(w) {
  await w.palette('Editord: Run Tool…', w.title('Run a tool'));
  await w.type('create_issue');
  await w.accept();
  await w.asked('tracker: Create Issue');
}

/** Waits for the page that says what was created, with these data. */
async function made(w, data) {
  await w.result.getByText('Created #42').waitFor();
  await w.result.getByText(data).waitFor();
}

/** Lets the server ask why an issue is closed. */
async function close(w, id) {
  await w.palette('Editord: Run Tool…', w.title('Run a tool'));
  await w.type('close_issue');
  await w.accept();
  await w.asked('tracker: Close Issue: id');
  await w.type(String(id));
  await w.accept();
  await w.choose('Run close_issue');
}
