// Keeps values beyond a reload of the window, each in a file that only this person can read. A window has a folder
// whose name begins with the process that it runs in. What a window left behind goes to the first one that takes it
// over: two windows of one workspace share nothing.

import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The process of a window that has said that it ends. */
const nobody = '0';

export class Shelf<V> {
  private readonly windows = [randomUUID() as string];
  private last = 0;
  /** Writes come one after the other. */
  private turn: Promise<unknown> = Promise.resolve();
  private ended = false;

  /** `root` is a folder of the workspace; undefined where there is none, and nothing outlives the window. */
  constructor(private readonly root: string | undefined) {}

  /** Returns a name for a new value. No other window has it. */
  name(): string {
    return `${this.windows[0]}/${++this.last}`;
  }

  /** Writes a value, in place of the one before. Returns its size in characters. It need not succeed. */
  put(name: string, value: V): number {
    const json = JSON.stringify(value);
    this.next(name, async (file) => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, json, { mode: 0o600 });
    });
    return json.length;
  }

  drop(name: string): void {
    this.next(name, async (file) => {
      await rm(file, { force: true });
      await rmdir(dirname(file)); // once it is empty
    });
  }

  /** Takes over what windows have left that are gone, in the order in which it was written. */
  async claim(): Promise<{ name: string; value: V }[]> {
    await this.turn;
    const found: { name: string; value: V }[] = [];
    for (const folder of await namesIn(this.root)) {
      const [, pid = '', window = ''] = /^(\d+)-(.+)$/.exec(folder) ?? [];
      if (window === '' || this.windows.includes(window) || (pid !== nobody && isRunning(Number(pid)))) {
        continue;
      }
      try {
        await rename(join(this.root ?? '', folder), this.folder(window));
      } catch {
        continue; // another window was faster
      }
      this.windows.push(window);
      const numbers = (await namesIn(this.folder(window))).map((file) => Number.parseInt(file, 10));
      for (const number of numbers.sort((a, b) => a - b)) {
        const name = `${window}/${number}`;
        try {
          found.push({ name, value: JSON.parse(await readFile(this.file(name), 'utf8')) as V });
        } catch {
          this.drop(name); // it was not written to its end
        }
      }
    }
    return found;
  }

  /** Leaves everything to the next window. */
  dispose(): void {
    this.ended = true;
    for (const window of this.windows) {
      try {
        renameSync(this.folder(window), this.folder(window, nobody));
      } catch {
        // It has nothing. Or the next window sees that this process is gone.
      }
    }
  }

  private folder(window: string, pid = String(process.pid)): string {
    return join(this.root ?? '', `${pid}-${window}`);
  }

  private file(name: string): string {
    const [window = '', number] = name.split('/');
    return join(this.folder(window), `${number}.json`);
  }

  private next(name: string, work: (file: string) => Promise<void>): void {
    this.turn = this.turn
      .then(() => (this.ended || this.root === undefined ? undefined : work(this.file(name))))
      .catch(() => undefined);
  }
}

async function namesIn(folder: string | undefined): Promise<string[]> {
  try {
    return folder === undefined ? [] : await readdir(folder);
  } catch {
    return []; // nothing was ever written
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
