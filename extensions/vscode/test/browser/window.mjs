// Does what a person does in a window of VS Code, with keyboard and mouse, and sees what they see.
// Each method waits until something is there; Playwright's limit ends the waiting. VS Code loses keys and clicks
// now and then: while a page is loaded, between two drawings of a list, while a line of a tree is read again. So
// whatever a person does here is done until its effect is seen.

import { join } from 'node:path';

/** How long anything may take, in milliseconds. */
const limit = 120_000;
/** After so long without an effect a person does the same again. */
const patience = 10_000;

export class Window {
  /** @param pictures is the folder for pictures. */
  constructor(page, pictures) {
    this.page = page;
    this.pictures = pictures;
    this.wait(limit);
    this.quick = page.locator('.quick-input-widget');
    this.input = this.quick.locator('input[type=text], input[type=password]');
    this.toasts = page.locator('.notifications-toasts .notification-toast');
    this.editor = page.locator('.editor-instance .view-lines');
  }

  /** Sets how long each step waits. */
  wait(time) {
    this.waits = time;
    this.page.setDefaultTimeout(time);
  }

  /**
   * Does something until its effect is seen: a locator of what comes on the screen, or a function that waits.
   * `act` may come after an effect that was slow, so it does no harm when it is done twice.
   */
  async until(effect, act) {
    const seen = typeof effect === 'function' ? effect : () => effect.filter({ visible: true }).first().waitFor();
    const end = performance.now() + limit;
    const { waits } = this;
    this.wait(patience);
    try {
      for (;;) {
        const problem = await late(act);
        if (problem) {
          await this.pointAway(); // the hover of one line covers the others
        }
        const missing = await late(seen);
        if (!missing) {
          return;
        }
        if (performance.now() > end) {
          throw problem ?? missing;
        }
      }
    } finally {
      this.wait(waits);
    }
  }

  /** Does something that ends what the quick input asks, once `there` is on the screen. */
  async ends(there, act) {
    await there.waitFor();
    // Waits for one that asks: what is on the screen may still be the one before, which fades away.
    const before = await (await this.page.waitForFunction(asks)).jsonValue();
    await this.until(() => this.page.waitForFunction(`(${asks})() !== ${JSON.stringify(before)}`), act);
  }

  /**
   * Runs a command by its title in the palette, which has this effect: where it asks something, that may have been
   * closed again by what comes up at the same time, and then a person runs the command once more.
   */
  async palette(title, effect) {
    await this.until(effect, () => this.command(title));
  }

  /** Runs a command by its title in the palette, whatever comes of it. */
  async command(title) {
    const typed = `>${title}`;
    const left = () => this.page.waitForFunction(`(${value})() !== ${JSON.stringify(typed)}`);
    await this.until(left, async () => {
      await this.press('F1');
      await this.page.waitForFunction(`(${value})()?.startsWith('>')`);
      await this.type(typed);
      // The command used last comes first, whatever is typed.
      await this.row(title).first().click();
    });
  }

  /** Fills the input of the quick input on the screen. */
  async type(text) {
    await this.input.fill(text);
  }

  /** Accepts what the quick input has, by Enter. */
  async accept() {
    let again = false;
    await this.ends(this.input, async () => {
      if (again) {
        await this.input.focus(); // something took it, and Enter went there
      }
      again = true;
      await this.press('Enter');
    });
  }

  /** Waits until the input of the quick input has this text: for a moment it may have that of the one before. */
  async holds(text) {
    await this.page.waitForFunction(`(${value})() === ${JSON.stringify(text)}`);
  }

  /** Goes back one step. */
  async back() {
    await this.button('Back');
  }

  /** Presses a button in the title of the quick input. */
  async button(label) {
    const button = this.quick.locator(`.quick-input-titlebar .action-label[aria-label^=${JSON.stringify(label)}]`);
    await this.ends(button, () => button.click());
  }

  /** Leaves the quick input. */
  async escape() {
    await this.until(
      () => this.quick.waitFor({ state: 'hidden' }),
      () => this.press('Escape'),
    );
  }

  /** Opens another quick input, as a person does to look for a file, and leaves it. */
  async elsewhere() {
    await this.searchFiles();
    await this.escape();
  }

  /** Opens the quick input that finds files. */
  async searchFiles() {
    const search = this.quick.getByPlaceholder('Search files by name');
    await this.until(search, async () => {
      // In it, the same keys would choose the next file.
      if (!(await search.isVisible())) {
        await this.press('ControlOrMeta+p');
      }
    });
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
    await this.until(this.active(name), async () => {
      await this.searchFiles();
      await this.type(name);
      await this.first(name);
      await this.accept();
    });
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
    await this.toast(title).waitFor();
    await this.until(this.title(title), () => this.toast(title).getByRole('button', { name: 'Answer…' }).click());
  }

  /** Opens the question that waits, or asks which of several, by keys. */
  async answerNext(title) {
    await this.until(this.title(title), () => this.press('ControlOrMeta+Alt+a'));
  }

