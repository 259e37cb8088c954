// Servers ask: for values, for a model, to open an address.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bin, terminal, tracker } from '../harness.mjs';

export const questions = {
  async 'an elicitation is a form that warns of secrets'({ w }) {
    await w.open('upload.ts');
    await w.runNode('Close Issue', w.title('tracker: Close Issue: id'));
    await w.type('41');
    await w.accept();
    await w.choose('Run close_issue');
    await w.answer('Why is #41 closed?');
    await w.choose('Duplicate of another');
    await w.says('Send to tracker');
    await w.says('Decline');
    await w.choose('API token');
    await w.asked('tracker: Why is #41 closed?: API token');
    await w.says('This looks like a secret; a server must not ask for one in this way.');
    assert.equal(await w.quick.locator('input[type=password]').count(), 1);
    await w.accept(); // it is omitted
    await w.says('Comment');
    await w.choose('Comment');
    await w.asked('tracker: Why is #41 closed?: Comment');
    await w.type('See #38.');
    await w.accept();
    await w.says('See #38.');
    await w.picture('elicitation', 420);
    await w.choose('Send to tracker');
    await w.toast('accept: {"reason":"duplicate","comment":"See #38."}').waitFor();
    await w.dismissToasts();
  },

  async 'a question of another program of the folder says for whom it is'({ w, place }) {
    const called = terminal(place, 'call', '--yes', 'tracker', 'close_issue', 'id=41');
    await w.answer('for mcp-editord (tool close_issue): Why is #41 closed?');
    await w.choose('Duplicate of another');
    await w.choose('Decline');
    assert.match((await called).said, /decline/);
  },

  async 'a question that is withdrawn while one types says so, and keeps what was typed'({ w, place }) {
    const args = ['call', '--yes', 'tracker', 'close_issue', 'id=35'];
    const asking = spawn(join(bin, 'mcp-editord'), args, { env: place.env, cwd: place.folder, stdio: 'ignore' });
    await w.answer('for mcp-editord (tool close_issue): Why is #35 closed?');
    await w.choose('Duplicate of another');
    await w.choose('Comment');
    await w.asked('Why is #35 closed?: Comment');
    await w.type('half a reas');
    await w.back(); // the extension has it
    await w.choose('Comment');
    await w.holds('half a reas');
    asking.kill();
    await w.reply('This question was withdrawn before you answered it', 'Show What You Typed');
    await w.text('comment: half a reas');
    await w.closeEditors(); // the draft stays for when that is asked again: it is the only one about #35
  },

  async 'a server that waits for a password says that it waits for you'({ w, place }) {
    const { command, args } = tracker();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of mcp.json
    const locked = { command, args, env: { PASSWORD: '${input:password}' } };
    place.configure({ locked }, [{ id: 'password', type: 'promptString', password: true }]);
    await w.node('locked, waits for your answer').waitFor();
    await w.status.locator('.codicon-question').waitFor();
    await w.answer('locked: Value of password');
    await w.type('secret');
    await w.accept();
    await w.node('locked, ready').waitFor();
    place.configure({});
    await w.node('locked').waitFor({ state: 'detached' });
  },

  async 'sampling shows its messages before a model is asked'({ w }) {
    await w.runNode('Suggest Labels', w.title('tracker: Suggest Labels'));
    await w.choose('Run suggest_labels');
    await w.answer('May "tracker" ask the model "Parrot Large"?');
    await w.quick.getByPlaceholder('“Which labels fit #41? Retry uploads after a lost connection”').waitFor();
    await w.choose('Look at the Messages');
    await w.text('You triage issues. Answer with labels only.');
    await w.text('Retry uploads after a lost connection');
    await w.picture('messages', 420);
    await w.closeEditor();
    await w.asked('May "tracker" ask the model "Parrot Large"?');
    await w.picture('sampling', 420);
    await w.choose('Allow for This Session');
    await w.text('parrot-large repeats: You triage issues.');
    await w.closeEditors();
  },

  async 'sampling that was allowed in this session is not asked about again'({ w }) {
    await w.runNode('Suggest Labels', w.title('tracker: Suggest Labels'));
    await w.choose('Run suggest_labels');
    await w.text('parrot-large repeats: You triage issues.');
    await w.closeEditors();
  },

  async 'an address is shown whole, and opened as it is'({ w }) {
    const url = `https://accounts.example/connect?client=editor&back=${encodeURIComponent('http://127.0.0.1/?a=b&c=d')}&state=${'x'.repeat(90)}%2By`;
    await w.runNode('Connect Account', w.title('tracker: Connect Account: url'));
    await w.type(url);
    await w.accept();
    await w.choose('Run connect');
    await w.answer('Connect your account to go on');
    assert.equal(await w.rowsBefore('Decline'), url);
    const browser = w.page.context();
    await browser.route('https://accounts.example/**', (route) => route.fulfill({ body: 'welcome' }));
    const page = browser.waitForEvent('page');
    await w.choose('Open accounts.example');
    // VS Code asks once more, because it does not know the host.
    const more = w.page.getByRole('button', { name: 'Open', exact: true });
    const opened = await Promise.race([page, more.click().then(() => page)]);
    await opened.getByText('welcome').waitFor();
    assert.equal(opened.url(), url);
    await opened.close();
    await w.toast('account: accept').waitFor();
    await w.dismissToasts();
  },

  async 'an address that may deceive is warned of'({ w }) {
    await w.runNode('Connect Account', w.title('tracker: Connect Account: url'));
    await w.type('http://bank.example@xn--pple-43d.example/');
    await w.accept();
    await w.choose('Run connect');
    await w.answer('Connect your account to go on');
    await w.says('http://bank.example@xn--pple-43d.example/');
    await w.says('the name of the host has letters that may be taken for others');
    await w.says('not encrypted');
    await w.accept(); // the active item declines
    await w.toast('account: decline').waitFor();
    await w.dismissToasts();
  },
};
