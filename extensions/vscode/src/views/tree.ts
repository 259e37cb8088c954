// Shows the servers and what each offers as a tree in the activity bar.

import * as vscode from 'vscode';
import type { Ctx } from '../ctx';
import type { Command } from '../daemon/catalog';
import type { Resource, ResourceTemplate, Server } from '../protocol';
import { resourceUri } from '../resources/files';
import { line } from '../text';
import {
  about,
  commandDescription,
  commandHints,
  commandTitle,
  commandTooltip,
  hasLevel,
  isInFile,
  serverIcon,
  serverSummary,
  serverTooltip,
} from './items';

const { t } = vscode.l10n;

type Group = 'tools' | 'prompts' | 'resources' | 'roots';

export type Node =
  | { kind: 'server'; server: Server }
  | { kind: 'group'; group: Group; server: Server; count: number | undefined }
  | { kind: 'command'; command: Command }
  | { kind: 'resource'; server: string; resource: Resource }
  | { kind: 'template'; server: string; template: ResourceTemplate }
  | { kind: 'root'; uri: string; name: string };

export class ServerTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly held: vscode.Disposable[];

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly ctx: Ctx) {
    const view = vscode.window.createTreeView('mcp-editord.servers', { treeDataProvider: this, showCollapseAll: true });
    const badge = () => {
      const asked = ctx.questions.waiting;
      // A server that needs approval has a question that waits, or one that was put off.
      const servers = ctx.catalog.servers.filter(
        (s) => s.state === 'needsApproval' && !s.error && !asked.some((q) => q.server === s.name),
      );
      const held = ctx.catalog.servers.filter(
        (s) => s.held && !s.heldDenied && !asked.some((q) => q.key === s.held?.digest),
      );
      const signIns = ctx.catalog.servers.filter((s) => s.state === 'needsSignIn');
      const notes = [
        ...(asked.length > 0
          ? [asked.length === 1 ? t('one question waits') : t('{0} questions wait', asked.length)]
          : []),
        ...(servers.length > 0
          ? [servers.length === 1 ? t('one server needs approval') : t('{0} servers need approval', servers.length)]
          : []),
        ...(held.length > 0
          ? [held.length === 1 ? t('one server has changed tools') : t('{0} servers have changed tools', held.length)]
          : []),
        ...(signIns.length > 0
          ? [
              signIns.length === 1
                ? t('one server needs you to sign in')
                : t('{0} servers need you to sign in', signIns.length),
            ]
          : []),
      ];
      const value = asked.length + servers.length + held.length + signIns.length;
      view.badge = value > 0 ? { value, tooltip: notes.join(', ') } : undefined;
    };
    const update = () => {
      this.changed.fire(undefined);
      badge();
      void vscode.commands.executeCommand('setContext', 'mcp-editord.state', ctx.client.state);
      const { servers } = ctx.catalog;
      const fresh = servers.length > 0 && servers.every(({ source }) => source === 'builtin');
      void vscode.commands.executeCommand('setContext', 'mcp-editord.fresh', fresh);
    };
    this.held = [
      view,
      // It has no line, so VS Code shows its welcome: what to do while there is only the built-in server.
      vscode.window.registerTreeDataProvider('mcp-editord.welcome', { getChildren: () => [], getTreeItem: () => ({}) }),
      this.changed,
      ctx.onDidAsk(badge),
      ctx.catalog.onDidChange(update),
      ctx.client.onDidChangeState(update),
      ctx.signIns.onDidChange(() => this.changed.fire(undefined)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed.fire(undefined)),
    ];
    update();
  }

  dispose(): void {
    vscode.Disposable.from(...this.held).dispose();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const { catalog } = this.ctx;
    if (!node) {
      return catalog.servers.map((server) => ({ kind: 'server', server }));
    }
    if (node.kind === 'server') {
      return this.groups(node.server);
    }
    if (node.kind !== 'group') {
      return [];
    }
    const { name } = node.server;
    switch (node.group) {
      case 'tools':
        return catalog.commandsOf(name, 'tool').map((command) => ({ kind: 'command', command }));
      case 'prompts':
        return catalog.commandsOf(name, 'prompt').map((command) => ({ kind: 'command', command }));
      case 'resources':
        return [
          ...catalog.resourcesOf(name).map((resource): Node => ({ kind: 'resource', server: name, resource })),
          ...catalog.templatesOf(name).map((template): Node => ({ kind: 'template', server: name, template })),
        ];
      case 'roots': {
        const { roots } = await this.ctx.client.request<{ roots: { uri: string; name?: string }[] }>('mcp/roots/list', {
          server: name,
        });
        return roots.map((r) => ({ kind: 'root', uri: r.uri, name: r.name ?? '' }));
      }
    }
  }

  private groups(server: Server): Node[] {
    const { catalog } = this.ctx;
    const groups: [Group, number | undefined][] = [
      ['tools', catalog.commandsOf(server.name, 'tool').length],
      ['prompts', catalog.commandsOf(server.name, 'prompt').length],
      ['resources', catalog.resourcesOf(server.name).length + catalog.templatesOf(server.name).length],
      ['roots', server.state === 'ready' ? undefined : 0], // they are asked for when somebody looks
    ];
    return groups.filter(([, count]) => count !== 0).map(([group, count]) => ({ kind: 'group', group, server, count }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = this.itemOf(node);
    const said = [typeof item.label === 'string' ? item.label : '', item.description]
      .filter((s) => typeof s === 'string' && s !== '')
      .join(', ');
    item.accessibilityInformation = { label: said };
    return item;
  }

  private itemOf(node: Node): vscode.TreeItem {
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    switch (node.kind) {
      case 'server': {
        const { server } = node;
        const item = new vscode.TreeItem(line(server.name, 80), this.groups(server).length > 0 ? Collapsed : None);
        const here = this.ctx.signIns.has(server.name);
        const { icon, color } = serverIcon(server);
        item.id = `server:${server.name}`;
        item.iconPath = new vscode.ThemeIcon(icon, color ? new vscode.ThemeColor(color) : undefined);
        item.description = serverSummary(server, t, here);
        item.tooltip = serverTooltip(server, t, here);
        item.contextValue = contextOf(server);
        if (server.state === 'needsSignIn') {
          item.command = { command: 'mcp-editord.signIn', title: t('Sign In…'), arguments: [server.name] };
        }
        return item;
      }
      case 'group': {
        const { group, server, count } = node;
        const item = new vscode.TreeItem(groupLabel(group), Collapsed);
        item.description = count === undefined ? '' : String(count);
        item.id = `group:${server.name}:${group}`;
        item.iconPath = new vscode.ThemeIcon(groupIcons[group]);
        return item;
      }
      case 'command': {
        const { command } = node;
        const item = new vscode.TreeItem(line(commandTitle(command) ?? command.name, 80), None);
        item.id = command.id;
        item.iconPath = new vscode.ThemeIcon(command.kind === 'tool' ? 'tools' : 'comment');
        item.description = [commandHints(command, t), about(commandDescription(command))].filter(Boolean).join(' · ');
        item.tooltip = commandTooltip(command, t);
        item.contextValue = command.kind;
        item.command = { command: 'mcp-editord.showDetails', title: t('Show Details'), arguments: [command.id] };
        return item;
      }
      case 'resource': {
        const { server, resource } = node;
        const item = new vscode.TreeItem(line(resource.title ?? resource.name, 80), None);
        item.id = `resource:${server}:${resource.uri}`;
        item.iconPath = vscode.ThemeIcon.File;
        item.resourceUri = resourceUri(server, resource.uri, resource.name, resource.mimeType);
        item.description = about(resource.description);
        item.tooltip = line(resource.uri, 400);
        item.contextValue = 'resource';
        item.command = { command: 'vscode.open', title: t('Open'), arguments: [item.resourceUri] };
        return item;
      }
      case 'template': {
        const { server, template } = node;
        const item = new vscode.TreeItem(line(template.title ?? template.name, 80), None);
        item.id = `template:${server}:${template.uriTemplate}`;
        item.iconPath = new vscode.ThemeIcon('symbol-variable');
        item.description = line(template.uriTemplate, 120);
        item.tooltip = [line(template.uriTemplate, 400), about(template.description)].filter(Boolean).join('\n');
        item.contextValue = 'template';
        item.command = {
          command: 'mcp-editord.openTemplate',
          title: t('Open'),
          arguments: [server, template.uriTemplate],
        };
        return item;
      }
      case 'root': {
        const item = new vscode.TreeItem(line(node.name || node.uri, 80), None);
        item.iconPath = vscode.ThemeIcon.Folder;
        item.description = line(node.uri, 200);
        item.tooltip = line(node.uri, 400);
        item.contextValue = 'root';
        item.command = {
          command: 'revealInExplorer',
          title: t('Reveal in Explorer'),
          arguments: [vscode.Uri.parse(node.uri)],
        };
        return item;
      }
    }
  }
}

function groupLabel(group: Group): string {
  switch (group) {
    case 'tools':
      return t('Tools');
    case 'prompts':
      return t('Prompts');
    case 'resources':
      return t('Resources');
    case 'roots':
      return t('Roots');
  }
}

const groupIcons: Record<Group, string> = {
  tools: 'tools',
  prompts: 'comment-discussion',
  resources: 'files',
  roots: 'root-folder',
};

/** Returns what the menus of package.json look at: the state of a server first, then what else holds. */
function contextOf(s: Server): string {
  const { signedIn, held, muted } = s;
  const also = { signedIn, wanted: signedIn?.wanted, logging: hasLevel(s), held, file: isInFile(s), muted };
  const holds = Object.entries(also).flatMap(([name, value]) => (value ? [name] : []));
  return ['server', s.runBy ? 'runBy' : s.state, ...holds].join('.');
}