  /** Waits for a quick input that says this, under its input or in a row. */
  async says(text) {
    await this.quick.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** Returns the text in the rows before another one. */
  async rowsBefore(text) {
    await this.row(text).first().waitFor();
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
    const row = this.row(text).first();
    await this.ends(row, () => row.click());
  }

  /** Ticks a row of a list of which one may choose several. */
  async tick(text) {
    const row = this.row(text).first();
    await row.waitFor();
    await this.until(row.and(this.page.locator('[aria-checked="true"]')), () => row.click());
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

  /** Selects the last line of the document that has the focus, but for the empty one that ends it. */
  async selectLastLine() {
    const selected = this.page.locator('[id="status.editor.selection"]', { hasText: 'selected)' });
    await this.until(selected, () => this.press('ControlOrMeta+End', 'ArrowUp', 'Shift+End'));
  }

  /** Takes the mouse away from what it would change. */
  async pointAway() {
    await this.page.mouse.move(600, 748);
  }

  /** Takes a picture of the screen, or its upper part. */
  async picture(name, height = 750) {
    await this.pointAway();
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

  /** Runs a command of a document, which has this effect. */
  async pressLens(title, effect) {
    await this.lens(title).first().waitFor();
    await this.until(effect, () => this.lens(title).click());
  }

  /** Waits until this is said about a word of the document on the screen. */
  async explains(word, text) {
    await this.until(this.page.locator('.monaco-hover:not(.hidden)').getByText(text), async () => {
      await this.pointAway();
      await this.page.locator('.view-line span > span', { hasText: word }).last().hover();
    });
  }

  /** What completion offers, where the label has this text. */
  offer(text) {
    return this.page.locator('.suggest-widget.visible .monaco-list-row', { hasText: text });
  }

  /** A message on the screen. */
  toast(text) {
    return this.toasts.filter({ hasText: text }).first();
  }

  /** Presses a button of a message, which ends the message. */
  async reply(text, button) {
    const toast = this.toast(text);
    await toast.waitFor();
    await this.until(
      () => toast.waitFor({ state: 'hidden' }),
      () => toast.getByRole('button', { name: button }).click(),
    );
  }

  /** Takes the messages off the screen, but for those of questions that wait and of calls that run: VS Code keeps them. */
  async dismissToasts() {
    const waiting = this.page.getByRole('button', { name: /^(Answer…|Cancel)$/ });
    await this.until(
      () => this.toasts.filter({ hasNot: waiting }).first().waitFor({ state: 'hidden' }),
      () => this.command('Notifications: Clear All Notifications'),
    );
  }

  /** Opens the view of the servers. A click on its icon would close it, were it open. */
  async view() {
    const open = this.page.locator('.sidebar .composite.title', { hasText: 'Editord' });
    await this.until(open, async () => {
      if (!(await open.isVisible())) {
        await this.page.locator('.activitybar .action-item:has([aria-label^="Editord"])').click(); // with its badge
      }
    });
  }

  /** Reloads the window, and shows the view again. */
  async reload() {
    const loaded = this.page.waitForEvent('load');
    await this.command('Developer: Reload Window');
    await loaded;
    await this.view();
  }

  /** Returns a line of the tree of servers, by what a screen reader says. */
  node(label) {
    return this.page.locator(`.pane-body .monaco-list-row[aria-label^=${JSON.stringify(label)}]`);
  }

  /** Opens a line of the tree that is closed. */
  async expand(row) {
    await row.waitFor();
    await this.until(row.and(this.page.locator('[aria-expanded="true"]')), async () => {
      await this.pointAway();
      await row.click();
    });
  }

  /** Presses a button in a line of the tree, which has this effect. */
  async pressIn(row, label, effect) {
    await row.waitFor();
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

  /** Runs a tool or a prompt by the button in its line of the tree, which has this effect. */
  async runNode(label, effect) {
    await this.pressIn(this.node(label), 'Run', effect);
  }

  /** Runs a command of the context menu of a line of the tree, which has this effect. */
  async menu(node, title, effect) {
    const item = this.page.getByRole('menuitem', { name: title });
    await node.waitFor();
    await this.until(effect, async () => {
      await this.until(item, () => node.click({ button: 'right' }));
      // A menu ignores the mouse button for a tenth of a second after it has come, but no key.
      await item.hover();
      await this.press('Enter');
    });
  }

  /** Returns the tabs with this in their title. */
  tabs(title) {
    return this.page.locator('.tab', { hasText: title });
  }

  /** Returns the tab of the editor that is active, if its title has this in it. */
  active(title) {
    return this.page.locator('.tab.active', { hasText: title });
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
    const editors = '.tabs-container .tab';
    const count = await this.page.locator(editors).count();
    await this.until(
      () =>
        this.page.waitForFunction(([all, before]) => document.querySelectorAll(all).length < before, [editors, count]),
      () => this.page.locator('.tab.active .tab-actions .action-label').click(),
    );
  }

  async closeEditors() {
    await this.until(
      () => this.page.locator('.tabs-container .tab').first().waitFor({ state: 'hidden' }),
      () => this.command('View: Close All Editors'),
    );
  }
}

/** Waits for something to be done. Returns the error if it took too long. */
async function late(act) {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error.name === 'TimeoutError') {
      return error;
    }
    throw error;
  }
}

/** Returns the title of the quick input on the screen and what its input is for. It runs in the page. */
function asks() {
  // One that fades away is inert.
  const quick = document.querySelector('.quick-input-widget:not([inert])');
  const part = (selector) => quick.querySelector(selector);
  return quick?.checkVisibility()
    ? `${part('.quick-input-title')?.innerText}: ${part('input[type=text], input[type=password]')?.placeholder}`
    : '';
}

/** Returns the text in the quick input on the screen. It runs in the page. */
function value() {
  const quick = document.querySelector('.quick-input-widget:not([inert])');
  const input = quick?.querySelector('input[type=text], input[type=password]');
  return input?.checkVisibility() ? input.value : undefined;
}
