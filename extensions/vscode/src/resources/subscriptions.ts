// Keeps the subscriptions of open resources. It subscribes a resource once its server is ready, and
// has it read again when the server updates it. Only the person renews a subscription that has ended.

import { coalesce } from '../coalesce';
import { isObject } from '../json';
import type { ResourceUpdated, Server, SubscriptionEnded } from '../protocol';

/** A resource. */
export interface At {
  server: string;
  uri: string;
}

/** What subscriptions need. A document is the address of an editor on a resource. */
interface Surroundings {
  server: (name: string) => Server | undefined;
  tell: (what: 'subscribe' | 'unsubscribe', at: At) => Promise<unknown>;
  /** Reads documents again that may be out of date. */
  reread: (documents: string[]) => void;
  /** Is called when no more updates come for these documents. */
  ended: (documents: readonly string[], reason: string) => void;
}

interface Open {
  at: At;
  /** The documents on it, each as often as it is watched. */
  documents: string[];
  /** ended: only the person renews it. */
  subscription: 'none' | 'asked' | 'ended';
  /** The definition and the process that were asked. */
  asked?: string;
  /** Whether updates may have been missed. */
  outdated: boolean;
  /** Whether an update has come since it was last read. */
  updated: boolean;
}

export class Subscriptions {
  private readonly open = new Map<string, Open>();

  constructor(private readonly s: Surroundings) {}

  /** Watches a document. Returns a function that ends that. */
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

  /** Subscribes what is open and whose server is ready. A resource without a subscription is shown all the same. */
  subscribe(): void {
    for (const o of this.open.values()) {
      const server = this.s.server(o.at.server);
      if (server?.state !== 'ready') {
        continue;
      }
      // The daemon has no subscriptions on another connection, where a new definition or new folders put
      // the editor; where it has one already, asking again changes nothing.
      const process = JSON.stringify([server.digest, server.pid]);
      if (o.subscription === 'asked' && o.asked !== process) {
        o.subscription = 'none';
        o.outdated = true;
      }
      const { resources } = server.capabilities ?? {};
      if (o.subscription === 'none' && isObject(resources) && resources.subscribe === true) {
        o.subscription = 'asked';
        o.asked = process;
        this.s.tell('subscribe', o.at).catch(() => undefined);
      }
      if (o.outdated) {
        o.outdated = false;
        this.s.reread([...o.documents]);
      }
    }
  }

  /** Takes an update (MCP's notifications/resources/updated). */
  updated({ server, params, subscribed = [params.uri] }: ResourceUpdated): void {
    for (const uri of subscribed) {
      const o = this.open.get(keyOf({ server, uri }));
      if (o) {
        o.updated = true;
        this.rereadUpdated();
      }
    }
  }

  /** Reads what was updated, at most ten times a second however often a server says so. */
  private readonly rereadUpdated = coalesce(() => {
    const updated = [...this.open.values()].filter((o) => o.updated);
    for (const o of updated) {
      o.updated = false;
    }
    this.s.reread(updated.flatMap((o) => o.documents));
  });

  /** Takes the end of a subscription (editord/subscriptionEnded). */
  ended({ server, uri, reason }: SubscriptionEnded): void {
    const o = this.open.get(keyOf({ server, uri }));
    if (o?.subscription === 'asked') {
      o.subscription = 'ended';
      this.s.ended(o.documents, reason);
    }
  }

  /** Renews what has ended, and reads it. Fails when one of them cannot be subscribed. */
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

  /** The connection has ended, and its subscriptions with it. */
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
