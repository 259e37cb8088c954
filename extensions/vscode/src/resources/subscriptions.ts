// The resources that are open: each is subscribed once its server can, and read again when that
// says that it was updated. A subscription that has ended is taken up again when the person says so.

import { coalesce } from '../coalesce';
import { isObject } from '../json';
import type { ResourceUpdated, Server, SubscriptionEnded } from '../protocol';

/** A resource. */
export interface At {
  server: string;
  uri: string;
}

/** What a book of subscriptions works with. A document is known by its address. */
interface Surroundings {
  server: (name: string) => Server | undefined;
  tell: (what: 'subscribe' | 'unsubscribe', at: At) => Promise<unknown>;
  /** The documents may be out of date. */
  reread: (documents: string[]) => void;
  /** No more updates come for these documents. */
  ended: (documents: readonly string[], reason: string) => void;
}

interface Open {
  at: At;
  /** The documents that show it, as often as they are watched. */
  documents: string[];
  /** ended: only the person has it asked for again. */
  subscription: 'none' | 'asked' | 'ended';
  /** Whether updates may have been missed. */
  outdated: boolean;
  /** Whether an update has come since it was last read. */
  updated: boolean;
}

export class Subscriptions {
  private readonly open = new Map<string, Open>();

  constructor(private readonly s: Surroundings) {}

  /** Takes up a document that is watched. Returns what ends that. */
  watch(at: At, document: string): () => void {
    const key = keyOf(at);
    const o = this.open.get(key) ?? { at, documents: [], subscription: 'none', outdated: false, updated: false };
    this.open.set(key, o);
    o.documents.push(document);
    this.subscribe();
    return () => {
      o.documents.splice(o.documents.indexOf(document), 1);
      if (o.documents.length === 0) {
        this.open.delete(key);
        if (o.subscription === 'asked') {
          this.s.tell('unsubscribe', at).catch(() => undefined);
        }
      }
    };
  }

  /** Whether a document is watched. */
  has(document: string): boolean {
    return [...this.open.values()].some((o) => o.documents.includes(document));
  }

  /** Subscribes what is open, once its server is there. Without a subscription a resource is shown all the same. */
  subscribe(): void {
    for (const o of this.open.values()) {
      const server = this.s.server(o.at.server);
      if (server?.state !== 'ready') {
        continue;
      }
      const { resources } = server.capabilities ?? {};
      if (o.subscription === 'none' && isObject(resources) && resources.subscribe === true) {
        o.subscription = 'asked';
        this.s.tell('subscribe', o.at).catch(() => undefined);
      }
      if (o.outdated) {
        o.outdated = false;
        this.s.reread([...o.documents]);
      }
    }
  }

  /** A server has updated resources (MCP's notifications/resources/updated). */
  updated({ server, params, subscribed = [params.uri] }: ResourceUpdated): void {
    for (const uri of subscribed) {
      const o = this.open.get(keyOf({ server, uri }));
      if (o) {
        o.updated = true;
        this.rereadUpdated();
      }
    }
  }

  /** However often a server says so, a resource is read ten times a second at most. */
  private readonly rereadUpdated = coalesce(() => {
    const updated = [...this.open.values()].filter((o) => o.updated);
    for (const o of updated) {
      o.updated = false;
    }
    this.s.reread(updated.flatMap((o) => o.documents));
  });

  /** No more updates of a resource come (editord/subscriptionEnded). */
  ended({ server, uri, reason }: SubscriptionEnded): void {
    const o = this.open.get(keyOf({ server, uri }));
    if (o?.subscription === 'asked') {
      o.subscription = 'ended';
      this.s.ended(o.documents, reason);
    }
  }

  /** Subscribes what has ended anew, and reads it. Fails when one of them cannot be subscribed. */
  async again(): Promise<void> {
    const ended = [...this.open.values()].filter((o) => o.subscription === 'ended');
    await Promise.all(
      ended.map(async (o) => {
        o.subscription = 'asked';
        try {
          await this.s.tell('subscribe', o.at);
        } catch (error) {
          if (o.subscription === 'asked') {
            o.subscription = 'ended';
          }
          throw error;
        }
        this.s.reread([...o.documents]);
      }),
    );
  }

  /** Subscriptions end with the connection. */
  disconnected(): void {
    for (const o of this.open.values()) {
      o.subscription = 'none';
      o.outdated = true;
    }
  }
}

function keyOf({ server, uri }: At): string {
  return JSON.stringify([server, uri]);
}
