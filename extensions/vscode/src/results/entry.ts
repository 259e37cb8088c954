// What is known of a result, and of a call that will have one.

import type * as vscode from 'vscode';
import type { Context, JsonObject } from '../protocol';
import type { Preference, Result } from './format';
import type { Place } from './insert';

/** Where a result comes from. The title is harmless already; the names are as the server wrote them. */
export interface Origin {
  server: string;
  name: string;
  title: string;
  /** The arguments on one line, harmless and without secrets. */
  summary: string;
  /** Where it can go; not after a reload, when nobody knows how the document has changed. */
  place?: Place | undefined;
  /** Its call, to write it into a document; undefined when its arguments were not kept. */
  call: Call | undefined;
}

/** A call without its secrets. `where` is not kept beyond a reload. */
export interface Call {
  command: string;
  values: JsonObject;
  where?: Context | undefined;
}

/** A call that is under way. */
export type Begun = Pick<Origin, 'title'> & Partial<Pick<Origin, 'call'>>;

/** What outlives a reload. */
export type Saved = SavedResult | { begun: Begun };

export interface SavedResult {
  readonly from: Origin;
  readonly result: Result;
  readonly time: number;
  readonly preference: Preference;
  /** Where the daemon's files were: nobody knows it before there is a connection. */
  readonly folder: string | undefined;
  /** The address of its document or its file, when it is shown as one. */
  readonly uri: string | undefined;
  /** Whether it has a panel of its own, and is not in the history. */
  kept: boolean;
}

/** A result that is shown, or that one can go back to. */
export interface Entry extends Omit<SavedResult, 'uri'> {
  readonly id: string;
  readonly size: number;
  readonly uri: vscode.Uri | undefined;
  /** Whether VS Code opens its document: it says so before there is a tab. */
  opening?: boolean;
}

/** Returns what outlives a reload of a call. */
export function lasting<B extends Begun>({ call, ...begun }: B): Omit<B, 'call'> & { call: Call | undefined } {
  return { ...begun, call: call && { ...call, where: undefined } };
}
