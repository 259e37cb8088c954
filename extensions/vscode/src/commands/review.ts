// Shows a server before it is added, adds it, and says what came of that.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type {
  AddServerParams,
  AddServerResult,
  ConfigPlace,
  ProposedServer,
  RequestsToDaemon,
  Server,
} from '../protocol';
import { offerSignIn } from '../signin/offer';
import { line } from '../text';
import { offer } from '../ui/message';
import { during } from '../ui/progress';
import { read } from '../ui/read';
import { pathText, serverSummary } from '../views/items';
import { showPlace } from './configuration';
import { failureLog, failureText, fits, offersText, wholeOf } from './proposals';
import { runToolOf } from './run';
import { told } from './told';

const { t } = vscode.l10n;

/** An answer that comes sooner was meant for the question before: nobody reads that fast. */
const hasty = 500; // ms

/** Adds a server once the person has seen all of it. Returns false when they do not want it. */
export async function review(ctx: Ctx, server: ProposedServer): Promise<boolean> {
  if (server.state === 'same') {
    const text = t('"{0}" is in {1} already.', line(server.name, 60), pathText(server.file));
    offer('information', text, [[t('Run Tool…'), () => told(ctx, () => runToolOf(ctx, server.name))]]);
    return true;
  }
  const wanted = await agreed(ctx, server);
  if (wanted) {
    await add(ctx, { server, replace: server.state === 'different' });
  }
  return wanted;
}

/** Asks whether to add a server. Nobody agrees to what they have not seen all of. */
async function agreed(ctx: Ctx, server: ProposedServer): Promise<boolean> {
  const whole = wholeOf(server, t);
  const all = fits(whole);
  const detail = all ? whole : `${line(server.runs, 300)}\n\n${t('There is more than fits here: look at all of it.')}`;
  const yes = server.state === 'different' ? t('Replace') : t('Add');
  const show = t('Show All');
  for (let seen = all; ; ) {
    const asked = Date.now();
    const title = t('Add "{0}"?', line(server.name, 60));
    const buttons = seen ? [yes, show] : [show];
    const answer = await vscode.window.showInformationMessage(title, { modal: true, detail }, ...buttons);
    if (answer === show) {
      await look(ctx, server.name, whole);
      seen = true;
    } else if (answer === undefined || Date.now() - asked > hasty) {
      return answer === yes;
    }
  }
}

/** Shows a text in a document, and returns when that is closed. */
export async function look(ctx: Ctx, name: string, text: string): Promise<void> {
  const uri = ctx.results.keep(name, text, 'plaintext');
  const { token } = new vscode.CancellationTokenSource();
  const title = t('Close the document to go on.');
  await read(uri, () => vscode.window.showTextDocument(uri), token, title, t('Go On'));
}

/** Starts a server and writes it, and says what came of that. */
async function add(ctx: Ctx, params: AddServerParams): Promise<void> {
  const result = await send(ctx, params);
  if (result?.place) {
    await tellAdded(ctx, result.server, result.place);
  } else if (result) {
    const { server } = result;
    const name = line(server.name, 60);
    offer('error', t('"{0}" did not start, and nothing was written: {1}', name, failureText(server, t)), [
      [t('Show Log'), () => ctx.results.document(`${server.name}.log`, failureLog(server), 'plaintext')],
      [t('Write Anyway'), () => told(ctx, () => add(ctx, { ...params, force: true }))],
    ]);
  }
}

async function tellAdded(ctx: Ctx, server: Server, place: ConfigPlace): Promise<void> {
  if (server.state === 'needsSignIn') {
    offerSignIn(ctx, server);
    return;
  }
  await ctx.catalog.refresh();
  const { catalog } = ctx;
  const name = line(server.name, 60);
  const offers = offersText(
    catalog.commandsOf(server.name, 'tool').length,
    catalog.commandsOf(server.name, 'prompt').length,
    catalog.resourcesOf(server.name).length,
    t,
  );
  const about = server.state === 'ready' && offers ? t('offers {0}', offers) : serverSummary(server, t);
  offer(server.error ? 'warning' : 'information', t('"{0}" is added: {1}', name, about), [
    server.error
      ? [t('Show Server Log'), () => ctx.logs.show(server.name)]
      : [t('Run Tool…'), () => told(ctx, () => runToolOf(ctx, server.name))],
    [t('Open Configuration'), () => told(ctx, () => showPlace(place))],
  ]);
}

/** Has the daemon do something that takes time. Returns undefined when the person has cancelled it. */
export function work<M extends keyof RequestsToDaemon>(
  ctx: Ctx,
  title: string,
  method: M,
  params: RequestsToDaemon[M]['params'],
): Promise<RequestsToDaemon[M]['result'] | undefined> {
  return during(title, async (_, token) => {
    try {
      return await ctx.client.request(method, params, token);
    } catch (error) {
      if (token.isCancellationRequested) {
        return undefined;
      }
      throw error;
    }
  });
}

/** Has the daemon add a server. */
export function send(ctx: Ctx, params: AddServerParams): Promise<AddServerResult | undefined> {
  return work(ctx, t('Adding "{0}"', line(params.server.name, 60)), 'editord/addServer', params);
}
