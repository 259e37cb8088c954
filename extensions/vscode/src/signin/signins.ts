// Signs in to servers. The daemon finds out where to go and waits for the browser; the person sees the
// address before it is opened, may cancel, and pastes the last address where the browser cannot
// reach the daemon. Nothing here is written down: what is pasted has a code.

import * as vscode from 'vscode';
import type { Catalog } from '../daemon/catalog';
import type { Client } from '../daemon/client';
import { failureOf } from '../daemon/failure';
import type { Server, SignIn } from '../protocol';
import type { Results } from '../results/show';
import { firstLine, line, message, oneLine } from '../text';
import { copy, openExternal } from '../ui/message';
import { read } from '../ui/read';
import { wrap } from '../ui/wrap';
import { askEnd, askWhere, type Begun } from './ask';
import { byAddress, pasteLink, Told, wantsSignIn } from './needs';

const { t } = vscode.l10n;

/** How wide the lines of an address are in a document. */
const documentWidth = 50; // of an m

/** A sign-in that this window waits for. */
interface Going {
  readonly server: string;
  /** Is cancelled when the person does not want it any more, and when it is over. */
  readonly source: vscode.CancellationTokenSource;
  /** What the person typed into the input for the last address. */
  typed: string;
  /** Says on the screen how it goes on. */
  report: (text: string) => void;
  /** Whether the server is ready. */
  result: Promise<boolean>;
}

export class SignIns implements vscode.Disposable {
  private readonly going = new Map<string, Going>();
  private readonly changed = new vscode.EventEmitter<void>();

  /** Of which servers the person knows that they need a sign-in. */
  readonly told = new Told();

  /** Fires when this window begins a sign-in, and when one is over. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly client: Client,
    private readonly catalog: Catalog,
    private readonly results: Results,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  dispose(): void {
    for (const { source } of this.going.values()) {
      source.cancel();
    }
    this.changed.dispose();
  }

  /** Whether this window waits for a sign-in to the server. */
  has(server: string): boolean {
    return this.going.has(server);
  }

  /** The servers that this window is signing in to. */
  get servers(): string[] {
    return [...this.going.keys()];
  }

  /**
   * Has the person sign in. If a sign-in is under way, in this window or another, they see its address, and
   * wait for the same one. It says itself why a sign-in failed. Returns whether the server is ready, which it may
   * be already: a message that offers to sign in stays until somebody takes it away.
   */
  async signIn(server: string): Promise<boolean> {
    const now = this.catalog.server(server);
    const here = this.going.get(server);
    if (!here && now?.state === 'ready' && !wantsSignIn(now)) {
      return true;
    }
    const going = here ?? this.begin(server);
    const signIn = now?.signIn;
    if (signIn) {
      void this.show(going, signIn, here ? 'here' : 'elsewhere');
    }
    return going.result;
  }

  /** The daemon asks for an address to be opened. Returns whether it was. */
  async visit(url: string, token: vscode.CancellationToken): Promise<boolean> {
    if (!byAddress(this.catalog.servers, url)) {
      await this.catalog.refresh(); // the question may overtake the state
    }
    const server = byAddress(this.catalog.servers, url);
    const going = server && this.going.get(server.name);
    if (!server?.signIn || !going || token.isCancellationRequested) {
      this.log.warn('the daemon named an address that belongs to no sign-in of this window; it was not opened');
      return false;
    }
    return this.show(going, server.signIn, 'now');
  }

  /** Asks for the address that the browser ended on. */
  async paste(server: string): Promise<void> {
    const going = this.going.get(server);
    const signIn = this.catalog.server(server)?.signIn;
    if (!going || !signIn) {
      void vscode.window.showInformationMessage(t('Nobody is signing in to "{0}" in this window.', line(server, 60)));
      return;
    }
    await askEnd({
      server,
      signIn,
      value: going.typed,
      changed: (value) => {
        going.typed = value;
      },
      send: async (response) => {
        try {
          await this.client.request('editord/finishSignIn', { server, response });
          return undefined;
        } catch (error) {
          return firstLine(message(error), 400);
        }
      },
      token: going.source.token,
    });
  }

