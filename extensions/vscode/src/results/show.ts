// Shows results: as a message, a read-only document, a page, or a file of the daemon's. Pages share a panel, with a
// history of results; a result that is kept has a panel of its own. A result goes when nothing shows it and the
// history has let go of it. A reload of the window changes nothing of that.

import * as vscode from 'vscode';
import { block, firstLine, html, line, message } from '../text';
import { copy } from '../ui/message';
import { webpage } from '../ui/webpage';
import {
  insertOrSay,
  offered,
  openInChat,
  openLink,
  saveBlock,
  saveFile,
  saveResult,
  tellEnded,
  textOfFile,
} from './actions';
import { Contexts } from './contexts';
import { gone, isPreview, openDocuments, ResultDocuments, scheme, showDocument } from './documents';
import { type Begun, type Call, type Entry, lasting, type Origin, type Saved, type SavedResult } from './entry';
import { asText, type Block, type Preference, pageText, present, type Result, type Text, textOf } from './format';
import { History } from './history';
import { type Action, page } from './page';
import { type Click, Panel, pagesInTabs, viewType } from './panel';
import { render } from './render';
import { Shelf } from './shelf';

const { t } = vscode.l10n;

export class Results implements vscode.Disposable {
  private readonly shelf: Shelf<Saved>;
  private readonly documents = new ResultDocuments(() => this.restored);
  private readonly history = new History<Entry>();
  private readonly entries = new Set<Entry>();
  private readonly panels = new Set<Panel<Entry>>();
  /** The panel that the next page takes. */
  private preview: Panel<Entry> | undefined;
  private readonly held: vscode.Disposable;
  private readonly contexts = new Contexts();
  private readonly restored: Promise<void>;
  /** How many results are being shown: between two tabs nothing is let go. */
  private showing = 0;
  /** Counts pages. One that another has overtaken is not shown any more. */
  private pages = 0;

