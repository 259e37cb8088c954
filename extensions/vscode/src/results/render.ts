// Renders Markdown within a limit of time and memory: what a server wrote never holds up the
// extension host, where all other extensions run too.

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const limit = 2000; // ms, once the worker runs
const memory = 128; // MB

/** Returns the HTML of each text, and undefined for a text that goes over the limits: show it as it is. */
export function render(texts: string[], worker = join(__dirname, 'markdown.js')): Promise<(string | undefined)[]> {
  const html: (string | undefined)[] = texts.map(() => undefined);
  if (texts.length === 0) {
    return Promise.resolve(html);
  }
  return new Promise((resolve) => {
    const thread = new Worker(worker, { workerData: texts, resourceLimits: { maxOldGenerationSizeMb: memory } });
    let timer: NodeJS.Timeout | undefined;
    thread.once('online', () => {
      timer = setTimeout(() => void thread.terminate(), limit);
    });
    thread.on('message', ([i, text]: [number, string | undefined]) => {
      html[i] = text;
    });
    thread.on('error', () => undefined); // out of memory; it exits as well
    thread.once('exit', () => {
      clearTimeout(timer);
      resolve(html);
    });
  });
}
