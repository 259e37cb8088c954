// Results stay, can be gone back to, and can be used.

import assert from 'node:assert/strict';

export const results = {
  async 'goes back and forward among results, with the keyboard alone'({ w }) {
    await w.open('README.md');
    await w.text('Uploads on ship 7');
    await issues(w);
    await w.runNode('Burndown Chart');
    await w.result.getByAltText('Image in the result').waitFor();
    await w.palette('Editord: Run Prompt…');
    await w.asked('Run a prompt');
    await w.choose('Review Branch');
    await w.asked('tracker: Review Branch: branch');
    await w.type('main');
    await w.press('Enter');
    await w.choose('Run review_branch');
    await w.result.getByText('3 of 3').waitFor();
    await w.result.getByText('branch: main').waitFor(); // its arguments
    await w.press('Alt+PageUp');
    await w.result.getByText('2 of 3').waitFor();
    await w.result.getByAltText('Image in the result').waitFor();
    await w.result.locator('[data-action=back]:focus').waitFor();
    await w.press('Enter');
    await w.result.getByText('1 of 3').waitFor();
    await w.result.locator('[data-action=forward]:focus').waitFor(); // one cannot go back any more
    await w.press('Alt+PageDown');
    await w.result.getByText('2 of 3').waitFor();
    assert.equal(await w.tabs('tracker:').count(), 1);
  },

  async 'keeps a result beside the next ones'({ w }) {
    await w.result.getByRole('button', { name: 'Keep' }).click();
    await w.result.locator('nav').waitFor({ state: 'detached' });
    await issues(w);
    await w.result.getByText('3 of 3').waitFor(); // the other two, and this one
    assert.equal(await w.tabs('tracker:').count(), 2);
    await w.tabs('tracker: Burndown Chart').click();
    await w.result.getByAltText('Image in the result').waitFor();
  },

  async 'goes back from a document to a page'({ w }) {
    await w.tabs('tracker: List Issues').click();
    await w.result.getByRole('button', { name: 'Open as Text' }).click();
    await w.text('| #41 |');
    await w.runNode('Edit Board');
    await w.toast('edition').getByRole('button', { name: 'Open' }).click();
    await w.text('edition ');
    await w.press('Alt+PageUp');
    await w.result.getByText('3 of 4').waitFor();
    await w.closeEditors();
  },

  async 'replaces the selection with a result, and that is one undo'({ w }) {
    await w.open('README.md');
    await w.text('Uploads on ship 7');
    await w.press('ControlOrMeta+End', 'ArrowUp', 'Shift+End');
    await issues(w);
    await w.result.getByRole('button', { name: 'Replace Selection' }).click();
    await w.text('## Open issues');
    assert.ok(!(await w.editor.first().innerText()).includes('Uploads'));
    await w.press('ControlOrMeta+z');
    await w.text('Uploads on ship 7');
    assert.ok(!(await w.editor.first().innerText()).includes('Open issues'));
  },

  async 'puts nothing into a document that has changed since the call'({ w }) {
    await w.tabs('tracker: List Issues').click();
    await w.result.getByRole('button', { name: 'Insert at Cursor' }).click();
    const toast = w.toast('"README.md" has changed since the call; copy the result instead.');
    await toast.getByRole('button', { name: 'Copy' }).click();
    await w.page.locator('.statusbar-item', { hasText: 'Copied' }).waitFor();
  },

  async 'puts nothing into a document that is closed'({ w }) {
    await w.tabs('README.md').click();
    await w.text('Uploads on ship 7');
    await w.press('ControlOrMeta+s');
    await w.saved();
    await issues(w);
    await w.tabs('README.md').click({ button: 'middle' });
    await w.tabs('README.md').waitFor({ state: 'detached' });
    await w.result.getByRole('button', { name: 'Insert at Cursor' }).click();
    await w.toast('"README.md" is closed; copy the result instead.').waitFor();
    await w.dismissToasts();
    await w.closeEditors();
  },

  async 'is readable in every theme'({ w }) {
    await w.runNode('Burndown Chart');
    await w.result.getByAltText('Image in the result').waitFor();
    const code = w.result.locator('.probe');
    for (const theme of ['Light Modern', 'Dark High Contrast', 'Light High Contrast', 'Dark Modern']) {
      await w.palette('Preferences: Color Theme');
      await w.type(theme);
      await w.row(theme).first().click();
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
  await w.runNode('List Issues');
  await w.asked('tracker: List Issues'); // all its arguments are optional
  await w.press('Enter');
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
