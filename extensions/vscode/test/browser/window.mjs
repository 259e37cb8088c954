// Does what a person does in a window of VS Code, with keyboard and mouse, and sees what they see.
// Each method waits until something is there; Playwright's limit ends the waiting.

import { join } from 'node:path';

export class Window {
  /** @param pictures is the folder for pictures. */
  constructor(page, pictures) {
    this.page = page;
    this.pictures = pictures;
    page.setDefaultTimeout(120_000);
    this.quick = page.locator('.quick-input-widget');
    this.toasts = page.locator('.notifications-toasts .notification-toast');
    this.editor = page.locator('.editor-instance .view-lines');
  }

  /** Runs a command by its title in the palette. */
  async palette(title) {
    await this.page.keyboard.press('F1');
    await this.type(`>${title}`);
    // The command used last comes first, whatever is typed.
    await this.row(title).first().click();
  }

  /** Fills the input of the quick input on the screen. */
  async type(text) {
    await this.quick.locator('input[type=text], input[type=password]').fill(text);
  }

  /** Waits until the input of the quick input has this text: for a moment it may have that of the one before. */
  async holds(text) {
    await this.page.waitForFunction(
      (wanted) =>
        document.querySelector('.quick-input-widget :is(input[type=text], input[type=password])')?.value === wanted,
      text,
    );
  }

  /** Goes back one step. */
  async back() {
    await this.quick.locator('.quick-input-titlebar .action-label[aria-label^="Back"]').click();
  }

  /** Presses a button in the title of the quick input. */
  async button(label) {
    await this.quick.locator(`.quick-input-titlebar .action-label[aria-label^=${JSON.stringify(label)}]`).click();
  }

  /** Leaves the quick input. */
  async escape() {
    await this.press('Escape');
    await this.quick.waitFor({ state: 'hidden' });
  }

  /** Opens another quick input, as a person does to look for a file, and leaves it. */
  async elsewhere() {
    await this.press('ControlOrMeta+p');
    await this.quick.getByPlaceholder('Search files by name').waitFor();
    await this.escape();
  }

  /** Whether the quick input has a button. */
  async hasButton(label) {
    return (
      (await this.quick.locator(`.quick-input-titlebar .action-label[aria-label^=${JSON.stringify(label)}]`).count()) >
      0
    );
  }

  /** Returns the item of the status bar that says how many questions wait. */
  waiting(count) {
    return this.page.locator('[id$="mcp-editord.questions"]', { hasText: count });
  }

  /** Waits until the editor that is active has been saved. */
  async saved() {
    await this.page.locator('.tab.active:not(.dirty)').waitFor();
  }

  /** Opens a file of the workspace. */
  async open(name) {
    await this.press('ControlOrMeta+p');
    await this.type(name);
    await this.first(name);
    await this.press('Enter');
  }

  async press(...keys) {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /**
   * Returns the rows of the quick input that show this text. VS Code uses rows again, and leaves in them,
   * hidden, what they said about an item of another list.
   */
  row(text) {
    const shown = this.page.getByText(text).filter({ visible: true });
    return this.quick.locator('.monaco-list-row').filter({ visible: true, has: shown });
  }

  /** Waits until the first row, which Enter accepts, has this text: the search follows what is typed. */
  async first(text) {
    await this.row(text).and(this.page.locator('[data-index="0"]')).waitFor();
  }

  /** Waits for a quick input with this in its title. */
  async asked(title) {
    await this.title(title).waitFor();
  }

  /** The title of the quick input, if it has this in it. */
  title(text) {
    return this.quick.locator('.quick-input-title', { hasText: text });
  }

  /** Opens the question with this in its title, by the button of its message. */
  async answer(title) {
    await this.toast(title).getByRole('button', { name: 'Answer…' }).click();
    await this.asked(title);
  }

  /** Waits for a quick input that says this, under its input or in a row. */
  async says(text) {
    await this.quick.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Returns the text in the rows before another one. */
  async rowsBefore(text) {
    const rows = await this.quick
      .locator('.monaco-list-row .quick-input-list-row:first-child .label-name')
      .allInnerTexts();
    return rows
      .slice(
        0,
        rows.findIndex((row) => row.includes(text)),
      )
      .map((row) => row.replace(/^\s{4}/, ''))
      .join('');
  }

  /** Selects a row of the quick input. */
  async choose(text) {
    await this.row(text).first().click();
  }

  /** Waits until an editor on the screen has this text. */
  async text(part) {
    await this.page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('.editor-instance .view-lines')].some((e) =>
          // VS Code writes a space as one that does not break.
          e.innerText.replaceAll('\u00a0', ' ').includes(wanted),
        ),
      part,
    );
  }

