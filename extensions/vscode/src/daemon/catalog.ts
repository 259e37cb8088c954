// Which servers there are and what they offer, as the daemon last said.

import * as vscode from 'vscode';
import type { CatalogServer, Prompt, Resource, ResourceTemplate, Server, Tool } from '../protocol';
import type { Client } from './client';

/** A tool or a prompt as a command. */
export type Command =
  | { kind: 'tool'; id: string; server: string; name: string; tool: Tool }
  | { kind: 'prompt'; id: string; server: string; name: string; prompt: Prompt };

export class Catalog implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private servers_: Server[] = [];
  private offers = new Map<string, CatalogServer>();
  private commands = new Map<string, Command>();
  private reading: Promise<void> | undefined;
  private again = false;

  /** Fires when a server, its state, or what it offers has changed. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly client: Client,
    private readonly log: vscode.LogOutputChannel,
  ) {
    client.onDidChangeState((state) => {
      if (state === 'running') {
        void this.refresh();
      } else {
        this.forget();
      }
    });
  }

  dispose(): void {
    this.changed.dispose();
  }

  get servers(): readonly Server[] {
    return this.servers_;
  }

  server(name: string): Server | undefined {
    return this.servers_.find((s) => s.name === name);
  }

  command(id: string): Command | undefined {
    return this.commands.get(id);
  }

  commandsOf(server: string, kind: Command['kind']): Command[] {
    return [...this.commands.values()].filter((c) => c.server === server && c.kind === kind);
  }

  resourcesOf(server: string): Resource[] {
    return this.offers.get(server)?.resources ?? [];
  }

  templatesOf(server: string): ResourceTemplate[] {
    return this.offers.get(server)?.resourceTemplates ?? [];
  }

  /** Reads everything again. Calls meanwhile lead to one more read at most. */
  refresh(): Promise<void> {
    if (this.reading) {
      this.again = true;
      return this.reading;
    }
    this.reading = this.read().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** A server is no longer defined. */
  remove(server: string): void {
    this.take(
      this.servers_.filter((s) => s.name !== server),
      [...this.offers.values()].filter((c) => c.server.name !== server),
    );
    if (this.reading) {
      this.again = true; // the read under way may still have it
    }
  }

  private async read(): Promise<void> {
    do {
      this.again = false;
      try {
        const [{ servers }, catalog] = await Promise.all([
          this.client.request('editord/servers', {}),
          this.client.request('editord/catalog', {}),
        ]);
        this.take(servers, catalog.servers);
      } catch (error) {
        this.log.warn(`reading the catalog: ${error}`);
        return;
      }
    } while (this.again);
  }

  private take(servers: Server[], catalogs: CatalogServer[]): void {
    this.servers_ = servers;
    this.offers = new Map(catalogs.map((c) => [c.server.name, c]));
    this.commands.clear();
    for (const c of catalogs) {
      const server = c.server.name;
      for (const { command, tool } of c.tools) {
        this.commands.set(command, { kind: 'tool', id: command, server, name: tool.name, tool });
      }
      for (const { command, prompt } of c.prompts) {
        this.commands.set(command, { kind: 'prompt', id: command, server, name: prompt.name, prompt });
      }
    }
    this.changed.fire();
  }

  private forget(): void {
    if (this.servers_.length > 0) {
      this.take([], []);
    }
  }
}
