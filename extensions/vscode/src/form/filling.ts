// A form that a person is filling in: what it is given, and how far it is. Values are kept as soon as
// they are accepted, at every depth, so that there is always a way back and out that loses nothing.

import type * as vscode from 'vscode';
import type { Json, JsonObject } from '../protocol';
import type { Translate } from '../text';
import type { Back, Button, Frame, Pressed } from '../ui/quick-input';
import { check } from './check';
import type { Documents } from './documents';
import type { Draft } from './draft';
import { constant, type Field, type FormOf } from './schema';
import { asksForSecret, mayHoldSecret } from './secret';
import { isWithin, keyOf, type Path, valueAt, withValue } from './tree';

export interface Form {
  title: string;
  form: FormOf;
  /** What is known already. */
  values: JsonObject;
  /** Chooses the fields to ask one by one; the others can be set in the list. */
  ask: (field: Field) => boolean;
  /** The label of the item that sends the form. */
  submit: string;
  /** What is said of sending it, beside its label; harmless already. */
  note?: string;
  /**
   * Whether to show the list even when nothing is left to set. With 'careful' the person has to move to the
   * item that sends it, so that one Enter too many sends nothing.
   */
  review: boolean | 'careful';
  /** Shows all values as they are sent, and returns when the person has seen them. */
  look?: (values: JsonObject) => Promise<void>;
  /** Answers other than sending it. Each is an item of the list, and a button in every step. */
  refusals?: readonly Button[];
  /** Whether to hide the characters of a field. */
  password?: (field: Field) => boolean;
  /** What the person should know before answering a field. */
  warning?: (field: Field) => string | undefined;
  /** Proposes values for a field, given what is typed and the other values. */
  propose?: (field: Field, value: string, values: JsonObject, token: vscode.CancellationToken) => Promise<string[]>;
  /** Opens texts of several lines and nested values. */
  documents: Documents;
  /** Where the person left it. */
  draft?: Draft | undefined;
  /** Is called with the draft whenever the person changes it. */
  keep: (draft: Draft) => void;
  token?: vscode.CancellationToken | undefined;
}

/** Where a step is among the others. */
export interface Place {
  step?: number;
  totalSteps?: number;
  back: boolean;
}

/** One value that is asked for. */
export interface Spot {
  field: Field;
  path: Path;
  /** The title of the question: the form, and the way to the value. */
  title: string;
  place: Place;
  /** Buttons of the value around this one. */
  buttons: readonly Button[];
}

/** How asking for a value ended. The value itself is kept already; undefined when the person left the form. */
export type Outcome = 'answered' | Back | Pressed | undefined;

/** The button that edits a value as JSON. */
export const asJson = 'json';

export class Filling {
  readonly state: Draft;
  /** Whether there is anything to keep. */
  private changed: boolean;

  constructor(
    readonly form: Form,
    /** Asks for a value of any kind. */
    readonly ask: (filling: Filling, spot: Spot) => Promise<Outcome>,
  ) {
    this.changed = form.draft !== undefined;
    this.state = form.draft ?? { values: form.values, typed: {} };
  }

  value({ path }: { path: Path }): Json | undefined {
    return valueAt(this.state.values, path);
  }

  /** Returns the value that is sent for a field, undefined when there is none yet. */
  sent({ path, field }: { path: Path; field: Field }): Json | undefined {
    const value = this.value({ path });
    return value === undefined ? constant(field) : value; // null is a value
  }

  /** Returns what keeps the value of a field from being sent, undefined when nothing does. */
  problem(spot: { path: Path; field: Field }, t: Translate): string | undefined {
    const value = this.sent(spot);
    return value !== undefined ? check(spot.field, value, t) : spot.field.required ? t('required') : undefined;
  }

  /** Returns what is typed and not accepted; with `json`, into the JSON document of the value. */
  typed({ path }: { path: Path }, json = false): Json | undefined {
    const { typed } = this.state;
    const key = typedKey(path, json);
    return Object.hasOwn(typed, key) ? typed[key] : undefined;
  }

  /** Whether something is typed, here or within. */
  hasTyped(path: Path): boolean {
    return Object.keys(this.state.typed).some((key) => isWithin(key, keyOf(path)));
  }

  /** Keeps an accepted value; undefined leaves it out. */
  set({ path, field }: { path: Path; field: Field }, value: Json | undefined, json = false): void {
    const { state } = this;
    delete state.typed[typedKey(path, json)];
    if (asksForSecret(field)) {
      this.hide(keyOf(path));
    }
    state.values = withValue(state.values, path, value);
    this.keep();
  }

  /** Keeps what is typed. */
  type({ path, field }: { path: Path; field: Field }, typed: Json, json = false): void {
    const key = typedKey(path, json);
    if (mayHoldSecret(field, typed, json)) {
      this.hide(key);
    }
    // A name such as __proto__ is a name like any other.
    this.state.typed = { ...this.state.typed, [key]: typed };
    this.keep();
  }

  /** Notes where the person is, to continue there. */
  at(key: string): void {
    this.state.field = key === '' ? undefined : key;
    if (this.changed) {
      this.keep();
    }
  }

  keep(): void {
    this.changed = true;
    this.form.keep(this.state);
  }

  frame({ title, place, buttons }: Spot, ...more: Button[]): Frame & { buttons: readonly Button[] } {
    return { ...place, title, token: this.form.token, buttons: [...more, ...buttons, ...(this.form.refusals ?? [])] };
  }

  private hide(key: string): void {
    const { state } = this;
    state.secrets = [...new Set([...(state.secrets ?? []), key])];
  }
}

/** The key of what is typed for a value. "~j" is in no path, because a tilde is written "~0". */
function typedKey(path: Path, json: boolean): string {
  return json ? `${keyOf(path)}~json` : keyOf(path);
}
