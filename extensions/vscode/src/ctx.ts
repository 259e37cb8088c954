// What commands, views and questions are given. extension.ts makes it; nothing below imports it.

import type * as vscode from 'vscode';
import type { Catalog } from './daemon/catalog';
import type { Client } from './daemon/client';
import type { Documents } from './form/documents';
import type { Drafts } from './form/draft';
import type { Logs } from './logs/channels';
import type { Definitions } from './questions/definitions';
import type { Grants } from './questions/grants';
import type { Inbox } from './questions/inbox';
import type { Resources } from './resources/files';
import type { Results } from './results/show';
import type { SignIns } from './signin/signins';

/** The parts of the extension. There is one Ctx from activation to the end. */
export interface Ctx {
  readonly extension: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly client: Client;
  /** Returns once there is a connection. It fails when there will be none, with a sentence that says what to do. */
  connected(): Promise<void>;
  readonly catalog: Catalog;
  readonly questions: Inbox;
  /** Fires when other questions wait than before. */
  readonly onDidAsk: vscode.Event<void>;
  /** Fires with the title of each quick input that opens. */
  readonly onDidShow: vscode.Event<string>;
  readonly signIns: SignIns;
  readonly definitions: Definitions;
  readonly grants: Grants;
  readonly documents: Documents;
  readonly drafts: Drafts;
  readonly results: Results;
  readonly logs: Logs;
  readonly resources: Resources;
}