  /**
   * `storage` is a folder of the workspace, `folder` returns the one with the files of the daemon, and `again` opens a
   * document with a call.
   */
  constructor(
    storage: string | undefined,
    private readonly folder: () => string | undefined,
    private readonly again: (call: Call) => Promise<void>,
  ) {
    this.shelf = new Shelf(storage);
    this.restored = this.restore();
    this.held = vscode.Disposable.from(
      this.documents,
      vscode.window.tabGroups.onDidChangeTabs(() => this.changed()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.changed()),
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: (panel, state: { id?: string } | undefined) => this.revive(panel, state?.id),
      }),
    );
  }

  /** What is shown stays: VS Code shows it again after a reload. */
  dispose(): void {
    this.held.dispose();
    this.shelf.dispose();
  }

  /** Notes a call that is under way. Returns what ends that. */
  began(begun: Begun): () => void {
    const name = this.shelf.name();
    this.shelf.put(name, { begun: lasting(begun) });
    return () => this.shelf.drop(name);
  }

  /** Shows the result of a tool or a prompt. */
  async show(from: Origin, result: Result): Promise<void> {
    if ('isError' in result && result.isError) {
      const text = firstLine(textOf(result), 300) || t('the tool reported an error');
      const button = t('Show Result');
      void vscode.window.showErrorMessage(`${from.title}: ${text}`, button).then((choice) => {
        if (choice === button) {
          void this.told(() => this.open(from, result, 'preview'));
        }
      });
      return;
    }
    const preference = vscode.workspace.getConfiguration('mcp-editord').get<Preference>('results.view', 'auto');
    await this.open(from, result, preference);
  }

  /** Opens a text as a read-only document. It must be harmless already. */
  async document(name: string, text: string, language: Text['language']): Promise<void> {
    await showDocument(this.keep(name, text, language));
  }

  /** Makes a document of a text and returns its address. The text must be harmless already. */
  keep(name: string, text: string, language: Text['language']): vscode.Uri {
    return this.documents.add(name, { text, language });
  }

  /** Returns the text of a result, for a task: the path of its file where it is large. */
  textOf(result: Result): string {
    const p = present(result, 'document', this.folder());
    return p.as === 'file' ? vscode.Uri.parse(p.file.uri, true).fsPath : textOf(result);
  }

  /** Does something with the result on the screen. */
  async act(action: Action): Promise<void> {
    const entry = this.current();
    if (!entry) {
      throw new Error(t('No result is on the screen; run a tool or a prompt first.'));
    }
    await this.click(entry, { action, block: undefined });
  }

  private async open(from: Origin, result: Result, preference: Preference): Promise<void> {
    const folder = this.folder();
    const p = present(result, preference, folder);
    if (p.as === 'nothing') {
      void vscode.window.showInformationMessage(t('{0}: The result is empty.', from.title));
      return;
    }
    if (p.as === 'message') {
      this.tell(from, p.text, result);
      return;
    }
    const uri =
      p.as === 'document'
        ? this.documents.address(from.name, p.language)
        : p.as === 'file'
          ? vscode.Uri.parse(p.file.uri, true)
          : undefined;
    const saved = { from, result, preference, folder, time: Date.now(), uri: uri?.toString(), kept: false };
    const name = this.shelf.name();
    await this.bring(this.enter(name, saved, this.save(name, saved)));
  }

  /** Brings a result to the screen, as it was shown. */
  private async bring(entry: Entry, focus?: Action): Promise<void> {
    this.showing++;
    try {
      await (entry.uri ? this.openDocument(entry, entry.uri) : this.showPage(entry, focus));
    } finally {
      this.showing--;
      this.changed();
    }
  }

  /** Shows a short result as a message. */
  private tell(from: Origin, text: string, result: Result): void {
    const open = t('Open');
    const use = from.place ? t('Insert at Cursor') : t('Copy');
    void vscode.window.showInformationMessage(`${from.title}: ${text}`, open, use).then((choice) =>
      this.told(async () => {
        if (choice === open) {
          await this.open(from, result, 'document');
        } else if (choice === use) {
          const whole = block(textOf(result));
          await (from.place ? insertOrSay(from.place, whole, 'insert') : copy(whole));
        }
      }),
    );
  }

  private save(name: string, saved: SavedResult): number {
    const { place: _, ...from } = saved.from;
    return this.shelf.put(name, { ...saved, from: lasting(from) });
  }

  private enter(id: string, saved: SavedResult, size: number): Entry {
    const uri = saved.uri === undefined ? undefined : vscode.Uri.parse(saved.uri, true);
    const entry: Entry = { ...saved, id, size, uri };
    this.entries.add(entry);
    if (!entry.kept) {
      this.history.add(entry);
    }
    if (uri?.scheme === scheme) {
      this.documents.hold(uri, () => asText(entry.result).text, entry.time);
    }
    return entry;
  }

  /** Takes over what the window before a reload had. */
  private async restore(): Promise<void> {
    for (const { name, value } of await this.shelf.claim()) {
      if ('result' in value) {
        this.enter(name, value, JSON.stringify(value).length);
      } else {
        this.shelf.drop(name);
        tellEnded(value.begun, (call) => this.told(() => this.again(call)));
      }
    }
    this.changed();
  }

  /** Fills a panel that VS Code shows again after a reload. */
  private async revive(panel: vscode.WebviewPanel, id: string | undefined): Promise<void> {
    await this.restored;
    const entry = [...this.entries].find((e) => e.id === id);
    if (!entry) {
      panel.webview.html = webpage({ title: panel.title, language: vscode.env.language, main: html(gone()) });
      return;
    }
    const revived = this.panel(entry, panel);
    if (!entry.kept) {
      this.preview ??= revived;
    }
    revived.show(entry.from.title, entry, await this.pageOf(entry), false);
    this.changed();
  }

  private async openDocument(entry: Entry, uri: vscode.Uri, preview = true): Promise<void> {
    entry.opening = !this.isShown(entry);
    try {
      await showDocument(uri, preview);
    } catch (error) {
      entry.opening = false;
      throw error;
    }
  }

  private async showPage(entry: Entry, focus?: Action): Promise<void> {
    const turn = ++this.pages;
    const html = await this.pageOf(entry, focus);
    if (turn !== this.pages) {
      return; // the next result has come meanwhile; this one is in the history
    }
    this.preview ??= this.panel(entry);
    this.preview.show(entry.from.title, entry, html);
  }

  private blocksOf({ result, preference, folder }: Entry): Block[] {
    const p = present(result, preference, folder);
    return p.as === 'page' ? p.blocks : [];
  }

  /** Returns what makes the page of a result. */
  private async pageOf(entry: Entry, focus?: Action): Promise<(webview: vscode.Webview) => string> {
    const { title, summary, place, call } = entry.from;
    const time = new Date(entry.time).toLocaleTimeString(vscode.env.language);
    const blocks = this.blocksOf(entry);
    const markdown = await render(blocks.map((b) => (b.kind === 'markdown' ? b.text : '')));
    const view = {
      id: entry.id,
      title,
      note: summary === '' ? time : `${time} · ${summary}`,
      at: this.history.at(entry),
      blocks,
      offered: await offered(entry.result, place, call !== undefined),
      focus,
    };
    return (webview) => {
      const address = (uri: string) => webview.asWebviewUri(vscode.Uri.parse(uri, true)).toString();
      return page({ ...view, media: { from: webview.cspSource, address } }, markdown, vscode.env.language, t);
    };
  }

  private panel(entry: Entry, revived?: vscode.WebviewPanel): Panel<Entry> {
    const folder = this.folder() ?? entry.folder;
    const panel = new Panel<Entry>(
      entry.from.title,
      entry,
      ({ entry }, click) => void this.told(() => this.click(entry, click)),
      (closed) => this.closed(closed),
      () => this.changed(),
      folder === undefined ? [] : [vscode.Uri.parse(folder, true)],
      revived,
    );
    this.panels.add(panel);
    return panel;
  }

  private closed(panel: Panel<Entry>): void {
    this.panels.delete(panel);
    if (panel === this.preview) {
      this.preview = undefined;
      this.history.retain((e) => this.isShown(e) || e.opening === true);
    }
    this.changed();
  }

  private async click(entry: Entry, { action, block: number }: Click): Promise<void> {
    if (action === 'back' || action === 'forward') {
      await this.go(entry, action);
      return;
    }
    const { result, from } = entry;
    const p = present(result, entry.preference, entry.folder);
    const chosen = number === undefined ? undefined : this.blocksOf(entry)[number];
    const whole = () => (p.as === 'file' ? textOfFile(p.file) : entry.uri ? asText(result) : pageText(result));
    switch (action) {
      case 'keep':
        await this.keepOnScreen(entry);
        break;
      case 'copy':
        await copy(chosen && 'text' in chosen ? block(chosen.text) : (await whole()).text);
        break;
      case 'save':
        await (chosen
          ? saveBlock(chosen)
          : p.as === 'file'
            ? saveFile(from.name, p.file)
            : saveResult(from.name, await whole(), result));
        break;
      case 'insert':
      case 'replace':
        await insertOrSay(from.place, (await whole()).text, action);
        break;
      case 'text': {
        const { text, language } = await whole();
        await this.document(from.name, text, language);
        break;
      }
      case 'call':
        await (from.call && this.again(from.call));
        break;
      case 'chat':
        await openInChat((await whole()).text);
        break;
      case 'open':
        if (chosen?.kind === 'link') {
          await openLink(from.server, chosen);
        } else if (chosen?.kind === 'kept') {
          await showDocument(vscode.Uri.parse(chosen.file.uri, true));
        }
    }
  }

  /** Shows the result before or after, as it was shown. */
  private async go(from: Entry, action: 'back' | 'forward'): Promise<void> {
    const entry = this.history.beside(from, action === 'back' ? -1 : 1);
    if (entry) {
      await this.bring(entry, action);
    }
  }

  /** Gives a result a tab of its own, which the next one does not take. */
  private async keepOnScreen(entry: Entry): Promise<void> {
    const panel = this.preview;
    if (entry.uri) {
      await this.openDocument(entry, entry.uri, false);
    } else if (panel?.entry === entry) {
      this.preview = undefined;
      this.history.retain((e) => e !== entry);
      entry.kept = true;
      this.save(entry.id, { ...entry, uri: undefined });
      panel.show(entry.from.title, entry, await this.pageOf(entry, 'copy'));
    }
    this.changed();
  }

  /** Returns the result on the screen. */
  private current(): Entry | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputText
      ? [...this.entries].find((e) => e.uri?.toString() === input.uri.toString())
      : [...this.panels].find((panel) => panel.active)?.entry;
  }

  private isShown(entry: Entry): boolean {
    return (
      [...this.panels].some((panel) => panel.entry === entry) ||
      openDocuments().some((uri) => uri.toString() === entry.uri?.toString())
    );
  }

  /** Lets go of what is not needed any more, and sets what menus and keys depend on. */
  private changed(): void {
    for (const entry of this.entries) {
      if (entry.opening && this.isShown(entry)) {
        entry.opening = false;
      }
    }
    // After a reload VS Code makes a panel only when its tab is looked at.
    if (this.showing === 0 && pagesInTabs() <= this.panels.size) {
      if (![...this.entries].some((entry) => entry.opening || this.isShown(entry))) {
        this.history.retain(() => false);
      }
      for (const entry of this.entries) {
        if (!this.history.has(entry) && !this.isShown(entry) && !entry.opening) {
          this.entries.delete(entry);
          this.shelf.drop(entry.id);
          if (entry.uri) {
            this.documents.drop(entry.uri);
          }
        }
      }
    }
    this.setContexts();
  }

  private setContexts(): void {
    const entry = this.current();
    this.contexts.set({
      document: entry?.uri !== undefined,
      back: entry !== undefined && this.history.beside(entry, -1) !== undefined,
      forward: entry !== undefined && this.history.beside(entry, 1) !== undefined,
      keep: entry !== undefined && (entry.uri ? isPreview(entry.uri) : this.preview?.entry === entry),
      insert: entry?.from.place !== undefined,
      replace: entry?.from.place !== undefined && !entry.from.place.range.isEmpty,
    });
  }

  private async told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      void vscode.window.showErrorMessage(line(message(error), 400));
    }
  }
}
