// Renders Markdown outside of the extension host, which ends it when it takes too long: some texts
// of a few kilobytes take any parser seconds, or its whole stack.

import { parentPort, workerData } from 'node:worker_threads';
import { render } from './markdown';

/** Nobody reads a page with more HTML than this. */
const maxHtml = 4 << 20; // characters

for (const [i, text] of (workerData as string[]).entries()) {
  let html: string | undefined;
  try {
    html = render(text);
  } catch {
    // The text is shown as it is.
  }
  parentPort?.postMessage([i, html !== undefined && html.length <= maxHtml ? html : undefined]);
}
