// Quick input that can be withdrawn: it closes when its token is cancelled, and then counts as left.
// A person leaves it by Escape, and without meaning to by any other quick input, such as that of
// Ctrl+P. So leaving is never an answer, and the caller learns what is typed while it is typed.

import * as vscode from 'vscode';
import { line } from '../text';
import { Latest } from './latest';
import { type Findable, searchIn } from './search';
import { wrap } from './wrap';

/** The person wants the step before this one. */
export const back = Symbol('back');
export type Back = typeof back;

const shown = new vscode.EventEmitter<string>();

/** Fires with the title of each question that comes on the screen. */
export const onDidShow = shown.event;

/** A button in the title of a question was pressed. */
export class Pressed {
  constructor(readonly button: string) {}
}

export interface Button {
  id: string;
  icon: string;
  label: string;
}

/** What all questions have. It shows title and placeholder as they are: pass texts of servers through text.ts. */
export interface Frame {
  title: string;
  step?: number;
  totalSteps?: number;
  /** Whether there is a step before this one. */
  back?: boolean;
  /** More buttons; pressing one is an answer. */
  buttons?: readonly Button[] | undefined;
  token?: vscode.CancellationToken | undefined;
}

export interface Item<T> extends vscode.QuickPickItem {
  value?: T;
}

interface PickOptions<T> extends Frame {
  placeholder?: string;
  items: readonly Item<T>[] | Promise<readonly Item<T>[]>;
  /** Chooses the item that is active at first; without it, that is the first one. */
  active?: (value: T) => boolean;
  /**
   * Chooses the items that nobody takes with something in the input: the first Enter empties that. Else a
   * person who types on, when a list has already taken the place of an input, would take its first item.
   */
  alone?: (value: T) => boolean;
  /** Returns what an item is found by. Without it, VS Code searches label, description and detail in its own way. */
  find?: (value: T) => Findable;
}

/** How many found items are shown: with more, each key would send VS Code a list that nobody reads. */
const maxFound = 200;

/** Asks for one of the items. Returns undefined when the person leaves the question. */
export function pick<T>(o: PickOptions<T> & { buttons: readonly Button[] }): Promise<T | Back | Pressed | undefined>;
export function pick<T>(o: PickOptions<T>): Promise<T | undefined>;
export async function pick<T>(o: PickOptions<T>): Promise<T | Back | Pressed | undefined> {
  const q: vscode.QuickPick<Item<T>> & { sortByLabel?: boolean } = vscode.window.createQuickPick<Item<T>>();
  q.placeholder = o.placeholder;
  q.matchOnDescription = o.find === undefined;
  q.matchOnDetail = o.find === undefined;
  // Items stay in the order of the search. VS Code takes this, though the type does not say so (microsoft/vscode#73904).
  q.sortByLabel = o.find === undefined;
  return show(q, o, (done) => {
    let found = (_: string): readonly Item<T>[] => [];
    const activate = () => {
      const active = q.items.find((i) => i.value !== undefined && o.active?.(i.value));
      if (active) {
        q.activeItems = [active];
      }
    };
    const fill = (items: readonly Item<T>[]) => {
      found = o.find ? finding(items, o.find) : () => items;
      q.items = found(q.value);
      activate();
      q.busy = false;
    };
    if (o.items instanceof Promise) {
      q.busy = true;
      o.items.then(fill, () => done(undefined));
    } else {
      fill(o.items);
    }
    return [
      q.onDidChangeValue((typed) => {
        if (o.find) {
          q.items = found(typed);
        }
      }),
      q.onDidAccept(() => {
        const value = q.selectedItems[0]?.value;
        if (value !== undefined && q.value !== '' && o.alone?.(value)) {
          q.value = '';
          activate();
        } else if (value !== undefined) {
          done(value);
        }
      }),
    ];
  });
}

/**
 * Returns a search in the items. VS Code names the item that is accepted by its place in the list that it
 * has, which may be the one before. So each list begins with a separator, and VS Code hides nothing of
 * it: whoever types fast and presses Enter accepts the first item of the search, and no other.
 */
