// Renders Markdown away from the extension host, which ends it when it takes too long:
// there are texts of a few kilobytes that take any parser seconds, or its whole stack.

import { parentPort, workerData } from 'node:worker_threads';
import { render } from './markdown';

/** More HTML than this is no page that a person reads. */
const maxHtml = 4 << 20; // characters

for (const [i, text] of (workerData as string[]).entries()) {
  let html: string | undefined;
  try {
    html = render(text);
  } catch {
    // It is shown as it was written.
  }
  parentPort?.postMessage([i, html !== undefined && html.length <= maxHtml ? html : undefined]);
}