  private begin(server: string): Going {
    const source = new vscode.CancellationTokenSource();
    const going: Going = { server, source, typed: '', report: () => undefined, result: Promise.resolve(false) };
    this.going.set(server, going);
    if (!this.catalog.server(server)?.signedIn?.wanted) {
      this.told.add(server);
    }
    this.update();
    going.result = this.run(going);
    return going;
  }

  private async run(going: Going): Promise<boolean> {
    const name = line(going.server, 60);
    let problem: string;
    try {
      const done = await this.wait(going);
      if (done.state === 'ready') {
        return true;
      }
      problem = oneLine(done.error?.message, 400) || t('its server is not ready');
    } catch (error) {
      if (going.source.token.isCancellationRequested) {
        return false;
      }
      const { kind } = failureOf(error);
      // What nobody here has cancelled, the daemon cancels when it ends.
      problem =
        kind && kind !== 'cancelled'
          ? firstLine(message(error), 400)
          : t('the connection to mcp-editord has ended meanwhile');
    } finally {
      this.going.delete(going.server);
      going.source.cancel(); // an input for its last address closes
      this.update();
    }
    this.log.error(`signing in to ${name}: ${problem}`);
    const again = t('Try Again');
    const choice = await vscode.window.showErrorMessage(t('Signing in to "{0}" failed: {1}', name, problem), again);
    if (choice !== again) {
      return false;
    }
    try {
      await this.client.running();
      await this.catalog.refresh();
    } catch {
      return false; // the client has said why
    }
    return this.signIn(going.server);
  }

  /** Waits for the daemon to have signed in. The person sees that, and may cancel. */
  private wait(going: Going): Thenable<Server> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: t('Signing in to "{0}"', line(going.server, 60)),
      cancellable: true,
    };
    return vscode.window.withProgress(options, (shown, token) => {
      token.onCancellationRequested(() => going.source.cancel());
      going.report = (text) => shown.report({ message: text });
      return this.client.request('editord/signIn', { server: going.server }, going.source.token);
    });
  }

  /** Shows an address until the person has chosen what to do with it. Returns whether it was opened. */
  private async show(going: Going, signIn: SignIn, begun: Begun): Promise<boolean> {
    for (;;) {
      const choice = await askWhere(going.server, signIn, begun);
      const now = this.catalog.server(going.server)?.signIn?.url;
      if (this.going.get(going.server) !== going || now !== signIn.url) {
        if (choice !== 'leave') {
          void vscode.window.showInformationMessage(
            t('This sign-in to "{0}" is over already.', line(going.server, 60)),
          );
        }
        return false;
      }
      switch (choice) {
        case 'open':
          this.goOn(going);
          return openExternal(signIn.url);
        case 'copy':
          this.goOn(going);
          await copy(signIn.url);
          return false;
        case 'paste':
          this.goOn(going);
          void this.paste(going.server);
          return false;
        case 'show': {
          const uri = this.results.keep('address', wrap(signIn.url, documentWidth).join('\n'), 'plaintext');
          await read(uri, () => vscode.window.showTextDocument(uri), going.source.token);
          continue;
        }
        case 'leave':
          if (begun !== 'here') {
            going.source.cancel();
          }
          return false;
      }
    }
  }

  /** Says what to do where the browser cannot reach the daemon. A notification takes a link, and no second button. */
  private goOn({ server, report }: Going): void {
    report(
      t(
        'go on in the browser. If that ends on a page that does not load, [paste its address]({0}).',
        pasteLink(server),
      ),
    );
  }

  private update(): void {
    void vscode.commands.executeCommand('setContext', 'mcp-editord.signingIn', this.going.size > 0);
    this.changed.fire();
  }
}