function finding<T>(items: readonly Item<T>[], by: (value: T) => Findable): (typed: string) => readonly Item<T>[] {
  const begin = items[0]?.kind === vscode.QuickPickItemKind.Separator ? [] : [separator()];
  const whole = [...begin, ...items.map((item) => ({ ...item, alwaysShow: true }))];
  const all = whole.flatMap((item) => (item.value === undefined ? [] : [{ ...item, value: item.value }]));
  const search = searchIn(all.map(({ value }) => by(value)));
  return (typed) => {
    if (typed.trim() === '') {
      return whole;
    }
    const found = search(typed);
    if (found.length === 0) {
      return [separator(), { label: vscode.l10n.t('Nothing matches.'), alwaysShow: true }];
    }
    const count = vscode.l10n.t('{0} of {1}', found.length, all.length);
    return [separator(count), ...found.slice(0, maxFound).flatMap((i) => all[i] ?? [])];
  };
}

/** A text to read between the items of a list. */
export function separator(label = ''): Item<never> {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Asks for one of the items that go with what is typed, and returns it with that text. */
export async function pickTyped<T>(
  o: Frame & {
    placeholder: string;
    value?: string;
    /** How long nobody has typed before it looks for items. */
    pause: number; // ms
    /** Returns the items for a text. It must not fail. */
    items: (typed: string, token: vscode.CancellationToken) => Promise<readonly Item<T>[]>;
  },
): Promise<{ value: T; typed: string } | undefined> {
  const q: vscode.QuickPick<Item<T>> & { sortByLabel?: boolean } = vscode.window.createQuickPick<Item<T>>();
  q.placeholder = o.placeholder;
  q.value = o.value ?? '';
  q.sortByLabel = false;
  const found = new Latest<string, readonly Item<T>[]>({
    pause: o.pause,
    source: () => new vscode.CancellationTokenSource(),
    ask: o.items,
    take: (items) => {
      q.items = [separator(), ...items.map((item) => ({ ...item, alwaysShow: true }))]; // begins as in finding
      q.busy = false;
    },
  });
  const find = () => {
    q.busy = true;
    found.ask(q.value);
  };
  find();
  return show<{ value: T; typed: string }>(q, o, (done) => [
    found,
    q.onDidChangeValue(find),
    q.onDidAccept(() => {
      const value = q.selectedItems[0]?.value;
      if (value !== undefined) {
        done({ value, typed: q.value });
      }
    }),
  ]) as Promise<{ value: T; typed: string } | undefined>;
}

/** The room in a row, in widths of an m: a quick input has 600 pixels, unless the window has less. */
const rowWidth = 40;

/** Returns a text as rows to read, not to select, each short enough not to be cut off. */
export function rows(label: string, text: string): Item<never>[] {
  if (text === '') {
    return [];
  }
  return [
    { label, kind: vscode.QuickPickItemKind.Separator },
    ...wrap(text, rowWidth).map((part) => ({ label: line(part, part.length * 10), alwaysShow: true })),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
  ];
}

/** Asks for any number of the items. `check` says what is wrong with a selection of so many. */
export async function pickMany<T>(
  o: Frame & {
    placeholder?: string;
    items: Item<T>[];
    check: (count: number) => string | undefined;
    /** Is called with the selection whenever it changes. */
    changed: (selected: T[]) => void;
  },
): Promise<T[] | Back | Pressed | undefined> {
  const q = vscode.window.createQuickPick<Item<T>>();
  q.canSelectMany = true;
  q.placeholder = o.placeholder;
  q.items = o.items;
  q.selectedItems = o.items.filter((i) => i.picked);
  const title = o.title;
  const selected = () => q.selectedItems.flatMap((i) => (i.value === undefined ? [] : [i.value]));
  return show(q, o, (done) => [
    q.onDidChangeSelection(() => o.changed(selected())),
    q.onDidAccept(() => {
      const problem = o.check(q.selectedItems.length);
      if (problem) {
        q.title = `${title}: ${problem}`;
      } else {
        done(selected());
      }
    }),
  ]);
}

interface InputOptions extends Frame {
  prompt: string;
  value?: string;
  placeholder?: string;
  password?: boolean;
  validate: (value: string) => string | undefined;
  /** Is called with the text whenever it changes. */
  changed: (value: string) => void;
  /** Shown under the input while the value is valid. */
  warning?: string | undefined;
  /** Takes a valid text, and returns what is wrong with it after all; then the input stays as it is. */
  send?: (value: string) => Promise<string | undefined>;
}

/** Asks for a text. */
export async function input(o: InputOptions): Promise<string | Back | Pressed | undefined> {
  const box = vscode.window.createInputBox();
  box.prompt = o.prompt;
  box.value = o.value ?? '';
  box.placeholder = o.placeholder;
  box.password = o.password ?? false;
  const warning = o.warning && { message: o.warning, severity: vscode.InputBoxValidationSeverity.Warning };
  box.validationMessage = warning;
  return show(box, o, (done) => [
    box.onDidChangeValue((value) => {
      o.changed(value);
      const problem = o.validate(value);
      box.validationMessage = problem ?? warning;
    }),
    box.onDidAccept(async () => {
      const { value } = box;
      if (box.busy) {
        return; // it has been sent
      }
      box.busy = true;
      const problem = o.validate(value) ?? (await o.send?.(value));
      box.busy = false;
      if (problem) {
        box.validationMessage = problem;
      } else {
        done(value);
      }
    }),
  ]);
}

/** Asks for a text, and offers proposals and a row for one of the buttons. What is typed always comes first. */
export async function suggest(
  o: InputOptions & {
    propose?: ((value: string, token: vscode.CancellationToken) => Promise<string[]>) | undefined;
    row?: Button | undefined;
  },
): Promise<string | Back | Pressed | undefined> {
  const q = vscode.window.createQuickPick<Item<string | Pressed>>();
  q.placeholder = o.prompt;
  q.value = o.value ?? '';
  let asking = new vscode.CancellationTokenSource();
  const offer = (proposals: string[]) => {
    const others = proposals.filter((p) => p !== q.value);
    const texts = [q.value, ...others].map((value) => ({
      label: value === '' ? vscode.l10n.t('(empty)') : line(value),
      value,
      alwaysShow: true,
    }));
    const row = o.row && {
      label: `$(${o.row.icon}) ${o.row.label}`,
      description: vscode.l10n.t('for several lines'),
      value: new Pressed(o.row.id),
      alwaysShow: true,
    };
    // Nothing typed is no answer yet.
    q.items = row ? (q.value === '' ? [row, ...texts] : [...texts, row]) : texts;
  };
  const refresh = async () => {
    if (!o.propose) {
      offer([]);
      return;
    }
    asking.cancel();
    asking.dispose();
    asking = new vscode.CancellationTokenSource();
    const { token } = asking;
    offer([]);
    q.busy = true;
    const proposals = await o.propose(q.value, token).catch(() => []);
    if (!token.isCancellationRequested) {
      q.busy = false;
      offer(proposals);
    }
  };
  void refresh();
  return show<string>(q, o, (done) => [
    q.onDidChangeValue((value) => {
      o.changed(value);
      return refresh();
    }),
    q.onDidAccept(() => {
      const value = q.selectedItems[0]?.value ?? q.value;
      const problem = typeof value === 'string' ? o.validate(value) : undefined;
      if (problem) {
        q.title = `${o.title}: ${problem}`;
      } else {
        done(value);
      }
    }),
    {
      dispose: () => {
        asking.cancel();
        asking.dispose();
      },
    },
  ]);
}

/** Shows a quick input until the person answers or leaves it, or it is withdrawn. */
function show<A>(
  q: vscode.QuickInput & {
    buttons: readonly vscode.QuickInputButton[];
    onDidTriggerButton: vscode.Event<vscode.QuickInputButton>;
  },
  o: Frame,
  listen: (done: (answer: A | Back | Pressed | undefined) => void) => vscode.Disposable[],
): Promise<A | Back | Pressed | undefined> {
  q.title = o.title;
  q.step = o.step;
  q.totalSteps = o.totalSteps;
  q.ignoreFocusOut = true;
  const buttons = (o.buttons ?? []).map(({ id, icon, label }) => ({
    pressed: new Pressed(id),
    iconPath: new vscode.ThemeIcon(icon),
    tooltip: label,
  }));
  q.buttons = [...(o.back ? [vscode.QuickInputButtons.Back] : []), ...buttons];
  return new Promise((resolve) => {
    const held: vscode.Disposable[] = [];
    const done = (answer: A | Back | Pressed | undefined) => {
      resolve(answer);
      for (const d of held.splice(0)) {
        d.dispose();
      }
      q.dispose();
    };
    if (o.token?.isCancellationRequested) {
      done(undefined);
      return;
    }
    held.push(
      ...listen(done),
      q.onDidTriggerButton((b) =>
        done(
          b === vscode.QuickInputButtons.Back ? back : (b as vscode.QuickInputButton & { pressed: Pressed }).pressed,
        ),
      ),
      q.onDidHide(() => done(undefined)),
    );
    if (o.token) {
      held.push(o.token.onCancellationRequested(() => done(undefined)));
    }
    q.show();
    shown.fire(o.title);
  });
}
