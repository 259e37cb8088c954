// What a form asks for, what it shows, and what it sends are the same.

import assert from 'node:assert/strict';
import { tracker } from '../harness.mjs';

export const forms = {
  async 'a required value that may be null is null, and the list says what is sent'({ w, place }) {
    place.configure({ forms: tracker('--forms') });
    await w.node('forms, ready').waitFor();
    await run(w, 'set_nothing');
    await w.asked('forms: Set Nothing: note');
    await w.says('Leave it empty to send null');
    await w.accept();
    await w.asked('forms: Set Nothing: word');
    await w.type('"null"');
    await w.accept();
    await w.asked('forms: Set Nothing: count');
    await w.says('Type a whole number.');
    await w.accept();
    await w.asked('forms: Set Nothing: level');
    await w.choose('null');
    await w.asked('forms: Set Nothing: range');
    await w.choose('Set a Value…');
    await w.asked('forms: Set Nothing: range › from');
    await w.type('3');
    await w.back();
    await w.asked('forms: Set Nothing: range');
    await w.choose('null');
    await w.toast('Set Nothing: sent {"note":null,"word":"null","count":null,"level":null,"range":null}').waitFor();
    await w.dismissToasts();
  },

  async 'the selection is the one required text, and a text stands above the data beside it'({ w }) {
    await w.open('README.md');
    await w.text('Weather station');
    await w.selectLastLine();
    await w.palette('Editord: Run Tool on Selection…', w.title('Run a tool on the selection'));
    await w.type('count_words');
    await w.accept();
    await w.asked('forms: Count Words: passage');
    await w.holds('Uploads on ship 7 stop after the first lost connection.');
    await w.accept();
    await w.choose('Run count_words');
    await w.result.locator('main strong').getByText('Uploads on ship 7').waitFor();
    await w.result.getByText('"words": 10').waitFor();
    const main = await w.result.locator('main').innerText();
    assert.ok(main.indexOf('has words') < main.indexOf('"words"'), main);
    await w.closeEditors();
  },

  async 'dates and numbers say how they are typed, and what destroys says so'({ w }) {
    await run(w, 'plan_trip');
    await w.asked('forms: Plan Trip: day');
    await w.says('Type a date such as 2026-01-31.');
    await w.type('2026-02-03');
    await w.accept();
    await w.asked('forms: Plan Trip: people');
    await w.says('Type a whole number (≥ 1, ≤ 8).');
    await w.type('3');
    await w.accept();
    await w.row('Run plan_trip').getByText('destructive').waitFor();
    await w.button('Show All Values');
    await w.text('2026-02-03');
    const back = w.title('forms: Plan Trip');
    await w.until(back, () => w.page.getByRole('button', { name: 'Back to the Form' }).click());
    await w.choose('Run plan_trip');
    await w.toast('sent {"day":"2026-02-03","people":3}').waitFor();
    await w.dismissToasts();
  },

  async 'Enter takes what is typed for an argument that has a document'({ w }) {
    await w.palette('Editord: Run Prompt…', w.title('Run a prompt'));
    await w.choose('Explain Code');
    await w.asked('forms: Explain Code: code');
    await w.first('Edit in a Document…'); // as long as nothing is typed
    await w.type('a := 1');
    await w.first('a := 1');
    await w.accept();
    await w.choose('Run explain_code');
    await w.result.locator('main').getByText('a := 1').waitFor();
    await w.closeEditors();
  },

  async 'media are on the ground of the theme'({ w, place }) {
    await run(w, 'show_media');
    const audio = w.result.locator('audio');
    await audio.waitFor();
    assert.equal(await audio.evaluate((e) => getComputedStyle(e).colorScheme), 'dark');
    await w.closeEditors();
    place.configure({});
  },
};

async function run(w, tool) {
  await w.palette('Editord: Run Tool…', w.title('Run a tool'));
  await w.type(tool);
  await w.first(tool);
  await w.accept();
}
