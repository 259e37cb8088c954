// Results stay, can be gone back to, and can be used.

import assert from 'node:assert/strict';

export const results = {
  async 'goes back and forward among results, with the keyboard alone'({ w }) {
    await w.open('README.md');
    await w.text('Uploads on ship 7');
    await issues(w);
    await w.runNode('Burndown Chart', w.result.getByAltText('Image in the result'));
    await w.palette('Editord: Run Prompt…', w.title('Run a prompt'));
    await w.choose('Review Branch');
    await w.asked('tracker: Review Branch: branch');
    await w.type('main');
    await w.accept();
    await w.choose('Run review_branch');
    await w.result.getByText('3 of 3').waitFor();
    await w.result.getByText('branch: main').waitFor(); // its arguments
    await w.until(w.result.getByText('2 of 3'), () => w.press('Alt+PageUp'));
    await w.result.getByAltText('Image in the result').waitFor();
    await w.result.locator('[data-action=back]:focus').waitFor();
    await w.until(w.result.getByText('1 of 3'), () => w.press('Enter'));
    await w.result.locator('[data-action=forward]:focus').waitFor(); // one cannot go back any more
    await w.until(w.result.getByText('2 of 3'), () => w.press('Alt+PageDown'));
    assert.equal(await w.tabs('tracker:').count(), 1);
  },

  async 'keeps a result beside the next ones'({ w }) {
    await w.until(
      () => w.result.locator('nav').waitFor({ state: 'detached' }),
      () => w.result.getByRole('button', { name: 'Keep' }).click(),
    );
    await issues(w);
    await w.result.getByText('3 of 3').waitFor(); // the other two, and this one
    assert.equal(await w.tabs('tracker:').count(), 2);
    await w.until(w.result.getByAltText('Image in the result'), () => w.tabs('tracker: Burndown Chart').click());
  },

  async 'goes back from a document to a page'({ w }) {
    const asText = w.result.getByRole('button', { name: 'Open as Text' });
    await w.until(asText, () => w.tabs('tracker: List Issues').click());
    await w.until(
      () => w.text('| #41 |'),
      () => asText.click(),
    );
    await w.runNode('Edit Board', w.toast('edition'));
    await w.reply('edition', 'Open');
    await w.text('edition ');
    await w.until(w.result.getByText('3 of 4'), () => w.press('Alt+PageUp'));
    await w.closeEditors();
  },

  async 'replaces the selection with a result, and that is one undo'({ w }) {
    await w.open('README.md');
    await w.text('Uploads on ship 7');
    await w.selectLastLine();
    await issues(w);
    await w.until(
      () => w.text('## Open issues'),
      () => w.result.getByRole('button', { name: 'Replace Selection' }).click(),
    );
    assert.ok(!(await w.editor.first().innerText()).includes('Uploads'));
    await w.until(
      () => w.text('Uploads on ship 7'),
      () => w.press('ControlOrMeta+z'),
    );
    assert.ok(!(await w.editor.first().innerText()).includes('Open issues'));
  },

  async 'puts nothing into a document that has changed since the call'({ w }) {
    const insert = w.result.getByRole('button', { name: 'Insert at Cursor' });
    await w.until(insert, () => w.tabs('tracker: List Issues').click());
    const refused = '"README.md" has changed since the call; copy the result instead.';
    const copied = w.page.locator('.statusbar-item', { hasText: 'Copied' });
    await w.until(copied, async () => {
      await w.until(w.toast(refused), () => insert.click());
      await w.reply(refused, 'Copy');
    });
  },

  async 'puts nothing into a document that is closed'({ w }) {
    await w.until(w.active('README.md'), () => w.tabs('README.md').click());
    await w.text('Uploads on ship 7');
    await w.until(
      () => w.saved(),
      () => w.press('ControlOrMeta+s'),
    );
    await issues(w);
    await w.until(
      () => w.tabs('README.md').waitFor({ state: 'detached' }),
      () => w.tabs('README.md').click({ button: 'middle' }),
    );
    const closed = w.toast('"README.md" is closed; copy the result instead.');
    await w.until(closed, () => w.result.getByRole('button', { name: 'Insert at Cursor' }).click());
    await w.dismissToasts();
    await w.closeEditors();
  },

  async 'is readable in every theme'({ w }) {
    await w.runNode('Burndown Chart', w.result.getByAltText('Image in the result'));
    const code = w.result.locator('.probe');
    for (const theme of ['Light Modern', 'Dark High Contrast', 'Light High Contrast', 'Dark Modern']) {
      await w.palette('Preferences: Color Theme', async () => {
        await w.type(theme);
        await w.row(theme).first().waitFor();
      });
      await w.choose(theme);
      await w.result
        .locator(`body[data-vscode-theme-name="${theme}"], body[data-vscode-theme-id*="${theme}"]`)
        .waitFor();
      await w.result.locator('main').evaluate((main) => {
        main.insertAdjacentHTML('beforeend', '<pre class="probe"><code>text</code></pre>');
      });
      assert.ok((await code.evaluate(contrast)) >= 4.5, theme);
      await code.evaluate((e) => e.remove());
    }
    await w.closeEditors();
  },
};

/** Runs a tool whose result is a page. */
async function issues(w) {
  await w.runNode('List Issues', w.title('tracker: List Issues')); // all its arguments are optional
  await w.accept();
  await w.result.getByText('Retry uploads').first().waitFor();
}

/** Returns the contrast of the code in an element, by WCAG 2.2. It runs in the page. */
function contrast(pre) {
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const over = ([r, g, b, a = 1], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a)];
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = [pre.firstChild, pre, document.body]
    .map((e) => channels(getComputedStyle(e).backgroundColor))
    .reduceRight((below, above) => over(above, below), [255, 255, 255]);
  const [bright, dark] = [luminance(channels(getComputedStyle(pre.firstChild).color)), luminance(background)].sort(
    (a, b) => b - a,
  );
  return (bright + 0.05) / (dark + 0.05);
}
