// Gives back the memory of large results that nobody looks at any more. V8 collects nothing in an
// extension host that rests: hundreds of megabytes would stay until somebody works there again.

import { Session } from 'node:inspector';

/** What has to be let go of before it is worth a pause of all extensions. */
const worth = 32 << 20; // bytes

/** How long after the last result: closing ten tabs is one collection. */
const delay = 1000; // ms

export class Collector {
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly pause = delay) {}

  /** Notes that nothing refers to so many bytes any more. */
  letGo(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes >= worth) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.bytes = 0;
        collect();
      }, this.pause);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}

/** Collects garbage, unless this host has no inspector. */
function collect(): void {
  const session = new Session();
  try {
    session.connect();
    // A session that is ended within its answer can stop this thread for ever (Node 20.20).
    session.post('HeapProfiler.collectGarbage', () => setImmediate(() => session.disconnect()));
  } catch {
    // V8 collects when it needs the memory.
  }
}
