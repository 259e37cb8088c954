// Shows results: as a message, a read-only document, or a page. Pages share a panel, with a history of
// results; a result that is kept has a panel of its own. A result goes when nothing shows it and the
// history has let go of it.

import * as vscode from 'vscode';
import { block, firstLine, line, message } from '../text';
import { copy } from '../ui/message';
import { insertOrSay, offered, openInChat, openLink, saveBlock, saveResult } from './actions';
import { Collector } from './collect';
import { gone, openResults, ResultDocuments } from './documents';
import { asText, type Block, type Preference, pageText, present, type Text, textOf } from './format';
import { History, type Weight } from './history';
import type { Place } from './insert';
import { type Action, page } from './page';
import { type Click, Panel } from './panel';
import { render } from './render';
import { type Kept, type Result, Shelf } from './shelf';

const { t } = vscode.l10n;

/** Where a result comes from. The title is harmless already; the names are as the server wrote them. */
export interface Origin {
  server: string;
  name: string;
  title: string;
  /** The arguments on one line, harmless and without secrets. */
  summary: string;
  /** Where it can go. */
  place: Place | undefined;
  /** Opens a document with its call; undefined when its arguments were not kept. */
  again: (() => Promise<void>) | undefined;
}

/** A result that is shown, or that one can go back to. */
interface Entry {
  readonly id: number;
  readonly from: Origin;
  readonly time: Date;
  readonly preference: Preference;
  readonly kept: Kept;
  readonly weight: Weight;
  /** Its document, when it is shown as one. */
  uri?: vscode.Uri;
  /** Whether VS Code opens its document: it says so before there is a tab. */
  opening?: boolean;
}

/** What the buttons of a page and the commands in menus depend on. */
const contexts = ['back', 'forward', 'keep', 'insert', 'replace'] as const;

export class Results implements vscode.Disposable {
  private readonly shelf: Shelf;
  private readonly documents = new ResultDocuments();
  private readonly collector = new Collector();
  private readonly history = new History<Entry>();
  private readonly entries = new Set<Entry>();
  private readonly panels = new Set<Panel<Entry>>();
  /** The panel that the next page takes. */
  private preview: Panel<Entry> | undefined;
  private readonly held: vscode.Disposable;
  private readonly set = new Map<string, boolean>();
  private last = 0;
  /** How many results are being shown: between two tabs nothing is let go. */
  private showing = 0;
  /** Counts pages. One that another has overtaken is not shown any more. */
  private pages = 0;

  /** `storage` is a folder for results that are too large for memory. */
  constructor(storage: string) {
    this.shelf = new Shelf(storage);
    this.held = vscode.Disposable.from(
      this.documents,
      vscode.window.tabGroups.onDidChangeTabs(() => this.changed()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.changed()),
    );
  }

  dispose(): void {
    this.held.dispose();
    for (const panel of this.panels) {
      panel.dispose();
    }
    this.shelf.dispose();
    this.collector.dispose();
  }

