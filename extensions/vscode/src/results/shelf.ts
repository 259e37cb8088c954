// Keeps results: small ones in memory, large ones in files that only this person can read. The files
// go with the window; what a window left behind goes when the next one starts.

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json, PromptResult, ToolResult } from '../protocol';
import type { Weight } from './history';

export type Result = ToolResult | PromptResult;

/** Larger results are files. */
const maxInMemory = 1 << 20; // bytes

/** How much of a file is written at once. */
const maxPiece = 1 << 16; // characters

/** A result on the shelf. */
export interface Kept {
  readonly weight: Weight;
  /** Fails when its file is gone. */
  read(): Promise<Result>;
  drop(): Promise<void>;
}

export class Shelf {
  private last = 0;
  private folder: string | undefined;

  /** The files go into a folder of `root` that has the id of this process as its name. */
  constructor(private readonly root: string) {
    for (const name of foldersIn(root)) {
      if (!isRunning(Number(name))) {
        rmSync(join(root, name), { recursive: true, force: true });
      }
    }
  }

  /** Keeps a result. One that no file can be written for stays in memory. */
  async put(result: Result): Promise<Kept> {
    const memory = weigh(result as Json);
    if (memory > maxInMemory) {
      try {
        return await this.write(JSON.stringify(result));
      } catch {
        // The disk is full, or cannot be written. The budget of the history bounds the memory all the same.
      }
    }
    return { weight: { memory, disk: 0 }, read: () => Promise.resolve(result), drop: () => Promise.resolve() };
  }

  dispose(): void {
    if (this.folder !== undefined) {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  private async write(json: string): Promise<Kept> {
    this.folder ??= makeFolder(this.root);
    const file = join(this.folder, `${++this.last}.json`);
    await writeFile(file, pieces(json), { mode: 0o600, flag: 'wx' });
    return {
      weight: { memory: 0, disk: Buffer.byteLength(json) },
      read: async () => JSON.parse(await readFile(file, 'utf8')) as Result,
      drop: () => rm(file, { force: true }).catch(() => undefined), // it goes with its folder then
    };
  }
}

/** Returns about how many bytes a value takes in memory. */
export function weigh(value: Json | undefined): number {
  if (typeof value === 'string') {
    return 16 + 2 * value.length;
  }
  if (typeof value !== 'object' || value === null) {
    return 16;
  }
  let sum = 16;
  for (const key in value) {
    sum += 16 + weigh((value as { [key: string]: Json | undefined })[key]);
  }
  return sum;
}

/** Cuts a text, so that nobody makes a second copy of all of it. No character is cut in two. */
function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = from + maxPiece;
    if (/[\ud800-\udbff]/.test(text[to - 1] ?? '')) {
      to++;
    }
    yield text.slice(from, to);
    from = to;
  }
}

function makeFolder(root: string): string {
  const folder = join(root, String(process.pid));
  rmSync(folder, { recursive: true, force: true }); // of a process that had the same id
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function foldersIn(root: string): string[] {
  try {
    return readdirSync(root);
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
