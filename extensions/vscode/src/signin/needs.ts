// Says which servers want the person to sign in, and of which to tell them. It needs no window.

import type { Server } from '../protocol';

/** Whether signing in does something for a server: it does not run without, or it wants more permissions. */
export function wantsSignIn(s: Server): boolean {
  return s.state === 'needsSignIn' || s.signedIn?.wanted !== undefined;
}

/** Returns the server whose sign-in leads to this address. */
export function byAddress(servers: readonly Server[], url: string): Server | undefined {
  return servers.find((s) => s.signIn?.url === url);
}

/** Knows of which servers the person was told that they need a sign-in. */
export class Told {
  /** By the name of a server: whether it has been seen to need one since. */
  private readonly names = new Map<string, boolean>();

  /** Returns the servers to tell of. Nobody is told of one at which somebody is signing in. */
  fresh(servers: readonly Server[]): Server[] {
    for (const { name, state } of servers) {
      if (state === 'needsSignIn' && this.names.has(name)) {
        this.names.set(name, true);
      } else if (state === 'ready' && this.names.get(name)) {
        this.names.delete(name); // if it needs a sign-in once more, that is news
      }
    }
    return servers.filter((s) => s.state === 'needsSignIn' && !s.signIn && !this.names.has(s.name));
  }

  /** Notes that the person knows. `seen`: the state of the server says so already. */
  add(server: string, seen = false): void {
    this.names.set(server, seen);
  }
}

/** Returns why a server needs a sign-in, without the advice for a terminal: here there is a button for it. */
export function whySignIn(message: string): string {
  return message.replace(/; (?:[^;]*, )?run: mcp-editord .*$/s, '');
}

/** Returns the link of a message that asks for the last address of the sign-in to a server, whatever its name. */
export function pasteLink(server: string): string {
  const escaped = encodeURIComponent(JSON.stringify([server]));
  return `command:mcp-editord.pasteAddress?${escaped.replaceAll('(', '%28').replaceAll(')', '%29')}`;
}