  /** Takes a picture of the screen, or its upper part. */
  async picture(name, height = 750) {
    await this.page.mouse.move(600, 748); // away from what it would change
    await this.page.screenshot({
      path: join(this.pictures, `vscode-${name}.png`),
      animations: 'disabled',
      clip: { x: 0, y: 0, width: 1200, height },
      // The browser adds these; they have nothing to do with the extension.
      style: '[id="status.workbench.keyboardLayout"], [id="status.forwardedPorts"] { display: none !important }',
    });
  }

  /** A command in a line of its own between those of a document. */
  lens(title) {
    return this.page.locator('.codelens-decoration a', { hasText: title });
  }

  /** Waits until this is said about a word of the document on the screen. */
  async explains(word, text) {
    await this.page.locator('.view-line span > span', { hasText: word }).last().hover();
    await this.page.locator('.monaco-hover:not(.hidden)').getByText(text).waitFor();
  }

  /** What completion offers, where the label has this text. */
  offer(text) {
    return this.page.locator('.suggest-widget.visible .monaco-list-row', { hasText: text });
  }

  /** A message on the screen. */
  toast(text) {
    return this.toasts.filter({ hasText: text }).first();
  }

  async dismissToasts() {
    await this.palette('Notifications: Clear All Notifications');
  }

  activity(name) {
    return this.page.locator(`.activitybar .action-label[aria-label^="${name}"]`);
  }

  /** Returns a line of the tree of servers, by what a screen reader says. */
  node(label) {
    return this.page.locator(`.pane-body .monaco-list-row[aria-label^=${JSON.stringify(label)}]`);
  }

  /**
   * Clicks in the tree, again when that has no effect. The tree is drawn anew whenever a server changes, and
   * a click that falls between two drawings does nothing.
   */
  async until(effect, click) {
    const seen = effect.filter({ visible: true }).first();
    for (let tries = 1; ; tries++) {
      await click();
      try {
        await seen.waitFor({ timeout: 10_000 });
        return;
      } catch (error) {
        if (tries === 5) {
          throw error;
        }
      }
    }
  }

  /** Opens a line of the tree that is closed. */
  async expand(row) {
    await this.until(row.and(this.page.locator('[aria-expanded="true"]')), () => row.click());
  }

  /** Presses a button in a line of the tree, which has this effect. */
  async pressIn(row, label, effect) {
    await this.until(effect, async () => {
      await row.hover();
      await row.getByLabel(label).click();
    });
  }

  /** Returns the first line below an open line of the tree. */
  async firstBelow(row, label) {
    const index = Number(await row.getAttribute('data-index')) + 1;
    return this.node(label).and(this.page.locator(`[data-index="${index}"]`));
  }

  /** Runs a tool or a prompt by the button in its line of the tree. */
  async runNode(label) {
    await this.node(label).hover();
    await this.node(label).getByLabel('Run', { exact: false }).click();
  }

  /** Runs a command of the context menu of a line of the tree. */
  async menu(node, title) {
    const item = this.page.getByRole('menuitem', { name: title });
    await this.until(item, () => node.click({ button: 'right' }));
    // A menu ignores the mouse button for a tenth of a second after it has come, but no key.
    await item.hover();
    await this.press('Enter');
  }

  /** Returns the tabs with this in their title. */
  tabs(title) {
    return this.page.locator('.tab', { hasText: title });
  }

  /** The inside of the page with a result. */
  get result() {
    return this.page.frameLocator('iframe.webview.ready:visible').last().frameLocator('#active-frame');
  }

  get status() {
    return this.page.locator('[id="mcp-editord.mcp-editord.mcp-editord.status"], [id$="mcp-editord.status"]');
  }

  /** Waits until the panel with output has this text. */
  async output(text) {
    await this.page.locator('.output-view .view-lines, .panel .view-lines').getByText(text).first().waitFor();
  }

  /** Closes the editor that is active, with the mouse. */
  async closeEditor() {
    await this.page.locator('.tab.active .tab-actions .action-label').click();
  }

  async closeEditors() {
    await this.palette('View: Close All Editors');
  }
}