  /** Shows the result of a tool or a prompt. */
  async show(from: Origin, result: Result): Promise<void> {
    if ('isError' in result && result.isError) {
      const text = firstLine(textOf(result), 300) || t('the tool reported an error');
      const kept = await this.shelf.put(result);
      const button = t('Show Result');
      void vscode.window.showErrorMessage(`${from.title}: ${text}`, button).then((choice) => {
        if (choice === button) {
          void this.told(async () => this.open(from, await read(kept), 'preview', kept));
        } else {
          void kept.drop();
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

  /** Does something with the result on the screen. */
  async act(action: Action): Promise<void> {
    const entry = this.current();
    if (!entry) {
      throw new Error(t('No result is on the screen; run a tool or a prompt first.'));
    }
    await this.click(entry, { action, block: undefined });
  }

  private async open(from: Origin, result: Result, preference: Preference, kept?: Kept): Promise<void> {
    const p = present(result, preference);
    if (p.as === 'nothing') {
      void kept?.drop();
      void vscode.window.showInformationMessage(t('{0}: The result is empty.', from.title));
      return;
    }
    if (p.as === 'message') {
      this.tell(from, p.text, result);
      return;
    }
    this.showing++;
    try {
      const entry = await this.enter(from, result, preference, kept);
      if (p.as === 'document') {
        await this.showAsDocument(entry, p);
      } else {
        await this.showPage(entry, result, p.blocks);
      }
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

  private async enter(from: Origin, result: Result, preference: Preference, given?: Kept): Promise<Entry> {
    const kept = given ?? (await this.shelf.put(result));
    const entry = { id: ++this.last, from, time: new Date(), preference, kept, weight: kept.weight };
    this.entries.add(entry);
    this.history.add(entry);
    return entry;
  }

  private async showAsDocument(entry: Entry, text: Text): Promise<void> {
    entry.uri ??= this.documents.add(entry.from.name, text, async () => asText(await read(entry.kept)).text);
    await this.openDocument(entry, entry.uri);
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

  private async showPage(entry: Entry, result: Result, blocks: Block[], focus?: Action): Promise<void> {
    const turn = ++this.pages;
    const html = await this.pageOf(entry, result, blocks, true, focus);
    if (turn !== this.pages) {
      return; // the next result has come meanwhile; this one is in the history
    }
    this.preview ??= this.panel(entry);
    this.preview.show(entry.from.title, entry, html);
  }

  private async pageOf(entry: Entry, result: Result, blocks: Block[], preview: boolean, focus?: Action) {
    const { title, summary, place, again } = entry.from;
    const time = entry.time.toLocaleTimeString(vscode.env.language);
    const markdown = await render(blocks.map((b) => (b.kind === 'markdown' ? b.text : '')));
    const view = {
      id: entry.id,
      title,
      note: summary === '' ? time : `${time} · ${summary}`,
      at: preview ? this.history.at(entry) : undefined,
      blocks,
      offered: await offered(result, place, again !== undefined),
      focus,
    };
    return page(view, markdown, vscode.env.language, t);
  }

  private panel(entry: Entry): Panel<Entry> {
    const panel = new Panel<Entry>(
      entry.from.title,
      entry,
      ({ entry }, click) => void this.told(() => this.click(entry, click)),
      (closed) => this.closed(closed),
      () => this.changed(),
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
    const result = await read(entry.kept);
    const p = present(result, entry.preference);
    const blocks = p.as === 'page' ? p.blocks : [];
    const whole = entry.uri ? asText(result) : pageText(result);
    const chosen = number === undefined ? undefined : blocks[number];
    switch (action) {
      case 'keep':
        await this.keepOnScreen(entry, result, blocks);
        break;
      case 'copy':
        await copy(chosen && 'text' in chosen ? block(chosen.text) : whole.text);
        break;
      case 'save':
        await (chosen ? saveBlock(chosen) : saveResult(entry.from.name, whole, result));
        break;
      case 'insert':
      case 'replace':
        await insertOrSay(entry.from.place, whole.text, action);
        break;
      case 'text':
        await this.document(entry.from.name, whole.text, whole.language);
        break;
      case 'call':
        await entry.from.again?.();
        break;
      case 'chat':
        await openInChat(whole.text);
        break;
      case 'open':
        if (chosen?.kind === 'link') {
          await openLink(entry.from.server, chosen);
        } else if (chosen?.kind === 'long') {
          await this.document(
            entry.from.name,
            block(chosen.text),
            chosen.name.endsWith('.json') ? 'json' : 'plaintext',
          );
        }
    }
  }

  /** Shows the result before or after, as it was shown. */
  private async go(from: Entry, action: 'back' | 'forward'): Promise<void> {
    const entry = this.history.beside(from, action === 'back' ? -1 : 1);
    if (!entry) {
      return;
    }
    this.showing++;
    try {
      if (entry.uri) {
        await this.openDocument(entry, entry.uri);
      } else {
        const result = await read(entry.kept);
        const p = present(result, entry.preference);
        await this.showPage(entry, result, p.as === 'page' ? p.blocks : [], action);
      }
    } finally {
      this.showing--;
      this.changed();
    }
  }

  /** Gives a result a tab of its own, which the next one does not take. */
  private async keepOnScreen(entry: Entry, result: Result, blocks: Block[]): Promise<void> {
    const panel = this.preview;
    if (entry.uri) {
      await this.openDocument(entry, entry.uri, false);
    } else if (panel?.entry === entry) {
      this.preview = undefined;
      this.history.retain((e) => e !== entry);
      panel.show(entry.from.title, entry, await this.pageOf(entry, result, blocks, false, 'copy'));
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
      openResults().some((uri) => uri.toString() === entry.uri?.toString())
    );
  }

  /** Lets go of what is not needed any more, and sets what menus and keys depend on. */
  private changed(): void {
    for (const entry of this.entries) {
      if (entry.opening && this.isShown(entry)) {
        entry.opening = false;
      }
    }
    if (this.showing === 0) {
      const opening = [...this.entries].some((entry) => entry.opening);
      if (this.panels.size === 0 && openResults().length === 0 && !opening) {
        this.history.retain(() => false);
      }
      for (const entry of this.entries) {
        if (!this.history.has(entry) && !this.isShown(entry) && !entry.opening) {
          this.entries.delete(entry);
          void entry.kept.drop();
          this.collector.letGo(entry.weight.memory + entry.weight.disk);
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
    const can: { [context in (typeof contexts)[number]]: boolean } = {
      back: entry !== undefined && this.history.beside(entry, -1) !== undefined,
      forward: entry !== undefined && this.history.beside(entry, 1) !== undefined,
      keep: entry !== undefined && (entry.uri ? isPreview(entry.uri) : this.preview?.entry === entry),
      insert: entry?.from.place !== undefined,
      replace: entry?.from.place !== undefined && !entry.from.place.range.isEmpty,
    };
    for (const context of contexts) {
      if (this.set.get(context) !== can[context]) {
        this.set.set(context, can[context]);
        void vscode.commands.executeCommand('setContext', `mcp-editord.result.${context}`, can[context]);
      }
    }
  }

  private async told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      void vscode.window.showErrorMessage(line(message(error), 400));
    }
  }
}

async function read(kept: Kept): Promise<Result> {
  try {
    return await kept.read();
  } catch {
    throw new Error(gone());
  }
}

async function showDocument(uri: vscode.Uri, preview = true): Promise<void> {
  // VS Code keeps a document for minutes that was opened by showTextDocument, also when it is closed.
  await vscode.commands.executeCommand('vscode.open', uri, { preview });
}

function isPreview(uri: vscode.Uri): boolean {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return (
    tab?.isPreview === true && tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString()
  );
}
