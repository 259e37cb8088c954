// Keeps what the person decided about the sampling of a server, beyond one question.

import type { Server } from '../protocol';

export type Grant = 'session' | 'always' | 'never';

/** Where grants are kept: a vscode.Memento. */
export interface Store {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

export class Grants {
  private readonly session = new Set<string>();

  constructor(private readonly store: Store) {}

  of(server: Server | undefined, name: string): Grant | undefined {
    const key = keyOf(server, name);
    if (this.session.has(key)) {
      return 'session';
    }
    const kept = this.store.get(key);
    return kept === 'always' || kept === 'never' ? kept : undefined;
  }

  async set(server: Server | undefined, name: string, grant: Grant): Promise<void> {
    const key = keyOf(server, name);
    if (grant === 'session') {
      this.session.add(key);
    } else {
      await this.store.update(key, grant);
    }
  }

  /** Forgets all decisions. */
  async clear(keys: readonly string[]): Promise<void> {
    this.session.clear();
    for (const key of keys.filter((k) => k.startsWith(prefix))) {
      await this.store.update(key, undefined);
    }
  }
}

const prefix = 'sampling:';

/** A grant belongs to one definition: when that changes, the person is asked again. */
function keyOf(server: Server | undefined, name: string): string {
  return prefix + JSON.stringify([name, server?.source, server?.digest]);
}
