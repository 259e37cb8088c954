// Editord: Open Resource….

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import { completion } from '../daemon/complete';
import { fillIn } from '../form/ask';
import { resumed } from '../form/resume';
import { formOf } from '../form/schema';
import { resourceUri } from '../resources/files';
import { expand, variables } from '../resources/template';
import { line } from '../text';
import { type Item, Pressed, pick } from '../ui/quick-input';
import type { Findable } from '../ui/search';
import { about } from '../views/items';

const { t } = vscode.l10n;

type Choice = Findable &
  ({ server: string; uri: string; mime?: string | undefined } | { server: string; template: string });

export async function openResource(ctx: Ctx): Promise<void> {
  await ctx.connected();
  const items: Item<Choice>[] = [];
  for (const { name: server } of ctx.catalog.servers) {
    const resources = ctx.catalog.resourcesOf(server);
    const templates = ctx.catalog.templatesOf(server);
    if (resources.length + templates.length > 0) {
      items.push({ label: line(server, 80), kind: vscode.QuickPickItemKind.Separator });
    }
    for (const r of resources) {
      const description = `${line(server, 60)} · ${line(r.uri, 120)}`;
      items.push({
        label: `$(file) ${line(r.title ?? r.name, 80)}`,
        description,
        detail: about(r.description),
        value: {
          server,
          uri: r.uri,
          name: r.name,
          title: r.title,
          text: `${r.uri} ${r.description ?? ''}`,
          mime: r.mimeType,
        },
      });
    }
    for (const r of templates) {
      const description = `${line(server, 60)} · ${line(r.uriTemplate, 120)}`;
      items.push({
        label: `$(symbol-variable) ${line(r.title ?? r.name, 80)}`,
        description,
        detail: about(r.description),
        value: {
          server,
          template: r.uriTemplate,
          name: r.name,
          title: r.title,
          text: `${r.uriTemplate} ${r.description ?? ''}`,
        },
      });
    }
  }
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      t('No server that is ready offers a resource; "Editord: List Servers…" shows which are ready.'),
    );
    return;
  }
  const choice = await pick<Choice>({
    title: t('Open a resource'),
    placeholder: t('Search by name, server or address'),
    items,
    find: (choice) => choice,
  });
  if (!choice) {
    return;
  }
  if ('template' in choice) {
    await openTemplate(ctx, choice.server, choice.template);
  } else {
    await open(choice.server, choice.uri, choice.name, choice.mime);
  }
}

/** Asks for the variables of a template, then opens what it stands for. */
export async function openTemplate(ctx: Ctx, server: string, template: string): Promise<void> {
  const names = variables(template);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const completes = ctx.catalog.server(server)?.capabilities?.completions !== undefined;
  const key = `resource:${JSON.stringify([server, template])}`;
  const drafted = await resumed(ctx.drafts, key, line(template, 120));
  if (drafted === undefined) {
    return;
  }
  const values = await fillIn({
    title: line(template, 120),
    form: formOf({ type: 'object', properties, required: names }),
    values: {},
    ask: () => true,
    submit: t('Open'),
    review: false,
    documents: ctx.documents,
    draft: drafted.draft,
    keep: (draft) => ctx.drafts.keep(key, draft, true),
    ...(completes && {
      propose: completion(ctx.client, server, { type: 'ref/resource', uri: template }),
    }),
  });
  if (values && !(values instanceof Pressed)) {
    ctx.drafts.drop(key);
    await open(server, expand(template, values as Record<string, string>));
  }
}

async function open(server: string, uri: string, name?: string, mime?: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', resourceUri(server, uri, name, mime));
}
